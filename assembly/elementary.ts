/**
 * exp, log, expm1, log1p on two lanes: the operations of src/reference/elementary.ts, in its order.
 * Methods, domains and error bounds are stated there.
 */
import { EXP_CLAMP, EXP_TABLE, TWO_52 } from '../src/reference/constants';
import { abs, add, all, anyTrue, at, atLeast, atMost, div, gather, mul, select, stepAt, sub } from './lanes';
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
  const subnormal = f64x2.lt(x, all(2.2250738585072014e-308));
  const normal = select(mul(x, at(pool.TWO_54)), x, subnormal);
  const k = sub(exponentOf(normal), select(all(54), all(0), subnormal));
  const value = logSum(k, sub(mantissaOf(normal), all(1)), all(0));
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
  const k = exponentOf(u);
  const plain = f64x2.eq(k, all(0));
  const f = select(x, sub(mantissaOf(u), all(1)), plain);
  const value = logSum(k, f, select(all(0), div(error, u), plain));
  const limited = logLimits(value, x, f64x2.eq(x, all(-1)), f64x2.lt(x, all(-1)));
  return select(x, limited, f64x2.lt(abs(x), at(pool.TINY)));
}

/** −∞ at the zero of the argument, NaN below it, x itself where it is +∞ or NaN. */
// @ts-expect-error: decorator
@inline function logLimits(value: v128, x: v128, zero: v128, below: v128): v128 {
  const keep = v128.or(f64x2.eq(x, all(Infinity)), f64x2.ne(x, x));
  const ends = select(x, select(all(-Infinity), value, zero), keep);
  return select(all(NaN), ends, below);
}

/** Adding it to the bits of a double moves √½ to an exponent boundary. */
const SHIFT: i64 = 0x95f62 << 32;

/** k of x = 2^k·m, √½ ≤ m < √2. */
// @ts-expect-error: decorator
@inline function exponentOf(x: v128): v128 {
  const biased = i64x2.shr_u(i64x2.add(x, i64x2.splat(SHIFT)), 52);
  return sub(v128.or(biased, at(pool.TWO_52)), all(TWO_52 + 1023));
}

/** m of x = 2^k·m. */
// @ts-expect-error: decorator
@inline function mantissaOf(x: v128): v128 {
  const shifted = v128.and(i64x2.add(x, i64x2.splat(SHIFT)), i64x2.splat(0x000fffffffffffff));
  return i64x2.add(shifted, i64x2.splat(0x3fe6a09e << 32));
}

/** k·ln 2 + log(1 + f) + c. */
// @ts-expect-error: decorator
@inline function logSum(k: v128, f: v128, c: v128): v128 {
  const half = mul(mul(all(0.5), f), f);
  const s = div(f, add(all(2), f));
  const z = mul(s, s);
  const q = stepAt(pool.LOG_2, z, stepAt(pool.LOG_3, z, stepAt(pool.LOG_4, z, stepAt(pool.LOG_5, z, at(pool.LOG_6)))));
  const r = mul(z, stepAt(pool.LOG_0, z, stepAt(pool.LOG_1, z, q)));
  const small = add(mul(s, add(half, r)), add(mul(k, at(pool.LN2_LO)), c));
  return sub(mul(k, at(pool.LN2_HI)), sub(sub(half, small), f));
}
