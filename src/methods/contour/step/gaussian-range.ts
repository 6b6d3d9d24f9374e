import { subsampledLoss, subsampledSlope } from '../../../law/subsampling.js';
import { INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { exp, expm1 } from '../../../numeric/scalar.js';
import type { OutputWindow } from './output-window.js';

/** One step of a Poisson-subsampled Gaussian: μ = sensitivity/σ, and the rate. */
export interface SampledStep {
  readonly mu: number;
  readonly q: number;
}

/** Where nodes lie, and how fast log φu^c falls (at least) beyond either end. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly slope: number;
}

/** Tilts of so little drift are not worth a search. */
const NEAR = 3;
/** Halvings of a range, and how well its ends are known in units of the deviation there: they need no more than a few digits. */
const HALVINGS = 24;
const CLOSE = 0.02;

/** Everything within `reach` of the peaks of φ, φu and φu^c. */
function wideRange(mu: number, c: number, reach: number): Range {
  return { from: Math.min(0, c * mu) - reach, to: Math.max(mu, c * mu) + reach, slope: reach };
}

/**
 * The range that matters to φu^c alone: the wide one where that is as good. For c < 0 its logarithm is concave (y is convex): beyond a point where it has
 * fallen by `depth` it falls at least as fast as there.
 */
export function narrowRange(mu: number, q: number, c: number, depth: number, reach: number): Range {
  const wide = wideRange(mu, c, reach);
  if (c * mu > -NEAR) return wide;
  const height = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q) - (x * x) / 2;
  const slope = (x: number): number => c * mu * subsampledSlope(mu * x - (mu * mu) / 2, q) - x;
  // log φu^c bends by at most 1 + |c|μ²/4
  const close = CLOSE / Math.sqrt(1 - (c * mu * mu) / 4);
  const where = (low: number, high: number, before: (x: number) => boolean): number => {
    for (let i = 0; i < HALVINGS && high - low > close; i++) {
      const middle = (low + high) / 2;
      if (before(middle)) low = middle;
      else high = middle;
    }
    return low;
  };
  const peak = where(wide.from, wide.to, (x) => slope(x) > 0);
  const floor = height(peak) - depth;
  const from = where(wide.from, peak, (x) => height(x) < floor);
  const to = where(peak, wide.to, (x) => height(x) > floor);
  return { from, to, slope: 0.99 * Math.min(slope(from), -slope(to)) };
}

/** Outputs beyond which nothing is looked for. */
const FURTHEST = 400;
/** Cells in which what lies behind the nodes is bounded. */
const CELL = 0.25;

/**
 * Bound of what the nodes before `first` and behind `last` sum to, over e^{logNorm}. Before `first` φu^c W rises with slope −first or
 * more, less |c|μ·qe^s/(1 − q) for c < 0, plus (from − first)/width² for the window. Behind the window's end log W ≤ −(x − to)²/2width²:
 * the rest is summed over cells, in each at most φW at its beginning times the larger u^c, until it falls by itself.
 */
export function cutMass(
  { mu, q }: SampledStep,
  c: number,
  { first, last, h }: { first: number; last: number; h: number },
  { from, to, width, end = Infinity }: OutputWindow,
  logNorm: number,
): number {
  const square = width * width;
  const tilt = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q);
  const height = (x: number): number => {
    const out = Math.max(0, from - x, x - to);
    return -(x * x) / 2 - (out > 0 ? (out * out) / (2 * square) : 0) - logNorm;
  };
  const share = Math.min(1, (q * exp(mu * first - (mu * mu) / 2)) / (1 - q));
  const rise = (from > first ? (from - first) / square : 0) - first - Math.max(0, -c) * mu * share;
  if (!(rise > 1)) return Infinity;
  let sum = cutTails(exp(tilt(first) + height(first)), h, rise);
  for (let x = last; x + h < end; x += CELL) {
    const fall = (x > to ? (x - to) / square : 0) + x - Math.max(0, c) * mu;
    if (fall > 1) return sum + cutTails(exp(tilt(x) + height(x)), h, fall);
    if (!(x < FURTHEST)) return Infinity;
    sum += (CELL + h) * INVERSE_SQRT_2PI * exp(Math.max(tilt(x), tilt(x + CELL)) + height(x)) * 1.001;
  }
  return sum;
}

/** Ends of two windows nearer than so many widths count with the end; further apart what the first passes there is nothing to the second. */
const NEIGHBOURS = 3;

/**
 * Bound over e^{logNorm} of what a sum to a window's hard end and the integral to it differ by there: |φWu^c| near the end, times `reach` and the distance of the window before; 0 where there is
 * none (docs/proofs/contour.md 14).
 */
export function endMass(
  { mu, q }: SampledStep,
  c: number,
  { h, reach }: { h: number; reach: number },
  { to, width, end = Infinity }: OutputWindow,
  logNorm: number,
): number {
  if (end === Infinity) return 0;
  const tilt = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q);
  // the window before may end so far before this one, which does not make up for that
  const low = end - Math.max(h, NEIGHBOURS * width);
  const nearest = Math.max(0, low, -end - h);
  const out = Math.max(0, end - h - to) / width;
  const most = Math.max(tilt(low), tilt(end + h)) - (nearest * nearest) / 2 - (out * out) / 2;
  return 1.001 * (reach + NEIGHBOURS * width) * INVERSE_SQRT_2PI * exp(most - logNorm);
}

/** The nodes that matter to φu^c W. */
export function windowRange(
  { mu, q }: SampledStep,
  c: number,
  depth: number,
  reach: number,
  { from, to, width }: OutputWindow,
): readonly [number, number] {
  const widest = Math.max(mu, c * mu, from) + reach;
  const tilt = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q);
  let last = to + reach * width;
  while (last < widest && tilt(last) - tilt(to) - (last - to) ** 2 / (2 * width * width) > -depth)
    last += width;
  return [Math.max(-reach, from - reach * width), Math.min(last, widest)];
}

/** cos x on [0, 1.5], rounded down: 1 − x²/2 + x⁴/24 − x⁶/720 + x⁸/40320 − x¹⁰/3628800 is below it. */
export function cosine(x: number): number {
  const z = x * x;
  return (1 - z * (1 / 2 - z * (1 / 24 - z * (1 / 720 - z * (1 / 40320 - z / 3628800))))) * (1 - 1e-12);
}

/** Bound on Σ beyond the nodes, of a function that falls like e^{−slope·|x|} from its values at both ends. */
export function cutTails(ends: number, h: number, slope: number): number {
  return (h * INVERSE_SQRT_2PI * ends * 1.001) / -expm1(-slope * h);
}

/** The largest number of three bits up to h. */
export function threeBitsBelow(h: number): number {
  let scale = 1;
  while (h * scale < 4) scale *= 2;
  while (h * scale >= 8) scale /= 2;
  return Math.floor(h * scale) / scale;
}
