/** Losses and densities of a Poisson-subsampled Gaussian step at its quadrature nodes. u is the likelihood ratio, U = 2⁻⁵³. */
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../src/kernel/constants.js';
import { vatan2, vlogModulus1p } from '../functions/atan.js';
import { vexp, vexpm1, vlog, vlog1p } from '../functions/elementary.js';
import { sinCosPi } from '../functions/trig.js';
import {
  abs,
  add,
  all,
  anyTrue,
  div,
  LANES,
  le,
  lt,
  mul,
  neg,
  pair,
  pmin,
  requireBlock,
  select,
  step,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** Bytes of the results of `lossesAt` for one vector of outputs: loss y = log u, y − (u − 1), and the share B/u. u = 1 − q + B, B = qe^s. */
/* @inline */ export const LOSSES: usize = 48;
/** Stands for the logarithm of 0. */
export const NOTHING: f64 = -1e300;

/** For larger unsampled losses s, e^s would overflow; there u = q e^s up to less than roundings. */
const LARGEST: f64 = 690;

/**
 * Loss y = log u, y − (u − 1) and share B/u at outputs X of a Poisson-subsampled Gaussian step, to `out`. u = 1 − q + B, B = qe^s, s = μX − μ²/2.
 * y − (u − 1) is valid up to s = 690. Each has a few roundings of itself, and those of s.
 */
export function lossesAt(mu: f64, q: f64, X: v128, out: usize): void {
  lossesOf(q, sub(mul(all(mu), X), all(0.5 * (mu * mu))), out);
}

/**
 * `lossesAt` from the unsampled losses s themselves. The loss is log(1 + q(e^s − 1)), by log1p or, where that cancels, as the log of a sum of
 * positive terms. Each result has a few roundings of itself.
 */
export function lossesOf(q: f64, whole: v128, out: usize): void {
  const s = pmin(all(LARGEST), whole);
  const v = mul(all(q), vexpm1(s));
  if (q === 1) {
    store(out, whole);
    store(out, logarithmBend(v, s), 16);
    store(out, all(1), 32);
    return;
  }
  let loss = vlog1p(v);
  let bend = logarithmBend(v, loss);
  let share = div(add(v, all(q)), add(all(1), v));
  // where v < −½, 1 + v would cancel: the sum of two positive terms is used
  const low = lt(v, all(-0.5));
  if (anyTrue(low)) {
    const other = mul(all(q), vexp(s));
    const sum = add(all(1 - q), other);
    loss = select(vlog(sum), loss, low);
    bend = select(sub(loss, v), bend, low);
    share = select(div(other, sum), share, low);
  }
  store(out, add(loss, sub(whole, s)));
  store(out, bend, 16);
  store(out, share, 32);
}

/** n rounded up to even. */
/* @inline */ export function even(n: usize): usize {
  return n + (n & 1);
}

/** A vector of the outputs h·(first + j), …. */
/* @inline */ export function outputsAt(h: f64, first: f64, j: usize): v128 {
  const place = first + <f64>j;
  return mul(all(h), pair(place, place + 1));
}

/**
 * Eight rows for the nodes h·first, … on the real axis, each of n numbers, rounded up to even, to `out`. They are: weights hφW, φ the normal density
 * and W the window; losses y = log u; y − (u − 1); errors of log φW√2π; errors of losses times |y|; log φW√2π; errors of losses; and shares B/u
 * (`lossesAt`). The three rows at `heights` are those of `windowRows`. Errors are bounds by counting roundings.
 */
export function axisMesh(heights: usize, mu: f64, q: f64, h: f64, first: f64, n: usize, out: usize): void {
  const stride = even(n);
  requireBlock(heights, 3 * stride);
  requireBlock(out, 8 * stride);
  const row = stride << 3;
  const losses = borrow(LOSSES);
  for (let j: usize = 0; j < stride; j += LANES, heights += WIDTH, out += WIDTH) {
    const X = outputsAt(h, first, j);
    lossesAt(mu, q, X, losses);
    const loss = load(losses);
    const share = load(losses, 32);
    const moved = mul(share, add(mul(all(3), abs(mul(all(mu), X))), all(2 * mu * mu)));
    const error = mul(all(U), add(moved, mul(all(12), abs(loss))));
    const height = load(heights);
    const square = mul(X, X);
    const passed = add(height, mul(all(0.5), square));
    const off = mul(all(U), add(add(all(24), square), mul(all(2), abs(passed))));
    store(out, mul(all(h * INVERSE_SQRT_2PI), vexp(height)));
    store(out + row, loss);
    store(out + 2 * row, load(losses, 16));
    store(out + 3 * row, add(off, mul(all(0.5), load(heights + 2 * row))));
    store(out + 4 * row, mul(error, abs(loss)));
    store(out + 5 * row, height);
    store(out + 6 * row, error);
    store(out + 7 * row, share);
  }
  giveBack(losses);
  if (n === stride) return;
  // padding to a full vector has weight 0
  storeF64(out - 8, 0);
  storeF64(out - 8 + 5 * row, NOTHING);
}

/**
 * Three rows to `out` for outputs h·first + ia, …, 0 ≤ μa < π. Each has n numbers, rounded up to even. They are log|u|, α = arg u, and the absolute
 * error of either. Here u = A + Be^{iθ}, θ = μa, A = 1 − q and B = qe^s, s = μx − μ²/2.
 *
 * With w = B/(A + B), u = (A + B)(1 + z), z = −w(1 − e^{iθ}). Let r = 1/|1 + z| and v = 2⁻⁵³. An error of w moves log(1 + z) by 2r times that; w is
 * good to 12vw + 3vq. log u is rw times as steep as s, which is good to a few roundings of its own. log|1 + z| is good to 5vr²|z|, |z| ≤ 2w
 * (docs/proofs/contour.md 15).
 */
export function turnedLosses(mu: f64, q: f64, h: f64, first: f64, n: usize, a: f64, out: usize): void {
  const stride = even(n);
  requireBlock(out, 3 * stride);
  const row = stride << 3;
  const turn = all(mu * a * INVERSE_PI);
  const losses = borrow(LOSSES);
  sinCosPi(turn, losses);
  const sine = load(losses);
  sinCosPi(mul(all(0.5), turn), losses);
  const half = load(losses);
  const versine = mul(all(2), mul(half, half));
  for (let j: usize = 0; j < stride; j += LANES, out += WIDTH) {
    const X = outputsAt(h, first, j);
    lossesAt(mu, q, X, losses);
    const onAxis = load(losses);
    const share = load(losses, 32);
    const re = neg(mul(share, versine));
    const im = mul(share, sine);
    const change = vlogModulus1p(re, im);
    const loss = add(onAxis, change);
    const angle = vatan2(im, add(all(1), re));
    const sizes = add(mul(all(12), abs(onAxis)), mul(all(4), add(abs(loss), add(angle, angle))));
    const place = add(mul(all(3), abs(mul(all(mu), X))), all(2 * mu * mu + 40));
    const steepness = vexp(neg(change));
    const forming = add(mul(share, add(place, mul(all(10), steepness))), all(6 * q));
    const error = mul(all(U), add(mul(steepness, forming), sizes));
    store(out, loss);
    store(out + row, angle);
    store(out + 2 * row, error);
  }
  giveBack(losses);
}

/**
 * log(1 + v) − v, given the logarithm, with relative accuracy. With t = v/(2 + v), log(1 + v) = 2 artanh t and v = 2t + tv. So it is −tv + 2t³(1/3 +
 * t²/5 + …). Where |v| ≤ 1/4, |t| ≤ 1/7, and the first omitted term is below 1e-19 of the whole.
 */
export function logarithmBend(v: v128, logarithm: v128): v128 {
  const t = div(v, add(all(2), v));
  const w = mul(t, t);
  let series = add(all(1.0 / 17), div(w, all(19)));
  series = step(1.0 / 15, w, series);
  series = step(1.0 / 13, w, series);
  series = step(1.0 / 11, w, series);
  series = step(1.0 / 9, w, series);
  series = step(1.0 / 7, w, series);
  series = step(1.0 / 5, w, series);
  series = step(1.0 / 3, w, series);
  const near = sub(mul(mul(all(2), t), mul(w, series)), mul(t, v));
  return select(near, sub(logarithm, v), le(abs(v), all(0.25)));
}
