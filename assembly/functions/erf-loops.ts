/**
 * Loops of erfc, erfcx and log erfc over arrays. Separate passes over blocks keep more independent operations in flight. The loops have a file of
 * their own, as programs without an engine need erf.ts but not them.
 */
import { ERFC_END } from '../../src/kernel/constants.js';
import { expRemainder, expRounded, expSum } from './elementary.js';
import {
  ERFC_ROWS,
  erfcCell,
  erfcxSeries,
  expSquare,
  logErfcSeries,
  logFar,
  phi0,
  phi1,
  phi2,
  squareError,
} from './erf.js';
import * as pool from '../lane/pool.js';
import {
  abs,
  add,
  all,
  allTrue,
  anySigned,
  anyTrue,
  at,
  atMost,
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
  row0,
  row1,
  secondRow,
  select,
  signOf,
  storeRows,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadU32, store, storeU32 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/**
 * erfc of two vectors at x, to `out`: `erfcInline`, with each constant loaded once for both. Error of erfc in `ELEMENTWISE` of src/kernel/kernel.ts.
 */
/* @inline */ export function erfcPairs(x: usize, out: usize): void {
  const hiA = load(x);
  const hiB = load(x, WIDTH);
  const aA = abs(hiA);
  const aB = abs(hiB);
  const cellA = erfcCell(aA);
  const cellB = erfcCell(aB);
  const rA = mul(sub(cellA, at(pool.ROUND)), all(0.0078125));
  const rB = mul(sub(cellB, at(pool.ROUND)), all(0.0078125));
  const dA = sub(atMost(aA, ERFC_END), rA);
  const dB = sub(atMost(aB, ERFC_END), rB);
  const zA = mul(mul(all(2), rA), dA);
  const zB = mul(mul(all(2), rB), dB);
  const bA = mul(dA, dA);
  const bB = mul(dB, dB);
  const p2A = phi2(zA);
  const p2B = phi2(zB);
  const p1A = phi1(zA);
  const p1B = phi1(zB);
  const p0A = phi0(zA);
  const p0B = phi0(zB);
  const pA = sub(p0A, mul(bA, sub(p1A, mul(bA, p2A))));
  const pB = sub(p0B, mul(bB, sub(p1B, mul(bB, p2B))));
  const firstA = ERFC_ROWS + row0(cellA, -1, 4);
  const secondA = ERFC_ROWS + row1(cellA, -1, 4);
  const firstB = ERFC_ROWS + row0(cellB, -1, 4);
  const secondB = ERFC_ROWS + row1(cellB, -1, 4);
  const scaledA = sub(gather(firstA, secondA), mul(mul(gather(firstA + 8, secondA + 8), dA), pA));
  const scaledB = sub(gather(firstB, secondB), mul(mul(gather(firstB + 8, secondB + 8), dB), pB));
  const tailA = mul(scaledA, at(pool.ERFC_UNSCALE));
  const tailB = mul(scaledB, at(pool.ERFC_UNSCALE));
  store(out, select(sub(all(2), tailA), tailA, lt(hiA, all(0))));
  store(out, select(sub(all(2), tailB), tailB, lt(hiB, all(0))), WIDTH);
}

/** Bytes of a block: 128 pairs of numbers. */
const BLOCK: usize = 2048;
// Rows of a block's working memory. Of each number: quotient t, polynomial argument u, and the byte offset of each lane's table row.
/* @inline */ const QUOTIENT: usize = 0;
/* @inline */ const REMAINDER: usize = BLOCK;
/* @inline */ const ROW: usize = 2 * BLOCK;
// Of numbers that the common formula does not cover, with spare room: y, and for negative ones the remainder and the table cell of e^{y²}.
/* @inline */ const ARGUMENT: usize = 3 * BLOCK;
/* @inline */ const POWER: usize = ARGUMENT + 2064;
/* @inline */ const POWER_CELL: usize = POWER + 2064;
/** Offsets, in the block, of the numbers that the common formula does not cover. */
/* @inline */ const OFFSET: usize = POWER_CELL + 2064;
/** Bytes of the working memory. */
/* @inline */ const ROWS: usize = OFFSET + 1056;

/** Lists the offsets of negative numbers among `size` bytes at x in a list, the last one twice. Returns their number. */
function listNegative(x: usize, size: usize, list: usize): usize {
  let to = list;
  for (let i: usize = 0; i < size; i += 2 * WIDTH)
    to = listMembers(signOf(load(x + i)), signOf(load(x + i, WIDTH)), i, to);
  storeU32(to, loadU32(to - 4));
  return (to - list) >> 2;
}

/**
 * erfcx of the numbers from x to `end`: erfcx(|x|) for all, then the reflection of the negative ones, two by two. One pass finds table cells, the
 * next evaluates polynomials. The latency from quotient to table row is long, and operations of short passes overlap more. Error of erfcx in
 * `ELEMENTWISE` of src/kernel/kernel.ts.
 */
export function erfcxLoop(x: usize, out: usize, end: usize): void {
  const rows = borrow(ROWS);
  for (; x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    const scale = at(pool.SIXTY_FOUR);
    const one = at(pool.ONE);
    const half = at(pool.HALF);
    const last = at(pool.SIXTY_THREE);
    const round = at(pool.ROUND);
    let signs = all(0);
    for (let i: usize = 0; i < size; i += WIDTH) {
      const a = load(x + i);
      signs = or(signs, signOf(a));
      const t = div(scale, add(one, abs(a)));
      const position = sub(t, half);
      const rounded = add(pmin(last, position), round);
      store(rows + QUOTIENT + i, t);
      store(rows + REMAINDER + i, sub(position, sub(rounded, round)));
      storeRows(rows + ROW + i, rounded, 6);
    }
    const listed: usize = anySigned(signs) ? listNegative(x, size, rows + OFFSET) : 0;
    let most = all(0);
    for (let i: usize = 0; i < listed; i += LANES) {
      const offset = rows + OFFSET + (i << 2);
      const y = abs(pick(x + loadU32(offset), x + loadU32(offset, 4)));
      const square = mul(y, y);
      const rounded = expRounded(square);
      most = pmax(most, square);
      store(rows + ARGUMENT + (i << 3), y);
      store(rows + POWER + (i << 3), expRemainder(square, squareError(y, square), rounded));
      store(rows + POWER_CELL + (i << 3), rounded);
    }
    for (let i: usize = 0; i < size; i += WIDTH) {
      const series = erfcxSeries(
        load(rows + REMAINDER + i),
        loadU32(rows + ROW + i),
        secondRow(rows + ROW + i),
      );
      store(out + i, mul(load(rows + QUOTIENT + i), series));
    }
    const plain = allTrue(le(most, at(pool.EXP_PLAIN)));
    for (let i: usize = 0; i < listed; i += LANES) {
      const offset = rows + OFFSET + (i << 2);
      const first = out + loadU32(offset);
      const second = out + loadU32(offset, 4);
      const e = plain
        ? expSum(load(rows + POWER + (i << 3)), rows + POWER_CELL + (i << 3))
        : expSquare(load(rows + ARGUMENT + (i << 3)));
      const reflected = sub(add(e, e), pick(first, second));
      put(first, second, reflected);
    }
  }
  giveBack(rows);
}

/**
 * log erfc of the numbers from x to `end`, with the bits and the error of `logErfcTaylor`. Table cells first, then Taylor series for all, then the
 * asymptotic formula for vectors beyond the table.
 */
export function logErfcLoop(x: usize, out: usize, end: usize): void {
  const rows = borrow(ROWS);
  for (; x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    const round = at(pool.LOG_ERFC_ROUND);
    const start = at(pool.LOG_ERFC_START);
    const limit = at(pool.ERFC_END);
    const cells = at(pool.GRID);
    const width = at(pool.GRID_STEP);
    let listed: usize = 0;
    for (let i: usize = 0; i < size; i += WIDTH) {
      const a = load(x + i);
      if (anyTrue(gt(a, limit))) {
        store(rows + ARGUMENT + listed * WIDTH, a);
        storeU32(rows + OFFSET + (listed << 2), i);
        listed++;
      }
      const rounded = add(mul(pmax(start, pmin(limit, a)), cells), round);
      const r = mul(sub(rounded, round), width);
      store(rows + QUOTIENT + i, r);
      store(rows + REMAINDER + i, sub(pmin(pmax(a, start), limit), r));
      storeRows(rows + ROW + i, rounded, 4);
    }
    for (let i: usize = 0; i < size; i += WIDTH) {
      const series = logErfcSeries(
        load(rows + QUOTIENT + i),
        load(rows + REMAINDER + i),
        loadU32(rows + ROW + i),
        secondRow(rows + ROW + i),
      );
      store(out + i, series);
    }
    for (let i: usize = 0; i < listed; i++) {
      const value = load(rows + ARGUMENT + i * WIDTH);
      const to = out + loadU32(rows + OFFSET + (i << 2));
      store(to, select(logFar(value), load(to), gt(value, at(pool.ERFC_END))));
    }
  }
  giveBack(rows);
}
