import type { Kernel } from '../../kernel/kernel.js';
import { type CountedLaw, directionOf, largestOf } from '../../law/loss-law.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { logComplement } from '../../numeric/log-arithmetic.js';
import { padLogProbability } from '../../numeric/log-probability.js';
import { Heavy, LruCache } from '../../numeric/lru-cache.js';
import { noteShort } from '../../numeric/meter.js';
import { LONGEST_GRID } from '../../numeric/prices.js';
import { log } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { boundingRun } from '../closed/bounding-run.js';
import { firstWithin, type Way } from '../first-within.js';
import { DEEPEST_TAIL, type Link, Plan } from './plan.js';
import { type CountedMeasure, infinityOf, spacingOf, TiltedTable } from './tilted-table.js';

export interface GridOptions {
  /** Width of the bracket of log δ that is wanted where a question names none. */
  readonly width: number;
  /** Longest FFT, a power of two. At about 100 bytes a point it bounds the memory of one composition. */
  readonly maxLength: number;
}

/** About the number of bytes of composed tables that are cached for later questions. Only speed and memory depend on it. */
const TABLE_BYTES = 2 ** 28;
/** Largest number of lattice cells of a single step. Only width depends on it. */
const MAX_CELLS = 2 ** 20;
/**
 * Where a bracket is over FAR times as wide as asked, a plan for ten times the width is tried, up to the width COARSEST. A bracket of log δ wider
 * than HOPELESS ends this. Only speed and width depend on them.
 */
const FAR = 100;
const HOPELESS = 0.1;
const COARSEST = 1e-5;
/**
 * The coarse grid is asked where finer ones ran out of allowance. These are the least width of log δ at which it aims, and its largest FFT length.
 */
const [COARSE_WIDTH, COARSE_LENGTH] = [0.1, 2 ** 12];
/** Fraction of the remaining allowance of work for the last plan before the coarse grid. */
const LAST_SHARE = 0.9;
/**
 * Spacing of the lattice on which the length of the composed law is estimated, in standard deviations of one step's tilted loss. Only speed and
 * width depend on it.
 */
const SPREAD = 0.3;
/**
 * Number of lattices or truncations tried for one δ; more are tried while the lower end of log δ rises by more than RISING. On a lattice coarser than
 * most losses that end is far too low. Only width and speed depend on them.
 */
const TRIES = 4;
const RISING = 1;
/**
 * Width of log δ at which a question first tests whether δ is below its floor, under which no narrower bracket is wanted. Only speed depends on it.
 */
const ROUGH = 0.1;

/** The compositions, under one exponential tilt, of lattice measures whose δ is at least the run's (`upper`), and at most (`lower`). */
interface TablePair {
  readonly upper: TiltedTable;
  readonly lower: TiltedTable;
  /** Largest total distance by which losses were moved to the lattice: both tables enclose the run with its losses moved by at most this. */
  readonly displacement: number;
}

/**
 * A run whose privacy loss is composed on a lattice by FFT (`GridRun`). A narrow bracket needs deep tails, whose range of losses may force a coarse
 * lattice. So where a bracket is far wider than asked, a plan for ten times the width is tried too.
 *
 * Ensures: each bracket holds the answer; it includes errors of discretisation, truncation, aliasing (wrap-around) and rounding.
 */
export function gridRun(kernel: Kernel, laws: readonly CountedLaw[], options: GridOptions): DirectedRun {
  const ways: Way[] = [];
  for (let times = 1; ; times *= 10) {
    const width = times * options.width;
    const make = (): GridRun => new GridRun(kernel, laws, { ...options, width });
    if (!(width < COARSEST)) {
      const coarse = { make: () => coarseGridRun(kernel, laws, options), spare: true };
      return firstWithin([...ways, { make, times, share: () => LAST_SHARE }, coarse], options.width);
    }
    ways.push({ make, times, enough: (asked) => FAR * asked, hopeless: HOPELESS });
  }
}

/**
 * A run on a lattice of at most COARSE_LENGTH points, which almost any allowance affords, for questions where a fine one ran out.
 *
 * Ensures: each bracket holds the answer, as those of `gridRun` do.
 */
export function coarseGridRun(
  kernel: Kernel,
  laws: readonly CountedLaw[],
  { width, maxLength }: GridOptions,
): DirectedRun {
  const few = { width: Math.max(width, COARSE_WIDTH), maxLength: Math.min(maxLength, COARSE_LENGTH) };
  return new GridRun(kernel, laws, few);
}

/**
 * Composition of the privacy loss random variable on a lattice by FFT (REP, theorem A.7; docs/bibliography.md), in one direction. Every step is
 * discretised once so that δ rises and once so that it falls. Each composition is computed under the exponential tilt that a question needs. Their δ
 * enclose the exact δ. The spacing follows the width asked for; where the FFT length does not allow it the bracket is wider, never wrong.
 */
export class GridRun implements DirectedRun {
  readonly method = 'grid';
  readonly direction: DirectedRun['direction'];
  private readonly plan: Plan;
  private readonly bounding: DirectedRun;
  readonly largestLoss: Bracket;
  /** Composed tables, by link (tilt and truncation) and spacing; undefined where there would be too many points. */
  private readonly tables = new Heavy<string, TablePair | undefined>(TABLE_BYTES, (made) =>
    made === undefined ? 0 : made.upper.bytes + made.lower.bytes,
  );
  /**
   * About the length of the interval of losses that a composition needs, by link (tilt and truncation). Spacings at which the FFT would be too long
   * for that interval are not tried.
   */
  private readonly windows = new LruCache<string, number>(Infinity);

  /** Plans the composition for the relative error `width` of truncation; lattices are composed when questions are asked. */
  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedLaw[],
    private readonly options: GridOptions,
  ) {
    this.direction = directionOf(laws);
    this.plan = new Plan(laws, -log(options.width));
    this.bounding = boundingRun(laws);
    this.largestLoss = largestOf(laws);
  }

  get logInfinity(): Bracket {
    return this.bounding.logInfinity;
  }

  /**
   * The spacing of a lattice through 0 that holds all composed losses; undefined where the steps' losses lie on none. It is coarser than the plan's
   * where composed losses have a larger spacing and are multiples of it. Exact.
   */
  get lattice(): number | undefined {
    const step = this.plan.lattice;
    if (step === undefined) return undefined;
    const { every, offset } = spacingOf(
      this.laws.map(({ law, count }) => ({
        measure: law.discretise(this.kernel, step, DEEPEST_TAIL).upper,
        count,
      })),
    );
    return offset === 0 ? step * every : step;
  }

  guessEpsilon(logDelta: number): number {
    return this.plan.guessEpsilon(logDelta);
  }

  guessOmega(logFpr: number): number {
    return this.plan.guessOmega(logFpr);
  }

  /**
   * log δ(ε) from composed lattice measures whose δ is larger and smaller than the run's. Lattices are refined, or tails deepened, until the
   * bracket is narrow enough. Intersected with `boundingRun`, and δ(ε) ≥ 1 − e^ε. Ensures: log δ lies in the bracket.
   */
  logDelta(epsilon: number, width = this.options.width, floor = -Infinity): Bracket {
    if (epsilon > this.largestLoss.upper) return this.logInfinity;
    // a coarse lattice may suffice to show that δ is below the floor
    if (floor > -Infinity && width < ROUGH) {
      const rough = this.logDelta(epsilon, ROUGH);
      if (rough.upper <= floor) return rough;
    }
    // δ(ε) ≥ 1 − e^ε for every pair
    const least = epsilon < 0 ? padLogProbability(logComplement(epsilon)).lower : -Infinity;
    let best = bracket(least, this.bounding.logDelta(epsilon).upper);
    let link = this.plan.linkFor(epsilon);
    let at = this.firstPair(link, epsilon, width);
    let gained = Infinity;
    for (let [tries, rising] = [0, true]; at !== undefined && (tries < TRIES || rising); tries++) {
      const { pair, step } = at;
      const before = best;
      const upper = Math.min(best.upper, pair.upper.upperLogDelta(epsilon - pair.displacement));
      const lower = Math.max(best.lower, pair.lower.lowerLogDelta(epsilon + pair.displacement));
      best = bracket(lower, upper);
      rising = lower - before.lower > RISING;
      if (upper - lower <= width) return best;
      if (tries > 0) gained = before.upper - before.lower - (upper - lower);
      // where the mass that truncation moves to loss +∞ makes the bracket wide, truncate less; otherwise refine the lattice
      const finite = pair.upper.finiteLogDelta(epsilon);
      if (pair.upper.logInfinity - finite > log(width) - 1 && link.logTail > DEEPEST_TAIL) {
        link = { ...link, logTail: Math.min(link.logTail - 16, this.plan.logTailFor(finite)) };
        at = this.firstPair(link, epsilon, width);
      } else {
        // on the lattice of the losses the discretisation is exact, so none finer would help
        if (step === this.plan.lattice) return this.known(epsilon, best);
        const finer = this.pair(link, step / 2);
        at = finer && { pair: finer, step: step / 2 };
      }
    }
    const found = this.known(epsilon, best);
    // notes how much a longer FFT might narrow the bracket: at most its width, and at most what the last refinement gained
    if (this.options.maxLength < LONGEST_GRID) noteShort(Math.min(found.upper - found.lower, gained));
    return found;
  }

  /** The bracket `best`; where its lower end is −∞, that becomes the δ of the worst single step. Ensures: log δ(ε) lies in it. */
  private known(epsilon: number, best: Bracket): Bracket {
    if (best.lower > -Infinity) return best;
    const { lower } = this.bounding.logDelta(epsilon);
    return bracket(Math.min(lower, best.upper), best.upper);
  }

  /**
   * The test at ω of the composed measures whose δ is at most the run's (`TiltedTable.corner`). Moving losses by d multiplies the FPR by at most e^d.
   * Ensures: log FPR rounded up, log TPR down.
   */
  test(omega: number, width = this.options.width): CertifiedTest {
    // beyond the largest finite loss the test rejects only where the loss is +∞
    if (omega > this.largestLoss.upper) return { logFpr: -Infinity, logTpr: this.logInfinity.lower };
    const at = this.firstPair(this.plan.linkFor(omega), omega, width);
    if (at === undefined) return { logFpr: 0, logTpr: 0 };
    const { logFpr, logTpr } = at.pair.lower.corner(omega);
    return { logFpr: Math.min(0, logFpr + at.pair.displacement), logTpr };
  }

  /**
   * The tables of a link (tilt and truncation) on a lattice of the spacing expected to give `width`, or of the finest that fits. Undefined if none
   * does. Heuristic: the spacing affects width only.
   */
  private firstPair(link: Link, x: number, width: number): { pair: TablePair; step: number } | undefined {
    let step = this.plan.stepFor(link, x, width);
    for (let tries = 0; tries < 60; tries++, step *= 2) {
      const pair = this.pair(link, step);
      if (pair) return { pair, step };
    }
    return undefined;
  }

  /**
   * The tables of a link (tilt and truncation) on a lattice of spacing `step`, cached; undefined if they need more than `maxLength` points. Their
   * errors are those of `compose`.
   */
  private pair(link: Link, step: number): TablePair | undefined {
    const key = `${link.index}/${link.logTail}`;
    const window = this.windows.of(key, () => this.windowOf(link));
    if (window > step * this.options.maxLength) return undefined;
    return this.tables.of(`${key}/${step}`, () => {
      const made = this.compose(link, step, this.options.maxLength);
      return typeof made === 'object' ? made : undefined;
    });
  }

  /**
   * Heuristic: about the length of the interval of losses that the composition needs under the link's tilt, from a lattice of spacing SPREAD. NaN
   * where none is found. It enters no bound.
   */
  private windowOf(link: Link): number {
    const step = this.plan.meshFor((SPREAD * link.deviation) / Math.sqrt(this.plan.steps));
    return step * (this.compose(link, step, 0) as number);
  }

  /**
   * Composes lattice measures of all steps by FFT under the tilt θ. Of each step one has at least its δ, one at most. Returns the number of lattice
   * points needed if that exceeds `most`; undefined if single steps have too many cells. Ensures: the tables enclose the run, losses moved by
   * `displacement`.
   */
  private compose({ theta, logTail }: Link, step: number, most: number): TablePair | number | undefined {
    const upper: CountedMeasure[] = [];
    const lower: CountedMeasure[] = [];
    let displacement = 0;
    let logShare = 0;
    // discretisation would cost too much
    if (this.laws.some(({ law }) => law.cells(step, logTail) > MAX_CELLS)) return undefined;
    for (const { law, count } of this.laws) {
      const { share = 0, ...measures } = law.discretise(this.kernel, step, logTail);
      upper.push({ measure: measures.upper, count });
      lower.push({ measure: measures.lower, count });
      displacement += count * measures.displacement;
      logShare += count * (log(share) - 2 * U);
    }
    const up = TiltedTable.compose(this.kernel, upper, theta, most);
    if (typeof up === 'number') return up;
    // the lower measures are the upper ones times `share`, which is rounded down
    const down =
      logShare > -Infinity
        ? up.scaled(logShare, infinityOf(lower))
        : TiltedTable.compose(this.kernel, lower, theta, most);
    return typeof down === 'number' ? undefined : { upper: up, lower: down, displacement };
  }
}
