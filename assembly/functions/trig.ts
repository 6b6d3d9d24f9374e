/** sin(πx) and cos(πx). Errors found: `ELEMENTWISE` in src/kernel/kernel.ts. */
import * as pool from '../lane/pool.js';
import {
  abs,
  add,
  all,
  at,
  eq,
  flip,
  lt,
  mul,
  neg,
  not,
  or,
  pmin,
  select,
  stepAt,
  sub,
  withSign,
} from '../lane/lanes.js';
import { store } from '../lane/memory.js';

/**
 * sin(πx), every double: |x| is reduced exactly to [−1, 1] and then to [−1/4, 1/4] before the Taylor polynomial. ±0 at ±n (the sign of x), NaN at ±∞.
 * Its error is in `ELEMENTWISE` of src/kernel/kernel.ts.
 */
/* @inline */ export function vsinPi(x: v128): v128 {
  const a = abs(x);
  const y = reduce(a);
  const n = quarter(y);
  const r = sub(y, mul(at(pool.HALF), n));
  const odd = eq(abs(n), at(pool.ONE));
  const value = select(cosPolynomial(r), sinPolynomial(r), odd);
  const turned = or(eq(abs(n), at(pool.TWO)), eq(n, at(pool.MINUS_ONE)));
  const positive = add(select(neg(value), value, turned), all(0));
  const result = withSign(positive, x);
  return select(result, select(at(pool.NOT_A_NUMBER), mul(all(0), x), notFinite(a)), lt(a, at(pool.TWO_53)));
}

/** cos(πx), every double, by the reduction of `vsinPi`. +0 at n + ½, NaN at ±∞. Its error is in `ELEMENTWISE` of src/kernel/kernel.ts. */
/* @inline */ export function vcosPi(x: v128): v128 {
  const a = abs(x);
  const y = reduce(a);
  const n = quarter(y);
  const r = sub(y, mul(at(pool.HALF), n));
  const odd = eq(abs(n), at(pool.ONE));
  const value = select(sinPolynomial(r), cosPolynomial(r), odd);
  const turned = or(eq(abs(n), at(pool.TWO)), eq(n, at(pool.ONE)));
  const result = add(select(neg(value), value, turned), all(0));
  return select(result, select(at(pool.NOT_A_NUMBER), all(1), notFinite(a)), lt(a, at(pool.TWO_53)));
}

/** sin(πx) to `out` and cos(πx) behind it, by one reduction, with the bits of both functions except for the sign of zeros. */
export function sinCosPi(x: v128, out: usize): void {
  const a = abs(x);
  // doubles from 2⁵³ on are even integers; x − x is NaN if x is not finite
  const y = add(reduce(pmin(a, at(pool.TWO_53))), sub(a, a));
  const n = quarter(y);
  const r = sub(y, mul(at(pool.HALF), n));
  const size = abs(n);
  const odd = eq(size, at(pool.ONE));
  const s = sinPolynomial(r);
  const c = cosPolynomial(r);
  const two = eq(size, at(pool.TWO));
  store(out, withSign(flip(select(c, s, odd), or(two, eq(n, at(pool.MINUS_ONE)))), x));
  store(out, flip(select(s, c, odd), or(two, eq(n, at(pool.ONE)))), 16);
}

/* @inline */ function notFinite(a: v128): v128 {
  return not(lt(a, at(pool.INFINITY)));
}

/** x reduced modulo 2 into [−1, 1], x ≥ 0. */
/* @inline */ function reduce(a: v128): v128 {
  return sub(a, mul(at(pool.TWO), sub(add(mul(a, at(pool.HALF)), at(pool.TWO_52)), at(pool.TWO_52))));
}

/** 2y rounded to an integer. */
/* @inline */ function quarter(y: v128): v128 {
  return sub(add(mul(at(pool.TWO), y), at(pool.ROUND)), at(pool.ROUND));
}

/** sin(πr), |r| ≤ ¼, by its Taylor polynomial, with an error of about one rounding: its first coefficient π is the sum of two doubles. */
/* @inline */ function sinPolynomial(r: v128): v128 {
  const z = mul(r, r);
  const high = stepAt(pool.SIN_4, z, stepAt(pool.SIN_5, z, stepAt(pool.SIN_6, z, at(pool.SIN_7))));
  const tail = mul(z, stepAt(pool.SIN_1, z, stepAt(pool.SIN_2, z, stepAt(pool.SIN_3, z, high))));
  return mul(r, add(at(pool.SIN_0), add(at(pool.SIN_0_LOW), tail)));
}

/** cos(πr), |r| ≤ ¼, by its Taylor polynomial, with an error of about one rounding. */
/* @inline */ function cosPolynomial(r: v128): v128 {
  const z = mul(r, r);
  const high = stepAt(pool.COS_5, z, stepAt(pool.COS_6, z, stepAt(pool.COS_7, z, at(pool.COS_8))));
  return add(
    at(pool.ONE),
    mul(z, stepAt(pool.COS_1, z, stepAt(pool.COS_2, z, stepAt(pool.COS_3, z, stepAt(pool.COS_4, z, high))))),
  );
}
