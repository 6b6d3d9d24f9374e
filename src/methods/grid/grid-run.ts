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
  /** Width of the bracket of log δ aimed at when a query names none. */
  readonly width: number;
  /** Longest FFT, a power of two: with about 100 bytes a point it caps the memory of one composition. */
  readonly maxLength: number;
}

/** Tables kept for later queries: about this many bytes. */
const TABLE_BYTES = 2 ** 28;
/** Single steps are cut into at most this many cells. */
const MAX_CELLS = 2 ** 20;
/** Brackets this many times as wide as asked for, and not hopeless, are tried again from coarser plans, up to plans for `COARSEST`. */
const FAR = 100;
const HOPELESS = 0.1;
const COARSEST = 1e-5;
/** Of a grid that is asked where others ran out, and what is left for it. */
const [COARSE_WIDTH, COARSE_LENGTH] = [0.1, 2 ** 12];
const LAST_SHARE = 0.9;
/** Step of the mesh that tells how long a window is, in deviations of one of the steps. */
const SPREAD = 0.3;
/** Meshes tried for one δ, and more while the lower end rises by so much. On a mesh coarser than the loss of most outputs it is far below. Width and speed hang on them. */
const TRIES = 4;
const RISING = 1;
/** Width at which it is tried whether δ is below a floor. Only speed hangs on it. */
const ROUGH = 0.1;

/** One tilted composition, of the pessimistic and of the optimistic lattice measures. */
interface TablePair {
  readonly upper: TiltedTable;
  readonly lower: TiltedTable;
  /** They enclose the run with its losses moved by at most this much. */
  readonly displacement: number;
}

/**
 * A run on the grid. Tails truncated for a fine width can make the window so wide that the mesh is coarse. Where a bracket is far from what was
 * asked, one planned for ten times the width may be narrower.
 *
 * Ensures: each bracket holds the answer: of the mesh, of what is beyond the window, of wrapped and of rounded masses.
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
 * A run on a grid of few points, which nearly any allowance reaches: for where a fine one runs out.
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
 * PLRV composition on a lattice by FFT (REP thm A.7), both adjacency directions apart. Every step is
 * discretised from above and from below; each is composed under the tilt a query needs. The two
 * readings enclose the exact δ. The mesh follows the width asked for; where the cap on the FFT length
 * forbids it the bracket is wider, never wrong.
 */
export class GridRun implements DirectedRun {
  readonly method = 'grid';
  readonly direction: DirectedRun['direction'];
  private readonly finest = new Lazy(() => this.finestOf());
  private readonly plan: Plan;
  private readonly bounding: DirectedRun;
  readonly largestLoss: Bracket;
  /** By link and mesh; undefined where that has too many points. */
  private readonly tables = new Heavy<string, TablePair | undefined>(TABLE_BYTES, (made) =>
    made === undefined ? 0 : made.upper.bytes + made.lower.bytes,
  );
  /** The length of the window that a link needs: meshes that cannot span it are not tried. */
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

  /** On a lattice of the single losses nothing is discretised; the composed ones may lie on a coarser one. */
  get lattice(): number | undefined {
    return this.plan.lattice === undefined ? undefined : this.finest.value;
  }

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

  logDelta(epsilon: number, width = this.options.width, floor = -Infinity): Bracket {
    if (epsilon > this.largestLoss.upper) return this.logInfinity;
    // where no more is asked than that δ is small, a coarse mesh may show it
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
      // if what is open is the tail given up to ∞, cut it deeper; else refine the mesh
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
    // laws that are known between bounds leave what no mesh closes
    if (this.options.maxLength < LONGEST_GRID) noteShort(Math.min(found.upper - found.lower, gained));
    return found;
  }

  /** A bracket whose lower end is that of the worst step, where none was found. */
  private known(epsilon: number, best: Bracket): Bracket {
    if (best.lower > -Infinity) return best;
    const { lower } = this.bounding.logDelta(epsilon);
    return bracket(Math.min(lower, best.upper), best.upper);
  }

  test(omega: number, width = this.options.width): CertifiedTest {
    // beyond the largest loss only what identifies the record is rejected
    if (omega > this.largestLoss.upper) return { logFpr: -Infinity, logTpr: this.logInfinity.lower };
    const at = this.firstPair(this.plan.linkFor(omega), omega, width);
    if (at === undefined) return { logFpr: 0, logTpr: 0 };
    const { logFpr, logTpr } = at.pair.lower.corner(omega);
    return { logFpr: Math.min(0, logFpr + at.pair.displacement), logTpr };
  }

  /** The tables of a link on the mesh expected to reach `width`, or on the finest that fits. */
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

  /** About the length of the window that the composition at a link needs, by a mesh that spreads it little; NaN, which is longer than nothing, where none tells. */
  private windowOf(link: Link): number {
    const step = this.plan.meshFor((SPREAD * link.deviation) / Math.sqrt(this.plan.steps));
    return step * (this.compose(link, step, 0) as number);
  }

  /** Two tables; the number of lattice points that is needed where it is more than `most`; undefined where single steps have too many. */
  private compose({ theta, logTail }: Link, step: number, most: number): TablePair | number | undefined {
    const upper: CountedMeasure[] = [];
    const lower: CountedMeasure[] = [];
    let displacement = 0;
    let logShare = 0;
    // before any of them is cut
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
    // lowered masses keep a lower bound one
    const down =
      logShare > -Infinity
        ? up.scaled(logShare, infinityOf(lower))
        : TiltedTable.compose(this.kernel, lower, theta, most);
    return typeof down === 'number' ? undefined : { upper: up, lower: down, displacement };
  }
}
