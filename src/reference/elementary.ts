/**
 * exp, log, expm1, log1p, scalar. "Max error" is the worst over the golden points of test/golden (every binade of
 * the domain, table edges, subnormals), in ulp of the result; the tests hold it.
 *
 * `assembly/elementary.ts` performs the same IEEE operations in the
 * same order on two lanes; a change here needs the same change there.
 */
import {
  EXP_C2,
  EXP_C3,
  EXP_C4,
  EXP_C5,
  EXP_C6,
  EXP_CLAMP,
  EXP_INVERSE_STEP,
  EXP_ROUND,
  EXP_STEP_HI,
  EXP_STEP_LO,
  EXP_TABLE,
  LN2_HI,
  LN2_LO,
  LOG_3,
  LOG_4,
  LOG_5,
  LOG_6,
  LOG_7,
  LOG_TABLE,
  TINY,
  TWO_54,
} from './constants.js';
import { specialTables } from './tables.js';

// A float64 and its two 32-bit halves. WebAssembly is little-endian, and so is every host of V8,
// SpiderMonkey and JavaScriptCore.
const float = new Float64Array(1);
const word = new Uint32Array(float.buffer);
const LOW = 0;
const HIGH = 1;

/**
 * e^x. Table of 2^(j/64) (hi, lo) and a degree-6 polynomial; subnormal results are rounded once.
 * Method: P. T. P. Tang, ACM TOMS 15 (1989) 144–157. exp(−∞) = 0, exp(∞) = ∞, NaN → NaN.
 * Max error 0.72 ulp (0.58 where the result is normal).
 */
export function exp(x: number): number {
  return expHiLo(x, 0);
}

/** e^{hi + lo} for a correction |lo| ≤ 2⁻¹⁰, with hi finite or lo = 0. */
export function expHiLo(hi: number, lo: number): number {
  const table = specialTables();
  const x = Math.max(Math.min(hi, EXP_CLAMP), -EXP_CLAMP);
  const rounded = x * EXP_INVERSE_STEP + EXP_ROUND;
  const k = rounded - EXP_ROUND;
  const r = x - k * EXP_STEP_HI + (lo - k * EXP_STEP_LO);
  const p = r + r * r * (EXP_C2 + r * (EXP_C3 + r * (EXP_C4 + r * (EXP_C5 + r * EXP_C6))));
  float[0] = rounded;
  const cell = EXP_TABLE + 2 * (word[LOW] & 63);
  const exponent = (word[LOW] >>> 6) & 4095; // + 2048
  const head = table[cell];
  const value = head + (table[cell + 1] + head * p);
  return value * powerOfTwo(exponent >>> 1) * powerOfTwo(exponent - (exponent >>> 1));
}

/** 2^(n − 1024) for 1 < n < 2048. */
function powerOfTwo(n: number): number {
  word[LOW] = 0;
  word[HIGH] = (n - 1) << 20;
  return float[0];
}

/**
 * e^x − 1 with relative accuracy. The same cells as exp: (2^m·hi − 1) + 2^m·(lo + hi·p), where the first
 * bracket is exact for small x. Beyond 60 it is exp.
 * Max error 1.61 ulp.
 */
export function expm1(x: number): number {
  const table = specialTables();
  if (x > 60) return expHiLo(x, 0);
  if (x < TINY && x > -TINY) return x;
  const y = Math.max(x, -60);
  const rounded = y * EXP_INVERSE_STEP + EXP_ROUND;
  const k = rounded - EXP_ROUND;
  const r = y - k * EXP_STEP_HI + (0 - k * EXP_STEP_LO);
  const p = r + r * r * (EXP_C2 + r * (EXP_C3 + r * (EXP_C4 + r * (EXP_C5 + r * EXP_C6))));
  float[0] = rounded;
  const cell = EXP_TABLE + 2 * (word[LOW] & 63);
  const scale = powerOfTwo(((word[LOW] >>> 6) & 4095) - 1024);
  const head = table[cell];
  return scale * head - 1 + scale * (table[cell + 1] + head * p);
}

/**
 * log x. x = 2^k·z with 11/16 ≤ z < 11/8 in 128 cells of relative width 2⁻⁷; r = z/c − 1 for the cell's tabulated 1/c of
 * 15 bits, exact but for one rounding; log x = k·ln 2 + log c + log(1 + r). c = 1 in the cells beside 1, so that
 * log x keeps its relative accuracy there. Method: P. T. P. Tang, ACM TOMS 16 (1990) 378–400. log 0 = −∞, log(x < 0) = NaN,
 * subnormal x exact. Max error 0.53 ulp.
 */
export function log(x: number): number {
  if (x >= 2.2250738585072014e-308 && x < Infinity) return logSum(x, 0, 0);
  if (x === 0) return -Infinity;
  if (x < 0) return NaN;
  if (x === Infinity || Number.isNaN(x)) return x;
  return logSum(x * TWO_54, -54, 0);
}

/** log u + k₀·ln 2 + c for a normal u > 0 and a tiny c. */
function logSum(u: number, k0: number, c: number): number {
  const table = specialTables();
  float[0] = u;
  const shifted = word[HIGH] - 0x3fe60000;
  const k = (shifted >> 20) + k0;
  word[HIGH] = (shifted & 0xfffff) + 0x3fe60000;
  const z = float[0];
  word[LOW] = 0;
  const head = float[0];
  const cell = LOG_TABLE + ((shifted >> 11) & 0x1fc);
  const inverse = table[cell];
  const r = head * inverse - 1 + (z - head) * inverse;
  const q = LOG_3 + r * (LOG_4 + r * (LOG_5 + r * (LOG_6 + r * LOG_7)));
  const w = k * LN2_HI + table[cell + 1];
  const sum = w + r;
  const rest = w - sum + r + (k * LN2_LO + table[cell + 2] + c);
  return sum + (rest + r * r * (r * q - 0.5));
}

/**
 * log(1 + x) with relative accuracy: log of the rounded u = 1 + x, corrected by its rounding error over u.
 * log1p(−1) = −∞, log1p(x < −1) = NaN. Max error 0.62 ulp.
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
