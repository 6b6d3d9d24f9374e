/** The normal distribution function Φ and its logarithm. Errors found: `ELEMENTWISE` in src/kernel/kernel.ts. */
import { ERFC_UNSCALE, SPLITTER, SQRT1_2 } from '../../src/kernel/constants.js';
import { vlog, vlog1p } from './elementary.js';
import { erfcScaledInline, logErfcTaylor, verfcxPositive } from './erf.js';
import * as pool from '../lane/pool.js';
import { abs, add, all, and, anyTrue, at, atMost, gt, lt, mul, neg, select, sub } from '../lane/lanes.js';

/** The rounding error a·√½ − hi of hi = fl(a·√½), |a| ≤ 40. Together they are a·√½ to twice the working precision. */
/* @inline */ function sqrtHalfError(a: v128, hi: v128): v128 {
  const ta = mul(at(pool.SPLITTER), a);
  const ah = sub(ta, sub(ta, a));
  const al = sub(a, ah);
  const tc = SPLITTER * SQRT1_2;
  const head = tc - (tc - SQRT1_2);
  const ch = all(head);
  const cl = all(SQRT1_2 - head);
  const product = add(add(add(sub(mul(ah, ch), hi), mul(ah, cl)), mul(al, ch)), mul(al, cl));
  return add(product, mul(a, at(pool.SQRT1_2_LOW)));
}

/** 2¹²⁸·erfc(|x|/√2), scaled against underflow. */
/* @inline */ function scaledTail(x: v128): v128 {
  const a = atMost(abs(x), 40);
  const hi = mul(a, at(pool.SQRT1_2));
  return erfcScaledInline(hi, sqrtHalfError(a, hi));
}

/**
 * Φ(x) = erfc(−x/√2)/2 with −x/√2 as a sum of two doubles, so that the relative error is a few roundings down to subnormal results. Beyond |x| = 40
 * it is 0 or 1.
 */
/* @inline */ export function vnormalCdf(x: v128): v128 {
  const tail = mul(scaledTail(x), all(0.5 * ERFC_UNSCALE));
  return select(sub(all(1), tail), tail, gt(x, all(0)));
}

/**
 * log Φ(x). For x > ½ it is log1p(−Φ(−x)), as log Φ(x) ≈ −Φ(−x). For x ≤ ½ it is log erfc(−x/√2) − log 2 from a table, and below −38.89 it is
 * log(erfcx(−x/√2)/2) − x²/2. The relative error is a few roundings everywhere.
 */
export function vlogNormalCdf(x: v128): v128 {
  const upper = gt(x, all(0.5));
  const size = abs(x);
  const a = atMost(size, 40);
  const hi = mul(a, at(pool.SQRT1_2));
  const lo = sqrtHalfError(a, hi);
  const negative = lt(x, all(0));
  const logTail = logErfcTaylor(select(hi, neg(hi), negative), select(lo, neg(lo), negative));
  let value = sub(sub(logTail, at(pool.LN2)), at(pool.LN2_LOW));
  const far = and(negative, gt(hi, at(pool.ERFC_END)));
  if (anyTrue(far)) {
    const tail = vlog(mul(all(0.5), verfcxPositive(mul(size, at(pool.SQRT1_2)))));
    value = select(sub(tail, mul(mul(all(0.5), size), size)), value, far);
  }
  if (!anyTrue(upper)) return value;
  return select(vlog1p(neg(mul(scaledTail(x), all(0.5 * ERFC_UNSCALE)))), value, upper);
}
