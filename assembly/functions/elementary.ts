/**
 * exp, log, expm1 and log1p of one number. Largest errors found: `ELEMENTWISE` in src/kernel/kernel.ts.
 *
 * `elementary.simd.ts` performs these IEEE operations in this order on two lanes; a change here needs its twin there. There are two texts because
 * plans call these functions one by one. Also, the bits of one number and of two are extracted in different ways.
 */
import {
  EXP_2,
  EXP_3,
  EXP_4,
  EXP_5,
  EXP_CLAMP,
  EXP_INVERSE_STEP,
  EXP_PLAIN,
  EXP_STEP_HI,
  EXP_STEP_LO,
  EXP_TABLE,
  LN2_HI,
  LN2_LO,
  LOG_3,
  LOG_4,
  LOG_5,
  LOG_6,
  LOG_CELLS,
  LOG_ORIGIN,
  LOG_TABLE,
  ROUND,
  TINY,
  TWO_54,
} from '../../src/kernel/constants.js';
import { specialTables } from '../../src/kernel/tables.js';
import { load, store } from '../lane/memory.js';

// A float64 and its two 32-bit halves. WebAssembly is little-endian, and so is every host of V8,
// SpiderMonkey and JavaScriptCore.
const float = new Float64Array(1);
const word = new Int32Array(float.buffer);
/** The halves of `word`. */
const LOW = 0;
const HIGH = 1;

/**
 * e^x. Table of 2^(j/256) in two doubles and a degree-5 polynomial; subnormal results are rounded once.
 * Method: P. T. P. Tang, ACM TOMS 15 (1989) 144–157. exp(−∞) = 0, exp(∞) = ∞, NaN → NaN.
 */
export function exp(x: number): number {
  return expHiLo(x, 0);
}

/** e^{hi + lo} for a correction |lo| ≤ 2⁻⁴⁰, with hi finite or lo = 0. Error of exp in `ELEMENTWISE` of src/kernel/kernel.ts. */
export function expHiLo(hi: number, lo: number): number {
  const table = specialTables();
  const x = Math.max(Math.min(hi, EXP_CLAMP), -EXP_CLAMP);
  float[0] = x * EXP_INVERSE_STEP + ROUND;
  const k = float[0] - ROUND;
  const bits = word[LOW];
  const r = x - k * EXP_STEP_HI + (lo - k * EXP_STEP_LO);
  const p = r + r * r * (EXP_2 + r * (EXP_3 + r * (EXP_4 + r * EXP_5)));
  const cell = EXP_TABLE + 2 * (bits & 255);
  const plain = x <= EXP_PLAIN && x >= -EXP_PLAIN;
  float[0] = table[cell];
  word[HIGH] += (plain ? bits : bits & 255) << 12;
  const head = float[0];
  const value = head + head * (table[cell + 1] + p);
  if (plain) return value;
  const exponent = bits >> 8;
  return value * powerOfTwo(exponent >> 1) * powerOfTwo(exponent - (exponent >> 1));
}

/** 2^n for −1023 < n < 1024. */
function powerOfTwo(n: number): number {
  word[LOW] = 0;
  word[HIGH] = (n + 1023) << 20;
  return float[0];
}

/**
 * e^x − 1 with relative accuracy, by the cells of exp. With e^x = 2^m·h·(1 + l + p), it is (2^m·h − 1) + 2^m·h·(l + p). h and l are the table's two
 * numbers, p the polynomial of the remainder. The rounding error of the first difference is added. Beyond 60 it is exp.
 */
export function expm1(x: number): number {
  const table = specialTables();
  if (x > 60) return expHiLo(x, 0);
  if (x < TINY && x > -TINY) return x;
  const y = Math.max(x, -60);
  float[0] = y * EXP_INVERSE_STEP + ROUND;
  const k = float[0] - ROUND;
  const bits = word[LOW];
  const r = y - k * EXP_STEP_HI - k * EXP_STEP_LO;
  const p = r + r * r * (EXP_2 + r * (EXP_3 + r * (EXP_4 + r * EXP_5)));
  const cell = EXP_TABLE + 2 * (bits & 255);
  float[0] = table[cell];
  word[HIGH] += bits << 12;
  const head = float[0];
  const less = head - 1;
  return less + (head * (table[cell + 1] + p) + (head - (less + 1)));
}

/**
 * log x. x = 2^k·z with z near 11/16 … 11/8 in 256 cells (`tables.ts`), of relative width at most 2⁻⁸; r = (z − c)/c for the cell's
 * tabulated c and 1/c, exact but for one rounding; log x = k·ln 2 + log c + log(1 + r). c = 1 in the cell of 1, so that
 * log x keeps its relative accuracy there. Method: P. T. P. Tang, ACM TOMS 16 (1990) 378–400. log 0 = −∞, log(x < 0) = NaN,
 * subnormal x exact.
 */
export function log(x: number): number {
  if (x >= 2.2250738585072014e-308 && x < Infinity) return logSum(x, 0, 0);
  if (x === 0) return -Infinity;
  if (x < 0) return NaN;
  if (x === Infinity || Number.isNaN(x)) return x;
  return logSum(x * TWO_54, -54, 0);
}

/**
 * log u + k₀·ln 2 + c for a normal u > 0 and a tiny c. It is log of the cell's centre plus a polynomial of degree 6. Error of log in `ELEMENTWISE`
 * of src/kernel/kernel.ts.
 */
function logSum(u: number, k0: number, c: number): number {
  const table = specialTables();
  float[0] = u;
  const shifted = word[HIGH] - LOG_ORIGIN;
  const k = (shifted >> 20) + k0;
  word[HIGH] = (shifted & 0xfffff) + LOG_ORIGIN;
  const z = float[0];
  const cell = LOG_TABLE + ((shifted >> 11) & 0x1fe);
  const r = (z - table[cell + 1]) * table[cell];
  const r2 = r * r;
  const q = r2 * (LOG_4 + r * LOG_5 + r2 * LOG_6) - (0.5 - r * LOG_3);
  const w = k * LN2_HI + table[cell + 2 * LOG_CELLS];
  const sum = w + r;
  const rest = w - sum + r + (k * LN2_LO + table[cell + 2 * LOG_CELLS + 1] + c);
  return sum + (rest + r2 * q);
}

/**
 * log(1 + x) with relative accuracy: log of the rounded u = 1 + x, corrected by its rounding error over u.
 * log1p(−1) = −∞, log1p(x < −1) = NaN.
 */
export function log1p(x: number): number {
  if (x < TINY && x > -TINY) return x;
  if (x === -1) return -Infinity;
  if (x < -1) return NaN;
  if (x === Infinity || Number.isNaN(x)) return x;
  const u = 1 + x;
  const t = u - 1;
  const error = 1 - (u - t) + (x - t);
  return logSum(u, 0, error / u);
}

/** Names under which the SIMD text exports its vector functions: with one lane they are the scalar ones. */
export {
  exp as vexp,
  expHiLo as vexpHiLo,
  expm1 as expm1Inline,
  expm1 as vexpm1,
  log as logInline,
  log as vlog,
  log1p as log1pInline,
  log1p as vlog1p,
};

/** First step of exp for |x| ≤ EXP_PLAIN: the cell number, plus ROUND. */
export function expRounded(x: number): number {
  return x * EXP_INVERSE_STEP + ROUND;
}
/** Remainder of x + lo after the cell's exponent is subtracted. */
export function expRemainder(x: number, lo: number, rounded: number): number {
  const k = rounded - ROUND;
  return x - k * EXP_STEP_HI + (lo - k * EXP_STEP_LO);
}
/** 2^(k/256)·e^r for the cell number in memory at `rounded`. Error of exp in `ELEMENTWISE` of src/kernel/kernel.ts. */
export function expSum(r: number, rounded: usize): number {
  const table = specialTables();
  const bits = load(rounded) - ROUND;
  const p = r + r * r * (EXP_2 + r * (EXP_3 + r * (EXP_4 + r * EXP_5)));
  const cell = EXP_TABLE + 2 * (bits & 255);
  float[0] = table[cell];
  word[HIGH] += bits << 12;
  const head = float[0];
  return head + head * (table[cell + 1] + p);
}

/** e^x of numbers in every 16 bytes of `bytes` at x, to `out`. */
export function expVectors(x: usize, out: usize, bytes: usize): void {
  for (let k = 0; k < bytes; k += 16) store(out + k, exp(load(x + k)));
}
/** e^x, and log x, of the numbers from x to `end`, to `out`. */
export function expBlock(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 8, out += 8) store(out, exp(load(x)));
}
export function logPairs(x: usize, out: usize, end: usize): void {
  for (; x < end; x += 8, out += 8) store(out, log(load(x)));
}
