import type { Kernel } from '../../kernel/kernel.js';
import { type CountedLaw, directionOf, largestOf } from '../../law/loss-law.js';
import { type Bracket, bracket } from '../../numeric/bracket.js';
import { U } from '../../numeric/constants.js';
import { logComplement } from '../../numeric/log-arithmetic.js';
import { padLogProbability } from '../../numeric/log-probability.js';
import { Heavy, Lazy, LruCache } from '../../numeric/lru-cache.js';
import { noteShort } from '../../numeric/meter.js';
import { LONGEST_GRID } from '../../numeric/prices.js';
import { log } from '../../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../../run/directed-run.js';
import { boundingRun } from '../closed/bounding-run.js';
import { firstWithin, type Way } from '../first-within.js';
import { DEEPEST_TAIL, type Link, Plan } from './plan.js';
import { type CountedMeasure, infinityOf, spacingOf, TiltedTable } from './tilted-table.js';

export interface GridOptions {
  /** Width of the bracket of log δ aimed at where a query names none. */
  readonly width: number;
  /** Longest FFT, a power of two: with about 100 bytes a point it caps the memory of one composition. */
  readonly maxLength: number;
}

/** Bytes of tables cached for later queries, approximately. */
const TABLE_BYTES = 2 ** 28;
/** Cells of a single discretised step, at most. */
const MAX_CELLS = 2 ** 20;
/**
 * Brackets more than FAR times as wide as asked for are tried again from plans for ten times the width, up to `COARSEST`. Those wider than HOPELESS
 * are not.
 */
const FAR = 100;
const HOPELESS = 0.1;
const COARSEST = 1e-5;
/** Width and FFT length of the coarse grid that is asked where other methods ran out. */
const [COARSE_WIDTH, COARSE_LENGTH] = [0.1, 2 ** 12];
const LAST_SHARE = 0.9;
/** Spacing of the lattice that is used to estimate the window's length, in standard deviations of a step. */
const SPREAD = 0.3;
/**
 * Lattices tried for one δ, and more as long as the lower end rises by this. A lattice coarser than most losses has a far too low lower end. Only
 * width and speed depend on them.
 */
const TRIES = 4;
const RISING = 1;
/** Width at which a composition first tests whether δ is below a floor. Only speed depends on it. */
const ROUGH = 0.1;

/** The pessimistic and the optimistic lattice measure, composed under one tilt. */
interface TablePair {
  readonly upper: TiltedTable;
  readonly lower: TiltedTable;
  /** Largest distance by which losses may have been moved: the tables enclose the run with losses so moved. */
  readonly displacement: number;
}

/**
 * A run on a lattice, composed by FFT. A fine width needs deep tails, whose window may force a coarse lattice. So where a bracket is far from what
 * was asked, a plan for ten times the width is tried too.
 *
 * Ensures: each bracket holds the answer; it includes errors of discretisation, truncation, wrap-around and rounding.
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
 * A run on a lattice of few points, which almost any allowance affords, for questions where a fine one ran out.
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
 * Composition of the privacy loss random variable on a lattice by FFT (REP thm A.7), separately in both directions. Every step is discretised from
 * above and from below; each is composed under the tilt that a query needs. The two enclose the exact δ. The spacing follows the width asked for;
 * where the FFT length does not allow it the bracket is wider, never wrong.
 */
export class GridRun implements DirectedRun {
  readonly method = 'grid';
  readonly direction: DirectedRun['direction'];
  private readonly finest = new Lazy(() => this.finestOf());
  private readonly plan: Plan;
  private readonly bounding: DirectedRun;
  readonly largestLoss: Bracket;
  /** Cached by link and spacing; undefined where it has too many points. */
  private readonly tables = new Heavy<string, TablePair | undefined>(TABLE_BYTES, (made) =>
    made === undefined ? 0 : made.upper.bytes + made.lower.bytes,
  );
  /** Length of the window that a link needs: spacings that cannot cover it are not tried. */
  private readonly windows = new LruCache<string, number>(Infinity);

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

  /** The lattice of the single losses, where nothing needs to be discretised; composed ones may lie on a coarser one. */
  get lattice(): number | undefined {
    return this.plan.lattice === undefined ? undefined : this.finest.value;
  }

  /** The spacing of the losses that steps with losses on a lattice have in common. Exact, or the lattice of the plan. */
  private finestOf(): number {
    const step = this.plan.lattice as number;
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

  /** log δ(ε) from tables of a worse and a better run on ever finer lattices, or with deeper tails. Ensures: it lies in the bracket. */
  logDelta(epsilon: number, width = this.options.width, floor = -Infinity): Bracket {
    if (epsilon > this.largestLoss.upper) return this.logInfinity;
    // for an upper bound below a floor a coarse lattice may suffice
    if (floor > -Infinity && width < ROUGH) {
      const rough = this.logDelta(epsilon, ROUGH);
      if (rough.upper <= floor) return rough;
    }
    // no pair has δ(ε) below 1 − e^ε
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
      // if the width comes from mass moved to ∞, truncate deeper; else refine the lattice
      const finite = pair.upper.finiteLogDelta(epsilon);
      if (pair.upper.logInfinity - finite > log(width) - 1 && link.logTail > DEEPEST_TAIL) {
        link = { ...link, logTail: Math.min(link.logTail - 16, this.plan.logTailFor(finite)) };
        at = this.firstPair(link, epsilon, width);
      } else {
        // on the lattice of the losses the discretisation is exact
        if (step === this.plan.lattice) return this.known(epsilon, best);
        const finer = this.pair(link, step / 2);
        at = finer && { pair: finer, step: step / 2 };
      }
    }
    const found = this.known(epsilon, best);
    // laws known only between bounds leave a gap that no lattice closes
    if (this.options.maxLength < LONGEST_GRID) noteShort(Math.min(found.upper - found.lower, gained));
    return found;
  }

  /** A bracket with a lower end; where none was found, that of the worst single step. Ensures: log δ(ε) lies in it. */
  private known(epsilon: number, best: Bracket): Bracket {
    if (best.lower > -Infinity) return best;
    const { lower } = this.bounding.logDelta(epsilon);
    return bracket(Math.min(lower, best.upper), best.upper);
  }

  test(omega: number, width = this.options.width): CertifiedTest {
    // beyond the largest loss only outputs that reveal the record are rejected
    if (omega > this.largestLoss.upper) return { logFpr: -Infinity, logTpr: this.logInfinity.lower };
    const at = this.firstPair(this.plan.linkFor(omega), omega, width);
    if (at === undefined) return { logFpr: 0, logTpr: 0 };
    const { logFpr, logTpr } = at.pair.lower.corner(omega);
    return { logFpr: Math.min(0, logFpr + at.pair.displacement), logTpr };
  }

  /** The tables of a link with the spacing expected to give `width`, or the finest that fits. */
  private firstPair(link: Link, x: number, width: number): { pair: TablePair; step: number } | undefined {
    let step = this.plan.stepFor(link, x, width);
    for (let tries = 0; tries < 60; tries++, step *= 2) {
      const pair = this.pair(link, step);
      if (pair) return { pair, step };
    }
    return undefined;
  }

  private pair(link: Link, step: number): TablePair | undefined {
    const key = `${link.index}/${link.logTail}`;
    const window = this.windows.of(key, () => this.windowOf(link));
    if (window > step * this.options.maxLength) return undefined;
    return this.tables.of(`${key}/${step}`, () => {
      const made = this.compose(link, step, this.options.maxLength);
      return typeof made === 'object' ? made : undefined;
    });
  }

  /** Approximate length of the window of the composition at a link, from a lattice that spreads it little; NaN where none is found. */
  private windowOf(link: Link): number {
    const step = this.plan.meshFor((SPREAD * link.deviation) / Math.sqrt(this.plan.steps));
    return step * (this.compose(link, step, 0) as number);
  }

  /**
   * Composes the tables of a worse and a better run on a lattice, tilted by θ. Returns the number of lattice points needed if that exceeds `most`;
   * undefined if single steps have too many cells.
   */
  private compose({ theta, logTail }: Link, step: number, most: number): TablePair | number | undefined {
    const upper: CountedMeasure[] = [];
    const lower: CountedMeasure[] = [];
    let displacement = 0;
    let logShare = 0;
    // checked before any step is discretised
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
    // masses rounded down keep a lower bound
    const down =
      logShare > -Infinity
        ? up.scaled(logShare, infinityOf(lower))
        : TiltedTable.compose(this.kernel, lower, theta, most);
    return typeof down === 'number' ? undefined : { upper: up, lower: down, displacement };
  }
}
