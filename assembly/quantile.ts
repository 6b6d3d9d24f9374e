/** inverfc and the normal quantiles on two lanes: the operations of src/reference/quantile.ts, in its order. */
import { vexpm1, vlog } from './elementary';
import { abs, add, all, allTrue, anyTrue, at, div, mul, neg, select, sqrt, step, stepAt, sub } from './lanes';
import * as pool from './pool';

const CENTRAL: f64 = 0.425;

/** z with Φ(z) − ½ = q. */
// @ts-expect-error: decorator
@inline function centralQuantile(q: v128): v128 {
  const r = sub(all(0.180625), mul(q, q));
  const numerator = stepAt(pool.AS241_A0, r, stepAt(pool.AS241_A1, r, stepAt(pool.AS241_A2, r, stepAt(pool.AS241_A3, r, stepAt(pool.AS241_A4, r, stepAt(pool.AS241_A5, r, stepAt(pool.AS241_A6, r, at(pool.AS241_A7))))))));
  const denominator = step(1, r, stepAt(pool.AS241_B1, r, stepAt(pool.AS241_B2, r, stepAt(pool.AS241_B3, r, stepAt(pool.AS241_B4, r, stepAt(pool.AS241_B5, r, stepAt(pool.AS241_B6, r, at(pool.AS241_B7))))))));
  return mul(q, div(numerator, denominator));
}

/** z > 0 with 1 − Φ(z) = e^{−l}. */
function tailQuantile(l: v128): v128 {
  const root = sqrt(l);
  let r = sub(root, all(1.6));
  let numerator = stepAt(pool.AS241_C0, r, stepAt(pool.AS241_C1, r, stepAt(pool.AS241_C2, r, stepAt(pool.AS241_C3, r, stepAt(pool.AS241_C4, r, stepAt(pool.AS241_C5, r, stepAt(pool.AS241_C6, r, at(pool.AS241_C7))))))));
  let denominator = step(1, r, stepAt(pool.AS241_D1, r, stepAt(pool.AS241_D2, r, stepAt(pool.AS241_D3, r, stepAt(pool.AS241_D4, r, stepAt(pool.AS241_D5, r, stepAt(pool.AS241_D6, r, at(pool.AS241_D7))))))));
  let value = div(numerator, denominator);
  const deep = f64x2.gt(root, all(5));
  if (!anyTrue(deep)) return value;
  r = sub(root, all(5));
  numerator = stepAt(pool.AS241_E0, r, stepAt(pool.AS241_E1, r, stepAt(pool.AS241_E2, r, stepAt(pool.AS241_E3, r, stepAt(pool.AS241_E4, r, stepAt(pool.AS241_E5, r, stepAt(pool.AS241_E6, r, at(pool.AS241_E7))))))));
  denominator = step(1, r, stepAt(pool.AS241_F1, r, stepAt(pool.AS241_F2, r, stepAt(pool.AS241_F3, r, stepAt(pool.AS241_F4, r, stepAt(pool.AS241_F5, r, stepAt(pool.AS241_F6, r, at(pool.AS241_F7))))))));
  value = select(div(numerator, denominator), value, deep);
  const far = f64x2.gt(l, all(729));
  return anyTrue(far) ? select(farQuantile(l), value, far) : value;
}

/** The same for l > 729. */
function farQuantile(l: v128): v128 {
  let v = sub(l, mul(all(0.5), add(vlog(l), at(pool.LOG_4PI))));
  for (let round = 0; round < 4; round++) {
    const s = div(all(0.5), v);
    const high = sub(all(12.333333333333334), mul(s, sub(all(88.25), mul(s, all(816.2)))));
    const mills = mul(s, sub(all(1), mul(s, sub(all(2.5), mul(s, high)))));
    v = sub(l, add(mul(all(0.5), add(vlog(v), at(pool.LOG_4PI))), mills));
  }
  return select(l, mul(at(pool.SQRT2), sqrt(v)), f64x2.eq(l, all(Infinity)));
}

/** z with Φ(z) = p. */
export function vnormalQuantile(p: v128): v128 {
  const q = sub(p, all(0.5));
  const value = centralQuantile(q);
  const central = f64x2.le(abs(q), all(CENTRAL));
  if (allTrue(central)) return value;
  const lower = f64x2.lt(q, all(0));
  const z = tailQuantile(neg(vlog(select(p, sub(all(1), p), lower))));
  return select(value, select(neg(z), z, lower), central);
}

/** z with 1 − Φ(z) = p. */
export function vnormalQuantileUpper(p: v128): v128 {
  return sub(all(0), vnormalQuantile(p));
}

/** z with log Φ(z) = logP. */
export function vnormalQuantileLog(logP: v128): v128 {
  const lower = f64x2.lt(logP, at(pool.QUANTILE_LOG_LOWER));
  const upper = f64x2.gt(logP, at(pool.QUANTILE_LOG_UPPER));
  let value = centralQuantile(mul(all(0.5), vexpm1(add(add(logP, at(pool.LN2)), at(pool.LN2_LOW)))));
  if (anyTrue(lower)) value = select(neg(tailQuantile(neg(logP))), value, lower);
  if (anyTrue(upper)) value = select(tailQuantile(neg(vlog(neg(vexpm1(logP))))), value, upper);
  return value;
}

/** x with erfc(x) = p. */
export function vinverfc(p: v128): v128 {
  const q = sub(all(1), p);
  const value = mul(at(pool.SQRT1_2), centralQuantile(mul(all(0.5), q)));
  const central = f64x2.le(abs(q), all(2 * CENTRAL));
  if (allTrue(central)) return value;
  const positive = f64x2.gt(q, all(0));
  const z = mul(at(pool.SQRT1_2), tailQuantile(sub(at(pool.LN2), vlog(select(p, sub(all(2), p), positive)))));
  return select(value, select(z, neg(z), positive), central);
}
