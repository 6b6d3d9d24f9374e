import type { Kernel } from '../kernel/kernel.js';
import { isLimited } from '../numeric/meter.js';
import { logDeltas } from '../run/log-deltas.js';
import { muAbove, muBelow, reaches, SLACK } from './gdp-inverse.js';
import type { Profile } from './profile.js';

/**
 * Bounds of the largest G(ε) = μ_GDP(ε, δ(ε)) over [0, ε_h], by the staircases of IAM §4, step functions above and below G. μ_GDP(ε, δ) is the μ with
 * δ_μ(ε) = δ, δ_μ the profile of N(0, 1) and N(μ, 1). (The paper's algorithms 1 and 3 exchange the two.) δ never rises, and μ_GDP grows in both
 * arguments. So over a cell [x⁻, x⁺)
 *
 *   G(ε) ≤ μ_GDP(x⁺, δ(x⁻))          the upper step;
 *   G(ε) ≥ μ_GDP(x⁻, δ(x⁺))          the lower step.
 *
 * As ∂μ_GDP/∂ε ≤ √(2π)/2, an upper step is at most √(π/2)(x⁺ − x⁻) above G(x⁻). The lower bound kept here is G(x⁻) itself: it is never below the
 * lower step, and attained.
 */
export interface Staircase {
  readonly lower: number;
  readonly upper: number;
  /** The ε at which `lower` is attained. */
  readonly at: number;
  /** How often δ was evaluated, or compared with the profile δ_μ of N(0, 1) and N(μ, 1). */
  readonly tests: number;
  /** How often μ was solved for. */
  readonly inversions: number;
  /** False if the evaluations allowed did not suffice for cells of the width asked for: `upper` then bounds G by steps over wider ranges. */
  readonly finished: boolean;
}

/** The cells over which a step function is constant, and limits of the work. */
export interface StaircaseOptions {
  /** Right end ε_h of the interval. */
  readonly epsilonHead: number;
  /** Number of cells, at most 2⁵². */
  readonly cells: number;
  /** Seed of the order in which δ is evaluated at cells. */
  readonly seed: number;
  /** Whether to evaluate δ in every cell. Otherwise ranges of cells are skipped if one upper step over the range is below some G(x). */
  readonly exhaustive: boolean;
  /** Largest number of evaluations of δ and comparisons with δ_μ. */
  readonly budget: number;
  /**
   * If given, only the side of this μ on which the supremum lies is decided. `lower` and `upper` start from it; the first ε with G(ε) above it ends
   * the search.
   */
  readonly threshold?: number;
  /** A μ that the supremum over all ε is known to reach: `lower` and `upper` start from it, and cells below it are skipped. */
  readonly least?: number;
}

/** Largest number of ranges of cells in one kernel call. */
const CHUNK = 4096;
/** Approximate number of ranges into which the cells are divided at first. */
const BLOCKS = 512;
/** Number of parts into which an undecided range is divided. */
const FAN = 16;
/** Width of the brackets of log δ that are asked for first. Only speed depends on it. */
const ROUGH = 1e-2;
/** Brackets of log δ wider than this are asked for again where a range stays undecided. Only speed depends on it. */
const SHARP = 1e-9;
/**
 * Where upper bounds of G stay above `lower`, the fraction of their distance by which `lower` may be below the largest certified value of G. Only
 * width depends on it.
 */
const MISSED = 1 / 64;

/** Ranges of `size` consecutive cells each, the first of them in `from`; the last range of [0, ε_h] may be shorter. */
interface Visited {
  readonly size: number;
  readonly from: Float64Array;
  /** Right ends, as ε. */
  readonly right: Float64Array;
  /** Brackets [low, high] of log δ at the left ends. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/**
 * Computes bounds of the largest G over [0, ε_h], and returns them; it yields the fraction of [0, ε_h] that is done, from time to time.
 *
 * Ensures: the supremum lies between `lower` and `upper`. With a `threshold`, it is above that if `lower` is, and at most that if `upper` is.
 */
export function climb(
  kernel: Kernel,
  profile: Profile,
  options: StaircaseOptions,
): Generator<number, Staircase, void> {
  return new Climb(kernel, profile, options).run();
}

/** The search for the largest G over [0, ε_h]: bounds found so far, and counts of evaluations. */
class Climb {
  private lower: number;
  private upper: number;
  private at = 0;
  private tests = 0;
  /** Number of tests that are reserved for ranges not yet visited or divided. */
  private due = 0;
  private inversions = 0;
  private finished = true;

  /** Starts with both bounds at the threshold, at a known lower bound of the supremum, or at 0. */
  constructor(
    private readonly kernel: Kernel,
    private readonly profile: Profile,
    private readonly options: StaircaseOptions,
  ) {
    this.lower = options.threshold ?? options.least ?? 0;
    this.upper = this.lower;
  }

  /** Treats all ranges of cells in a pseudo-random order, and then the right end ε_h. */
  *run(): Generator<number, Staircase, void> {
    const { epsilonHead, cells, seed, exhaustive } = this.options;
    let size = 1;
    if (!exhaustive) while (cells / size > BLOCKS) size *= FAN;
    const blocks = Math.ceil(cells / size);
    const order = shuffledOrder(blocks, seed);
    // small batches first, as the first tests decide most of the later ones
    let length = 64;
    for (let done = 0; done < blocks && !this.isDecided(); ) {
      const count = Math.min(length, blocks - done);
      const from = new Float64Array(count);
      for (let k = 0; k < count; k++) from[k] = size * order(done + k);
      this.due = 2 * (blocks - done - count);
      for (const _ of this.settle(size, from)) yield done / blocks;
      done += count;
      length = Math.min(CHUNK, length * 2);
    }
    const end = this.profile.logDelta(epsilonHead);
    if (!reaches(this.lower, epsilonHead, end.lower)) this.raiseLower(epsilonHead, end.lower);
    const { lower, upper, at, tests, inversions, finished } = this;
    return { lower, upper: Math.max(lower, upper), at, tests, inversions, finished };
  }

  /** Whether the largest G is known to be above the threshold. */
  private isDecided(): boolean {
    const { threshold } = this.options;
    return threshold !== undefined && this.lower > threshold;
  }

  /** The left end of cell i, as an ε. */
  private edge(i: number): number {
    const { cells, epsilonHead } = this.options;
    return i >= cells ? epsilonHead : (epsilonHead * i) / cells;
  }

  /** Raises the lower bound to a lower bound of G(x). */
  private raiseLower(x: number, logDelta: number): void {
    this.inversions++;
    const mu = muBelow(x, logDelta);
    if (!(mu > this.lower)) return;
    this.lower = mu;
    this.at = x;
  }

  /** Raises the upper bound to an upper step: an upper bound of μ_GDP(x, δ). */
  private raiseUpper(x: number, logDelta: number): void {
    this.inversions++;
    this.upper = Math.max(this.upper, muAbove(x, logDelta));
  }

  /**
   * Raises the lower bound to the largest G at the left ends. All δ are compared with δ_μ, μ the lower bound so far. Of those above it, the one with
   * the largest G raises the bound, until none is above.
   */
  private climbTo(left: Float64Array, low: Float64Array): void {
    let above = Array.from(left.keys()).filter((k) => low[k] > -Infinity);
    for (;;) {
      const epsilon = Float64Array.from(above, (k) => left[k]);
      const here = this.kernel.logDeltaGdp(this.lower, epsilon);
      above = above.filter((k, i) => low[k] > here[i] * (1 - SLACK) && !reaches(this.lower, left[k], low[k]));
      if (above.length === 0) return;
      const mu = this.kernel.muGdpLog(
        Float64Array.from(above, (k) => left[k]),
        Float64Array.from(above, (k) => low[k]),
      );
      const [best] = above.splice(mu.indexOf(Math.max(...mu)), 1);
      this.raiseLower(left[best], low[best]);
    }
  }

  /**
   * Bounds G over ranges of cells. Ranges where G may exceed the bounds so far are divided. The one of the largest upper step is first, as its parts
   * exclude most others.
   */
  private *settle(size: number, from: Float64Array): Generator<void> {
    if (from.length === 0 || this.isDecided()) return;
    const seen = this.visit(size, from);
    yield;
    const open = this.open(seen, Array.from(from.keys()));
    if (size > 1 && open.length > 1) {
      const mu = this.kernel.muGdpLog(at(seen.right, open), at(seen.high, open));
      const [best] = open.splice(mu.indexOf(Math.max(...mu)), 1);
      open.unshift(best);
    }
    for (let i = 0, next = 1; i < open.length; i = next, next += CHUNK / FAN) {
      const still = this.open(seen, open.slice(i, next));
      // tests are reserved for dividing each open range once
      const due = 2 * FAN * Math.max(0, open.length - next);
      this.due += due;
      if (size > 1 && this.affords(2 * FAN * still.length))
        yield* this.settle(size / FAN, this.cut(seen, still));
      else this.close(seen, still);
      this.due -= due;
    }
  }

  /** δ at the left ends of ranges, as accurately as needed to decide whether G may exceed the lower bound there. */
  private visit(size: number, from: Float64Array): Visited {
    const left = from.map((i) => this.edge(i));
    const right = from.map((i) => this.edge(i + size));
    const { lower: low, upper: high } = logDeltas(this.profile, left, this.kernel, ROUGH);
    const seen = { size, from, right, low, high };
    this.tests += 2 * from.length;
    this.climbTo(left, low);
    const all = Array.from(from.keys());
    const wide = this.above(this.lower, seen, high, all).filter((k) => !(high[k] - low[k] <= SHARP));
    for (const k of wide) ({ lower: low[k], upper: high[k] } = this.profile.logDelta(left[k]));
    if (wide.length > 0) this.climbTo(left, low);
    return seen;
  }

  /** Those of the ranges `among` over which G may exceed μ, by the upper steps from log δ at their left ends. */
  private above(mu: number, { right }: Visited, logDelta: Float64Array, among: readonly number[]): number[] {
    const there = this.kernel.logDeltaGdp(mu, at(right, among));
    return among.filter((k, i) => there[i] * (1 + SLACK) < logDelta[k]);
  }

  /**
   * The ranges that are to be divided: those whose upper step exceeds the bounds so far. If the upper bound is above the lower one, also ranges whose
   * lower end of δ may raise the lower bound.
   */
  private open(seen: Visited, among: readonly number[]): number[] {
    const highest = this.above(Math.max(this.lower, this.upper), seen, seen.high, among);
    if (seen.size === 1 || !(this.upper > this.lower)) return highest;
    const missed = (Math.min(this.upper, 2 * this.lower) - this.lower) * MISSED;
    return [...new Set([...highest, ...this.above(this.lower + missed, seen, seen.low, among)])];
  }

  /** Raises the upper bound to the upper steps of ranges that are not divided. */
  private close({ size, right, high }: Visited, open: readonly number[]): void {
    if (size > 1 && open.length > 0) this.finished = false;
    for (const k of open) if (!reaches(this.upper, right[k], high[k])) this.raiseUpper(right[k], high[k]);
  }

  /** First cells of the parts into which ranges are divided. */
  private cut({ size, from }: Visited, open: readonly number[]): Float64Array {
    const starts = open.flatMap((k) => Array.from({ length: FAN }, (_, i) => from[k] + (i * size) / FAN));
    return Float64Array.from(starts.filter((start) => start < this.options.cells));
  }

  /** Whether the budget allows more tests. None are allowed once the question's allowance of work is spent. */
  private affords(tests: number): boolean {
    return !isLimited() && this.tests + this.due + tests <= this.options.budget;
  }
}

/** The values at some indices. */
function at(values: Float64Array, places: readonly number[]): Float64Array {
  return Float64Array.from(places, (k) => values[k]);
}

/**
 * A seeded pseudo-random permutation of 0 … n−1 that needs no memory. It is a balanced Feistel network of six rounds, on the least even number of
 * bits that holds n. It is applied until the result is below n.
 *
 * @param n At most 2³⁰.
 */
export function shuffledOrder(n: number, seed: number): (index: number) => number {
  let half = 1;
  while (4 ** half < n) half++;
  const mask = 2 ** half - 1;
  const keys = Array.from({ length: 6 }, (_, round) => scramble(seed ^ Math.imul(round + 1, 0x9e3779b9)));
  return (index) => {
    let x = index;
    do {
      let left = x >>> half;
      let right = x & mask;
      for (const key of keys) {
        const next = left ^ (scramble(right ^ key) & mask);
        left = right;
        right = next;
      }
      x = left * (mask + 1) + right;
    } while (x >= n);
    return x;
  };
}

/** The finaliser of MurmurHash3 (A. Appleby, public domain). */
function scramble(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
