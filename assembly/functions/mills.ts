/**
 * The Mills ratio R(x) = (1 − Φ(x))/φ(x) = √(π/2) erfcx(x/√2) and its divided difference.
 *
 * Both come from cell tables in y = 1/(x + 2), x ≥ −½ (scripts/fit-mills.py). A divided difference
 * of R is a sum of same-signed terms. The polynomial P of the cell gives
 * R(a) − R(b) = (y(a) − y(b))·P[y(a), y(b)] with y(a) − y(b) = (b − a)·y(a)·y(b). P[·,·] follows
 * from a double Horner recurrence, so nothing cancels however close a and b are.
 */
import { DIVIDED_TABLE, RATIO_TABLE, ROUND } from '../../src/kernel/constants.js';
import { TABLES } from '../lane/tables.js';
import { add, all, evens, gather, mul, odds, row0, row1, sub } from '../lane/lanes.js';
import { entry, load } from '../lane/memory.js';

const RATIO: usize = TABLES + <usize>RATIO_TABLE * 8;
const DIVIDED: usize = TABLES + <usize>DIVIDED_TABLE * 8;

/**
 * The Mills ratio R(x) from y = 1/(x + 2), 0 < y ≤ 2/3. The relative error is a few roundings plus the table's own 1e-16 (src/kernel/mills-table.ts).
 */
/* @inline */ export function vratioOfY(y: v128): v128 {
  const v = mul(all(95), y);
  const biased = add(v, all(ROUND));
  const s = sub(v, sub(biased, all(ROUND)));
  const i = RATIO + row0(biased, 63, 6);
  const j = RATIO + row1(biased, 63, 6);
  let p = add(entry(i, j, 48), mul(s, entry(i, j, 56)));
  p = add(entry(i, j, 40), mul(s, p));
  p = add(entry(i, j, 32), mul(s, p));
  p = add(entry(i, j, 24), mul(s, p));
  p = add(entry(i, j, 16), mul(s, p));
  p = add(entry(i, j, 8), mul(s, p));
  return mul(y, add(entry(i, j, 0), mul(s, p)));
}

/** P[y(a), y(b)] = (R(a) − R(b))/(y(a) − y(b)) for y(b) ≤ y(a) ≤ 2/3, b − a ≤ ¾(a + 1). R is the Mills ratio, y(x) = 1/(x + 2). */
/* @inline */ export function vdividedOfY(ya: v128, yb: v128): v128 {
  const biased = add(mul(all(46), ya), all(ROUND));
  return vdividedOfRows(ya, yb, DIVIDED + row0(biased, 31, 7), DIVIDED + row1(biased, 31, 7));
}

/**
 * `vdividedOfY`, given the addresses of the table rows of ya. All terms have one sign. So the relative error is a few roundings plus the table's own
 * 1.2e-16 (src/kernel/mills-table.ts).
 */
/* @inline */ function vdividedOfRows(ya: v128, yb: v128, first: usize, second: usize): v128 {
  const centre = gather(first, second);
  const qa = sub(ya, centre);
  const qb = sub(yb, centre);
  let i = load(first, 112);
  let j = load(second, 112);
  let d = odds(i, j);
  let p = add(evens(i, j), mul(qb, d));
  d = add(p, mul(qa, d));
  i = load(first, 96);
  j = load(second, 96);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = load(first, 80);
  j = load(second, 80);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = load(first, 64);
  j = load(second, 64);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = load(first, 48);
  j = load(second, 48);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = load(first, 32);
  j = load(second, 32);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = load(first, 16);
  j = load(second, 16);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = load(first, 0);
  j = load(second, 0);
  p = add(odds(i, j), mul(qb, p));
  return add(p, mul(qa, d));
}
