/**
 * exp, log, expm1, log1p on two lanes: the operations of src/reference/elementary.ts, in its order.
 * Methods, domains and error bounds are stated there.
 */
import { EXP_CLAMP, EXP_TABLE, LOG_TABLE, TWO_52 } from '../src/reference/constants';
import { abs, add, all, allTrue, anyTrue, at, atLeast, atMost, div, gather, mul, select, stepAt, sub } from './lanes';
import * as pool from './pool';
import { TABLES } from './tables';

/** e^x. */
export function vexp(x: v128): v128 {
  return expInline(x, all(0));
}

/** e^{hi + lo}. */
export function vexpHiLo(hi: v128, lo: v128): v128 {
  return expInline(hi, lo);
}

/** vexpHiLo, for loops. */
// @ts-expect-error: decorator
@inline export function expInline(hi: v128, lo: v128): v128 {
  const x = atLeast(atMost(hi, EXP_CLAMP), -EXP_CLAMP);
  const rounded = add(mul(x, at(pool.EXP_INVERSE_STEP)), at(pool.EXP_ROUND));
  const p = cellExpm1(x, lo, rounded);
  const first = expCell(rounded, 0);
  const second = expCell(rounded, 1);
  const head = gather(first, second);
  const value = add(head, add(gather(first + 8, second + 8), mul(head, p)));
  const exponent = v128.and(i64x2.shr_u(rounded, 6), i64x2.splat(4095));
  const half = i64x2.shr_u(exponent, 1);
  return mul(mul(value, powerOfTwo(half)), powerOfTwo(i64x2.sub(exponent, half)));
}

/** e^r − 1 for the remainder r of x in its cell. */
// @ts-expect-error: decorator
@inline function cellExpm1(x: v128, lo: v128, rounded: v128): v128 {
  const k = sub(rounded, at(pool.EXP_ROUND));
  const r = add(sub(x, mul(k, at(pool.EXP_STEP_HI))), sub(lo, mul(k, at(pool.EXP_STEP_LO))));
  const q = stepAt(pool.EXP_C2, r, stepAt(pool.EXP_C3, r, stepAt(pool.EXP_C4, r, stepAt(pool.EXP_C5, r, at(pool.EXP_C6)))));
  return add(r, mul(mul(r, r), q));
}

/** Address of the table pair of one lane. */
// @ts-expect-error: decorator
@inline function expCell(rounded: v128, lane: u8): usize {
  const bits = lane === 0 ? i64x2.extract_lane(rounded, 0) : i64x2.extract_lane(rounded, 1);
  return TABLES + <usize>EXP_TABLE * 8 + ((<usize>bits & 63) << 4);
}

/** 2^(n − 1024) for 1 < n < 2048. */
// @ts-expect-error: decorator
@inline function powerOfTwo(n: v128): v128 {
  return i64x2.shl(i64x2.sub(n, i64x2.splat(1)), 52);
}

/** e^x − 1. */
export function vexpm1(x: v128): v128 {
  return expm1Inline(x);
}

/** vexpm1, for loops. */
// @ts-expect-error: decorator
@inline export function expm1Inline(x: v128): v128 {
  const large = f64x2.gt(x, all(60));
  const y = atMost(atLeast(x, -60), 60);
  const rounded = add(mul(y, at(pool.EXP_INVERSE_STEP)), at(pool.EXP_ROUND));
  const p = cellExpm1(y, all(0), rounded);
  const first = expCell(rounded, 0);
  const second = expCell(rounded, 1);
  const head = gather(first, second);
  const exponent = v128.and(i64x2.shr_u(rounded, 6), i64x2.splat(4095));
  const scale = powerOfTwo(i64x2.sub(exponent, i64x2.splat(1024)));
  const tail = mul(scale, add(gather(first + 8, second + 8), mul(head, p)));
  let value = add(sub(mul(scale, head), all(1)), tail);
  value = select(x, value, f64x2.lt(abs(x), at(pool.TINY)));
  return anyTrue(large) ? select(vexpHiLo(x, all(0)), value, large) : value;
}

/** log x. */
export function vlog(x: v128): v128 {
  return logInline(x);
}

/** vlog, for loops. */
// @ts-expect-error: decorator
@inline export function logInline(x: v128): v128 {
  const plain = v128.and(f64x2.ge(x, all(2.2250738585072014e-308)), f64x2.lt(x, all(Infinity)));
  if (allTrue(plain)) return logSum(x, at(pool.LOG_BIAS), all(0));
  return logEdge(x);
}

/** log x for any x. */
function logEdge(x: v128): v128 {
  const subnormal = f64x2.lt(x, all(2.2250738585072014e-308));
  const bias = add(at(pool.LOG_BIAS), select(all(54), all(0), subnormal));
  const value = logSum(select(mul(x, at(pool.TWO_54)), x, subnormal), bias, all(0));
  return logLimits(value, x, f64x2.eq(x, all(0)), f64x2.lt(x, all(0)));
}

/** log(1 + x). */
export function vlog1p(x: v128): v128 {
  return log1pInline(x);
}

/** vlog1p, for loops. */
// @ts-expect-error: decorator
@inline export function log1pInline(x: v128): v128 {
  const u = add(all(1), x);
  const t = sub(u, all(1));
  const error = add(sub(all(1), sub(u, t)), sub(x, t));
  const value = select(x, logSum(u, at(pool.LOG_BIAS), div(error, u)), f64x2.lt(abs(x), at(pool.TINY)));
  if (allTrue(v128.and(f64x2.gt(x, all(-1)), f64x2.lt(x, all(Infinity))))) return value;
  return logLimits(value, x, f64x2.eq(x, all(-1)), f64x2.lt(x, all(-1)));
}

/** −∞ at the zero of the argument, NaN below it, x itself where it is +∞ or NaN. */
function logLimits(value: v128, x: v128, zero: v128, below: v128): v128 {
  const keep = v128.or(f64x2.eq(x, all(Infinity)), f64x2.ne(x, x));
  const ends = select(x, select(all(-Infinity), value, zero), keep);
  return select(all(NaN), ends, below);
}

/** log u + (TWO_52 + 1023 − bias)·ln 2 + c for a normal u > 0. */
// @ts-expect-error: decorator
@inline function logSum(u: v128, bias: v128, c: v128): v128 {
  const shifted = i64x2.add(u, i64x2.splat(0x000a0000 << 32));
  const k = sub(v128.or(i64x2.shr_u(shifted, 52), at(pool.TWO_52)), bias);
  const z = i64x2.add(v128.and(shifted, i64x2.splat(0x000fffffffffffff)), i64x2.splat(0x3fe60000 << 32));
  const head = v128.and(z, i64x2.splat(-1 << 32));
  const first = logCell(i64x2.extract_lane(shifted, 0));
  const second = logCell(i64x2.extract_lane(shifted, 1));
  const inverse = gather(first, second);
  const r = add(sub(mul(head, inverse), all(1)), mul(sub(z, head), inverse));
  const q = stepAt(pool.LOG_3, r, stepAt(pool.LOG_4, r, stepAt(pool.LOG_5, r, stepAt(pool.LOG_6, r, at(pool.LOG_7)))));
  const w = add(mul(k, at(pool.LN2_HI)), gather(first + 8, second + 8));
  const sum = add(w, r);
  const rest = add(add(sub(w, sum), r), add(add(mul(k, at(pool.LN2_LO)), gather(first + 16, second + 16)), c));
  return add(sum, add(rest, mul(mul(r, r), sub(mul(r, q), at(pool.EXP_C2)))));
}

/** Address of the table row of one lane. */
// @ts-expect-error: decorator
@inline function logCell(shifted: i64): usize {
  return TABLES + <usize>LOG_TABLE * 8 + (<usize>(shifted >> 40) & 0xfe0);
}
