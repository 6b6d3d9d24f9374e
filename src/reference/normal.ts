/** Φ and log Φ, scalar; `assembly/normal.ts` performs the same IEEE operations on two lanes. */

import { log, log1p } from '../../assembly/elementary.js';
import { ERFC_END, ERFC_UNSCALE, LN2, LN2_LOW, SPLITTER, SQRT1_2, SQRT1_2_LOW } from '../kernel/constants.js';
import { erfcScaled, erfcx, logErfcTaylor } from './erf.js';

/** Beyond |x| = 40, Φ(x) is 0 or 1. */
const SATURATED = 40;
/** Above it log Φ(x) = log1p(−Φ(−x)), below it the log erfc table. */
const LOG_SWITCH = 0.5;

/** a·√½ − hi for hi = fl(a·√½), |a| ≤ 40, to twice working precision. */
function sqrtHalfError(a: number, hi: number): number {
  const ta = SPLITTER * a;
  const ah = ta - (ta - a);
  const al = a - ah;
  const tc = SPLITTER * SQRT1_2;
  const ch = tc - (tc - SQRT1_2);
  const cl = SQRT1_2 - ch;
  return ah * ch - hi + ah * cl + al * ch + al * cl + a * SQRT1_2_LOW;
}

/** 2¹²⁸·erfc(|x|/√2). */
function scaledTail(x: number): number {
  const size = Math.abs(x);
  const a = Math.min(size, SATURATED);
  const hi = a * SQRT1_2;
  return erfcScaled(hi, sqrtHalfError(a, hi));
}

/** Φ(x) = erfc(−x/√2)/2 with −x/√2 in double-double: relative accuracy to the last subnormal. */
export function normalCdf(x: number): number {
  const tail = scaledTail(x) * (0.5 * ERFC_UNSCALE);
  return x > 0 ? 1 - tail : tail;
}

/**
 * log Φ(x). x > ½: log1p(−Φ(−x)), so that log Φ(x) ≈ −Φ(−x) keeps its relative accuracy. x ≤ ½:
 * log erfc(−x/√2) − log 2 from the table, and below −38.89 log(erfcx(−x/√2)/2) − x²/2.
 */
export function logNormalCdf(x: number): number {
  if (x > LOG_SWITCH) return log1p(-(scaledTail(x) * (0.5 * ERFC_UNSCALE)));
  const size = Math.abs(x);
  const a = Math.min(size, SATURATED);
  const hi = a * SQRT1_2;
  if (x < 0 && hi > ERFC_END) return log(0.5 * erfcx(size * SQRT1_2)) - 0.5 * size * size;
  const lo = sqrtHalfError(a, hi);
  const logTail = x < 0 ? logErfcTaylor(hi, lo) : logErfcTaylor(-hi, -lo);
  return logTail - LN2 - LN2_LOW;
}
