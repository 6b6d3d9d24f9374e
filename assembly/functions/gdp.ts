/**
 * The Gaussian privacy profile δ_μ(ε) = Φ(−t) − e^ε Φ(−t−μ), t = ε/μ − μ/2, its logarithm and complement (Y. Liu et al., NeurIPS 2022, eq. 1; J.
 * Dong, A. Roth & W. Su, J. R. Stat. Soc. B 84 (2022) 3–37, corollary 2.13). This file also has masses of N(0, 1) on intervals. gdp-core.ts has forms
 * without the cancellation and the overflow of these. Negative ε: δ(−ε) = (1 − e^{−ε}) + e^{−ε}δ(ε) and 1 − δ(−ε) = e^{−ε}(1 − δ(ε)).
 *
 * Loops over n elements, rounded up to whole vectors (all arrays have the room). `mu` holds one μ for each ε where `each` is 1; where it is 0, one
 * value, stored twice, serves all. `out` may be `epsilon`.
 */
import { POW_500 } from '../../src/kernel/constants.js';
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import {
  B,
  bytesOf,
  CHUNK,
  evaluateChunk,
  get,
  put,
  STATE,
  T,
  vdifference,
  vhalfSquare,
  vlogMass,
  vmass,
  vratio,
  W,
} from './gdp-core.js';
import {
  abs,
  add,
  all,
  allTrue,
  andnot,
  anyTrue,
  atMost,
  drop,
  eq,
  ge,
  gt,
  le,
  lt,
  mul,
  neg,
  not,
  or,
  requireBlock,
  select,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, store } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/* @inline */ function chunkSize(start: usize, end: usize): usize {
  return end - start < CHUNK ? end - start : CHUNK;
}

/** δ from v = φ(t)|W|, the smaller of δ and 1 − δ: 1 − v where W < 0. */
/* @inline */ function whole(v: v128, at: usize): v128 {
  return select(sub(all(1), v), v, lt(get(W, at), all(0)));
}

/** 1 − δ from v = φ(t)|W|, the smaller of δ and 1 − δ: v where W < 0, else 1 − v. */
/* @inline */ function rest(v: v128, at: usize): v128 {
  return select(v, sub(all(1), v), lt(get(W, at), all(0)));
}

export const DELTA: i32 = 0;
export const COMPLEMENT: i32 = 1;
export const LOG: i32 = 2;

/**
 * δ_μ(ε), 1 − δ_μ(ε) or log δ_μ(ε), by `kind`, for μ ≥ 0 and any ε. δ_0(ε) = max(0, 1 − e^ε); δ_∞ = 1, also at ε = ∞; otherwise δ(∞) = 0 and δ(−∞) =
 * 1. NaN for μ < 0. Log δ is finite down to −1.8e308.
 *
 * Worst relative errors of normal results against mpmath: of δ 1.4e-15, root mean square 2.2e-16; of 1 − δ 7.1e-16; of log δ 8.9e-16. Measured at
 * 11,304 points with μ in 2⁻¹⁰⁶⁰…2⁵⁰⁰ and 30,000 with μ in 10⁻⁶…10³. Subnormal results are within 2⁻¹⁰⁷⁴.
 */
export function profile(kind: i32, mu: usize, each: usize, epsilon: usize, n: usize, out: usize): void {
  requireBlock(mu, each === 0 ? 2 : n);
  requireBlock(epsilon, n);
  requireBlock(out, n);
  const state = borrow(STATE);
  const end = bytesOf(n);
  for (let start: usize = 0; start < end; start += CHUNK) {
    const size = chunkSize(start, end);
    evaluateChunk(state, mu + start * each, each, epsilon + start, size);
    for (let i: usize = 0; i < size; i += WIDTH) {
      const at = state + i;
      const e = load(epsilon + start + i);
      let value = all(0);
      if (kind === LOG) {
        const above = lt(get(W, at), all(0));
        value = allTrue(above) ? above : vlogMass(load(mu + (start + i) * each), at);
        if (anyTrue(above)) value = select(vlog1p(sub(all(0), vmass(at))), value, above);
      } else {
        value = kind === DELTA ? whole(vmass(at), at) : rest(vmass(at), at);
      }
      const negative = lt(e, all(0));
      if (anyTrue(negative)) {
        const reflected =
          kind === LOG
            ? logReflected(abs(e), at)
            : kind === DELTA
              ? reflectedDelta(value, neg(abs(e)))
              : mul(vexp(neg(abs(e))), value);
        value = select(reflected, value, negative);
      }
      store(out + start + i, value);
    }
  }
  giveBack(state);
}

/** δ(e), e < 0, from δ(−e). */
function reflectedDelta(delta: v128, e: v128): v128 {
  return atMost(sub(mul(vexp(e), delta), vexpm1(e)), 1);
}

/**
 * log δ(−size), size > 0, from the state evaluated at size. It is the log of 1 − e^{−size}(1 − δ), or of 1 − e^{−size} + e^{−size}δ where the former
 * would cancel. The error is that of `profile`.
 */
function logReflected(size: v128, at: usize): v128 {
  const v = vmass(at);
  const decay = vexp(neg(size));
  const complement = mul(decay, rest(v, at));
  const large = vlog1p(sub(all(0), complement));
  const small = vlog(sub(mul(decay, whole(v, at)), vexpm1(neg(size))));
  return select(large, small, lt(complement, all(0.5)));
}

/**
 * Sets T = a, B = b and the exponent of φ(a), for Φ(b) − Φ(a), 0 ≤ a < b. That is φ(a)·[(R(a) − R(b)) + R(b)(1 − e^{−(b²−a²)/2})], no term of which
 * is negative. R = (1 − Φ)/φ is the Mills ratio.
 */
/* @inline */ function openInterval(a: v128, b: v128, at: usize): void {
  const lo = atMost(a, POW_500);
  put(T, at, lo);
  put(B, at, atMost(b, POW_500));
  vhalfSquare(lo, all(0), at);
}

/** Sets W, the bracket in Φ(b) − Φ(a) = φ(a)·W, from the state that `openInterval` left. */
/* @inline */ function weighInterval(at: usize): void {
  const lo = get(T, at);
  const hi = get(B, at);
  const decay = vexpm1(mul(sub(lo, hi), mul(all(0.5), add(lo, hi))));
  put(W, at, sub(vdifference(lo, hi, sub(hi, lo)), mul(vratio(hi), decay)));
}

/** Φ(b) − Φ(0), b > 0. It overwrites the state's vector `at`. */
function centralInterval(b: v128, at: usize): v128 {
  openInterval(all(0), b, at);
  weighInterval(at);
  return atMost(vmass(at), 0.5);
}

/**
 * The n masses of N(0, 1) between n + 1 edges, ±∞ allowed; NaN where they descend. `edges` has room for one more than the even n. Relative error ≤
 * 8e-16 of normal results, against mpmath at 3,000 intervals.
 */
export function normalIntervals(edges: usize, n: usize, out: usize): void {
  requireBlock(edges, n + 1);
  requireBlock(out, n);
  const state = borrow(STATE);
  const end = bytesOf(n);
  for (let start: usize = 0; start < end; start += CHUNK) {
    const size = chunkSize(start, end);
    const from = edges + start;
    for (let i: usize = 0; i < size; i += WIDTH) {
      const a = load(from + i);
      const b = load(from + i, 8);
      const right = ge(a, all(0));
      const left = andnot(le(b, all(0)), right);
      const across = not(or(left, right));
      const lower = drop(select(neg(b), a, left), across);
      openInterval(lower, select(neg(a), b, or(left, across)), state + i);
    }
    for (let i: usize = 0; i < size; i += WIDTH) weighInterval(state + i);
    for (let i: usize = 0; i < size; i += WIDTH) {
      const a = load(from + i);
      const b = load(from + i, 8);
      let value = atMost(vmass(state + i), 0.5);
      const across = andnot(gt(b, all(0)), ge(a, all(0)));
      if (anyTrue(across)) value = select(add(value, centralInterval(b, state + i)), value, across);
      value = drop(value, eq(a, b));
      store(out + start + i, select(value, all(NaN), le(a, b)));
    }
  }
  giveBack(state);
}
