/**
 * inverfc and the normal quantiles, scalar; `assembly/quantile.ts` performs the same IEEE operations on
 * two lanes. Polynomials are summed as even part + r × odd part, which halves the chain of dependent operations. All rest on Wichura's AS 241 (PPND16), in its own three regions, entered through whichever
 * of p, 1 − p, log p is known exactly.
 */

import { expm1, log } from '../../assembly/elementary.js';
import {
  AS241_A0,
  AS241_A1,
  AS241_A2,
  AS241_A3,
  AS241_A4,
  AS241_A5,
  AS241_A6,
  AS241_A7,
  AS241_B1,
  AS241_B2,
  AS241_B3,
  AS241_B4,
  AS241_B5,
  AS241_B6,
  AS241_B7,
  AS241_C0,
  AS241_C1,
  AS241_C2,
  AS241_C3,
  AS241_C4,
  AS241_C5,
  AS241_C6,
  AS241_C7,
  AS241_CENTRAL,
  AS241_CENTRAL_SQUARE,
  AS241_D1,
  AS241_D2,
  AS241_D3,
  AS241_D4,
  AS241_D5,
  AS241_D6,
  AS241_D7,
  AS241_E0,
  AS241_E1,
  AS241_E2,
  AS241_E3,
  AS241_E4,
  AS241_E5,
  AS241_E6,
  AS241_E7,
  AS241_F1,
  AS241_F2,
  AS241_F3,
  AS241_F4,
  AS241_F5,
  AS241_F6,
  AS241_F7,
  LN2,
  LN2_LOW,
  LOG_4PI,
  QUANTILE_LOG_LOWER,
  QUANTILE_LOG_UPPER,
  SQRT1_2,
  SQRT2,
} from '../kernel/constants.js';

/** z with Φ(z) − ½ = q, |q| ≤ 0.425. */
function centralQuantile(q: number): number {
  const r = AS241_CENTRAL_SQUARE - q * q;
  const z = r * r;
  const numerator =
    AS241_A0 +
    z * (AS241_A2 + z * (AS241_A4 + z * AS241_A6)) +
    r * (AS241_A1 + z * (AS241_A3 + z * (AS241_A5 + z * AS241_A7)));
  const denominator =
    1 +
    z * (AS241_B2 + z * (AS241_B4 + z * AS241_B6)) +
    r * (AS241_B1 + z * (AS241_B3 + z * (AS241_B5 + z * AS241_B7)));
  return q * (numerator / denominator);
}

/** z > 0 with 1 − Φ(z) = e^{−l}, l ≥ 2.59. */
function tailQuantile(l: number): number {
  if (l > 729) return farQuantile(l);
  const root = Math.sqrt(l);
  if (root > 5) {
    const r = root - 5;
    const z = r * r;
    const numerator =
      AS241_E0 +
      z * (AS241_E2 + z * (AS241_E4 + z * AS241_E6)) +
      r * (AS241_E1 + z * (AS241_E3 + z * (AS241_E5 + z * AS241_E7)));
    const denominator =
      1 +
      z * (AS241_F2 + z * (AS241_F4 + z * AS241_F6)) +
      r * (AS241_F1 + z * (AS241_F3 + z * (AS241_F5 + z * AS241_F7)));
    return numerator / denominator;
  }
  const r = root - 1.6;
  const z = r * r;
  const numerator =
    AS241_C0 +
    z * (AS241_C2 + z * (AS241_C4 + z * AS241_C6)) +
    r * (AS241_C1 + z * (AS241_C3 + z * (AS241_C5 + z * AS241_C7)));
  const denominator =
    1 +
    z * (AS241_D2 + z * (AS241_D4 + z * AS241_D6)) +
    r * (AS241_D1 + z * (AS241_D3 + z * (AS241_D5 + z * AS241_D7)));
  return numerator / denominator;
}

/**
 * The same for l > 729, where AS 241 ends: v = z²/2 solves l = v + ½ log(4πv) − log(1 − s' + 3s'² − …), s' = 1/z². One
 * Newton step from a start good to 1e-5 leaves less than 1e-16.
 */
function farQuantile(l: number): number {
  if (l === Infinity) return l;
  const a = 0.5 * (log(l) + LOG_4PI);
  const v = l - (a + (0.5 - 0.5 * a) / l);
  const s = 0.5 / v;
  const mills = s * (1 - s * (2.5 - s * (12.333333333333334 - s * (88.25 - s * 816.2))));
  const miss = v - l + (0.5 * (log(v) + LOG_4PI) + mills);
  return SQRT2 * Math.sqrt(v - miss / (1 + s * (1 - 2 * s)));
}

/**
 * z with Φ(z) = p. p = 0, 1 → ∓∞; p outside [0, 1] → NaN. Tails use log p or log(1 − p), 1 − p exact there.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= AS241_CENTRAL) return centralQuantile(q);
  const z = tailQuantile(-log(q < 0 ? p : 1 - p));
  return q < 0 ? -z : z;
}

/** z with 1 − Φ(z) = p: −normalQuantile(p), by symmetry; no 1 − p is formed for small p. */
export function normalQuantileUpper(p: number): number {
  return 0 - normalQuantile(p);
}

/**
 * z with log Φ(z) = logP, −∞ ≤ logP ≤ 0; above 0 NaN. The centre uses Φ − ½ = ½ expm1(logP + log 2), the sum in two doubles, so that z keeps
 * its relative accuracy near logP = −log 2; the upper tail 1 − Φ = −expm1(logP); the lower tail logP itself.
 */
export function normalQuantileLog(logP: number): number {
  if (logP < QUANTILE_LOG_LOWER) return -tailQuantile(-logP);
  if (logP > QUANTILE_LOG_UPPER) return tailQuantile(-log(-expm1(logP)));
  const sum = logP + LN2;
  const lost = LN2 - (sum - logP) + LN2_LOW;
  const m = expm1(sum);
  return centralQuantile(0.5 * (m + (m + 1) * lost));
}

/**
 * x with erfc(x) = p: −Φ⁻¹(p/2)/√2, entered with ½(1 − p) in the centre and with log p or log(2 − p) in the tails.
 * p = 0, 2 → ±∞; p outside [0, 2] → NaN.
 */
export function inverfc(p: number): number {
  const q = 1 - p;
  if (Math.abs(q) <= 2 * AS241_CENTRAL) return SQRT1_2 * centralQuantile(0.5 * q);
  const z = tailQuantile(LN2 - log(q > 0 ? p : 2 - p));
  return q > 0 ? SQRT1_2 * z : -(SQRT1_2 * z);
}
