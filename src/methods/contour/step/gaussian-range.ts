import { subsampledLoss, subsampledSlope } from '../../../law/subsampling.js';
import { HALF_LOG_2PI, INVERSE_PI, INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { cosPi, exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { bigShare, gainOf, largestArgument, type SampledStep } from './off-axis.js';
import type { OutputWindow } from './output-window.js';

/** Where nodes lie. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Tilts of so little drift are not worth a search. */
const NEAR = 3;
/** Halvings of a range, and how well its ends are known in units of the deviation there: they need no more than a few digits. */
const HALVINGS = 24;
const CLOSE = 0.02;

/** Everything within `reach` of the peaks of φ, φu and φu^c. */
function wideRange(mu: number, c: number, reach: number): Range {
  return { from: Math.min(0, c * mu) - reach, to: Math.max(mu, c * mu) + reach };
}

/**
 * The range that matters to φu^c alone: the wide one where that is as good. For c < 0 its logarithm is concave (y is convex): it ends where that has fallen by
 * `depth`.
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
  // u^c is at most (1 − q)^c, and φu^c no less than at 0 where it is largest
  const least = Math.max(wide.from, -Math.sqrt(2 * (c * log1p(-q) + depth)) - 1);
  const peak = where(least, wide.to, (x) => slope(x) > 0);
  const floor = height(peak) - depth;
  const from = where(least, peak, (x) => height(x) < floor);
  const to = where(peak, wide.to, (x) => height(x) > floor);
  return { from, to };
}

/** Outputs beyond which nothing is looked for. */
const FURTHEST = 400;
/** Cells in which what lies behind the nodes is bounded. */
const CELL = 0.25;

/** Where nodes of step h begin and end, and the angle at which |u| is looked at, 0 on the real axis. */
interface Nodes {
  readonly first: number;
  readonly last: number;
  readonly h: number;
  readonly angle?: number;
}

/**
 * Bound of what φW|u|^c sums to on the nodes before `first` and behind `last`, over e^{logNorm}. Before `first` φu^c W rises with slope −first or
 * more, less |c|μ·qe^s/(1 − q) for c < 0, plus (from − first)/width² for the window. Behind the window's edge log W ≤ −(x − to)²/2width²:
 * the rest is summed over cells, in each at most the largest φ, W and |u|^c, until it falls by itself (docs/proofs/contour.md 7).
 */
export function cutMass(
  { mu, q }: SampledStep,
  c: number,
  { first, last, h, angle = 0 }: Nodes,
  { from, to, width, end = Infinity }: OutputWindow,
  logNorm: number,
): number {
  const square = width * width;
  const tilt = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q);
  const highest = (a: number, b: number): number => {
    const [out, near] = [Math.max(0, from - b, a - to), Math.max(0, a, -b)];
    return -(near * near) / 2 - (out > 0 ? (out * out) / (2 * square) : 0) - logNorm;
  };
  const height = (x: number): number => highest(x, x);
  const share = Math.min(1, (q * exp(mu * first - (mu * mu) / 2)) / (1 - q));
  const rise = (from > first ? (from - first) / square : 0) - first - Math.max(0, -c) * mu * share;
  if (!(rise > 1)) return Infinity;
  const gain = (a: number, b: number): number => gainOf({ mu, q }, c, angle, a, b);
  const cosine = Math.max(0, cosPi(angle * INVERSE_PI));
  let sum = cutTails(exp(tilt(first) + height(first) + gain(-Infinity, first)), h, rise);
  for (let x = last; x + h < end; x += CELL) {
    const steep = c < 0 ? -c * mu * bigShare(mu, q, x) * cosine * (1 - 1e-9) : -c * mu;
    const fall = (x > to ? (x - to) / square : 0) + x + steep;
    // up to π/2 |u| rises with the output
    if (fall > 1)
      return sum + cutTails(exp(tilt(x) + height(x) + gain(x, cosine > 0 ? x : Infinity)), h, fall);
    if (!(x < FURTHEST)) return Infinity;
    const end = x + CELL;
    const most = Math.max(tilt(x), tilt(end)) + gain(x, end) + highest(x, end);
    sum += (CELL + h) * INVERSE_SQRT_2PI * exp(most) * 1.001;
  }
  return sum;
}

/** Ends of two windows nearer than so many widths count with the end; further apart what the first passes there is nothing to the second. */
const NEIGHBOURS = 3;

/**
 * Bounds of what a sum to a window's hard end and the integral to it differ by there: |φWu^c| near the end, times `reach` and the distance of the window
 * before (docs/proofs/contour.md 14).
 */
export class HardEnd {
  /** Where the window before may end, a step before the end and a step behind it. */
  private readonly outputs: readonly [low: number, before: number, high: number];
  private readonly base: readonly [window: number, legs: number];
  private readonly y: number;

  /** @param at The step h of outputs, how far the legs of a strip around them count, and how far it reaches off the axis. */
  constructor(
    { to, width, end = Infinity }: OutputWindow,
    { h, reach, y }: { readonly h: number; readonly reach: number; readonly y: number },
  ) {
    const low = end - Math.max(h, NEIGHBOURS * width);
    this.outputs = [low, end - h, end + h];
    const nearest = Math.max(0, low, -end - h);
    const out = Math.max(0, end - h - to) / width;
    const height = 1e-3 - HALF_LOG_2PI - (nearest * nearest) / 2 - (out * out) / 2;
    this.base = [log(NEIGHBOURS * width) + height, log(reach) + height];
    this.y = y;
  }

  /** log of the bound for a step at a tilt, for every |τ| ≤ tau. */
  log({ mu, q }: SampledStep, c: number, tau = 0): number {
    const [low, before, high] = this.outputs;
    const [window, legs] = this.base;
    const lossAt = (x: number): number => subsampledLoss(mu * x - (mu * mu) / 2, q);
    const angle = mu * this.y;
    const turned = tau > 0 ? legs + tau * largestArgument(mu, q, high, angle) : legs;
    if (c >= 0) return logSum(window, turned) + c * lossAt(high);
    // up to π/2 |u| rises with the output
    const gain = gainOf({ mu, q }, -1, angle, before, angle < Math.PI / 2 ? before : high);
    return logSum(window + c * lossAt(low), turned + c * (lossAt(before) - gain));
  }
}

/** The nodes that matter to φu^c W. */
export function windowRange(
  { mu, q }: SampledStep,
  c: number,
  depth: number,
  reach: number,
  { from, to, width, end = Infinity }: OutputWindow,
): readonly [number, number] {
  // at steep tilts the range is long, and its end near
  const widest = Math.min(Math.max(mu, c * mu, from) + reach, end);
  const tilt = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q);
  let last = to + reach * width;
  while (last < widest && tilt(last) - tilt(to) - (last - to) ** 2 / (2 * width * width) > -depth)
    last += width;
  return [Math.max(-reach, from - reach * width), Math.min(last, widest)];
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
