/**
 * Loops of the Gaussian privacy profile over n elements, n rounded up to even (all arrays have the
 * room): the operations of src/reference/gdp.ts, in its order. `mu` advances by `muStep` bytes per pair:
 * 16, or 0 when one value, stored twice, serves all.
 */
import { vexp, vexpm1, vlog, vlog1p } from './elementary';
import { get, POW_500, put, vdifference, vevaluate, vhalfSquare, vlogMass, vmass, vratio, W } from './gdp-core';
import { abs, add, all, anyTrue, atMost, mul, neg, select, sub } from './lanes';

// @ts-ignore: decorator
@inline function bytes(n: i32): usize {
  return <usize>((n + 1) & ~1) << 3;
}

/** δ from the smaller mass v: 1 − v where W < 0. */
// @ts-ignore: decorator
@inline function whole(v: v128): v128 {
  return select(sub(all(1), v), v, f64x2.lt(get(W), all(0)));
}

/** 1 − δ from the same. */
// @ts-ignore: decorator
@inline function rest(v: v128): v128 {
  return select(v, sub(all(1), v), f64x2.lt(get(W), all(0)));
}

export function deltaGdp(mu: usize, muStep: usize, epsilon: usize, out: usize, n: i32): void {
  const end = bytes(n);
  for (let i: usize = 0; i < end; i += 16, mu += muStep) {
    const e = v128.load(epsilon + i);
    const size = abs(e);
    vevaluate(v128.load(mu), size);
    let delta = whole(vmass());
    const negative = f64x2.lt(e, all(0));
    if (anyTrue(negative)) {
      const reflected = sub(mul(vexp(neg(size)), delta), vexpm1(neg(size)));
      delta = select(atMost(reflected, 1), delta, negative);
    }
    v128.store(out + i, delta);
  }
}

export function oneMinusDeltaGdp(mu: usize, muStep: usize, epsilon: usize, out: usize, n: i32): void {
  const end = bytes(n);
  for (let i: usize = 0; i < end; i += 16, mu += muStep) {
    const e = v128.load(epsilon + i);
    const size = abs(e);
    vevaluate(v128.load(mu), size);
    let complement = rest(vmass());
    const negative = f64x2.lt(e, all(0));
    if (anyTrue(negative)) complement = select(mul(vexp(neg(size)), complement), complement, negative);
    v128.store(out + i, complement);
  }
}

export function logDeltaGdp(mu: usize, muStep: usize, epsilon: usize, out: usize, n: i32): void {
  const end = bytes(n);
  for (let i: usize = 0; i < end; i += 16, mu += muStep) {
    const e = v128.load(epsilon + i);
    const size = abs(e);
    const m = v128.load(mu);
    vevaluate(m, size);
    const above = f64x2.lt(get(W), all(0));
    let value = i64x2.all_true(above) ? above : vlogMass(m);
    if (anyTrue(above)) value = select(vlog1p(sub(all(0), vmass())), value, above);
    const negative = f64x2.lt(e, all(0));
    if (anyTrue(negative)) value = select(logReflected(size), value, negative);
    v128.store(out + i, value);
  }
}

/** log δ(−size) from the evaluation at size. */
function logReflected(size: v128): v128 {
  const v = vmass();
  const decay = vexp(neg(size));
  const complement = mul(decay, rest(v));
  const large = vlog1p(sub(all(0), complement));
  const small = vlog(sub(mul(decay, whole(v)), vexpm1(neg(size))));
  return select(large, small, f64x2.lt(complement, all(0.5)));
}

/** Φ(b) − Φ(a) for 0 ≤ a < b. */
function upperInterval(a: v128, b: v128): v128 {
  const hi = atMost(b, POW_500);
  const lo = atMost(a, POW_500);
  vhalfSquare(lo, all(0));
  const decay = vexpm1(mul(sub(lo, hi), mul(all(0.5), add(lo, hi))));
  put(W, sub(vdifference(lo, hi, sub(hi, lo)), mul(vratio(hi), decay)));
  return atMost(vmass(), 0.5);
}

/** n masses between the n + 1 edges; `edges` has room for one more than the even n. */
export function normalIntervals(edges: usize, out: usize, n: i32): void {
  const end = bytes(n);
  for (let i: usize = 0; i < end; i += 16) {
    const a = v128.load(edges + i);
    const b = v128.load(edges + i, 8);
    const right = f64x2.ge(a, all(0));
    const left = v128.andnot(f64x2.le(b, all(0)), right);
    const across = v128.not(v128.or(left, right));
    const from = v128.andnot(select(neg(b), a, left), across);
    let value = upperInterval(from, select(neg(a), b, v128.or(left, across)));
    if (anyTrue(across)) value = select(add(value, upperInterval(all(0), b)), value, across);
    value = v128.andnot(value, f64x2.eq(a, b));
    v128.store(out + i, select(value, all(NaN), f64x2.le(a, b)));
  }
}
