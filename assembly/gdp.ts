/**
 * Loops of the Gaussian privacy profile over n elements, n rounded up to even (all arrays have the
 * room): the operations of src/reference/gdp.ts, in its order. `mu` advances by `muStep` bytes per pair:
 * 16, or 0 when one value, stored twice, serves all. `out` may be `epsilon`.
 */
import { POW_500 } from '../src/kernel/constants.js';
import { requireBlock } from './checks.js';
import { vexp, vexpm1, vlog, vlog1p } from './elementary.js';
import {
  B,
  CHUNK,
  evaluateChunk,
  get,
  put,
  T,
  vdifference,
  vhalfSquare,
  vlogMass,
  vmass,
  vratio,
  W,
} from './gdp-core.js';
import { abs, add, all, anyTrue, atMost, mul, neg, select, sub } from './lanes.js';

// @ts-expect-error: decorator
@inline function bytes(n: i32): usize {
  return (<usize>((n + 1) & ~1)) << 3;
}

// @ts-expect-error: decorator
@inline function chunkSize(start: usize, end: usize): usize {
  return end - start < CHUNK ? end - start : CHUNK;
}

/** δ from the smaller mass v: 1 − v where W < 0. */
// @ts-expect-error: decorator
@inline function whole(v: v128, at: usize): v128 {
  return select(sub(all(1), v), v, f64x2.lt(get(W, at), all(0)));
}

/** 1 − δ from the same. */
// @ts-expect-error: decorator
@inline function rest(v: v128, at: usize): v128 {
  return select(v, sub(all(1), v), f64x2.lt(get(W, at), all(0)));
}

export function deltaGdp(mu: usize, muStep: usize, epsilon: usize, out: usize, n: i32): void {
  requireBlock(mu, muStep === 0 ? 2 : n);
  requireBlock(epsilon, n);
  requireBlock(out, n);
  const end = bytes(n);
  for (let start: usize = 0; start < end; start += CHUNK, mu += 64 * muStep) {
    const size = chunkSize(start, end);
    evaluateChunk(mu, muStep, epsilon + start, size);
    for (let at: usize = 0; at < size; at += 16) {
      const e = v128.load(epsilon + start + at);
      let delta = whole(vmass(at), at);
      const negative = f64x2.lt(e, all(0));
      if (anyTrue(negative)) delta = select(reflectedDelta(delta, neg(abs(e))), delta, negative);
      v128.store(out + start + at, delta);
    }
  }
}

/** δ(e) from δ(−e), e < 0. */
function reflectedDelta(delta: v128, e: v128): v128 {
  return atMost(sub(mul(vexp(e), delta), vexpm1(e)), 1);
}

export function oneMinusDeltaGdp(mu: usize, muStep: usize, epsilon: usize, out: usize, n: i32): void {
  requireBlock(mu, muStep === 0 ? 2 : n);
  requireBlock(epsilon, n);
  requireBlock(out, n);
  const end = bytes(n);
  for (let start: usize = 0; start < end; start += CHUNK, mu += 64 * muStep) {
    const size = chunkSize(start, end);
    evaluateChunk(mu, muStep, epsilon + start, size);
    for (let at: usize = 0; at < size; at += 16) {
      const e = v128.load(epsilon + start + at);
      let complement = rest(vmass(at), at);
      const negative = f64x2.lt(e, all(0));
      if (anyTrue(negative)) complement = select(mul(vexp(neg(abs(e))), complement), complement, negative);
      v128.store(out + start + at, complement);
    }
  }
}

export function logDeltaGdp(mu: usize, muStep: usize, epsilon: usize, out: usize, n: i32): void {
  requireBlock(mu, muStep === 0 ? 2 : n);
  requireBlock(epsilon, n);
  requireBlock(out, n);
  const end = bytes(n);
  for (let start: usize = 0; start < end; start += CHUNK) {
    const size = chunkSize(start, end);
    evaluateChunk(mu, muStep, epsilon + start, size);
    for (let at: usize = 0; at < size; at += 16, mu += muStep) {
      const e = v128.load(epsilon + start + at);
      const above = f64x2.lt(get(W, at), all(0));
      let value = i64x2.all_true(above) ? above : vlogMass(v128.load(mu), at);
      if (anyTrue(above)) value = select(vlog1p(sub(all(0), vmass(at))), value, above);
      const negative = f64x2.lt(e, all(0));
      if (anyTrue(negative)) value = select(logReflected(abs(e), at), value, negative);
      v128.store(out + start + at, value);
    }
  }
}

/** log δ(−size) from the evaluation at size. */
function logReflected(size: v128, at: usize): v128 {
  const v = vmass(at);
  const decay = vexp(neg(size));
  const complement = mul(decay, rest(v, at));
  const large = vlog1p(sub(all(0), complement));
  const small = vlog(sub(mul(decay, whole(v, at)), vexpm1(neg(size))));
  return select(large, small, f64x2.lt(complement, all(0.5)));
}

/** T = a, B = b and the exponent of φ(a) for Φ(b) − Φ(a), 0 ≤ a < b. */
// @ts-expect-error: decorator
@inline function openInterval(a: v128, b: v128, at: usize): void {
  const lo = atMost(a, POW_500);
  put(T, at, lo);
  put(B, at, atMost(b, POW_500));
  vhalfSquare(lo, all(0), at);
}

/** W of the same. */
// @ts-expect-error: decorator
@inline function weighInterval(at: usize): void {
  const lo = get(T, at);
  const hi = get(B, at);
  const decay = vexpm1(mul(sub(lo, hi), mul(all(0.5), add(lo, hi))));
  put(W, at, sub(vdifference(lo, hi, sub(hi, lo)), mul(vratio(hi), decay)));
}

/** Φ(b) − Φ(0), b > 0, in place of the pair `at`. */
function centralInterval(b: v128, at: usize): v128 {
  openInterval(all(0), b, at);
  weighInterval(at);
  return atMost(vmass(at), 0.5);
}

/** n masses between the n + 1 edges; `edges` has room for one more than the even n. */
export function normalIntervals(edges: usize, out: usize, n: i32): void {
  requireBlock(edges, n + 1);
  requireBlock(out, n);
  const end = bytes(n);
  for (let start: usize = 0; start < end; start += CHUNK) {
    const size = chunkSize(start, end);
    const from = edges + start;
    for (let at: usize = 0; at < size; at += 16) {
      const a = v128.load(from + at);
      const b = v128.load(from + at, 8);
      const right = f64x2.ge(a, all(0));
      const left = v128.andnot(f64x2.le(b, all(0)), right);
      const across = v128.not(v128.or(left, right));
      const lower = v128.andnot(select(neg(b), a, left), across);
      openInterval(lower, select(neg(a), b, v128.or(left, across)), at);
    }
    for (let at: usize = 0; at < size; at += 16) weighInterval(at);
    for (let at: usize = 0; at < size; at += 16) {
      const a = v128.load(from + at);
      const b = v128.load(from + at, 8);
      let value = atMost(vmass(at), 0.5);
      const across = v128.andnot(f64x2.gt(b, all(0)), f64x2.ge(a, all(0)));
      if (anyTrue(across)) value = select(add(value, centralInterval(b, at)), value, across);
      value = v128.andnot(value, f64x2.eq(a, b));
      v128.store(out + start + at, select(value, all(NaN), f64x2.le(a, b)));
    }
  }
}
