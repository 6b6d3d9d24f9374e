/**
 * Truncation of integrals over the outputs x of a Poisson-subsampled Gaussian step: the range that quadrature nodes cover, and bounds of the
 * integrand φWu^c outside. φ is the normal density, W the window. The likelihood ratio is u = A + B, A = 1 − q, B = qe^s, s = μx − μ²/2.
 */
import { HALF_LOG_2PI, INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../src/kernel/constants.js';
import { lossAt, shareAt, Window } from './window.js';
import { LOSSES, lossesAt } from '../sums/loss-mesh.js';
import { atan2Of, cosPiOf, expm1Of, expOf, log1pOf, logOf, sinPiOf } from '../functions/scalar.js';
import { all, requireNumbers } from '../lane/lanes.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** For c·μ > −NEAR, c the tilt, the range is taken from the peaks of φ, φu and φu^c alone: a search would gain little. */
const NEAR: f64 = 3;
/** Bisection steps at most. */
const HALVINGS: i32 = 24;
/** Tolerance of the ends of the range, in standard deviations of the tilted outputs. */
const CLOSE: f64 = 0.02;
/** No output beyond ±400 is considered. */
const FURTHEST: f64 = 400;
/** Width of the cells over which the truncation error is bounded. */
const CELL: f64 = 0.25;
/**
 * A band's integrals use the difference of two windows. The inner window ends first, so between both hard ends nothing should be subtracted from the
 * outer one. An error term accounts for that. If the ends are further apart than this many widths, it is below e^{−46} of the integrand, less than a
 * rounding (contour.md 14).
 */
const NEIGHBOURS: f64 = 3;

/**
 * Heuristic: a root in [low, high] by bisection, to about CLOSE of its scale. For `side` 0 it is the peak of φu^c. For `side` ±1 it is where log φu^c
 * equals `floor`, right of the peak for 1, left of it for −1.
 */
function lastBefore(mu: f64, q: f64, c: f64, low: f64, high: f64, floor: f64, side: i32): f64 {
  // the second derivative of log φu^c is at most 1 + |c|μ²/4 in size
  const close = CLOSE / Math.sqrt(1 - (c * mu * mu) / 4);
  const losses = borrow(LOSSES);
  for (let i = 0; i < HALVINGS && high - low > close; i++) {
    const x = (low + high) / 2;
    lossesAt(mu, q, all(x), losses);
    const height = c * loadF64(losses) - (x * x) / 2;
    const before = side === 0 ? c * mu * loadF64(losses, 32) > x : side > 0 ? height > floor : height < floor;
    if (before) low = x;
    else high = x;
  }
  giveBack(losses);
  return low;
}

/**
 * Heuristic: the range of outputs where φu^c is not negligible, two numbers to `out`. It is the union of intervals of radius `reach` around the peaks
 * of φ, φu and φu^c. For cμ ≤ −3 it is narrowed: log φu^c is concave there, and the range ends where it has fallen by `depth` from its maximum.
 * `massBeyond` bounds what lies outside.
 */
export function tiltedRange(mu: f64, q: f64, c: f64, depth: f64, reach: f64, out: usize): void {
  requireNumbers(out, 2);
  const drift = c * mu;
  let from = (drift < 0 ? drift : 0) - reach;
  let to = Math.max(mu, drift) + reach;
  if (drift <= -NEAR) {
    // u^c ≤ (1 − q)^c, and the maximum of φu^c is at least its value at 0
    from = Math.max(from, -Math.sqrt(2 * (c * log1pOf(-q) + depth)) - 1);
    const peak = lastBefore(mu, q, c, from, to, 0, 0);
    const floor = c * lossAt(mu, q, peak) - (peak * peak) / 2 - depth;
    from = lastBefore(mu, q, c, from, peak, floor, -1);
    to = lastBefore(mu, q, c, peak, to, floor, 1);
  }
  storeF64(out, from);
  storeF64(out, to, 8);
}

/**
 * Upper bound of log(|A + Be^{iθ}|^c/(A + B)^c) where the share of B in A + B lies in [low, high]; 0 for c ≥ 0. The ratio is (1 − w sin²(θ/2))^{c/2}
 * with w = 4·share·(1 − share), which is largest at the share nearest to ½ (contour.md 3b). Rounded up.
 * @param dip sin²(θ/2) at the largest θ.
 */
function gainOf(c: f64, dip: f64, low: f64, high: f64): f64 {
  if (c >= 0) return 0;
  const share = high < 0.5 ? high : Math.max(low, 0.5);
  const w = 4 * share * (1 - share);
  return c * (0.5 * log1pOf(-(w < 1 ? w : 1) * dip) * (1 + 1e-12) - 4 * U);
}

/** sin²(angle/2). */
function dipOf(angle: f64): f64 {
  const half = sinPiOf((angle / 2) * INVERSE_PI);
  return half * half;
}

/** Upper bound of log(|A + Be^{iθ}|^c/(A + B)^c) for |θ| ≤ angle < π and outputs in [a, b]; for c ≥ 0 it is 0. A + B is the likelihood ratio. */
export function offAxisGrowth(mu: f64, q: f64, c: f64, angle: f64, a: f64, b: f64): f64 {
  return gainOf(c, dipOf(angle), shareAt(mu, q, a), shareAt(mu, q, b));
}

/**
 * Upper bound of h/√2π times the sum of a positive function over nodes of spacing h, from one node outwards. The function is `end` at the first node.
 * From node to node it falls by the factor e^{−slope·h} or a smaller one, so a geometric series bounds the sum.
 */
function tailOf(end: f64, h: f64, slope: f64): f64 {
  return (h * INVERSE_SQRT_2PI * end * 1.001) / -expm1Of(-slope * h);
}

/**
 * Upper bound of log φW√2π on [a, b], φ the normal density, W the window with edges `from` and `to`. φ is largest at the output nearest to 0. At a
 * distance d from [from, to], W ≤ e^{−d²/2width²}.
 * @param square width².
 */
function highest(a: f64, b: f64, from: f64, to: f64, square: f64): f64 {
  const out = Math.max(0, Math.max(from - b, a - to));
  const near = Math.max(0, Math.max(a, -b));
  return -(near * near) / 2 - (out > 0 ? (out * out) / (2 * square) : 0);
}

/**
 * Quadrature nodes: the first and the last output, and the spacing h. `angle` is the largest |arg B| = μ·|Im x| on the path of integration. B =
 * qe^{μx − μ²/2} is the second term of the likelihood ratio.
 */
export class NodeSpan {
  first: f64 = 0;
  last: f64 = 0;
  h: f64 = 0;
  angle: f64 = 0;
}

/**
 * Truncation error: an upper bound of the trapezoidal sum of φW|u|^c over the nodes before `first` and behind `last`, divided by e^{logNorm}. φ is
 * the normal density, W the window, and u = A + B the likelihood ratio. It holds with Be^{iθ} for B in u, |θ| ≤ angle, as off the real axis
 * (contour.md 7).
 *
 * Before `first`, log φWu^c rises with a slope of at least −first, less |c|μB/A for c < 0. A lower window edge adds (from − first)/width². Behind the
 * upper edge, log W ≤ −(x − to)²/2width². There the sum is bounded on cells, each with its largest φ, W and |u|^c, until the slope is below −1. From
 * then on a geometric series bounds it. Ensures: no less than that sum.
 */
export function massBeyond(mu: f64, q: f64, window: Window, c: f64, nodes: NodeSpan, logNorm: f64): f64 {
  const losses = borrow(LOSSES);
  const mass = massWith(losses, mu, q, window, c, nodes, logNorm);
  giveBack(losses);
  return mass;
}

/**
 * `massBeyond`, with memory for the results of `lossesAt`: geometric series before and behind the nodes, and a sum over cells between. Ensures: no
 * less than the truncation error there.
 */
function massWith(
  losses: usize,
  mu: f64,
  q: f64,
  window: Window,
  c: f64,
  nodes: NodeSpan,
  logNorm: f64,
): f64 {
  const first = nodes.first;
  const h = nodes.h;
  const from = window.from;
  const to = window.to;
  const square = window.width * window.width;
  const dip = dipOf(nodes.angle);
  const cosine = Math.max(0, cosPiOf(nodes.angle * INVERSE_PI));
  lossesAt(mu, q, all(first), losses);
  let share = loadF64(losses, 32);
  let tilt = c * loadF64(losses);
  const odds = share < 0.5 ? share / (1 - share) : 1;
  const rise = (from > first ? (from - first) / square : 0) - first - Math.max(0, -c) * mu * odds;
  if (!(rise > 1)) return Infinity;
  const before = tilt + highest(first, first, from, to, square) - logNorm;
  let sum = tailOf(expOf(before + gainOf(c, dip, 0, share)), h, rise);
  lossesAt(mu, q, all(nodes.last), losses);
  share = loadF64(losses, 32);
  tilt = c * loadF64(losses);
  for (let x = nodes.last; x + h < window.end; x += CELL) {
    const steep = c < 0 ? -c * mu * share * cosine * (1 - 1e-9) : -c * mu;
    const fall = (x > to ? (x - to) / square : 0) + x + steep;
    if (fall > 1) {
      // |u| increases with the output for angles up to π/2
      const gain = gainOf(c, dip, share, cosine > 0 ? share : 1);
      return sum + tailOf(expOf(tilt + highest(x, x, from, to, square) - logNorm + gain), h, fall);
    }
    if (!(x < FURTHEST)) return Infinity;
    lossesAt(mu, q, all(x + CELL), losses);
    const nextShare = loadF64(losses, 32);
    const nextTilt = c * loadF64(losses);
    const most = Math.max(tilt, nextTilt) + highest(x, x + CELL, from, to, square) - logNorm;
    sum += (CELL + h) * INVERSE_SQRT_2PI * expOf(most + gainOf(c, dip, share, nextShare)) * 1.001;
    share = nextShare;
    tilt = nextTilt;
  }
  return sum;
}

/**
 * The largest argument of u = A + Be^{iθ}, θ = μ·Im x. The region is Re x ≤ right and 0 ≤ θ ≤ angle < π. The argument is largest at Re x = right, as
 * the share of B in A + B increases with the output (contour.md 3d). Ensures: no less than that argument.
 */
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
 * log of an upper bound of the quadrature error at a window's hard end, for every |τ| ≤ tau (contour.md 14). Two terms are added, each a length times
 * the largest |φWu^{c+iτ}| near the end. The first length, `reach`, is for the vertical sides of the strip |Im x| ≤ y around nodes of spacing h. The
 * second is NEIGHBOURS widths, for the hard end of a band's inner window (see NEIGHBOURS).
 */
export function hardEnd(mu: f64, q: f64, window: Window, c: f64, tau: f64, h: f64, reach: f64, y: f64): f64 {
  const width = window.width;
  const end = window.end;
  // from the earliest end of an inner window that counts, to one spacing behind this window's end
  const low = end - Math.max(h, NEIGHBOURS * width);
  const before = end - h;
  const high = end + h;
  const nearest = Math.max(0, Math.max(low, -high));
  const out = Math.max(0, before - window.to) / width;
  const height = 1e-3 - HALF_LOG_2PI - (nearest * nearest) / 2 - (out * out) / 2;
  let inner = logOf(NEIGHBOURS * width) + height;
  let legs = logOf(reach) + height;
  const angle = mu * y;
  if (tau > 0) legs += tau * largestArgument(mu, q, high, angle);
  if (c >= 0) {
    const tilt = c * lossAt(mu, q, high);
    inner += tilt;
    legs += tilt;
  } else {
    // |u| increases with the output for angles up to π/2
    const gain = offAxisGrowth(mu, q, -1, angle, before, angle < 0.5 * Math.PI ? before : high);
    inner += c * lossAt(mu, q, low);
    legs += c * (lossAt(mu, q, before) - gain);
  }
  const top = Math.max(inner, legs);
  return top < Infinity ? top + log1pOf(expOf(-Math.max(inner - legs, legs - inner))) : Infinity;
}
