/**
 * exp, log, expm1, log1p on two lanes: the operations of elementary.ts, in its order.
 * Methods, domains and error bounds are stated there.
 */
import { EXP_CLAMP, EXP_TABLE, LOG_CELLS, LOG_ORIGIN, LOG_TABLE } from '../../src/kernel/constants.js';
import * as pool from '../lane/pool.js';
import { TABLES } from '../lane/tables.js';
import {
  abs,
  add,
  all,
  allTrue,
  anyTrue,
  at,
  atLeast,
  atMost,
  below,
  div,
  evens,
  keep,
  mul,
  odds,
  select,
  stepAt,
  sub,
} from '../lane/lanes.js';
import { load, memory } from '../lane/memory.js';

const EXP_ROWS: usize = TABLES + <usize>EXP_TABLE * 8;
const LOG_ROWS: usize = TABLES + <usize>LOG_TABLE * 8;
const LOG_SUMS: usize = LOG_ROWS + 16 * <usize>LOG_CELLS;

/** e^x. */
export function vexp(x: v128): v128 {
  return expInline(x, all(0));
}

/** e^{hi + lo}. */
export function vexpHiLo(hi: v128, lo: v128): v128 {
  return expInline(hi, lo);
}

/** `vexpHiLo`, inlined in loops. */
/* @inline */ export function expInline(hi: v128, lo: v128): v128 {
  if (!allTrue(f64x2.le(abs(hi), at(pool.EXP_PLAIN)))) return expEdge(hi, lo);
  const rounded = expRounded(hi);
  return expAt(expRemainder(hi, lo, rounded), rounded, lane0Bits(rounded), i64x2.extract_lane(rounded, 1));
}

/** The cell number k = rint(256·x/ln 2), plus ROUND. */
/* @inline */ export function expRounded(x: v128): v128 {
  return add(mul(x, at(pool.EXP_INVERSE_STEP)), at(pool.ROUND));
}

/** Remainder of x + lo after subtracting k·ln 2/256. */
/* @inline */ export function expRemainder(x: v128, lo: v128, rounded: v128): v128 {
  const k = sub(rounded, at(pool.ROUND));
  return add(sub(x, mul(k, at(pool.EXP_STEP_HI))), sub(lo, mul(k, at(pool.EXP_STEP_LO))));
}

/** 2^(k/256)·e^r for the pair k + ROUND in memory at `rounded`, |k| ≤ 256·1000. */
/* @inline */ export function expSum(r: v128, rounded: usize): v128 {
  return expAt(r, v128.load(rounded), <u32>i32.load(rounded), <u32>i32.load(rounded, 8));
}

/** e^{hi + lo} for any hi, overflow, underflow and subnormal results included. Its error is that of exp (`ELEMENTWISE` of src/kernel/kernel.ts). */
function expEdge(hi: v128, lo: v128): v128 {
  const x = atLeast(atMost(hi, EXP_CLAMP), -EXP_CLAMP);
  const rounded = expRounded(x);
  const plain = f64x2.le(abs(x), at(pool.EXP_PLAIN));
  const scale = select(rounded, v128.and(rounded, i64x2.splat(255)), plain);
  const value = expAt(
    expRemainder(x, lo, rounded),
    scale,
    lane0Bits(rounded),
    i64x2.extract_lane(rounded, 1),
  );
  const exponent = i32x4.shr_s(rounded, 8);
  const half = i32x4.shr_s(exponent, 1);
  return select(value, mul(mul(value, powerOfTwo(half)), powerOfTwo(i32x4.sub(exponent, half))), plain);
}

/**
 * 2^(scale/256)·e^r by table and polynomial, with the error of exp (`ELEMENTWISE` of src/kernel/kernel.ts); the low bytes of `first` and `second` are
 * those of the lanes of `scale`. c2 to c5 are the polynomial's coefficients.
 */
/* @inline */ function expOf(
  r: v128,
  scale: v128,
  first: i64,
  second: i64,
  c2: v128,
  c3: v128,
  c4: v128,
  c5: v128,
): v128 {
  const p = add(r, mul(mul(r, r), add(c2, mul(r, add(c3, mul(r, add(c4, mul(r, c5))))))));
  const cell = v128.load(expCell(first), EXP_ROWS);
  const cell2 = v128.load(expCell(second), EXP_ROWS);
  const head = i64x2.add(evens(cell, cell2), i64x2.shl(scale, 44));
  return add(head, mul(head, add(odds(cell, cell2), p)));
}

/** `expOf` with coefficients from memory. */
/* @inline */ function expAt(r: v128, scale: v128, first: i64, second: i64): v128 {
  return expOf(r, scale, first, second, at(pool.EXP_2), at(pool.EXP_3), at(pool.EXP_4), at(pool.EXP_5));
}

/** Byte offset of the exp table's pair for one lane, from its rounded exponent. */
/* @inline */ function expCell(rounded: i64): usize {
  return ((<usize>rounded) & 255) << 4;
}

/** Bits of the first lane as an integer, in one instruction. */
/* @inline */ function lane0Bits(x: v128): i64 {
  return reinterpret<i64>(f64x2.extract_lane(x, 0));
}

/** 2^n for −1023 < n < 1024 in the low word of a lane. */
/* @inline */ function powerOfTwo(n: v128): v128 {
  return i64x2.shl(i64x2.add(n, i64x2.splat(1023)), 52);
}

/** e^x of the first vector of every 16 bytes of `bytes` at x, to `out`; both have room for a multiple of 64 bytes. */
/* @inline */ export function expVectors(x: usize, out: usize, bytes: usize): void {
  const end = (bytes + 63) & ~63;
  for (let k = bytes; k < end; k += 16) v128.store(x + k, all(0));
  expBlock(x, out, x + end);
}

/** `expPairs`, not inlined. */
export function expBlock(x: usize, out: usize, end: usize): void {
  expPairs(x, out, end);
}

/**
 * e^x from x to end, to out: four pairs at a time, two of them interleaved, each constant loaded once. Its error is that of exp (`ELEMENTWISE` of
 * src/kernel/kernel.ts).
 */
/* @inline */ export function expPairs(x: usize, out: usize, end: usize): void {
  const limit = at(pool.EXP_PLAIN);
  const inverse = at(pool.EXP_INVERSE_STEP);
  const round = at(pool.ROUND);
  const high = at(pool.EXP_STEP_HI);
  const low = at(pool.EXP_STEP_LO);
  const c2 = at(pool.EXP_2);
  const c3 = at(pool.EXP_3);
  const c4 = at(pool.EXP_4);
  const c5 = at(pool.EXP_5);
  for (; x < end; x += 64, out += 64) {
    const a = v128.load(x);
    const b = v128.load(x, 16);
    const c = v128.load(x, 32);
    const d = v128.load(x, 48);
    if (!allTrue(f64x2.le(f64x2.pmax(f64x2.pmax(f64x2.pmax(abs(a), abs(b)), abs(c)), abs(d)), limit))) {
      for (let i: usize = 0; i < 64; i += 16) v128.store(out + i, vexp(v128.load(x + i)));
      continue;
    }
    const ka = add(mul(a, inverse), round);
    const ra = restOf(a, ka, round, high, low);
    const ya = expOf(ra, ka, lane0Bits(ka), i64x2.extract_lane(ka, 1), c2, c3, c4, c5);
    const kb = add(mul(b, inverse), round);
    const rb = restOf(b, kb, round, high, low);
    const yb = expOf(rb, kb, lane0Bits(kb), i64x2.extract_lane(kb, 1), c2, c3, c4, c5);
    v128.store(out, ya);
    v128.store(out, yb, 16);
    const kc = add(mul(c, inverse), round);
    const rc = restOf(c, kc, round, high, low);
    const yc = expOf(rc, kc, lane0Bits(kc), i64x2.extract_lane(kc, 1), c2, c3, c4, c5);
    const kd = add(mul(d, inverse), round);
    const rd = restOf(d, kd, round, high, low);
    const yd = expOf(rd, kd, lane0Bits(kd), i64x2.extract_lane(kd, 1), c2, c3, c4, c5);
    v128.store(out, yc, 32);
    v128.store(out, yd, 48);
  }
}

/** x − k·ln2/256 for k = `rounded` − ROUND, |x| ≤ EXP_PLAIN. */
/* @inline */ function restOf(x: v128, rounded: v128, round: v128, high: v128, low: v128): v128 {
  const k = sub(rounded, round);
  return sub(sub(x, mul(k, high)), mul(k, low));
}

/** e^x − 1. */
export function vexpm1(x: v128): v128 {
  return expm1Inline(x);
}

/** `vexpm1`, inlined in loops. Its error is that of expm1 (`ELEMENTWISE` of src/kernel/kernel.ts). */
/* @inline */ export function expm1Inline(x: v128): v128 {
  const large = f64x2.gt(x, all(60));
  const y = atMost(atLeast(x, -60), 60);
  const rounded = add(mul(y, at(pool.EXP_INVERSE_STEP)), at(pool.ROUND));
  const k = sub(rounded, at(pool.ROUND));
  const r = sub(sub(y, mul(k, at(pool.EXP_STEP_HI))), mul(k, at(pool.EXP_STEP_LO)));
  const q = stepAt(pool.EXP_2, r, stepAt(pool.EXP_3, r, stepAt(pool.EXP_4, r, at(pool.EXP_5))));
  const p = add(r, mul(mul(r, r), q));
  const first = v128.load(expCell(lane0Bits(rounded)), EXP_ROWS);
  const second = v128.load(expCell(i64x2.extract_lane(rounded, 1)), EXP_ROWS);
  const head = i64x2.add(evens(first, second), i64x2.shl(rounded, 44));
  const less = sub(head, all(1));
  let value = add(less, add(mul(head, add(odds(first, second), p)), sub(head, add(less, all(1)))));
  value = select(x, value, f64x2.lt(abs(x), at(pool.TINY)));
  return anyTrue(large) ? select(vexpHiLo(x, all(0)), value, large) : value;
}

/** LOG_ORIGIN as a float64. */
const ORIGIN: i64 = (<i64>LOG_ORIGIN) << 32;
/**
 * Numbers that are added to the bits of a double. TO_ONE turns LOG_ORIGIN into 1. TO_CENTRE turns 2⁵¹²·LOG_ORIGIN into 1: for doubles between 2⁻⁵¹²
 * and 2⁵¹² the two highest bits are then zero.
 */
const TO_ONE: i64 = (0x3ff00000 << 32) - ORIGIN;
const TO_CENTRE: i64 = TO_ONE - (512 << 52);
/** TO_ONE, the fraction's mask, LOG_ORIGIN's bits, TO_CENTRE, the mask of the two highest bits, and the exponent bias 2⁵² + 511. */
const LOG_BITS: usize = memory.data<i64>(
  [TO_ONE, 0x000fffffffffffff, ORIGIN, TO_CENTRE, 0xc000000000000000, 0x43300000000001ff],
  16,
);

/** log x. */
export function vlog(x: v128): v128 {
  return logInline(x);
}

/** `vlog`, inlined in loops. */
/* @inline */ export function logInline(x: v128): v128 {
  const plain = v128.and(f64x2.ge(x, all(2.2250738585072014e-308)), f64x2.lt(x, all(Infinity)));
  if (allTrue(plain)) return logSum(x, at(pool.LOG_BIAS), all(0));
  return logEdge(x);
}

/**
 * log x from x to end, to out: four pairs at a time, with each constant loaded once. Its error is that of log (`ELEMENTWISE` of
 * src/kernel/kernel.ts). Two pairs at a time are interleaved, as four need too many registers. The index of the table's cell is loaded from
 * memory, not from the lane.
 */
/* @inline */ export function logPairs(x: usize, out: usize, end: usize): void {
  const fraction = at(LOG_BITS + 8);
  const origin = at(LOG_BITS + 16);
  const toCentre = at(LOG_BITS + 24);
  const highest = at(LOG_BITS + 32);
  const bias = at(LOG_BITS + 40);
  const two52 = at(pool.TWO_52);
  const high = at(pool.LN2_HI);
  const low = at(pool.LN2_LO);
  const c2 = at(pool.EXP_2);
  const c3 = at(pool.LOG_3);
  const c4 = at(pool.LOG_4);
  const c5 = at(pool.LOG_5);
  const c6 = at(pool.LOG_6);
  for (; x < end; x += 64, out += 64) {
    const a = i64x2.add(v128.load(x), toCentre);
    const b = i64x2.add(v128.load(x, 16), toCentre);
    const c = i64x2.add(v128.load(x, 32), toCentre);
    const d = i64x2.add(v128.load(x, 48), toCentre);
    if (v128.any_true(v128.and(v128.or(v128.or(a, b), v128.or(c, d)), highest))) {
      for (let i: usize = 0; i < 64; i += 16) v128.store(out + i, vlog(v128.load(x + i)));
      continue;
    }
    const fa = logCell(i32.load16_u(x, 5));
    const sa = logCell(i32.load16_u(x, 13));
    const ra = restIn(i64x2.add(v128.and(a, fraction), origin), fa, sa);
    const pa = logPolynomial(ra, c2, c3, c4, c5, c6);
    const ya = joined(exponentIn(a, two52, bias), ra, pa, fa, sa, high, low);
    const fb = logCell(i32.load16_u(x, 21));
    const sb = logCell(i32.load16_u(x, 29));
    const rb = restIn(i64x2.add(v128.and(b, fraction), origin), fb, sb);
    const pb = logPolynomial(rb, c2, c3, c4, c5, c6);
    const yb = joined(exponentIn(b, two52, bias), rb, pb, fb, sb, high, low);
    v128.store(out, ya);
    v128.store(out, yb, 16);
    const fc = logCell(i32.load16_u(x, 37));
    const sc = logCell(i32.load16_u(x, 45));
    const rc = restIn(i64x2.add(v128.and(c, fraction), origin), fc, sc);
    const pc = logPolynomial(rc, c2, c3, c4, c5, c6);
    const yc = joined(exponentIn(c, two52, bias), rc, pc, fc, sc, high, low);
    const fd = logCell(i32.load16_u(x, 53));
    const sd = logCell(i32.load16_u(x, 61));
    const rd = restIn(i64x2.add(v128.and(d, fraction), origin), fd, sd);
    const pd = logPolynomial(rd, c2, c3, c4, c5, c6);
    const yd = joined(exponentIn(d, two52, bias), rd, pd, fd, sd, high, low);
    v128.store(out, yc, 32);
    v128.store(out, yd, 48);
  }
}

/** The exponent k of a number, as a double. The exponent field of `shifted`, the number's bits plus TO_CENTRE, is k + 511 = k + bias − 2⁵². */
/* @inline */ function exponentIn(shifted: v128, two52: v128, bias: v128): v128 {
  return sub(v128.or(i64x2.shr_u(shifted, 52), two52), bias);
}

/** z/c − 1 for the numbers z and the middles c of their cells, whose offsets in the table are given. */
/* @inline */ function restIn(z: v128, first: usize, second: usize): v128 {
  const cells = v128.load(first, LOG_ROWS);
  const cells2 = v128.load(second, LOG_ROWS);
  return mul(sub(z, odds(cells, cells2)), evens(cells, cells2));
}

/** log(1 + r) − r by its polynomial, |r| as in a cell. */
/* @inline */ function logPolynomial(r: v128, c2: v128, c3: v128, c4: v128, c5: v128, c6: v128): v128 {
  const r2 = mul(r, r);
  return mul(r2, sub(mul(r2, add(add(c4, mul(r, c5)), mul(r2, c6))), sub(c2, mul(r, c3))));
}

/**
 * log x = k·ln 2 + log c + r + p, where x = 2^k c(1 + r) and c is the cell's middle. p = log(1 + r) − r.
 * `high` + `low` is ln 2; log c is in the table. The error of log is that of this sum and of p.
 */
/* @inline */ function joined(
  k: v128,
  r: v128,
  p: v128,
  first: usize,
  second: usize,
  high: v128,
  low: v128,
): v128 {
  const sums = v128.load(first, LOG_SUMS);
  const sums2 = v128.load(second, LOG_SUMS);
  const w = add(mul(k, high), evens(sums, sums2));
  const sum = add(w, r);
  const rest = add(add(sub(w, sum), r), add(mul(k, low), odds(sums, sums2)));
  return add(sum, add(rest, p));
}

/** log x for any x: zero, negative, subnormal, infinite and NaN included. */
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

/** `vlog1p`, inlined in loops. Its error is that of log1p (`ELEMENTWISE` of src/kernel/kernel.ts). */
/* @inline */ export function log1pInline(x: v128): v128 {
  const u = add(all(1), x);
  const t = sub(u, all(1));
  const error = add(sub(all(1), sub(u, t)), sub(x, t));
  const value = select(x, logSum(u, at(pool.LOG_BIAS), div(error, u)), f64x2.lt(abs(x), at(pool.TINY)));
  if (allTrue(v128.and(f64x2.gt(x, all(-1)), f64x2.lt(x, all(Infinity))))) return value;
  return logLimits(value, x, f64x2.eq(x, all(-1)), f64x2.lt(x, all(-1)));
}

/** Limits of a logarithm: −∞ where x is `zero`, NaN below it, x itself where it is +∞ or NaN. */
function logLimits(value: v128, x: v128, zero: v128, below: v128): v128 {
  const keep = v128.or(f64x2.eq(x, all(Infinity)), f64x2.ne(x, x));
  const ends = select(x, select(all(-Infinity), value, zero), keep);
  return select(all(NaN), ends, below);
}

/** log u + (TWO_52 + 1023 − bias)·ln 2 + c for a normal u > 0. Its error is that of log (`ELEMENTWISE` of src/kernel/kernel.ts). */
/* @inline */ function logSum(u: v128, bias: v128, c: v128): v128 {
  const shifted = i64x2.add(u, at(LOG_BITS));
  const k = sub(v128.or(i64x2.shr_u(shifted, 52), at(pool.TWO_52)), bias);
  const z = i64x2.add(v128.and(shifted, at(LOG_BITS + 8)), at(LOG_BITS + 16));
  const first = logCell(<u32>(i64x2.extract_lane(u, 0) >>> 40));
  const second = logCell(<u32>(i64x2.extract_lane(u, 1) >>> 40));
  const cells = v128.load(first, LOG_ROWS);
  const cells2 = v128.load(second, LOG_ROWS);
  const sums = v128.load(first, LOG_SUMS);
  const sums2 = v128.load(second, LOG_SUMS);
  const r = mul(sub(z, odds(cells, cells2)), evens(cells, cells2));
  const r2 = mul(r, r);
  const q = sub(
    mul(r2, add(stepAt(pool.LOG_4, r, at(pool.LOG_5)), mul(r2, at(pool.LOG_6)))),
    sub(at(pool.EXP_2), mul(r, at(pool.LOG_3))),
  );
  const w = add(mul(k, at(pool.LN2_HI)), evens(sums, sums2));
  const sum = add(w, r);
  const rest = add(add(sub(w, sum), r), add(add(mul(k, at(pool.LN2_LO)), odds(sums, sums2)), c));
  return add(sum, add(rest, mul(r2, q)));
}

/** Byte offset of a number's cell in the log table, given the number's bits from 40 up. */
/* @inline */ function logCell(bits: u32): usize {
  return (<usize>(bits + <u32>(TO_ONE >>> 40))) & 0xff0;
}
