/**
 * erfc, erfcx, log erfc on two lanes: the operations of src/reference/erf.ts, in its order. Methods,
 * domains and error bounds are stated there.
 */
import { requireLoop } from './checks.js';
import {
  ERFC_END,
  ERFC_TABLE,
  ERFCX_TABLE,
  LOG_ERFC_ORIGIN,
  LOG_ERFC_START,
  LOG_ERFC_TABLE,
  ROUND,
} from '../src/kernel/constants.js';
import { expRemainder, expRounded, expSum, logInline, vexpHiLo } from './elementary.js';
import {
  above,
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
  gather,
  mul,
  neg,
  odds,
  pick,
  select,
  step,
  stepAt,
  sub,
} from './lanes.js';
import { listMembers } from './lanes.js';
import * as pool from './pool.js';
import { TABLES } from './tables.js';

const ERFCX_ROWS: usize = TABLES + <usize>ERFCX_TABLE * 8;
const LOG_ERFC_ROWS: usize = TABLES + <usize>LOG_ERFC_TABLE * 8;

/** Byte address of entry k of a table of `1 << log2Size` byte rows; `rounded` is k + ROUND. */
// @ts-expect-error: decorator
@inline function row0(table: usize, rounded: v128, log2Size: usize): usize {
  return table + <usize>((<i32>reinterpret<i64>(f64x2.extract_lane(rounded, 0))) << (<i32>log2Size));
}
// @ts-expect-error: decorator
@inline function row1(table: usize, rounded: v128, log2Size: usize): usize {
  return table + <usize>((<i32>i64x2.extract_lane(rounded, 1)) << (<i32>log2Size));
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
  const p0 = step(
    1,
    z,
    stepAt(
      pool.PHI0_1,
      z,
      stepAt(
        pool.PHI0_2,
        z,
        stepAt(
          pool.PHI0_3,
          z,
          stepAt(
            pool.PHI0_4,
            z,
            stepAt(
              pool.PHI0_5,
              z,
              stepAt(pool.PHI0_6, z, stepAt(pool.PHI0_7, z, stepAt(pool.PHI0_8, z, at(pool.PHI0_9)))),
            ),
          ),
        ),
      ),
    ),
  );
  const p1 = stepAt(
    pool.PHI1_0,
    z,
    stepAt(
      pool.PHI1_1,
      z,
      stepAt(
        pool.PHI1_2,
        z,
        stepAt(
          pool.PHI1_3,
          z,
          stepAt(pool.PHI1_4, z, stepAt(pool.PHI1_5, z, stepAt(pool.PHI1_6, z, at(pool.PHI1_7)))),
        ),
      ),
    ),
  );
  const p2 = stepAt(
    pool.PHI2_0,
    z,
    stepAt(pool.PHI2_1, z, stepAt(pool.PHI2_2, z, stepAt(pool.PHI2_3, z, at(pool.PHI2_4)))),
  );
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
  const tailA = mul(
    sub(gather(firstA, secondA), mul(mul(gather(firstA + 8, secondA + 8), dA), pA)),
    at(pool.ERFC_UNSCALE),
  );
  const tailB = mul(
    sub(gather(firstB, secondB), mul(mul(gather(firstB + 8, secondB + 8), dB), pB)),
    at(pool.ERFC_UNSCALE),
  );
  v128.store(out, select(sub(all(2), tailA), tailA, f64x2.lt(hiA, all(0))));
  v128.store(out, select(sub(all(2), tailB), tailB, f64x2.lt(hiB, all(0))), 16);
}

/** y² − square, y ≥ 0. */
// @ts-expect-error: decorator
@inline function squareError(y: v128, square: v128): v128 {
  const t = mul(at(pool.SPLITTER), y);
  const head = sub(t, sub(t, y));
  const tail = sub(y, head);
  return add(add(sub(mul(head, head), square), mul(add(head, head), tail)), mul(tail, tail));
}

/** erfcx(a), a ≥ 0. */
// @ts-expect-error: decorator
@inline export function verfcxPositive(a: v128): v128 {
  const t = div(all(64), add(all(1), a));
  const position = sub(t, all(0.5));
  const rounded = add(below(position, 63), at(pool.ROUND));
  const u = sub(position, sub(rounded, at(pool.ROUND)));
  return mul(t, erfcxSeries(u, row0(0, rounded, 6), row1(0, rounded, 6)));
}

/** The polynomials of the rows at two offsets at u. */
// @ts-expect-error: decorator
@inline function erfcxSeries(u: v128, first: usize, second: usize): v128 {
  const i6 = v128.load(first, ERFCX_ROWS + 48);
  const j6 = v128.load(second, ERFCX_ROWS + 48);
  const i4 = v128.load(first, ERFCX_ROWS + 32);
  const j4 = v128.load(second, ERFCX_ROWS + 32);
  const i2 = v128.load(first, ERFCX_ROWS + 16);
  const j2 = v128.load(second, ERFCX_ROWS + 16);
  const i0 = v128.load(first, ERFCX_ROWS);
  const j0 = v128.load(second, ERFCX_ROWS);
  const low = add(evens(i0, j0), mul(u, add(odds(i0, j0), mul(u, add(evens(i2, j2), mul(u, odds(i2, j2)))))));
  const high = add(
    evens(i4, j4),
    mul(u, add(odds(i4, j4), mul(u, add(evens(i6, j6), mul(u, odds(i6, j6)))))),
  );
  const u2 = mul(u, u);
  return add(low, mul(mul(u2, u2), high));
}

/** 1/n! for n = 2 … 6, what rounds and counts from −6.5, −6.5, 27.5, 128, 1/128, 2, 3, 4, 6: of log erfc. */
const TAYLOR: usize = memory.data<f64>(
  [
    0.5,
    0.16666666666666666,
    0.041666666666666664,
    0.008333333333333333,
    0.001388888888888889,
    ROUND + LOG_ERFC_ORIGIN,
    LOG_ERFC_START,
    ERFC_END,
    128,
    0.0078125,
    2,
    3,
    4,
    6,
  ],
  16,
);

/** log erfc(x + lo), x ≤ ERFC_END. */
export function logErfcTaylor(x: v128, lo: v128): v128 {
  const bounded = atMost(atLeast(x, LOG_ERFC_START), ERFC_END);
  const rounded = add(mul(above(below(x, ERFC_END), LOG_ERFC_START), all(128)), at(TAYLOR + 40));
  const r = mul(sub(rounded, at(TAYLOR + 40)), all(0.0078125));
  const d = add(sub(bounded, r), lo);
  return logErfcSeries(
    r,
    d,
    row0(0, rounded, 4),
    row1(0, rounded, 4),
    at(TAYLOR),
    at(TAYLOR + 8),
    at(TAYLOR + 16),
    at(TAYLOR + 24),
    at(TAYLOR + 32),
    at(TAYLOR + 80),
    at(TAYLOR + 88),
    at(TAYLOR + 96),
    at(TAYLOR + 104),
  );
}

/** The same from d = x + lo − r and the offsets of the rows of r. */
// @ts-expect-error: decorator
@inline function logErfcSeries(
  r: v128,
  d: v128,
  row: usize,
  row2: usize,
  c2: v128,
  c3: v128,
  c4: v128,
  c5: v128,
  c6: v128,
  two: v128,
  three: v128,
  four: v128,
  six: v128,
): v128 {
  const first = v128.load(row, LOG_ERFC_ROWS);
  const second = v128.load(row2, LOG_ERFC_ROWS);
  const h = odds(first, second);
  const g = sub(h, add(r, r));
  const hg = mul(h, g);
  const g1 = sub(hg, two);
  const s = add(h, g);
  const t = add(hg, g1);
  const e2 = sub(mul(g, s), two);
  const e3 = add(mul(e2, s), mul(add(g, g), g1));
  const e4 = add(mul(e3, s), mul(e2, mul(three, t)));
  const e5 = add(mul(e4, s), add(mul(e3, mul(four, t)), mul(mul(e2, e2), mul(six, h))));
  const d2 = mul(d, d);
  const low = add(mul(g, c2), mul(d, mul(e2, c3)));
  const high = add(mul(e3, c4), mul(d, mul(e4, c5)));
  const tail = add(low, mul(d2, add(high, mul(d2, mul(e5, c6)))));
  const start = mul(h, d);
  return sub(evens(first, second), add(start, mul(start, mul(d, tail))));
}

/** Bytes of a block: 128 pairs. */
const BLOCK: usize = 2048;
// Offsets in the block of what the common formula does not cover, with room for more.
const OFFSET: usize = memory.data(1056, 16);

/** The offsets of the numbers with a sign among `size` bytes at x, to OFFSET; the last once more behind them. Returns their number. */
function listNegative(x: usize, size: usize): usize {
  let to = OFFSET;
  for (let i: usize = 0; i < size; i += 32) to = listMembers(v128.load(x + i), v128.load(x + i, 16), i, to);
  store<u32>(to, load<u32>(to - 4));
  return (to - OFFSET) >> 2;
}

/** 64, 1, ½, 63: of erfcx. */
const POSITIVE: usize = memory.data<f64>([64, 1, 0.5, 63], 16);
// t, u and the offset of the row of each lane of a block.
const QUOTIENT: usize = memory.data(2048, 16);
const REMAINDER: usize = memory.data(2048, 16);
const ROW: usize = memory.data(2048, 16);
// y, remainder and cell of e^{y²} of the negative ones.
const ARGUMENT: usize = memory.data(2064, 16);
const POWER: usize = memory.data(2064, 16);
const POWER_CELL: usize = memory.data(2064, 16);

/** t, u and rows of the pair at `i` bytes of a block. */
// @ts-expect-error: decorator
@inline function erfcxCell(
  x: v128,
  i: usize,
  scale: v128,
  one: v128,
  half: v128,
  last: v128,
  round: v128,
): void {
  const t = div(scale, add(one, abs(x)));
  const position = sub(t, half);
  const rounded = add(f64x2.pmin(last, position), round);
  v128.store(QUOTIENT + i, t);
  v128.store(REMAINDER + i, sub(position, sub(rounded, round)));
  v128.store(ROW + i, i64x2.shl(rounded, 6));
}

/** erfcx(|x|) of that pair. */
// @ts-expect-error: decorator
@inline function erfcxAt(i: usize): v128 {
  return mul(
    v128.load(QUOTIENT + i),
    erfcxSeries(v128.load(REMAINDER + i), load<u32>(ROW + i), load<u32>(ROW + i, 8)),
  );
}

/**
 * erfcx of n numbers: that of |x| for all, cells first and then polynomials, since the way from a quotient to the row is long
 * and more pairs are in flight in each of two short passes; then the negative ones, two by two.
 */
export function mapErfcx(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    const scale = at(POSITIVE);
    const one = at(POSITIVE + 8);
    const half = at(POSITIVE + 16);
    const last = at(POSITIVE + 24);
    const round = at(pool.ROUND);
    let signs = all(0);
    for (let i: usize = 0; i < size; i += 32) {
      const a = v128.load(x + i);
      const b = v128.load(x + i, 16);
      signs = v128.or(signs, v128.or(a, b));
      erfcxCell(a, i, scale, one, half, last, round);
      erfcxCell(b, i + 16, scale, one, half, last, round);
    }
    const listed = i64x2.bitmask(signs) ? listNegative(x, size) : 0;
    let most = all(0);
    for (let i: usize = 0; i < listed; i += 2) {
      const offset = OFFSET + (i << 2);
      const y = abs(pick(x + load<u32>(offset), x + load<u32>(offset, 4)));
      const square = mul(y, y);
      const rounded = expRounded(square);
      most = f64x2.pmax(most, square);
      v128.store(ARGUMENT + (i << 3), y);
      v128.store(POWER + (i << 3), expRemainder(square, squareError(y, square), rounded));
      v128.store(POWER_CELL + (i << 3), rounded);
    }
    for (let i: usize = 0; i < size; i += 32) {
      v128.store(out + i, erfcxAt(i));
      v128.store(out + i, erfcxAt(i + 16), 16);
    }
    const plain = allTrue(f64x2.le(most, at(pool.EXP_PLAIN)));
    for (let i: usize = 0; i < listed; i += 2) {
      const offset = OFFSET + (i << 2);
      const first = out + load<u32>(offset);
      const second = out + load<u32>(offset, 4);
      const e = plain
        ? expSum(v128.load(POWER + (i << 3)), POWER_CELL + (i << 3))
        : expSquare(v128.load(ARGUMENT + (i << 3)));
      const reflected = sub(add(e, e), pick(first, second));
      v128.store64_lane(first, reflected, 0);
      v128.store64_lane(second, reflected, 1);
    }
  }
}

/** e^{y²} for any y ≥ 0. */
function expSquare(y: v128): v128 {
  const bounded = atMost(y, 30);
  const square = mul(bounded, bounded);
  return vexpHiLo(square, squareError(bounded, square));
}

/** r, d and rows of the pair at `i` bytes of a block. */
// @ts-expect-error: decorator
@inline function logErfcCell(
  x: v128,
  i: usize,
  round: v128,
  start: v128,
  limit: v128,
  cells: v128,
  width: v128,
): void {
  const rounded = add(mul(f64x2.pmax(start, f64x2.pmin(limit, x)), cells), round);
  const r = mul(sub(rounded, round), width);
  v128.store(QUOTIENT + i, r);
  v128.store(REMAINDER + i, sub(f64x2.pmin(f64x2.pmax(x, start), limit), r));
  v128.store(ROW + i, i64x2.shl(rounded, 4));
}

/** log erfc of n numbers: cells, then series for all, then the pairs with a lane beyond the table. */
export function mapLogErfc(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    const round = at(TAYLOR + 40);
    const start = at(TAYLOR + 48);
    const limit = at(TAYLOR + 56);
    const cells = at(TAYLOR + 64);
    const width = at(TAYLOR + 72);
    let listed: usize = 0;
    for (let i: usize = 0; i < size; i += 32) {
      const a = v128.load(x + i);
      const b = v128.load(x + i, 16);
      if (anyTrue(v128.or(f64x2.gt(a, limit), f64x2.gt(b, limit)))) {
        v128.store(ARGUMENT + (listed << 2), a);
        v128.store(ARGUMENT + (listed << 2), b, 16);
        store<u32>(OFFSET + listed, <u32>i);
        store<u32>(OFFSET + listed, <u32>i + 16, 4);
        listed += 8;
      }
      logErfcCell(a, i, round, start, limit, cells, width);
      logErfcCell(b, i + 16, round, start, limit, cells, width);
    }
    const c2 = at(TAYLOR);
    const c3 = at(TAYLOR + 8);
    const c4 = at(TAYLOR + 16);
    const c5 = at(TAYLOR + 24);
    const c6 = at(TAYLOR + 32);
    const two = at(TAYLOR + 80);
    const three = at(TAYLOR + 88);
    const four = at(TAYLOR + 96);
    const six = at(TAYLOR + 104);
    for (let i: usize = 0; i < size; i += 32) {
      const j = i + 16;
      const ya = logErfcSeries(
        v128.load(QUOTIENT + i),
        v128.load(REMAINDER + i),
        load<u32>(ROW + i),
        load<u32>(ROW + i, 8),
        c2,
        c3,
        c4,
        c5,
        c6,
        two,
        three,
        four,
        six,
      );
      const yb = logErfcSeries(
        v128.load(QUOTIENT + j),
        v128.load(REMAINDER + j),
        load<u32>(ROW + j),
        load<u32>(ROW + j, 8),
        c2,
        c3,
        c4,
        c5,
        c6,
        two,
        three,
        four,
        six,
      );
      v128.store(out + i, ya);
      v128.store(out + j, yb);
    }
    for (let i: usize = 0; i < listed; i += 4) {
      const value = v128.load(ARGUMENT + (i << 2));
      const to = out + load<u32>(OFFSET + i);
      const far = sub(logInline(verfcxPositive(abs(value))), mul(value, value));
      v128.store(to, select(far, v128.load(to), f64x2.gt(value, at(pool.ERFC_END))));
    }
  }
}
