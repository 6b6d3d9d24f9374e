/** The loops of erfc, erfcx and log erfc, in separate passes over blocks where that keeps more pairs in flight. */
import { ERFC_END, ERFC_TABLE } from '../src/kernel/constants.js';
import { expRemainder, expRounded, expSum } from './elementary.js';
import { erfcxSeries, expSquare, logErfcSeries, logFar, squareError } from './erf.js';
import * as pool from './pool.js';
import { TABLES } from './tables.js';
import {
  abs,
  add,
  all,
  allTrue,
  anySigned,
  anyTrue,
  at,
  atMost,
  below,
  div,
  gather,
  gt,
  LANES,
  le,
  listMembers,
  lt,
  mul,
  or,
  pick,
  pmax,
  pmin,
  put,
  requireLoop,
  row0,
  row1,
  secondRow,
  select,
  signOf,
  storeRows,
  sub,
  WIDTH,
} from './lanes.js';
import { load, loadU32, memory, store, storeU32 } from './memory.js';

/** erfc of the two pairs at x, to out: erfcInline with each constant loaded once for both. */
/* @inline */ export function erfcPairs(x: usize, out: usize): void {
  const hiA = load(x);
  const hiB = load(x, WIDTH);
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
  const firstA = table + row0(roundedA, -1, 4);
  const secondA = table + row1(roundedA, -1, 4);
  const firstB = table + row0(roundedB, -1, 4);
  const secondB = table + row1(roundedB, -1, 4);
  const tailA = mul(
    sub(gather(firstA, secondA), mul(mul(gather(firstA + 8, secondA + 8), dA), pA)),
    at(pool.ERFC_UNSCALE),
  );
  const tailB = mul(
    sub(gather(firstB, secondB), mul(mul(gather(firstB + 8, secondB + 8), dB), pB)),
    at(pool.ERFC_UNSCALE),
  );
  store(out, select(sub(all(2), tailA), tailA, lt(hiA, all(0))));
  store(out, select(sub(all(2), tailB), tailB, lt(hiB, all(0))), WIDTH);
}

/** Bytes of a block: 128 pairs. */
const BLOCK: usize = 2048;
// Offsets in the block of what the common formula does not cover, with room for more.
const OFFSET: usize = memory.data(1056, 16);

/** The offsets of the numbers with a sign among `size` bytes at x, to OFFSET; the last once more behind them. Returns their number. */
function listNegative(x: usize, size: usize): usize {
  let to = OFFSET;
  for (let i: usize = 0; i < size; i += 2 * WIDTH)
    to = listMembers(signOf(load(x + i)), signOf(load(x + i, WIDTH)), i, to);
  storeU32(to, loadU32(to - 4));
  return (to - OFFSET) >> 2;
}

// t, u and the offset of the row of each lane of a block.
const QUOTIENT: usize = memory.data(2048, 16);
const REMAINDER: usize = memory.data(2048, 16);
const ROW: usize = memory.data(2048, 16);
// y, remainder and cell of e^{y²} of the negative ones.
const ARGUMENT: usize = memory.data(2064, 16);
const POWER: usize = memory.data(2064, 16);
const POWER_CELL: usize = memory.data(2064, 16);

/** t, u and rows of the pair at `i` bytes of a block. */
/* @inline */ function erfcxCell(
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
  const rounded = add(pmin(last, position), round);
  store(QUOTIENT + i, t);
  store(REMAINDER + i, sub(position, sub(rounded, round)));
  storeRows(ROW + i, rounded, 6);
}

/** erfcx(|x|) of that pair. */
/* @inline */ function erfcxAt(i: usize): v128 {
  return mul(load(QUOTIENT + i), erfcxSeries(load(REMAINDER + i), loadU32(ROW + i), secondRow(ROW + i)));
}

/**
 * erfcx of n numbers: that of |x| for all, cells first and then polynomials, since the way from a quotient to the row is long
 * and more pairs are in flight in each of two short passes; then the negative ones, two by two.
 */
export function mapErfcx(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    const scale = at(pool.SIXTY_FOUR);
    const one = at(pool.ONE);
    const half = at(pool.HALF);
    const last = at(pool.SIXTY_THREE);
    const round = at(pool.ROUND);
    let signs = all(0);
    for (let i: usize = 0; i < size; i += 2 * WIDTH) {
      const a = load(x + i);
      const b = load(x + i, WIDTH);
      signs = or(signs, or(signOf(a), signOf(b)));
      erfcxCell(a, i, scale, one, half, last, round);
      erfcxCell(b, i + WIDTH, scale, one, half, last, round);
    }
    const listed: usize = anySigned(signs) ? listNegative(x, size) : 0;
    let most = all(0);
    for (let i: usize = 0; i < listed; i += LANES) {
      const offset = OFFSET + (i << 2);
      const y = abs(pick(x + loadU32(offset), x + loadU32(offset, 4)));
      const square = mul(y, y);
      const rounded = expRounded(square);
      most = pmax(most, square);
      store(ARGUMENT + (i << 3), y);
      store(POWER + (i << 3), expRemainder(square, squareError(y, square), rounded));
      store(POWER_CELL + (i << 3), rounded);
    }
    for (let i: usize = 0; i < size; i += 2 * WIDTH) {
      store(out + i, erfcxAt(i));
      store(out + i, erfcxAt(i + WIDTH), WIDTH);
    }
    const plain = allTrue(le(most, at(pool.EXP_PLAIN)));
    for (let i: usize = 0; i < listed; i += LANES) {
      const offset = OFFSET + (i << 2);
      const first = out + loadU32(offset);
      const second = out + loadU32(offset, 4);
      const e = plain
        ? expSum(load(POWER + (i << 3)), POWER_CELL + (i << 3))
        : expSquare(load(ARGUMENT + (i << 3)));
      const reflected = sub(add(e, e), pick(first, second));
      put(first, second, reflected);
    }
  }
}

/** r, d and rows of the pair at `i` bytes of a block. */
/* @inline */ function logErfcCell(
  x: v128,
  i: usize,
  round: v128,
  start: v128,
  limit: v128,
  cells: v128,
  width: v128,
): void {
  const rounded = add(mul(pmax(start, pmin(limit, x)), cells), round);
  const r = mul(sub(rounded, round), width);
  store(QUOTIENT + i, r);
  store(REMAINDER + i, sub(pmin(pmax(x, start), limit), r));
  storeRows(ROW + i, rounded, 4);
}

/** log erfc of n numbers: cells, then series for all, then the pairs with a lane beyond the table. */
export function mapLogErfc(x: usize, out: usize, n: usize): void {
  requireLoop(x, out, n);
  for (const end = x + (n << 3); x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    const round = at(pool.LOG_ERFC_ROUND);
    const start = at(pool.LOG_ERFC_START);
    const limit = at(pool.ERFC_END);
    const cells = at(pool.GRID);
    const width = at(pool.GRID_STEP);
    let listed: usize = 0;
    for (let i: usize = 0; i < size; i += 2 * WIDTH) {
      const a = load(x + i);
      const b = load(x + i, WIDTH);
      if (anyTrue(or(gt(a, limit), gt(b, limit)))) {
        store(ARGUMENT + listed * WIDTH, a);
        store(ARGUMENT + listed * WIDTH, b, WIDTH);
        storeU32(OFFSET + (listed << 2), i);
        storeU32(OFFSET + (listed << 2), i + WIDTH, 4);
        listed += 2;
      }
      logErfcCell(a, i, round, start, limit, cells, width);
      logErfcCell(b, i + WIDTH, round, start, limit, cells, width);
    }
    const c2 = at(pool.HALF);
    const c3 = at(pool.EXP_3);
    const c4 = at(pool.EXP_4);
    const c5 = at(pool.EXP_5);
    const c6 = at(pool.EXCESS_4);
    const two = at(pool.TWO);
    const three = at(pool.THREE);
    const four = at(pool.FOUR);
    const six = at(pool.SIX);
    for (let i: usize = 0; i < size; i += 2 * WIDTH) {
      const j = i + WIDTH;
      const ya = logErfcSeries(
        load(QUOTIENT + i),
        load(REMAINDER + i),
        loadU32(ROW + i),
        secondRow(ROW + i),
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
        load(QUOTIENT + j),
        load(REMAINDER + j),
        loadU32(ROW + j),
        secondRow(ROW + j),
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
      store(out + i, ya);
      store(out + j, yb);
    }
    for (let i: usize = 0; i < listed; i++) {
      const value = load(ARGUMENT + i * WIDTH);
      const to = out + loadU32(OFFSET + (i << 2));
      store(to, select(logFar(value), load(to), gt(value, at(pool.ERFC_END))));
    }
  }
}
