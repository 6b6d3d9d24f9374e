import type { Kernel } from '../../../kernel/kernel.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { HALF_LOG_2PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { cutMass, threeBitsBelow } from '../step/gaussian-range.js';
import { cosine } from '../step/off-axis.js';
import { type OutputWindow, sharpness, windowAt, windowBounds } from '../step/output-window.js';
import { Grown, turnedRows } from '../step/sampled-losses.js';
import type { Phase } from './phase.js';

/** Widths of the window that takes the largest outputs away: wide ones need fewer outputs, and large tilts narrow ones. Speed alone hangs on them. */
const WIDTHS = [0.5, 0.35, 0.25, 0.18, 0.12, 0.08, 0.05] as const;
/** Tilts so many deviations from 1 are to have a window. */
const TILTS = 5;
/** Where outputs far behind a window's end begin, and how far they are looked at. */
export const FAR_BEHIND = 10;
const FURTHEST_BEHIND = 70;
const FAR_BELOW = 50;
/** Outputs of windows that end further out have densities too small for a double: they are summed by their logarithms. Safety hangs on it: normal doubles end 37.6 deviations out. */
export const FAR_END = 24;
/** Windows that end further out have too many outputs. Speed and memory hang on it. */
const LAST_END = 80;
/** Paths serve negative tilts down to this, or down to what loses no more digits, and further down by powers of two. Speed alone hangs on it. */
const LEAST_TILT = 4;
/** Shares of π/μ that paths are shifted by. */
const SHIFTS = [0.02, 0.05, 0.1, 0.16, 0.24, 0.32, 0.4, 0.46] as const;
const FURTHEST = 12;
/** More outputs than this are not summed. */
const MAX_OUTPUTS = 2048;
/** Rules of bounds err by at most e^{−this} over the number of steps. Speed alone hangs on it. */
const BOUND_DEPTH = 8;
/** Outputs reach to multiples of this, so that many tilts have them in common. Speed alone hangs on it. */
const ROUNDED = 4;

/** The phases that a path is to serve: their largest μ and q. */
export interface Extremes {
  readonly mu: number;
  readonly q: number;
}

/** Outputs x + ia, x = hj, that serve all phases, and weights of ∫φW along them. */
export interface PhasePath extends OutputRange {
  readonly x: Float64Array;
  /** log of |hφW|, and its phase; the relative error of the window. */
  readonly logWeight: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
  /** What the rule errs by for φWu^z, Re z at least the tilt it is made for and Im z ≥ 0, over M(Re z). */
  readonly rule: number;
}

/** The largest tilt at which φWu^c is small far behind the window's end. */
export function largestTilt({ mu, q }: Extremes, { to, width }: OutputWindow): number {
  let most = Infinity;
  for (let t = FAR_BEHIND; t <= FURTHEST_BEHIND; t++) {
    const x = to + t;
    const loss = subsampledLoss(mu * x - (mu * mu) / 2, q);
    if (loss > 0) most = Math.min(most, ((x * x) / 2 + (t * t) / (2 * width * width) - FAR_BELOW) / loss);
  }
  return most;
}

/** The widest window that serves the tilts that are most asked for, or the narrowest; undefined where it ends too far out. @param deviation That of the loss of all steps. */
export function widthFor(extremes: Extremes, deviation: number, end: number): number | undefined {
  const serves = (width: number): boolean =>
    largestTilt(extremes, { from: -Infinity, to: end, width }) >= 1 + TILTS / deviation;
  return end <= LAST_END ? (WIDTHS.find(serves) ?? WIDTHS[WIDTHS.length - 1]) : undefined;
}

/** The largest tilt that has its path in common with others, or a negative one. */
function leastTilt({ mu }: Extremes, c: number): number {
  let least = -Math.max(LEAST_TILT, 2 / (mu * mu));
  while (least > c) least *= 2;
  return least;
}

/** −log of cos(μy/2)^c, where that is above 1. */
function shrink(mu: number, c: number, y: number): number {
  return c < 0 ? c * log(cosine((mu * y) / 2)) : 0;
}

/** The outputs h·j, j = first … last. */
export interface OutputRange {
  readonly a: number;
  readonly h: number;
  readonly first: number;
  readonly last: number;
}

/** Outputs from and to a whole number, an even number of them, as kernels take them. */
function rangeFor(
  { mu, q }: Extremes,
  c: number,
  window: OutputWindow,
  depth: number,
  { a, h }: { a: number; h: number },
): OutputRange | undefined {
  const { to, width } = window;
  const from = -Math.sqrt(2 * (depth + 4 + Math.max(0, c * log1p(-q)))) - 1;
  const heightAt = (t: number): number =>
    c * subsampledLoss(mu * (to + t) - (mu * mu) / 2, q) - (to + t) ** 2 / 2 - (t * t) / (2 * width * width);
  let beyond = FAR_BEHIND;
  while (beyond > 1 && heightAt(beyond - 1) < -depth - 4) beyond--;
  const [first, last] = [
    Math.floor((ROUNDED * Math.floor(from / ROUNDED)) / h),
    Math.ceil((ROUNDED * Math.ceil((to + beyond) / ROUNDED)) / h),
  ];
  if (!(h > 0 && last - first < MAX_OUTPUTS)) return undefined;
  return { a, h, first, last: last + ((last - first + 1) & 1) };
}

function stepOf(h: number): number {
  return h > 0 ? threeBitsBelow(h) : 0;
}

export function outputsOf({ h, first, last }: OutputRange): Float64Array {
  return Float64Array.from({ length: last - first + 1 }, (_, j) => h * (first + j));
}

/**
 * Outputs on the real axis for a tilt, with an error below 2.1e^{−depth − 1}M(c): the trapezoidal sum errs by at most 2M e^{y²(1 + 1/w²)/2} k(y) e^{−2πy/h}/(1 − e^{−2πy/h}), as φWu^z is at most
 * e^{y²(1 + 1/w²)/2} k(y) φWu^{Re z} on Im x = ±y; k = 1, or cos(μy/2)^{Re z} where that is negative.
 */
export function axisRange(
  extremes: Extremes,
  c: number,
  window: OutputWindow,
  depth: number,
): OutputRange | undefined {
  const h = stripFor(extremes, leastTilt(extremes, c), window, depth, 1).step;
  return rangeFor(extremes, c, window, depth, { a: 0, h });
}

/** Where the path for a tilt lies: the same on Im x = y ∈ [0, 2a], a strip around it in which |u^{iτ}| ≤ 1. */
export function pathRange(
  extremes: Extremes,
  c: number,
  window: OutputWindow,
  depth: number,
): OutputRange | undefined {
  const { y, step } = stripFor(extremes, c, window, depth, 2);
  const a = y / 2;
  const deep = depth + (sharpness(window) * a * a) / 2 + shrink(extremes.mu, c, a);
  return rangeFor(extremes, c, window, deep, { a, h: step });
}

/** How far from the real axis the strip reaches for which the step is the largest; a path in its middle takes half of it (`parts` 2). */
function stripFor(
  { mu }: Extremes,
  c: number,
  window: OutputWindow,
  depth: number,
  parts: 1 | 2,
): { y: number; step: number } {
  let best = { y: 0, step: 0 };
  for (const share of SHIFTS) {
    const y = Math.min((2 * share * Math.PI) / mu, 2 * FURTHEST * share);
    const growth = (sharpness(window) * y * y) / 2 + shrink(mu, c, y);
    const step = stepOf((2 * Math.PI * y) / parts / (depth + growth + 1));
    if (step > best.step) best = { y, step };
  }
  return best;
}

export function pathOn(kernel: Kernel, range: OutputRange, window: OutputWindow, depth: number): PhasePath {
  const { a, h } = range;
  const x = outputsOf(range);
  const unit = log(h) - HALF_LOG_2PI + (a * a) / 2;
  const [height, angle, doubt] = windowAt(kernel, x, a, window);
  const logWeight = height.map((own, j) => unit - (x[j] * x[j]) / 2 + own);
  const turn = angle.map((own, j) => own - a * x[j]);
  const blur = doubt.map(
    (own, j) =>
      2 * own +
      U * (8 + x[j] * x[j] + a * a + 2 * Math.abs(height[j]) + 4 * (Math.abs(a * x[j]) + Math.abs(angle[j]))),
  );
  return { ...range, x, logWeight, turn, blur, rule: 2.1 * exp(-depth - 1) };
}

/** A bound over the phase's integrals of what the nodes of a path leave out at either end, |Im x| ≤ a, over e^{logNorm}. */
export function leftOut(
  { a, h, x }: Pick<PhasePath, 'a' | 'h' | 'x'>,
  { mu, q }: Phase,
  c: number,
  window: OutputWindow,
  logNorm: number,
): number {
  const grown = (1 + a / window.width) * exp((sharpness(window) * a * a) / 2 + shrink(mu, c, a));
  return 1.01 * grown * cutMass({ mu, q }, c, { first: x[0], last: x[x.length - 1], h }, window, logNorm);
}

/** Outputs that bound ∫|φWu^z| along Im x = a for all z with Re z = c, Im z = τ and more. */
export interface BoundPath extends OutputRange {
  readonly x: Float64Array;
  /** log of a bound of |hφW|. */
  readonly logWeight: Float64Array;
  /** What the rule errs by, over M(c). */
  readonly rule: number;
}

/**
 * A path at most `most` off the axis. ∫|φWu^z| is at most the integral of e^{a²/2} φ W̄ |u|^c e^{−τα}, W̄ = `windowBounds`, whose trapezoidal sum errs by at most
 * 2I e^{(a² + b²(1 + 1/w²))/2} k(a + b) e^{−2πb/h}/(1 − e^{−2πb/h}), I = ∫φu^c W̄ (`shifted-gaussian.ts`). With t = (x − X)/w, W̄ ≤ W(1 + (a/w) e^{a²/2w²}(1 + max(0, t))), as the normal
 * density is at most 1 + max(0, t) times its tail.
 */
export function boundPath(
  kernel: Kernel,
  extremes: Extremes,
  c: number,
  window: OutputWindow,
  { most, count }: { readonly most: number; readonly count: number },
): BoundPath | undefined {
  const { mu } = extremes;
  const { to, width } = window;
  const depth = BOUND_DEPTH + log1p(count);
  const a = Math.min(most, (0.46 * Math.PI) / mu);
  const least = leastTilt(extremes, c);
  let best = { growth: 0, b: 0, step: 0 };
  for (const share of SHIFTS) {
    const b = Math.min((share * Math.PI) / mu, FURTHEST * share);
    if ((a + b) * mu > 0.9 * Math.PI) continue;
    const growth = (a * a + sharpness(window) * b * b) / 2 + shrink(mu, least, a + b);
    const step = b / (depth + growth + 1);
    if (step > best.step) best = { growth, b, step };
  }
  const h = stepOf((2 * Math.PI * best.b) / (depth + best.growth + 1));
  const range = best.step > 0 ? rangeFor(extremes, c, window, depth + 4, { a, h }) : undefined;
  if (range === undefined) return undefined;
  const x = outputsOf(range);
  const unit = log(h) - HALF_LOG_2PI + (a * a) / 2;
  const furthest = Math.max(0, (x[x.length - 1] - to) / width);
  const gain = 1 + (a / width) * exp((a * a) / (2 * width * width)) * (2 + furthest);
  return {
    ...range,
    x,
    logWeight: windowBounds(kernel, x, a, window).map(
      (own, j) => unit - (x[j] * x[j]) / 2 + own + 1e-12 * (1 + x[j] * x[j]),
    ),
    rule: 2.1 * gain * exp(-depth - 1),
  };
}

/** log|u| and arg u of one phase on a path, and the absolute error of either. */
export interface TurnedOutputs {
  readonly loss: Float64Array;
  readonly angle: Float64Array;
  readonly lossError: Float64Array;
}

/** Paths whose outputs are kept. Speed and memory hang on it. */
const KEPT = 6;

/** The outputs of many phases on paths, made when they are first asked for and shared by all windows. */
export class PhaseOutputs {
  private readonly known = new Recent<string, Grown>(KEPT);

  constructor(
    private readonly kernel: Kernel,
    private readonly phases: readonly Phase[],
  ) {}

  /** Those of each phase on a path. */
  on({ a, h, first, last }: OutputRange): readonly TurnedOutputs[] {
    const { kernel, phases } = this;
    const make = (x: Float64Array): Float64Array[] =>
      phases.flatMap(({ mu, q }) => turnedRows(kernel, mu, q, x, a));
    const rows = this.known.of(`${a}/${h}`, () => new Grown(h, make)).through(first, last, 0);
    return phases.map((_, k) => ({ loss: rows[3 * k], angle: rows[3 * k + 1], lossError: rows[3 * k + 2] }));
  }
}

/** Phases, a handful that stand for all in guesses, the largest μ and q of all, and their outputs on paths. */
export interface PhaseRun {
  readonly phases: readonly Phase[];
  readonly coarse: readonly Phase[];
  readonly extremes: Extremes;
  readonly outputs: PhaseOutputs;
}
