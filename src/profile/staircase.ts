import type { Kernel } from '../kernel/kernel.js';
import { isLimited } from '../numeric/meter.js';
import { logDeltas } from '../run/log-deltas.js';
import { muAbove, muBelow, reaches, SLACK } from './gdp-inverse.js';
import type { Profile } from './profile.js';
import { shuffledOrder } from './shuffle.js';

/**
 * Bounds of sup G over [0, ε_h], G(ε) = μ_GDP(ε, δ(ε)), by the staircases of IAM §4 (the paper's algorithms 1
 * and 3 exchange the two). Over a cell [x⁻, x⁺) a curve that never rises and μ_GDP, which grows in both
 * arguments, give
 *   G(ε) ≤ μ_GDP(x⁺, δ(x⁻))          the upper step
 *   G(ε) ≥ μ_GDP(x⁻, δ(x⁺))          the lower step
 * and since ∂μ_GDP/∂ε ≤ √(2π)/2 an upper step is at most √(π/2)(x⁺ − x⁻) above G(x⁻). The lower bound kept here
 * is G(x⁻) itself: never below the lower step, and attained.
 */
export interface Staircase {
  readonly lower: number;
  readonly upper: number;
  /** Where `lower` is attained. */
  readonly at: number;
  /** How often δ was evaluated, or tested against δ_μ. */
  readonly tests: number;
  /** How often μ was solved for. */
  readonly inversions: number;
  /** False if the tests allowed were not enough for the resolution: `upper` then holds steps of wider cells. */
  readonly finished: boolean;
}

export interface StaircaseOptions {
  readonly epsilonHead: number;
  /** Number of cells, at most 2⁵². */
  readonly cells: number;
  readonly seed: number;
  /** Visit every cell instead of skipping ranges whose one wide upper step is below G(x) of some x. */
  readonly exhaustive: boolean;
  /** Largest number of tests. */
  readonly budget: number;
  /** Only tells on which side of this μ the supremum is: `lower` and `upper` start from it, and the first ε above ends the visit. */
  readonly threshold?: number;
  /** A μ that the supremum over all ε is known to reach: `lower` and `upper` start from it, and what stays below is not looked at. */
  readonly least?: number;
}

/** Ranges visited at a time. */
const CHUNK = 4096;
/** Most ranges that are looked at before any is skipped. */
const BLOCKS = 512;
/** A range that is not settled is cut into this many. */
const FAN = 16;

/** Ranges of cells [from, from + size), all of one size but for the last one of the grid. */
interface Batch {
  readonly size: number;
  readonly from: Float64Array;
}

/** Yields the share of the head that is settled, now and then; returns the bounds. */
export function climb(
  kernel: Kernel,
  profile: Profile,
  options: StaircaseOptions,
): Generator<number, Staircase, void> {
  return new Climb(kernel, profile, options).run();
}

class Climb {
  private lower: number;
  private upper: number;
  private at = 0;
  private tests = 0;
  /** Tests that the ranges which wait to be visited will make. */
  private promised = 0;
  private inversions = 0;
  private finished = true;

  constructor(
    private readonly kernel: Kernel,
    private readonly profile: Profile,
    private readonly options: StaircaseOptions,
  ) {
    this.lower = options.threshold ?? options.least ?? 0;
    this.upper = this.lower;
  }

  *run(): Generator<number, Staircase, void> {
    const { epsilonHead, cells, seed, exhaustive } = this.options;
    let size = 1;
    if (!exhaustive) while (cells / size > BLOCKS) size *= FAN;
    const blocks = Math.ceil(cells / size);
    const order = shuffledOrder(blocks, seed);
    // small batches first: the first few tests settle most of what the later ones ask
    let length = 64;
    for (let done = 0; done < blocks && !this.isDecided(); ) {
      const count = Math.min(length, blocks - done);
      const from = new Float64Array(count);
      for (let k = 0; k < count; k++) from[k] = size * order(done + k);
      const stack: Batch[] = [{ size, from }];
      while (stack.length > 0 && !this.isDecided()) {
        const batch = stack.pop() as Batch;
        if (batch.size < size) this.promised -= 2 * batch.from.length;
        for (const part of cut(this.visit(batch), cells)) {
          this.promised += 2 * part.from.length;
          stack.push(part);
        }
        yield done / blocks;
      }
      done += count;
      length = Math.min(CHUNK, length * 2);
    }
    const end = this.profile.logDelta(epsilonHead);
    if (!reaches(this.lower, epsilonHead, end.lower)) this.raiseLower(epsilonHead, end.lower);
    const { lower, upper, at, tests, inversions, finished } = this;
    return { lower, upper: Math.max(lower, upper), at, tests, inversions, finished };
  }

  private isDecided(): boolean {
    const { threshold } = this.options;
    return threshold !== undefined && this.lower > threshold;
  }

  private edge(i: number): number {
    const { cells, epsilonHead } = this.options;
    return i >= cells ? epsilonHead : (epsilonHead * i) / cells;
  }

  private raiseLower(x: number, logDelta: number): void {
    this.inversions++;
    const mu = muBelow(x, logDelta);
    if (!(mu > this.lower)) return;
    this.lower = mu;
    this.at = x;
  }

  private raiseUpper(x: number, logDelta: number): void {
    this.inversions++;
    this.upper = Math.max(this.upper, muAbove(x, logDelta));
  }

  /** G at the left ends: one δ_μ of the best so far at all of them, then all those above it inverted and the largest taken. */
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

  /** Tests a batch; returns the ranges that may hold more than `lower`. */
  private visit({ size, from }: Batch): Batch {
    const n = from.length;
    const left = new Float64Array(n);
    const right = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      left[k] = this.edge(from[k]);
      right[k] = this.edge(from[k] + size);
    }
    const { lower: low, upper: high } = logDeltas(this.profile, left, this.kernel);
    this.tests += 2 * n;
    this.climbTo(left, low);
    const open: number[] = [];
    const fine = size === 1;
    const there = this.kernel.logDeltaGdp(fine ? this.upper : this.lower, right);
    for (let k = 0; k < n; k++) {
      if (there[k] * (1 + SLACK) < high[k]) open.push(k);
    }
    if (!fine && this.affords(2 * FAN * open.length)) {
      return { size, from: Float64Array.from(open, (k) => from[k]) };
    }
    if (!fine && open.length > 0) this.finished = false;
    for (const k of open) if (!reaches(this.upper, right[k], high[k])) this.raiseUpper(right[k], high[k]);
    return { size, from: new Float64Array(0) };
  }

  /** Whether the budget has room for more tests beside those that wait; where the question has run out, more tell no more. */
  private affords(tests: number): boolean {
    return !isLimited() && this.tests + this.promised + tests <= this.options.budget;
  }
}

/** The ranges of a batch cut into FAN each, in chunks. */
function* cut({ size, from }: Batch, cells: number): Generator<Batch> {
  const part = size / FAN;
  let next: number[] = [];
  for (const start of from) {
    for (let i = 0; i < FAN && start + i * part < cells; i++) next.push(start + i * part);
    if (next.length >= CHUNK) {
      yield { size: part, from: Float64Array.from(next) };
      next = [];
    }
  }
  if (next.length > 0) yield { size: part, from: Float64Array.from(next) };
}
