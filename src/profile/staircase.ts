import type { Kernel } from '../kernel/kernel.js';
import { muAbove, muBelow, reaches } from './gdp-inverse.js';
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
  /** δ evaluations and δ_μ tests made, and inversions μ_GDP. */
  readonly tests: number;
  readonly inversions: number;
  /** False if the budget ran out: `upper` then holds steps of wider cells. */
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
}

/** Ranges visited at a time. */
const CHUNK = 4096;
/** Most ranges that are looked at before any is skipped. */
const BLOCKS = 512;
/** A range that is not settled is cut into this many. */
const FAN = 16;
/** Above the error of log δ_μ (relative 8.9e-16) and of a comparison with it. */
const SLACK = 2e-15;

/** Ranges of cells [from, from + size), all of one size but for the last one of the grid. */
interface Batch {
  readonly size: number;
  readonly from: Float64Array;
}

/** Yields the share of the head that is settled, now and then; returns the bounds. */
export function* climb(
  kernel: Kernel,
  profile: Profile,
  options: StaircaseOptions,
): Generator<number, Staircase, void> {
  const { epsilonHead, cells, seed, exhaustive, budget, threshold } = options;
  const edge = (i: number): number => (i >= cells ? epsilonHead : (epsilonHead * i) / cells);
  let lower = threshold ?? 0;
  let upper = lower;
  let at = 0;
  let tests = 0;
  let inversions = 0;
  let finished = true;

  const raiseLower = (x: number, logDelta: number): void => {
    inversions++;
    const mu = muBelow(x, logDelta);
    if (mu > lower) {
      lower = mu;
      at = x;
    }
  };
  const raiseUpper = (x: number, logDelta: number): void => {
    inversions++;
    upper = Math.max(upper, muAbove(x, logDelta));
  };

  /** Tests a batch; returns the ranges that may hold more than `lower`. */
  const visit = ({ size, from }: Batch): Batch => {
    const n = from.length;
    const left = new Float64Array(n);
    const right = new Float64Array(n);
    const low = new Float64Array(n);
    const high = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      left[k] = edge(from[k]);
      right[k] = edge(from[k] + size);
      const value = profile.logDelta(left[k]);
      low[k] = value.lower;
      high[k] = value.upper;
    }
    tests += 2 * n;
    // G at the left ends: one δ_μ of the best so far at all of them, then one each of those above it
    const here = kernel.logDeltaGdp(lower, left);
    for (let k = 0; k < n; k++) {
      if (low[k] <= here[k] * (1 - SLACK) || low[k] === -Infinity) continue;
      if (!reaches(lower, left[k], low[k])) raiseLower(left[k], low[k]);
    }
    const fine = size === 1 || tests >= budget;
    if (size > 1 && tests >= budget) finished = false;
    const against = fine ? upper : lower;
    const there = kernel.logDeltaGdp(against, right);
    const open: number[] = [];
    for (let k = 0; k < n; k++) {
      if (there[k] * (1 + SLACK) >= high[k]) continue;
      if (!fine) open.push(from[k]);
      else if (!reaches(upper, right[k], high[k])) raiseUpper(right[k], high[k]);
    }
    return { size, from: Float64Array.from(open) };
  };

  let size = 1;
  if (!exhaustive) while (cells / size > BLOCKS) size *= FAN;
  const blocks = Math.ceil(cells / size);
  const order = shuffledOrder(blocks, seed);
  // small batches first: the first few tests settle most of what the later ones ask
  let length = 64;
  const decided = (): boolean => threshold !== undefined && lower > threshold;
  for (let done = 0; done < blocks && !decided(); ) {
    const count = Math.min(length, blocks - done);
    const from = new Float64Array(count);
    for (let k = 0; k < count; k++) from[k] = size * order(done + k);
    const stack: Batch[] = [{ size, from }];
    while (stack.length > 0 && !decided()) {
      const batch = stack.pop() as Batch;
      const open = visit(batch);
      for (const part of cut(open, cells)) stack.push(part);
      yield done / blocks;
    }
    done += count;
    length = Math.min(CHUNK, length * 2);
  }
  const end = profile.logDelta(epsilonHead);
  if (!reaches(lower, epsilonHead, end.lower)) raiseLower(epsilonHead, end.lower);
  return { lower, upper: Math.max(lower, upper), at, tests, inversions, finished };
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
