/** Smooth windows W on the outputs x of a Gaussian step, on and off the real axis. u = 2⁻⁵³. */
import { INVERSE_PI, INVERSE_SQRT_2PI, ROUND, SQRT1_2, U } from '../../src/kernel/constants.js';
import { vatan2, vlogModulus1p } from '../functions/atan.js';
import { vexp, vexpm1, vlog, vlog1p } from '../functions/elementary.js';
import { even, outputsAt } from './loss-mesh.js';
import { vratioOfY } from '../functions/mills.js';
import { sinCosPi } from '../functions/trig.js';
import {
  abs,
  add,
  all,
  allTrue,
  anyTrue,
  div,
  drop,
  gt,
  keep,
  lane0,
  LANES,
  le,
  lt,
  mul,
  neg,
  pmax,
  pmin,
  requireBlock,
  select,
  sqrt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, splat, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/**
 * For the trapezoidal rule in `normalTail`: its spacing h, its number of terms, and π/h. Where Re z is below π/h, the residues of poles are added.
 */
const STEP: f64 = 0.5;
const TERMS: usize = 14;
const REACH: f64 = 6.283185307179586;
/** log u, u = 2⁻⁵³. */
const LOG_U: f64 = -36.7368005696771;

// Working memory: three complex numbers v, as log|v|, arg v, and the log of the absolute error of v; sine and cosine of an angle; and the rule of
// `normalTail`. For each n the rule has t² and e^{−t²} at t = nh, then at t = (n + ½)h. The weight e^{−t²} at t = 0 is halved.
/* @inline */ const SECOND: usize = 48;
/* @inline */ const TURN: usize = 144;
/* @inline */ const RULE: usize = 176;
/* @inline */ const ROWS: usize = RULE + 32 * TERMS;

/** Borrows working memory and fills the trapezoidal rule of `normalTail`: t² and e^{−t²} at its points t. The weights have the error of exp. */
function madeRule(): usize {
  const rows = borrow(ROWS);
  let t: f64 = 0;
  for (let at = rows + RULE; at < rows + ROWS; at += 32, t += STEP) {
    const half = t + 0.5 * STEP;
    const weight = lane0(vexp(all(-(t * t))));
    storeF64(at, t * t);
    storeF64(at, t === 0 ? 0.5 * weight : weight, 8);
    storeF64(at, half * half, 16);
    storeF64(at, lane0(vexp(all(-(half * half)))), 24);
  }
  return rows;
}

/** Stores a complex number as log modulus, phase, and log of its absolute error. */
/* @inline */ function polar(to: usize, log: v128, angle: v128, error: v128): void {
  store(to, log);
  store(to, angle, 16);
  store(to, error, 32);
}

/** Replaces v by v − w, both stored by `polar`. The absolute errors are added, with 8u of each modulus for rounding. */
function subtract(v: usize, w: usize, turn: usize): void {
  const log = load(v);
  const size = vexp(sub(load(w), log));
  sinCosPi(mul(sub(load(w, 16), load(v, 16)), all(INVERSE_PI)), turn);
  const re = neg(mul(size, load(turn, 16)));
  const im = neg(mul(size, load(turn)));
  const rest = add(all(1), re);
  const wrong = add(vexp(sub(load(v, 32), log)), vexp(sub(load(w, 32), log)));
  let change = vlogModulus1p(re, im);
  // where re < −½, 2re + re² would cancel
  const close = lt(re, all(-0.5));
  if (anyTrue(close)) change = select(vlog(sqrt(add(mul(rest, rest), mul(im, im)))), change, close);
  polar(
    v,
    add(log, change),
    add(load(v, 16), vatan2(im, rest)),
    add(log, vlog(add(wrong, mul(all(8 * U), add(all(1), size))))),
  );
}

/**
 * Stores 1 − Φ(t + iy) = ½ erfc(z), z = (t + iy)/√2, at `to` (`polar`). For t ≥ 0 it is e^{−z²} times
 *
 * (hz/2π) Σ e^{−t_n²}/(z² + t_n²) + e^{z²}/(1 ∓ e^{2πz/h}), h = STEP.
 *
 * Here t_n = nh (−) or (n + ½)h (+), whichever has its poles further from z; the last term where Re z < π/h. Sources: Matta & Reichl, Math. Comp. 25
 * (1971) 339; Hunter & Regan, Math. Comp. 26 (1972) 539. The error of the rule itself is e^{−π²/h²} < 1e-17. The stored error is u(100 + 8|z|²) of
 * the modulus. For t < 0 the value is 1 minus the value at −z; the 48 bytes behind `to` are used too.
 */
function normalTail(rows: usize, t: v128, y: v128, to: usize): void {
  const turn = rows + TURN;
  const behind = lt(t, all(0));
  const x = mul(abs(t), all(SQRT1_2));
  const v = mul(select(neg(y), y, behind), all(SQRT1_2));
  const phase = div(abs(v), all(STEP));
  const whole = gt(abs(sub(phase, sub(add(phase, all(ROUND)), all(ROUND)))), all(0.25));
  const re2 = sub(mul(x, x), mul(v, v));
  const im2 = mul(mul(all(2), x), v);
  let re = all(0);
  let im = all(0);
  for (let at = rows + RULE; at < rows + ROWS; at += 32) {
    const a = add(re2, select(splat(at), splat(at, 16), whole));
    const norm = div(select(splat(at, 8), splat(at, 24), whole), add(mul(a, a), mul(im2, im2)));
    re = add(re, mul(norm, a));
    im = sub(im, mul(norm, im2));
  }
  const unit = all(STEP * INVERSE_PI);
  const sum = re;
  re = mul(unit, sub(mul(sum, x), mul(im, v)));
  im = mul(unit, add(mul(sum, v), mul(im, x)));
  const near = lt(x, all(REACH));
  if (anyTrue(near)) {
    const size = mul(select(all(-1), all(1), whole), vexp(mul(all(2 * REACH), pmin(x, all(REACH)))));
    sinCosPi(div(mul(all(2), v), all(STEP)), turn);
    const a = add(all(1), mul(size, load(turn, 16)));
    const b = mul(size, load(turn));
    const scale = keep(div(vexp(re2), add(mul(a, a), mul(b, b))), near);
    sinCosPi(mul(im2, all(INVERSE_PI)), turn);
    const sin = load(turn);
    const cos = load(turn, 16);
    re = add(re, mul(scale, add(mul(cos, a), mul(sin, b))));
    im = add(im, mul(scale, sub(mul(sin, a), mul(cos, b))));
  }
  const log = sub(vlog(sqrt(add(mul(re, re), mul(im, im)))), re2);
  const square = add(mul(x, x), mul(v, v));
  const error = vlog(mul(all(U), add(all(100), mul(all(8), square))));
  polar(to, log, sub(vatan2(im, re), im2), add(log, error));
  if (!anyTrue(behind)) return;
  const rest = to + 48;
  polar(rest, all(0), all(0), all(-Infinity));
  subtract(rest, to, turn);
  // the tail at −z is below roundings
  const far = gt(sub(mul(t, t), mul(y, y)), all(90));
  polar(
    to,
    select(select(all(0), load(rest), far), load(to), behind),
    select(select(all(0), load(rest, 16), far), load(to, 16), behind),
    select(select(all(LOG_U), load(rest, 32), far), load(to, 32), behind),
  );
}

/**
 * Stores the window W(x + ia) = Φ((x + ia − from)/width) − Φ((x + ia − to)/width) at `rows` (`polar`, with its error). It is the indicator of [from,
 * to], of which one end may be infinite, convolved with N(0, width²).
 */
function windowAt(rows: usize, x: v128, a: f64, from: f64, to: f64, width: f64): void {
  const wide = all(width);
  if (to === Infinity) {
    normalTail(rows, div(neg(sub(x, all(from))), wide), all(-a / width), rows);
  } else if (from === -Infinity) {
    normalTail(rows, div(sub(x, all(to)), wide), all(a / width), rows);
  } else {
    // computed from the nearer edge, where less cancels
    const left = lt(mul(all(2), x), all(from + to));
    const side = select(all(-1), all(1), left);
    const shift = div(mul(side, all(a)), wide);
    const near = select(all(from), all(to), left);
    const other = select(all(to), all(from), left);
    normalTail(rows, div(mul(side, sub(x, near)), wide), shift, rows);
    normalTail(rows, div(mul(side, sub(x, other)), wide), shift, rows + SECOND);
    subtract(rows, rows + SECOND, rows + TURN);
  }
}

/** At INSIDE or more widths inside of an edge, 1 − W is at most about e^{−INSIDE²/2}, which is below roundings. */
const INSIDE: f64 = 9.2;

/** The output below which a window without a lower edge is 1 up to roundings. */
function innerOf(a: f64, from: f64, to: f64, width: f64): f64 {
  if (from > -Infinity) return -Infinity;
  if (to === Infinity) return Infinity;
  return to - width * Math.sqrt(INSIDE * INSIDE + (a / width) * (a / width));
}

/** log(1 − Φ(t)), by the Mills ratio; `tailError` bounds the error. */
export function logTail(t: v128): v128 {
  const size = abs(t);
  const ratio = vratioOfY(div(all(1), add(size, all(2))));
  const value = sub(vlog(mul(all(INVERSE_SQRT_2PI), ratio)), mul(all(0.5), mul(size, size)));
  const behind = lt(t, all(0));
  if (!anyTrue(behind)) return value;
  return select(vlog1p(neg(vexp(value))), value, behind);
}

/**
 * Error bound of `logTail`, u = 2⁻⁵³. It is 24u for ratio and logarithm, and 4ut², which covers the square and an error of 2u of t. For t < 0 it is
 * 24u.
 */
/* @inline */ function tailError(t: v128): v128 {
  const out = pmax(t, all(0));
  return mul(all(U), add(all(24), mul(all(4), mul(out, out))));
}

/** Stores the window W at real outputs as `passedAt` does, by differences of Φ: log W, phase 0 and relative error. */
function onAxis(out: usize, x: v128, from: f64, to: f64, width: f64): void {
  const wide = all(width);
  if (to === Infinity || from === -Infinity) {
    const t = to === Infinity ? div(sub(all(from), x), wide) : div(sub(x, all(to)), wide);
    polar(out, logTail(t), all(0), tailError(t));
    return;
  }
  const left = lt(mul(all(2), x), all(from + to));
  const near = div(select(sub(all(from), x), sub(x, all(to)), left), wide);
  const other = div(select(sub(all(to), x), sub(x, all(from)), left), wide);
  const log = logTail(near);
  const apart = sub(logTail(other), log);
  const size = vexp(apart);
  const wrong = add(add(tailError(near), mul(size, tailError(other))), mul(all(8 * U), add(all(1), size)));
  const most = pmax(neg(vexpm1(apart)), wrong);
  polar(out, add(log, vlog(most)), all(0), div(wrong, most));
}

/**
 * Stores three vectors for outputs X at `rows`: log|W(X + ia)|, or the log of W's absolute error if that is larger; the phase of W; and its relative
 * error.
 * @param inner The output up to which W is 1 (`innerOf`).
 */
function passedAt(rows: usize, X: v128, a: f64, from: f64, to: f64, width: f64, inner: f64): void {
  const inside = le(X, all(inner));
  if (allTrue(inside)) {
    polar(rows, all(0), all(0), all(2 * U));
    return;
  }
  if (a === 0) onAxis(rows, X, from, to, width);
  else {
    windowAt(rows, X, a, from, to, width);
    const logError = load(rows, 32);
    const most = pmax(load(rows), logError);
    store(rows, most);
    store(rows, vexp(sub(logError, most)), 32);
  }
  const error = select(all(2 * U), load(rows, 32), inside);
  polar(rows, drop(load(rows), inside), drop(load(rows, 16), inside), error);
}

/**
 * Three rows for outputs h·first, …, each of n numbers, rounded up to even, to `out`. They are log|e^{−x²/2}W(x + ia)|, the phase of W, and a bound
 * of the error of either.
 *
 * The absolute error of W is at most u(100 + 8|z|²)|½ erfc(z)| from each end, u = 2⁻⁵³, z = (x − end + ia)/width√2; and 8u for each difference. Where
 * |W| is less than that, it is replaced by the error.
 */
export function windowRows(
  h: f64,
  first: f64,
  n: usize,
  a: f64,
  from: f64,
  to: f64,
  width: f64,
  out: usize,
): void {
  const stride = even(n);
  requireBlock(out, 3 * stride);
  const rows = madeRule();
  const row = stride << 3;
  const inner = innerOf(a, from, to, width);
  for (let j: usize = 0; j < stride; j += LANES, out += WIDTH) {
    const X = outputsAt(h, first, j);
    passedAt(rows, X, a, from, to, width, inner);
    store(out, sub(load(rows), mul(all(0.5), mul(X, X))));
    store(out + row, load(rows, 16));
    store(out + 2 * row, mul(all(2), load(rows, 32)));
  }
  giveBack(rows);
}

/** log(e^a + e^b). */
function logSum(a: v128, b: v128): v128 {
  const top = pmax(a, b);
  return add(top, vlog1p(vexp(sub(pmin(a, b), top))));
}

/** For a − b above this, log(e^a + e^b) is a up to roundings. */
const NOTHING: f64 = 37;

/**
 * log of a bound of |W| off the axis: log(e^{bound} + e^{change − d²/2}), d the distance from the edge in widths. Here `bound` is for W on the axis,
 * and the second term is what the edge adds (`windowBounds`).
 */
function withEdge(bound: v128, X: v128, edge: f64, width: f64, change: f64): v128 {
  const z = div(sub(X, all(edge)), all(width));
  const other = sub(all(change), mul(all(0.5), mul(z, z)));
  const apart = gt(sub(bound, other), all(NOTHING));
  // 2u covers terms that are too small to be added
  if (allTrue(apart)) return add(bound, all(2 * U));
  return select(add(bound, all(2 * U)), logSum(bound, other), apart);
}

/**
 * Upper bounds of log|e^{−x²/2}W(x + ia)| for n outputs h·first, … to `out`. From x to x + ia, W changes by ∫_0^a of the normal density at d + iv for
 * each edge at distance d. So |W(x + ia)| ≤ W(x) + Σ_edges (a/w√2π) e^{(a² − d²)/2w²}, w the width. Ensures: no less than it.
 */
export function windowBounds(
  h: f64,
  first: f64,
  n: usize,
  a: f64,
  from: f64,
  to: f64,
  width: f64,
  out: usize,
): void {
  const stride = even(n);
  requireBlock(out, stride);
  const inner = innerOf(0, from, to, width);
  const rows = borrow(ROWS);
  const off = a / width;
  const change = lane0(vlog(all(off))) - 0.9 + 0.5 * (off * off);
  for (let j: usize = 0; j < stride; j += LANES, out += WIDTH) {
    const X = outputsAt(h, first, j);
    passedAt(rows, X, 0, from, to, width, inner);
    let bound = add(load(rows), load(rows, 32));
    if (from > -Infinity) bound = withEdge(bound, X, from, width, change);
    if (to < Infinity) bound = withEdge(bound, X, to, width, change);
    bound = add(bound, mul(all(1e-13), add(all(1), abs(bound))));
    store(out, sub(bound, mul(all(0.5), mul(X, X))));
  }
  giveBack(rows);
}
