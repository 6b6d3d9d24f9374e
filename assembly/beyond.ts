/** Where the integrand φW|u|^c of a Poisson-subsampled Gaussian step matters, and what lies beyond the outputs of its sums. */
import { HALF_LOG_2PI, INVERSE_PI, INVERSE_SQRT_2PI, U } from '../src/kernel/constants.js';
import { LOSSES, lossesAt } from './loss-mesh.js';
import { atan2Of, cosPiOf, expm1Of, expOf, log1pOf, logOf, sinPiOf } from './scalar.js';
import { all, requireNumbers } from './lanes.js';
import { loadF64, storeF64 } from './memory.js';

/** Tilts of so little drift are not worth a search. */
const NEAR: f64 = 3;
/** Halvings of a range, and how well its ends are known in units of the deviation there: they need no more than a few digits. */
const HALVINGS: i32 = 24;
const CLOSE: f64 = 0.02;
/** Outputs beyond which nothing is looked for. */
const FURTHEST: f64 = 400;
/** Cells in which what lies behind the nodes is bounded. */
const CELL: f64 = 0.25;
/** Ends of two windows nearer than so many widths count with the end; further apart what the first passes there is nothing to the second. */
const NEIGHBOURS: f64 = 3;

/** B/(A + B); the loss is left at `LOSSES`. */
function shareAt(mu: f64, q: f64, x: f64): f64 {
  lossesAt(mu, q, all(x));
  return loadF64(LOSSES, 32);
}
function lossAt(mu: f64, q: f64, x: f64): f64 {
  shareAt(mu, q, x);
  return loadF64(LOSSES);
}

/** The last x found in [low, high] before a point of log φu^c. `side` says which: its peak (0), where it falls to `floor` (1), or where it rises to that (−1). */
function lastBefore(mu: f64, q: f64, c: f64, low: f64, high: f64, floor: f64, side: i32): f64 {
  // log φu^c bends by at most 1 + |c|μ²/4
  const close = CLOSE / Math.sqrt(1 - (c * mu * mu) / 4);
  for (let i = 0; i < HALVINGS && high - low > close; i++) {
    const x = (low + high) / 2;
    const share = shareAt(mu, q, x);
    const height = c * loadF64(LOSSES) - (x * x) / 2;
    const before = side === 0 ? c * mu * share > x : side > 0 ? height > floor : height < floor;
    if (before) low = x;
    else high = x;
  }
  return low;
}

/**
 * The range that matters to φu^c alone, two numbers to `out`. It is all within `reach` of the peaks of φ, φu and φu^c, where that is as good. For c < 0 the logarithm of φu^c
 * is concave, as y is convex: the range ends where it has fallen by `depth`.
 */
export function tiltedRange(mu: f64, q: f64, c: f64, depth: f64, reach: f64, out: usize): void {
  requireNumbers(out, 2);
  const drift = c * mu;
  let from = (drift < 0 ? drift : 0) - reach;
  let to = Math.max(mu, drift) + reach;
  if (drift <= -NEAR) {
    // u^c is at most (1 − q)^c, and φu^c no less than at 0 where it is largest
    from = Math.max(from, -Math.sqrt(2 * (c * log1pOf(-q) + depth)) - 1);
    const peak = lastBefore(mu, q, c, from, to, 0, 0);
    const floor = c * lossAt(mu, q, peak) - (peak * peak) / 2 - depth;
    from = lastBefore(mu, q, c, from, peak, floor, -1);
    to = lastBefore(mu, q, c, peak, to, floor, 1);
  }
  storeF64(out, from);
  storeF64(out, to, 8);
}

/** Upper bound of log(|A + Be^{iθ}|^c/(A + B)^c) where B has a share between two. w = 4·share·(1 − share) is largest at ½. @param dip sin²(θ/2) at the largest θ. */
function gainOf(c: f64, dip: f64, low: f64, high: f64): f64 {
  if (c >= 0) return 0;
  const share = high < 0.5 ? high : Math.max(low, 0.5);
  const w = 4 * share * (1 - share);
  return c * (0.5 * log1pOf(-(w < 1 ? w : 1) * dip) * (1 + 1e-12) - 4 * U);
}

function dipOf(angle: f64): f64 {
  const half = sinPiOf((angle / 2) * INVERSE_PI);
  return half * half;
}

/** log of what |A + Be^{iθ}|^c gains over (A + B)^c at most for |θ| ≤ angle < π and outputs from a to b. */
export function offAxisGrowth(mu: f64, q: f64, c: f64, angle: f64, a: f64, b: f64): f64 {
  return gainOf(c, dipOf(angle), shareAt(mu, q, a), shareAt(mu, q, b));
}

/** Bound on Σ beyond the nodes, of a function that falls like e^{−slope·|x|} from its value at the end. */
function tailOf(end: f64, h: f64, slope: f64): f64 {
  return (h * INVERSE_SQRT_2PI * end * 1.001) / -expm1Of(-slope * h);
}

/** log of the most that φW has between a and b, but for a constant. */
function highest(a: f64, b: f64, from: f64, to: f64, square: f64): f64 {
  const out = Math.max(0, Math.max(from - b, a - to));
  const near = Math.max(0, Math.max(a, -b));
  return -(near * near) / 2 - (out > 0 ? (out * out) / (2 * square) : 0);
}

/**
 * Truncation error: a bound of the sum of φW|u|^c on the nodes before `first` and behind `last`, over e^{logNorm}, for |u| up to an angle.
 * Before `first` φu^c W rises with slope −first or more. For c < 0 that is less |c|μ·qe^s/(1 − q); the window adds (from − first)/width².
 * Behind the window's edge log W ≤ −(x − to)²/2width². The rest is summed over cells until it falls by itself.
 * Each cell counts its largest φ, W and |u|^c (docs/proofs/contour.md 7).
 */
export function massBeyond(
  mu: f64,
  q: f64,
  c: f64,
  first: f64,
  last: f64,
  h: f64,
  angle: f64,
  from: f64,
  to: f64,
  width: f64,
  end: f64,
  logNorm: f64,
): f64 {
  const square = width * width;
  const dip = dipOf(angle);
  const cosine = Math.max(0, cosPiOf(angle * INVERSE_PI));
  let share = shareAt(mu, q, first);
  let tilt = c * loadF64(LOSSES);
  const odds = share < 0.5 ? share / (1 - share) : 1;
  const rise = (from > first ? (from - first) / square : 0) - first - Math.max(0, -c) * mu * odds;
  if (!(rise > 1)) return Infinity;
  const before = tilt + highest(first, first, from, to, square) - logNorm;
  let sum = tailOf(expOf(before + gainOf(c, dip, 0, share)), h, rise);
  share = shareAt(mu, q, last);
  tilt = c * loadF64(LOSSES);
  for (let x = last; x + h < end; x += CELL) {
    const steep = c < 0 ? -c * mu * share * cosine * (1 - 1e-9) : -c * mu;
    const fall = (x > to ? (x - to) / square : 0) + x + steep;
    if (fall > 1) {
      // up to π/2 |u| rises with the output
      const gain = gainOf(c, dip, share, cosine > 0 ? share : 1);
      return sum + tailOf(expOf(tilt + highest(x, x, from, to, square) - logNorm + gain), h, fall);
    }
    if (!(x < FURTHEST)) return Infinity;
    const nextShare = shareAt(mu, q, x + CELL);
    const nextTilt = c * loadF64(LOSSES);
    const most = Math.max(tilt, nextTilt) + highest(x, x + CELL, from, to, square) - logNorm;
    sum += (CELL + h) * INVERSE_SQRT_2PI * expOf(most + gainOf(c, dip, share, nextShare)) * 1.001;
    share = nextShare;
    tilt = nextTilt;
  }
  return sum;
}

/** The largest arg u over Re x ≤ right, 0 ≤ μ·Im x ≤ angle < π. */
function largestArgument(mu: f64, q: f64, right: f64, angle: f64): f64 {
  const s = mu * right - (mu * mu) / 2;
  if (s > 30) return angle;
  const b = q * expOf(s);
  const turn = angle * INVERSE_PI;
  const cosine = cosPiOf(turn);
  if (b < 1 - q && cosine < -b / (1 - q)) return 0.5 * Math.PI;
  const own = atan2Of(b * sinPiOf(turn), 1 - q + b * cosine) * (1 + 1e-12);
  return own < angle ? own : angle;
}

/**
 * log of a bound of the quadrature error at a window's hard end, for every |τ| ≤ tau. It has two terms. One is |φWu^c| near the end, times the reach of the legs of a
 * strip |Im x| ≤ y around outputs of step h; the other is the distance of the window before (docs/proofs/contour.md 14).
 */
export function hardEnd(
  mu: f64,
  q: f64,
  c: f64,
  tau: f64,
  to: f64,
  width: f64,
  end: f64,
  h: f64,
  reach: f64,
  y: f64,
): f64 {
  // where the window before may end, a step before the end and a step behind it
  const low = end - Math.max(h, NEIGHBOURS * width);
  const before = end - h;
  const high = end + h;
  const nearest = Math.max(0, Math.max(low, -high));
  const out = Math.max(0, before - to) / width;
  const height = 1e-3 - HALF_LOG_2PI - (nearest * nearest) / 2 - (out * out) / 2;
  let window = logOf(NEIGHBOURS * width) + height;
  let legs = logOf(reach) + height;
  const angle = mu * y;
  if (tau > 0) legs += tau * largestArgument(mu, q, high, angle);
  if (c >= 0) {
    const tilt = c * lossAt(mu, q, high);
    window += tilt;
    legs += tilt;
  } else {
    // up to π/2 |u| rises with the output
    const gain = offAxisGrowth(mu, q, -1, angle, before, angle < 0.5 * Math.PI ? before : high);
    window += c * lossAt(mu, q, low);
    legs += c * (lossAt(mu, q, before) - gain);
  }
  const top = Math.max(window, legs);
  return top < Infinity ? top + log1pOf(expOf(-Math.max(window - legs, legs - window))) : Infinity;
}
