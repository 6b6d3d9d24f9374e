/** Φ and log Φ on two lanes: the operations of src/reference/normal.ts, in its order. */
import { ERFC_END, ERFC_UNSCALE, LN2, LN2_LOW, SPLITTER, SQRT1_2, SQRT1_2_LOW } from '../src/reference/constants';
import { vlog, vlog1p } from './elementary';
import { verfcScaled, verfcx, vlogErfcTaylor } from './erf';
import { abs, add, all, anyTrue, atMost, mul, neg, select, sub } from './lanes';

/** a·√½ − hi for hi = fl(a·√½). */
// @ts-expect-error: decorator
@inline function sqrtHalfError(a: v128, hi: v128): v128 {
  const ta = mul(all(SPLITTER), a);
  const ah = sub(ta, sub(ta, a));
  const al = sub(a, ah);
  const tc = SPLITTER * SQRT1_2;
  const head = tc - (tc - SQRT1_2);
  const ch = all(head);
  const cl = all(SQRT1_2 - head);
  const product = add(add(add(sub(mul(ah, ch), hi), mul(ah, cl)), mul(al, ch)), mul(al, cl));
  return add(product, mul(a, all(SQRT1_2_LOW)));
}

/** 2¹²⁸·erfc(|x|/√2). */
function scaledTail(x: v128): v128 {
  const a = atMost(abs(x), 40);
  const hi = mul(a, all(SQRT1_2));
  return verfcScaled(hi, sqrtHalfError(a, hi));
}

/** Φ(x). */
export function vnormalCdf(x: v128): v128 {
  const tail = mul(scaledTail(x), all(0.5 * ERFC_UNSCALE));
  return select(sub(all(1), tail), tail, f64x2.gt(x, all(0)));
}

/** log Φ(x). */
export function vlogNormalCdf(x: v128): v128 {
  const upper = f64x2.gt(x, all(0.5));
  const size = abs(x);
  const a = atMost(size, 40);
  const hi = mul(a, all(SQRT1_2));
  const lo = sqrtHalfError(a, hi);
  const negative = f64x2.lt(x, all(0));
  const logTail = vlogErfcTaylor(select(hi, neg(hi), negative), select(lo, neg(lo), negative));
  let value = sub(sub(logTail, all(LN2)), all(LN2_LOW));
  const far = v128.and(negative, f64x2.gt(hi, all(ERFC_END)));
  if (anyTrue(far)) {
    const tail = vlog(mul(all(0.5), verfcx(mul(size, all(SQRT1_2)))));
    value = select(sub(tail, mul(mul(all(0.5), size), size)), value, far);
  }
  if (!anyTrue(upper)) return value;
  return select(vlog1p(neg(mul(scaledTail(x), all(0.5 * ERFC_UNSCALE)))), value, upper);
}
