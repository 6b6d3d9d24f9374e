/**
 * erfc, erfcx, log erfc, scalar; `assembly/erf.ts` performs the same IEEE operations on two lanes.
 *
 * Grids are r = k/128; `tables.ts` makes the tables.
 */

import { expHiLo, log } from '../../assembly/elementary.js';
import {
  ERFC_END,
  ERFC_TABLE,
  ERFC_UNSCALE,
  ERFCX_TABLE,
  LOG_ERFC_ORIGIN,
  LOG_ERFC_START,
  LOG_ERFC_TABLE,
  PHI0_1,
  PHI0_2,
  PHI0_3,
  PHI0_4,
  PHI0_5,
  PHI0_6,
  PHI0_7,
  PHI0_8,
  PHI0_9,
  PHI1_0,
  PHI1_1,
  PHI1_2,
  PHI1_3,
  PHI1_4,
  PHI1_5,
  PHI1_6,
  PHI1_7,
  PHI2_0,
  PHI2_1,
  PHI2_2,
  PHI2_3,
  PHI2_4,
  ROUND,
  SPLITTER,
} from '../kernel/constants.js';
import { errorTables, specialTables } from '../kernel/tables.js';

/**
 * 2¹²⁸·erfc(a + lo) for a ≥ 0, |lo| ≤ ulp(a): erfc(r) − d·2/√π e^{−r²}·P with d = a − r exact,
 * P = ∫₀¹ e^{−2rdt−d²t²} dt = φ₀(z) − b φ₁(z) + b² φ₂(z), z = 2rd, b = d². No division, no exp.
 * As in the vector erfc of Arm's optimized-routines.
 */
export function erfcScaled(a: number, lo: number): number {
  const table = errorTables();
  const bounded = Math.min(a, ERFC_END);
  const k = bounded * 128 + ROUND - ROUND;
  const r = k * 0.0078125;
  const d = bounded - r + lo;
  const z = 2 * r * d;
  const b = d * d;
  const p0 =
    1 +
    z *
      (PHI0_1 +
        z *
          (PHI0_2 +
            z *
              (PHI0_3 +
                z * (PHI0_4 + z * (PHI0_5 + z * (PHI0_6 + z * (PHI0_7 + z * (PHI0_8 + z * PHI0_9))))))));
  const p1 =
    PHI1_0 +
    z * (PHI1_1 + z * (PHI1_2 + z * (PHI1_3 + z * (PHI1_4 + z * (PHI1_5 + z * (PHI1_6 + z * PHI1_7))))));
  const p2 = PHI2_0 + z * (PHI2_1 + z * (PHI2_2 + z * (PHI2_3 + z * PHI2_4)));
  const p = p0 - b * (p1 - b * p2);
  const cell = ERFC_TABLE + 2 * k;
  return table[cell] - table[cell + 1] * d * p;
}

/** erfc(x), subnormal results included; erfc(x < 0) = 2 − erfc(−x). */
export function erfc(x: number): number {
  return erfcHiLo(x, 0);
}

/** erfc(hi + lo) for a correction |lo| ≤ ulp(hi), with hi finite or lo = 0. */
export function erfcHiLo(hi: number, lo: number): number {
  const negative = hi < 0;
  const tail = erfcScaled(Math.abs(hi), negative ? -lo : lo) * ERFC_UNSCALE;
  return negative ? 2 - tail : tail;
}

/**
 * erfcx(x) = e^{x²} erfc(x). x ≥ 0: t·P_j(t) with t = 64/(1 + x) on 64 cells (`erfcx-table.ts`).
 * x < 0: 2e^{x²} − erfcx(−x), with the exact square as two doubles; +∞ below −26.63.
 */
export function erfcx(x: number): number {
  const table = specialTables();
  const a = Math.abs(x);
  const t = 64 / (1 + a);
  const cellPosition = t - 0.5;
  const j = Math.min(cellPosition, 63) + ROUND - ROUND;
  const u = t - 0.5 - j;
  const c = ERFCX_TABLE + 8 * j;
  const low = table[c] + u * (table[c + 1] + u * (table[c + 2] + u * table[c + 3]));
  const high = table[c + 4] + u * (table[c + 5] + u * (table[c + 6] + u * table[c + 7]));
  const u2 = u * u;
  const value = t * (low + u2 * u2 * high);
  if (!(x < 0)) return value;
  const y = Math.min(a, 30);
  const square = y * y;
  return 2 * expHiLo(square, squareError(y, square)) - value;
}

/** y² − square, exactly (Dekker), for |y| < 2⁹⁹⁶. */
function squareError(y: number, square: number): number {
  const t = SPLITTER * y;
  const head = t - (t - y);
  const tail = y - head;
  return head * head - square + 2 * head * tail + tail * tail;
}

/**
 * log erfc(x). −6.5 ≤ x ≤ 27.5: Taylor series about r from the table (log erfc r, h(r)), the derivatives
 * h·eₙ of h following from h′ = hg, g = h − 2x; relative accuracy also at log erfc(0) = 0. Above: log erfcx(x) − x²;
 * below: log 2 to the last bit. −∞ from 1.34e154.
 */
export function logErfc(x: number): number {
  if (x > ERFC_END) return log(erfcx(x)) - x * x;
  return logErfcTaylor(x, 0);
}

/** log erfc(x + lo) for x ≤ ERFC_END, |lo| ≤ ulp(x). */
export function logErfcTaylor(x: number, lo: number): number {
  const table = errorTables();
  const bounded = Math.min(Math.max(x, LOG_ERFC_START), ERFC_END);
  const k = bounded * 128 + ROUND - ROUND;
  const r = k * 0.0078125;
  const d = bounded - r + lo;
  const cell = LOG_ERFC_TABLE + 2 * (LOG_ERFC_ORIGIN + k);
  const h = table[cell + 1];
  const g = h - 2 * r;
  const hg = h * g;
  const g1 = hg - 2;
  const s = h + g;
  const t = hg + g1;
  const e2 = g * s - 2;
  const e3 = e2 * s + 2 * g * g1;
  const e4 = e3 * s + e2 * (3 * t);
  const e5 = e4 * s + (e3 * (4 * t) + e2 * e2 * (6 * h));
  const d2 = d * d;
  const low = g * 0.5 + d * (e2 * 0.16666666666666666);
  const high = e3 * 0.041666666666666664 + d * (e4 * 0.008333333333333333);
  const tail = low + d2 * (high + d2 * (e5 * 0.001388888888888889));
  const first = h * d;
  return table[cell] - (first + first * (d * tail));
}
