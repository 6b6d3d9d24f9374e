/** sin(πx), cos(πx) on two lanes: the operations of src/reference/trig.ts, in its order. */
import {
  COS_1,
  COS_2,
  COS_3,
  COS_4,
  COS_5,
  COS_6,
  COS_7,
  COS_8,
  ROUND,
  SIN_0,
  SIN_0_LOW,
  SIN_1,
  SIN_2,
  SIN_3,
  SIN_4,
  SIN_5,
  SIN_6,
  SIN_7,
  TWO_52,
} from '../src/reference/constants';
import { abs, add, all, mul, neg, select, step, sub } from './lanes';

/** sin(πx). */
export function vsinPi(x: v128): v128 {
  const a = abs(x);
  const y = reduce(a);
  const n = quarter(y);
  const r = sub(y, mul(all(0.5), n));
  const odd = f64x2.eq(abs(n), all(1));
  const value = select(cosPolynomial(r), sinPolynomial(r), odd);
  const flip = v128.or(f64x2.eq(abs(n), all(2)), f64x2.eq(n, all(-1)));
  const positive = add(select(neg(value), value, flip), all(0));
  const result = v128.xor(positive, v128.and(x, all(-0.0)));
  return select(result, select(all(NaN), mul(all(0), x), notFinite(a)), f64x2.lt(a, all(2 * TWO_52)));
}

/** cos(πx). */
export function vcosPi(x: v128): v128 {
  const a = abs(x);
  const y = reduce(a);
  const n = quarter(y);
  const r = sub(y, mul(all(0.5), n));
  const odd = f64x2.eq(abs(n), all(1));
  const value = select(sinPolynomial(r), cosPolynomial(r), odd);
  const flip = v128.or(f64x2.eq(abs(n), all(2)), f64x2.eq(n, all(1)));
  const result = add(select(neg(value), value, flip), all(0));
  return select(result, select(all(NaN), all(1), notFinite(a)), f64x2.lt(a, all(2 * TWO_52)));
}

// @ts-expect-error: decorator
@inline function notFinite(a: v128): v128 {
  return v128.not(f64x2.lt(a, all(Infinity)));
}

/** |x| modulo 2, in [−1, 1]. */
// @ts-expect-error: decorator
@inline function reduce(a: v128): v128 {
  return sub(a, mul(all(2), sub(add(mul(a, all(0.5)), all(TWO_52)), all(TWO_52))));
}

/** rint(2y). */
// @ts-expect-error: decorator
@inline function quarter(y: v128): v128 {
  return sub(add(mul(all(2), y), all(ROUND)), all(ROUND));
}

// @ts-expect-error: decorator
@inline function sinPolynomial(r: v128): v128 {
  const z = mul(r, r);
  const high = step(SIN_4, z, step(SIN_5, z, step(SIN_6, z, all(SIN_7))));
  const tail = mul(z, step(SIN_1, z, step(SIN_2, z, step(SIN_3, z, high))));
  return mul(r, add(all(SIN_0), add(all(SIN_0_LOW), tail)));
}

// @ts-expect-error: decorator
@inline function cosPolynomial(r: v128): v128 {
  const z = mul(r, r);
  const high = step(COS_5, z, step(COS_6, z, step(COS_7, z, all(COS_8))));
  return step(1, z, step(COS_1, z, step(COS_2, z, step(COS_3, z, step(COS_4, z, high)))));
}
