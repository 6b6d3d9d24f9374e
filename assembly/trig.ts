/** sin(πx), cos(πx) on two lanes: the operations of src/reference/trig.ts, in its order. */
import { TWO_52 } from '../src/kernel/constants';
import { abs, add, all, at, mul, neg, select, stepAt, sub } from './lanes';
import * as pool from './pool';

/** ½, 2, 2⁵³, ∞, NaN, −1, 1: loaded, since V8 builds a literal from three instructions in every round of a loop. */
const LITERALS: usize = memory.data<f64>([0.5, 2, 2 * TWO_52, Infinity, NaN, -1, 1], 16);

/** sin(πx). */
// @ts-expect-error: decorator
@inline export function vsinPi(x: v128): v128 {
  const a = abs(x);
  const y = reduce(a);
  const n = quarter(y);
  const r = sub(y, mul(at(LITERALS + 0), n));
  const odd = f64x2.eq(abs(n), at(LITERALS + 48));
  const value = select(cosPolynomial(r), sinPolynomial(r), odd);
  const flip = v128.or(f64x2.eq(abs(n), at(LITERALS + 8)), f64x2.eq(n, at(LITERALS + 40)));
  const positive = add(select(neg(value), value, flip), all(0));
  const result = v128.xor(positive, v128.and(x, all(-0.0)));
  return select(
    result,
    select(at(LITERALS + 32), mul(all(0), x), notFinite(a)),
    f64x2.lt(a, at(LITERALS + 16)),
  );
}

/** cos(πx). */
// @ts-expect-error: decorator
@inline export function vcosPi(x: v128): v128 {
  const a = abs(x);
  const y = reduce(a);
  const n = quarter(y);
  const r = sub(y, mul(at(LITERALS + 0), n));
  const odd = f64x2.eq(abs(n), at(LITERALS + 48));
  const value = select(sinPolynomial(r), cosPolynomial(r), odd);
  const flip = v128.or(f64x2.eq(abs(n), at(LITERALS + 8)), f64x2.eq(n, at(LITERALS + 48)));
  const result = add(select(neg(value), value, flip), all(0));
  return select(result, select(at(LITERALS + 32), all(1), notFinite(a)), f64x2.lt(a, at(LITERALS + 16)));
}

/** sin(πx) to `out` and cos(πx) behind it, by one reduction: the bits of both functions but for the sign of zeros. */
export function sinCosPi(x: v128, out: usize): void {
  const a = abs(x);
  // from 2⁵³ on all are even; what is not finite becomes NaN
  const y = add(reduce(f64x2.pmin(a, at(LITERALS + 16))), sub(a, a));
  const n = quarter(y);
  const r = sub(y, mul(at(LITERALS + 0), n));
  const size = abs(n);
  const odd = f64x2.eq(size, at(LITERALS + 48));
  const s = sinPolynomial(r);
  const c = cosPolynomial(r);
  const two = f64x2.eq(size, at(LITERALS + 8));
  const signBit = all(-0.0);
  const flipSin = v128.and(v128.or(two, f64x2.eq(n, at(LITERALS + 40))), signBit);
  const flipCos = v128.and(v128.or(two, f64x2.eq(n, at(LITERALS + 48))), signBit);
  const sine = v128.xor(select(c, s, odd), v128.xor(flipSin, v128.and(x, signBit)));
  v128.store(out, sine);
  v128.store(out, v128.xor(select(s, c, odd), flipCos), 16);
}

// @ts-expect-error: decorator
@inline function notFinite(a: v128): v128 {
  return v128.not(f64x2.lt(a, at(LITERALS + 24)));
}

/** |x| modulo 2, in [−1, 1]. */
// @ts-expect-error: decorator
@inline function reduce(a: v128): v128 {
  return sub(a, mul(at(LITERALS + 8), sub(add(mul(a, at(LITERALS + 0)), at(pool.TWO_52)), at(pool.TWO_52))));
}

/** rint(2y). */
// @ts-expect-error: decorator
@inline function quarter(y: v128): v128 {
  return sub(add(mul(at(LITERALS + 8), y), at(pool.ROUND)), at(pool.ROUND));
}

// @ts-expect-error: decorator
@inline function sinPolynomial(r: v128): v128 {
  const z = mul(r, r);
  const high = stepAt(pool.SIN_4, z, stepAt(pool.SIN_5, z, stepAt(pool.SIN_6, z, at(pool.SIN_7))));
  const tail = mul(z, stepAt(pool.SIN_1, z, stepAt(pool.SIN_2, z, stepAt(pool.SIN_3, z, high))));
  return mul(r, add(at(pool.SIN_0), add(at(pool.SIN_0_LOW), tail)));
}

// @ts-expect-error: decorator
@inline function cosPolynomial(r: v128): v128 {
  const z = mul(r, r);
  const high = stepAt(pool.COS_5, z, stepAt(pool.COS_6, z, stepAt(pool.COS_7, z, at(pool.COS_8))));
  return add(
    at(LITERALS + 48),
    mul(z, stepAt(pool.COS_1, z, stepAt(pool.COS_2, z, stepAt(pool.COS_3, z, stepAt(pool.COS_4, z, high))))),
  );
}
