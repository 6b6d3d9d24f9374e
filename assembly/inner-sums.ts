/**
 * φ_k(u) = E[(X/t)^k e^{−uX/t}], X = e^Y, Y ~ N(−μ²/2, μ²), of one of t bins of an epoch, by the trapezoidal rule (docs/proofs/balls-and-bins.md 5).
 */
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../src/kernel/constants.js';
import { vexp, vexpm1 } from './elementary.js';
import { even, outputsAt } from './loss-mesh.js';
import { logOf } from './scalar.js';
import { sinCosPi } from './trig.js';
import {
  abs,
  add,
  all,
  allTrue,
  and,
  anyTrue,
  div,
  drop,
  eq,
  gt,
  LANES,
  lt,
  mul,
  neg,
  pmin,
  select,
  sub,
  WIDTH,
} from './lanes.js';
import { load, loadF64, memory, splat, store } from './memory.js';

/** Bytes of weights per partial sum. */
const CHUNK: usize = 128;
/** Largest argument of an exponential: beyond, it overflows. */
const LARGEST: f64 = 700;
/** Sine and cosine. */
const TURN: usize = memory.data(32, 16);
/** Real part, imaginary part and sum of moduli of a sum. */
const SUM: usize = memory.data(48, 16);

/**
 * The quadrature weights of φ_k at the nodes y + is, to four rows of `row` bytes; k and s are those of the head. They are complex weights, their moduli, and the moduli's errors in
 * units of u. Returns the relative rounding error of a sum of them times bounded factors, additions aside.
 */
function weightsOf(
  mu: f64,
  bins: f64,
  s: f64,
  k: f64,
  h: f64,
  first: f64,
  n: usize,
  row: usize,
  out: usize,
): f64 {
  const square = mu * mu;
  const logBins = logOf(bins);
  const lead = (s * s) / (2 * square);
  const unit = all((h / mu) * INVERSE_SQRT_2PI);
  let sum: f64 = 0;
  let wrong: f64 = 0;
  for (let i: usize = 0; i < n; i += LANES) {
    const y = outputsAt(h, first, i);
    const z = div(add(y, all(square / 2)), all(mu));
    const height = add(sub(all(lead), mul(all(0.5), mul(z, z))), mul(all(k), sub(y, all(logBins))));
    const turn = mul(sub(all(k * s), mul(all(s / mu), z)), all(INVERSE_PI));
    const w = mul(unit, vexp(height));
    const at = out + (i << 3);
    sinCosPi(turn, TURN);
    store(at, mul(w, load(TURN, 16)));
    store(at + row, mul(w, load(TURN)));
    store(at + 2 * row, w);
    const parts = add(mul(all(4 * k), add(abs(y), all(logBins))), mul(all(4), abs(turn)));
    store(at + 3 * row, mul(w, add(parts, add(all(14), mul(all(3), mul(z, z))))));
  }
  for (let at = out + 2 * row; at < out + 2 * row + (n << 3); at += 8) {
    sum += loadF64(at);
    wrong += loadF64(at + row);
  }
  return sum > 0 ? (U * wrong) / sum : 0;
}

/**
 * T − 1 and T = exp(−e^{x − iα}/t) at x = h·first, …; t = `bins`, α = π·`turn`. Each to a few roundings of |T − 1| and |T|. Four rows of n (even):
 * real parts of both, the imaginary part and |T|. From |T| = e^{−depth−2} on T is set to 0; the truncation error includes that.
 */
function damped(bins: f64, depth: f64, turn: f64, h: f64, first: f64, n: usize, out: usize): void {
  const row = n << 3;
  sinCosPi(all(turn), TURN);
  const sine = load(TURN);
  const cosine = load(TURN, 16);
  for (let i: usize = 0; i < n; i += LANES, out += WIDTH) {
    const modulus = div(vexp(pmin(all(LARGEST), outputsAt(h, first, i))), all(bins));
    const p = mul(modulus, cosine);
    const beyond = gt(p, all(depth + 2));
    const angle = mul(mul(modulus, sine), all(INVERSE_PI));
    const e = drop(vexp(neg(p)), beyond);
    sinCosPi(mul(all(0.5), angle), TURN);
    const half = load(TURN);
    const rest = sub(vexpm1(neg(p)), mul(mul(all(2), e), mul(half, half)));
    sinCosPi(angle, TURN);
    store(out, select(all(-1), rest, beyond));
    store(out + row, mul(e, load(TURN, 16)));
    store(out + 2 * row, mul(e, load(TURN)));
    store(out + 3 * row, e);
  }
}

/**
 * Σ weights·T, or Σ weights·(T − 1), over n nodes, and Σ|weights||T|, to `SUM`. The rows at `re`, `im` and behind them hold T − 1 or T, its
 * imaginary part, and |T|. Additions in chunks: (16 + n/16)u of error, relative to the third sum.
 */
function sumsAt(
  weights: usize,
  row: usize,
  n: usize,
  re: usize,
  im: usize,
  size: usize,
  stride: usize,
): void {
  let x = all(0);
  let y = all(0);
  let z = all(0);
  for (const last = weights + (n << 3); weights < last;) {
    // T is 0 at all further nodes
    if (allTrue(and(eq(load(re), all(0)), eq(load(size), all(0))))) break;
    const to = last - weights < CHUNK ? last : weights + CHUNK;
    let p = all(0);
    let q = all(0);
    let r = all(0);
    for (; weights < to; weights += 8, re += stride, im += stride, size += stride) {
      const a = splat(weights);
      const b = splat(weights + row);
      const c = load(re);
      const d = load(im);
      p = add(p, sub(mul(a, c), mul(b, d)));
      q = add(q, add(mul(a, d), mul(b, c)));
      r = add(r, mul(splat(weights + 2 * row), load(size)));
    }
    x = add(x, p);
    y = add(y, q);
    z = add(z, r);
  }
  store(SUM, x);
  store(SUM, y, 16);
  store(SUM, z, 32);
}

/**
 * φ_k(u) = E[(X/t)^k e^{−uX/t}] by the trapezoidal rule, X = e^Y, Y ~ N(−μ²/2, μ²), t = `bins`. φ_0 − 1 at the first `nodes` of the points u = e^{v −
 * iθ}, v = h·first, …; and φ_k with Σ|weights||T|, k = 0 … last, at all. `out` has 5 + 3·last rows of `places` numbers, made even. Where φ_0 is
 * nearer to 0 than to 1 it is summed directly. Returns the relative rounding error of a sum against Σ|weights||T|. Quadrature and truncation errors
 * are not included.
 *
 * @param s The path Im y = s of the rule: n nodes from `low` on, whose spacing is `stride` times that of v.
 * @param turn (θ − s)/π.
 * @param weights Room for four rows of n; `table` for four of places + stride·(n − 1) numbers, made even.
 */
export function innerSums(
  mu: f64,
  bins: f64,
  s: f64,
  stride: usize,
  low: f64,
  n: usize,
  last: usize,
  depth: f64,
  turn: f64,
  h: f64,
  first: f64,
  nodes: usize,
  places: usize,
  weights: usize,
  table: usize,
  out: usize,
): f64 {
  const step = h * <f64>stride;
  const room = even(even(places) + stride * (n - 1));
  const row = even(places) << 3;
  const along = even(n) << 3;
  const apart = room << 3;
  damped(bins, depth, turn, h, first + <f64>stride * low, room, table);
  let rounding: f64 = 0;
  for (let k: usize = 0; k <= last; k++) {
    rounding = Math.max(rounding, weightsOf(mu, bins, s, <f64>k, step, low, n, along, weights));
    const sums = out + (2 + 3 * k) * row;
    for (let j: usize = 0; j < row; j += WIDTH) {
      const re = table + apart + j;
      const own = k === 0 && j < nodes << 3;
      let far = all(0);
      if (own) {
        sumsAt(weights, along, n, re - apart, re + apart, re + 2 * apart, stride << 3);
        const x = add(all(1), load(SUM));
        const y = load(SUM, 16);
        store(out + j, load(SUM));
        store(out + row + j, y);
        store(sums + j, x);
        store(sums + row + j, y);
        store(sums + 2 * row + j, load(SUM, 32));
        far = add(mul(x, x), mul(y, y));
      }
      const near = lt(far, all(0.25));
      if (own && !anyTrue(near)) continue;
      sumsAt(weights, along, n, re, re + apart, re + 2 * apart, stride << 3);
      for (let part: usize = 0; part < 3; part++) {
        const at = sums + part * row + j;
        store(at, select(load(SUM + 16 * part), load(at), near));
      }
    }
  }
  const chunk = <f64>(CHUNK >> 3);
  return rounding + (chunk + <f64>n / chunk) * U;
}
