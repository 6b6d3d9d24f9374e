/**
 * erfc, erfcx, log erfc on two lanes: the operations of src/reference/erf.ts, in its order. Methods,
 * domains and error bounds are stated there.
 */
import { ERFC_END, ERFC_TABLE, ERFCX_TABLE, LOG_ERFC_ORIGIN, LOG_ERFC_START, LOG_ERFC_TABLE, ROUND } from '../src/reference/constants';
import { expInline, logInline } from './elementary';
import { above, abs, add, all, anyTrue, at, atLeast, atMost, below, div, gather, mul, neg, select, step, stepAt, sub } from './lanes';
import * as pool from './pool';
import { TABLES } from './tables';

/** Byte address of entry k of a table of `1 << log2Size` byte rows; `rounded` is k + ROUND. */
// @ts-expect-error: decorator
@inline function row0(table: usize, rounded: v128, log2Size: usize): usize {
  return table + <usize>(<i32>i64x2.extract_lane(rounded, 0) << <i32>log2Size);
}
// @ts-expect-error: decorator
@inline function row1(table: usize, rounded: v128, log2Size: usize): usize {
  return table + <usize>(<i32>i64x2.extract_lane(rounded, 1) << <i32>log2Size);
}

/** 2¹²⁸·erfc(a + lo), a ≥ 0. */
export function verfcScaled(a: v128, lo: v128): v128 {
  return erfcScaledInline(a, lo);
}

/** verfcScaled, for loops. */
// @ts-expect-error: decorator
@inline export function erfcScaledInline(a: v128, lo: v128): v128 {
  const bounded = atMost(a, ERFC_END);
  const rounded = add(mul(below(a, ERFC_END), all(128)), at(pool.ROUND));
  const r = mul(sub(rounded, at(pool.ROUND)), all(0.0078125));
  const d = add(sub(bounded, r), lo);
  const z = mul(mul(all(2), r), d);
  const b = mul(d, d);
  const p0 = step(1, z, stepAt(pool.PHI0_1, z, stepAt(pool.PHI0_2, z, stepAt(pool.PHI0_3, z, stepAt(pool.PHI0_4, z, stepAt(pool.PHI0_5, z, stepAt(pool.PHI0_6, z, stepAt(pool.PHI0_7, z, stepAt(pool.PHI0_8, z, at(pool.PHI0_9))))))))));
  const p1 = stepAt(pool.PHI1_0, z, stepAt(pool.PHI1_1, z, stepAt(pool.PHI1_2, z, stepAt(pool.PHI1_3, z, stepAt(pool.PHI1_4, z, stepAt(pool.PHI1_5, z, stepAt(pool.PHI1_6, z, at(pool.PHI1_7))))))));
  const p2 = stepAt(pool.PHI2_0, z, stepAt(pool.PHI2_1, z, stepAt(pool.PHI2_2, z, stepAt(pool.PHI2_3, z, at(pool.PHI2_4)))));
  const p = sub(p0, mul(b, sub(p1, mul(b, p2))));
  const table = TABLES + <usize>ERFC_TABLE * 8;
  const first = row0(table, rounded, 4);
  const second = row1(table, rounded, 4);
  return sub(gather(first, second), mul(mul(gather(first + 8, second + 8), d), p));
}

/** erfc(x). */
export function verfc(x: v128): v128 {
  return verfcHiLo(x, all(0));
}

/** erfc(hi + lo). */
export function verfcHiLo(hi: v128, lo: v128): v128 {
  return erfcInline(hi, lo);
}

/** verfcHiLo, for loops. */
// @ts-expect-error: decorator
@inline export function erfcInline(hi: v128, lo: v128): v128 {
  const negative = f64x2.lt(hi, all(0));
  const tail = mul(erfcScaledInline(abs(hi), select(neg(lo), lo, negative)), at(pool.ERFC_UNSCALE));
  return select(sub(all(2), tail), tail, negative);
}

/** erfc of the two pairs at x, to out: erfcInline with each constant loaded once for both. */
// @ts-expect-error: decorator
@inline export function erfcPairs(x: usize, out: usize): void {
  const hiA = v128.load(x);
  const hiB = v128.load(x, 16);
  const aA = abs(hiA);
  const aB = abs(hiB);
  const roundedA = add(mul(below(aA, ERFC_END), all(128)), at(pool.ROUND));
  const roundedB = add(mul(below(aB, ERFC_END), all(128)), at(pool.ROUND));
  const rA = mul(sub(roundedA, at(pool.ROUND)), all(0.0078125));
  const rB = mul(sub(roundedB, at(pool.ROUND)), all(0.0078125));
  const dA = sub(atMost(aA, ERFC_END), rA);
  const dB = sub(atMost(aB, ERFC_END), rB);
  const zA = mul(mul(all(2), rA), dA);
  const zB = mul(mul(all(2), rB), dB);
  const bA = mul(dA, dA);
  const bB = mul(dB, dB);
  let c = all(0);
  c = at(pool.PHI2_4);
  let p2A = c;
  let p2B = c;
  c = at(pool.PHI2_3);
  p2A = add(c, mul(zA, p2A));
  p2B = add(c, mul(zB, p2B));
  c = at(pool.PHI2_2);
  p2A = add(c, mul(zA, p2A));
  p2B = add(c, mul(zB, p2B));
  c = at(pool.PHI2_1);
  p2A = add(c, mul(zA, p2A));
  p2B = add(c, mul(zB, p2B));
  c = at(pool.PHI2_0);
  p2A = add(c, mul(zA, p2A));
  p2B = add(c, mul(zB, p2B));
  c = at(pool.PHI1_7);
  let p1A = c;
  let p1B = c;
  c = at(pool.PHI1_6);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI1_5);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI1_4);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI1_3);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI1_2);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI1_1);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI1_0);
  p1A = add(c, mul(zA, p1A));
  p1B = add(c, mul(zB, p1B));
  c = at(pool.PHI0_9);
  let p0A = c;
  let p0B = c;
  c = at(pool.PHI0_8);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_7);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_6);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_5);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_4);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_3);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_2);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = at(pool.PHI0_1);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  c = all(1);
  p0A = add(c, mul(zA, p0A));
  p0B = add(c, mul(zB, p0B));
  const pA = sub(p0A, mul(bA, sub(p1A, mul(bA, p2A))));
  const pB = sub(p0B, mul(bB, sub(p1B, mul(bB, p2B))));
  const table = TABLES + <usize>ERFC_TABLE * 8;
  const firstA = row0(table, roundedA, 4);
  const secondA = row1(table, roundedA, 4);
  const firstB = row0(table, roundedB, 4);
  const secondB = row1(table, roundedB, 4);
  const tailA = mul(sub(gather(firstA, secondA), mul(mul(gather(firstA + 8, secondA + 8), dA), pA)), at(pool.ERFC_UNSCALE));
  const tailB = mul(sub(gather(firstB, secondB), mul(mul(gather(firstB + 8, secondB + 8), dB), pB)), at(pool.ERFC_UNSCALE));
  v128.store(out, select(sub(all(2), tailA), tailA, f64x2.lt(hiA, all(0))));
  v128.store(out, select(sub(all(2), tailB), tailB, f64x2.lt(hiB, all(0))), 16);
}

/** erfcx(x) where x < 0, from erfcx(|x|); that itself elsewhere. */
// @ts-expect-error: decorator
@inline function erfcxReflected(x: v128, value: v128): v128 {
  const y = atMost(abs(x), 30);
  const square = mul(y, y);
  const t = mul(at(pool.SPLITTER), y);
  const head = sub(t, sub(t, y));
  const tail = sub(y, head);
  const error = add(add(sub(mul(head, head), square), mul(mul(all(2), head), tail)), mul(tail, tail));
  return select(sub(mul(all(2), expInline(square, error)), value), value, f64x2.lt(x, all(0)));
}

/** erfcx(a), a ≥ 0. */
// @ts-expect-error: decorator
@inline export function verfcxPositive(a: v128): v128 {
  const t = div(all(64), add(all(1), a));
  const position = sub(t, all(0.5));
  const rounded = add(below(position, 63), at(pool.ROUND));
  const u = sub(position, sub(rounded, at(pool.ROUND)));
  const table = TABLES + <usize>ERFCX_TABLE * 8;
  const first = row0(table, rounded, 6);
  const second = row1(table, rounded, 6);
  let low = mul(u, gather(first + 24, second + 24));
  low = mul(u, add(gather(first + 16, second + 16), low));
  low = add(gather(first, second), mul(u, add(gather(first + 8, second + 8), low)));
  let high = mul(u, gather(first + 56, second + 56));
  high = mul(u, add(gather(first + 48, second + 48), high));
  high = add(gather(first + 32, second + 32), mul(u, add(gather(first + 40, second + 40), high)));
  const u2 = mul(u, u);
  return mul(t, add(low, mul(mul(u2, u2), high)));
}

/** log erfc(x + lo), x ≤ ERFC_END. */
// @ts-expect-error: decorator
@inline export function logErfcTaylor(x: v128, lo: v128): v128 {
  const bounded = atMost(atLeast(x, LOG_ERFC_START), ERFC_END);
  const rounded = add(mul(above(below(x, ERFC_END), LOG_ERFC_START), all(128)), at(pool.ROUND));
  const r = mul(sub(rounded, at(pool.ROUND)), all(0.0078125));
  const d = add(sub(bounded, r), lo);
  const table = TABLES + <usize>(LOG_ERFC_TABLE + 2 * LOG_ERFC_ORIGIN) * 8;
  const first = row0(table, rounded, 4);
  const second = row1(table, rounded, 4);
  const h = gather(first + 8, second + 8);
  const g = sub(h, mul(all(2), r));
  const c1 = mul(h, g);
  const g1 = sub(c1, all(2));
  const c2 = mul(add(mul(h, g1), mul(c1, g)), all(0.5));
  const s = add(h, g);
  const t = add(c1, g1);
  const c3 = mul(add(mul(c2, s), mul(c1, g1)), all(0.3333333333333333));
  const c4 = mul(add(mul(c3, s), mul(c2, t)), all(0.25));
  const c5 = mul(add(mul(c4, s), add(mul(c3, t), mul(c2, c2))), all(0.2));
  let tail = add(mul(c4, all(0.2)), mul(d, mul(c5, all(0.16666666666666666))));
  tail = add(mul(c2, all(0.3333333333333333)), mul(d, add(mul(c3, all(0.25)), mul(d, tail))));
  tail = add(mul(c1, all(0.5)), mul(d, tail));
  return sub(gather(first, second), add(mul(h, d), mul(mul(d, d), tail)));
}

/** Bytes of a block: 128 pairs. */
const BLOCK: usize = 2048;
// The pairs of a block that the common formula does not cover: arguments, offsets in the block.
const ARGUMENT: usize = memory.data(2048, 16);
const OFFSET: usize = memory.data(512, 16);

/** erfcx of n numbers: that of |x| for all, then the pairs with a negative lane. */
export function mapErfcx(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    let listed: usize = 0;
    for (let i: usize = 0; i < size; i += 16) {
      const value = v128.load(x + i);
      v128.store(ARGUMENT + listed, value);
      store<u32>(OFFSET + (listed >> 2), <u32>i);
      v128.store(out + i, verfcxPositive(abs(value)));
      listed += anyTrue(f64x2.lt(value, all(0))) ? 16 : 0;
    }
    for (let i: usize = 0; i < listed; i += 16) {
      const to = out + <usize>load<u32>(OFFSET + (i >> 2));
      v128.store(to, erfcxReflected(v128.load(ARGUMENT + i), v128.load(to)));
    }
  }
}

/** log erfc of n numbers: the series for all, then the pairs with a lane beyond the table. */
export function mapLogErfc(x: usize, out: usize, n: usize): void {
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    let listed: usize = 0;
    for (let i: usize = 0; i < size; i += 16) {
      const value = v128.load(x + i);
      v128.store(ARGUMENT + listed, value);
      store<u32>(OFFSET + (listed >> 2), <u32>i);
      v128.store(out + i, logErfcTaylor(value, all(0)));
      listed += anyTrue(f64x2.gt(value, at(pool.ERFC_END))) ? 16 : 0;
    }
    for (let i: usize = 0; i < listed; i += 16) {
      const value = v128.load(ARGUMENT + i);
      const to = out + <usize>load<u32>(OFFSET + (i >> 2));
      const far = sub(logInline(verfcxPositive(abs(value))), mul(value, value));
      v128.store(to, select(far, v128.load(to), f64x2.gt(value, at(pool.ERFC_END))));
    }
  }
}
