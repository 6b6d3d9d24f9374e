/** erfc, erfcx, log erfc. Grids are r = k/128; src/kernel/tables.ts makes the tables. Errors found: `ELEMENTWISE` in src/kernel/kernel.ts. */
import {
  ERFC_END,
  ERFC_TABLE,
  ERFCX_TABLE,
  LOG_ERFC_START,
  LOG_ERFC_TABLE,
} from '../../src/kernel/constants.js';
import { logInline, vexpHiLo } from './elementary.js';
import * as pool from '../lane/pool.js';
import { TABLES } from '../lane/tables.js';
import {
  above,
  abs,
  add,
  all,
  anyTrue,
  at,
  atLeast,
  atMost,
  below,
  div,
  evens,
  gather,
  lt,
  mul,
  odds,
  row0,
  row1,
  select,
  step,
  stepAt,
  sub,
} from '../lane/lanes.js';
import { load } from '../lane/memory.js';

export const ERFC_ROWS: usize = TABLES + <usize>ERFC_TABLE * 8;
const ERFCX_ROWS: usize = TABLES + <usize>ERFCX_TABLE * 8;
const LOG_ERFC_ROWS: usize = TABLES + <usize>LOG_ERFC_TABLE * 8;

/** The moments φ_k(z) = (1/k!)∫₀¹ t^{2k} e^{−zt} dt, k = 0, 1 and 2, in the Taylor step of erfc (`src/kernel/constants.ts`). */
/* @inline */ export function phi0(z: v128): v128 {
  let p = stepAt(pool.PHI0_7, z, stepAt(pool.PHI0_8, z, at(pool.PHI0_9)));
  p = stepAt(pool.PHI0_4, z, stepAt(pool.PHI0_5, z, stepAt(pool.PHI0_6, z, p)));
  return step(1, z, stepAt(pool.PHI0_1, z, stepAt(pool.PHI0_2, z, stepAt(pool.PHI0_3, z, p))));
}
/* @inline */ export function phi1(z: v128): v128 {
  const p = stepAt(pool.PHI1_4, z, stepAt(pool.PHI1_5, z, stepAt(pool.PHI1_6, z, at(pool.PHI1_7))));
  return stepAt(pool.PHI1_0, z, stepAt(pool.PHI1_1, z, stepAt(pool.PHI1_2, z, stepAt(pool.PHI1_3, z, p))));
}
/* @inline */ export function phi2(z: v128): v128 {
  const p = stepAt(pool.PHI2_2, z, stepAt(pool.PHI2_3, z, at(pool.PHI2_4)));
  return stepAt(pool.PHI2_0, z, stepAt(pool.PHI2_1, z, p));
}

/**
 * 2¹²⁸·erfc(a + lo) for a ≥ 0, |lo| ≤ ulp(a): erfc(r) − d·2/√π e^{−r²}·P with d = a − r exact.
 * Here P = ∫₀¹ e^{−2rdt−d²t²} dt = φ₀(z) − b φ₁(z) + b² φ₂(z), z = 2rd, b = d². No division, no exp.
 * As in the vector erfc of Arm's optimized-routines.
 */
/* @inline */ export function erfcScaledInline(a: v128, lo: v128): v128 {
  const rounded = erfcCell(a);
  const r = mul(sub(rounded, at(pool.ROUND)), all(0.0078125));
  const d = add(sub(atMost(a, ERFC_END), r), lo);
  const z = mul(mul(all(2), r), d);
  const b = mul(d, d);
  const p = sub(phi0(z), mul(b, sub(phi1(z), mul(b, phi2(z)))));
  const first = ERFC_ROWS + row0(rounded, -1, 4);
  const second = ERFC_ROWS + row1(rounded, -1, 4);
  return sub(gather(first, second), mul(mul(gather(first + 8, second + 8), d), p));
}

/** Cell number of a ≥ 0, plus ROUND; NaN and a > ERFC_END have the last cell. */
/* @inline */ export function erfcCell(a: v128): v128 {
  return add(mul(below(a, ERFC_END), all(128)), at(pool.ROUND));
}

/** erfc(x), subnormal results included; erfc(x < 0) = 2 − erfc(−x). */
export function verfc(x: v128): v128 {
  const tail = mul(erfcScaledInline(abs(x), all(0)), at(pool.ERFC_UNSCALE));
  return select(sub(all(2), tail), tail, lt(x, all(0)));
}

/** y² − square, exactly (Dekker), for 0 ≤ y < 2⁹⁹⁶. */
/* @inline */ export function squareError(y: v128, square: v128): v128 {
  const t = mul(at(pool.SPLITTER), y);
  const head = sub(t, sub(t, y));
  const tail = sub(y, head);
  return add(add(sub(mul(head, head), square), mul(add(head, head), tail)), mul(tail, tail));
}

/** erfcx(a) = e^{a²} erfc(a), a ≥ 0: t·P_j(t) with t = 64/(1 + a), P_j the polynomial of one of 64 cells (src/kernel/erfcx-table.ts). */
/* @inline */ export function verfcxPositive(a: v128): v128 {
  const t = div(all(64), add(all(1), a));
  const position = sub(t, all(0.5));
  const rounded = add(below(position, 63), at(pool.ROUND));
  const u = sub(position, sub(rounded, at(pool.ROUND)));
  return mul(t, erfcxSeries(u, row0(rounded, -1, 6), row1(rounded, -1, 6)));
}

/** Evaluates the polynomials of degree 7 of two table rows, one per lane, at u, with a rounding error in each step. */
/* @inline */ export function erfcxSeries(u: v128, first: usize, second: usize): v128 {
  const i6 = load(ERFCX_ROWS + first, 48);
  const j6 = load(ERFCX_ROWS + second, 48);
  const i4 = load(ERFCX_ROWS + first, 32);
  const j4 = load(ERFCX_ROWS + second, 32);
  const i2 = load(ERFCX_ROWS + first, 16);
  const j2 = load(ERFCX_ROWS + second, 16);
  const i0 = load(ERFCX_ROWS + first);
  const j0 = load(ERFCX_ROWS + second);
  const low = add(evens(i0, j0), mul(u, add(odds(i0, j0), mul(u, add(evens(i2, j2), mul(u, odds(i2, j2)))))));
  const high = add(
    evens(i4, j4),
    mul(u, add(odds(i4, j4), mul(u, add(evens(i6, j6), mul(u, odds(i6, j6)))))),
  );
  const u2 = mul(u, u);
  return add(low, mul(mul(u2, u2), high));
}

/**
 * log erfc(x + lo), −6.5 ≤ x ≤ ERFC_END, |lo| ≤ ulp(x), by its Taylor series about r. The table has log erfc r and h(r), h = −(log erfc)′. The n-th
 * derivative of h is h·eₙ, which follows from h′ = hg, g = h − 2x. The relative accuracy holds at log erfc(0) = 0 too. For x < −6.5 it is log 2 to
 * the last bit.
 */
export function logErfcTaylor(x: v128, lo: v128): v128 {
  const bounded = atMost(atLeast(x, LOG_ERFC_START), ERFC_END);
  const rounded = add(mul(above(below(x, ERFC_END), LOG_ERFC_START), all(128)), at(pool.LOG_ERFC_ROUND));
  const r = mul(sub(rounded, at(pool.LOG_ERFC_ROUND)), all(0.0078125));
  const d = add(sub(bounded, r), lo);
  return logErfcSeries(r, d, row0(rounded, -1, 4), row1(rounded, -1, 4));
}

/**
 * Taylor series of log erfc at distance d = x + lo − r, from the offsets of the table rows of r. Degree 6; error of log erfc in `ELEMENTWISE` of
 * src/kernel/kernel.ts.
 */
/* @inline */ export function logErfcSeries(r: v128, d: v128, row: usize, row2: usize): v128 {
  const first = load(LOG_ERFC_ROWS + row);
  const second = load(LOG_ERFC_ROWS + row2);
  const h = odds(first, second);
  const g = sub(h, add(r, r));
  const hg = mul(h, g);
  const g1 = sub(hg, at(pool.TWO));
  const s = add(h, g);
  const t = add(hg, g1);
  const e2 = sub(mul(g, s), at(pool.TWO));
  const e3 = add(mul(e2, s), mul(add(g, g), g1));
  const e4 = add(mul(e3, s), mul(e2, mul(at(pool.THREE), t)));
  const e5 = add(mul(e4, s), add(mul(e3, mul(at(pool.FOUR), t)), mul(mul(e2, e2), mul(at(pool.SIX), h))));
  const d2 = mul(d, d);
  const low = add(mul(g, at(pool.HALF)), mul(d, mul(e2, at(pool.EXP_3))));
  const high = add(mul(e3, at(pool.EXP_4)), mul(d, mul(e4, at(pool.EXP_5))));
  const tail = add(low, mul(d2, add(high, mul(d2, mul(e5, at(pool.EXP_6))))));
  const start = mul(h, d);
  return sub(evens(first, second), add(start, mul(start, mul(d, tail))));
}

/** e^{y²} for any y ≥ 0. */
export function expSquare(y: v128): v128 {
  const bounded = atMost(y, 30);
  const square = mul(bounded, bounded);
  return vexpHiLo(square, squareError(bounded, square));
}

/** erfcx(x); x < 0: 2e^{x²} − erfcx(−x), with the exact square as two doubles; +∞ below −26.63. */
export function verfcx(x: v128): v128 {
  const y = abs(x);
  const value = verfcxPositive(y);
  const negative = lt(x, all(0));
  if (!anyTrue(negative)) return value;
  const e = expSquare(y);
  return select(sub(add(e, e), value), value, negative);
}

/** log erfc(x), x > ERFC_END. */
/* @inline */ export function logFar(x: v128): v128 {
  return sub(logInline(verfcxPositive(abs(x))), mul(x, x));
}
