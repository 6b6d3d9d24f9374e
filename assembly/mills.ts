/** The Mills ratio on two lanes: the operations of src/reference/mills.ts, in its order. */
import { ROUND } from '../src/kernel/constants.js';
import { add, all, evens, gather, mul, odds, sub } from './lanes.js';
import { DIVIDED, RATIO } from './mills-table.js';

/** Address of a lane's table row from the rounded, biased cell number. */
// @ts-expect-error: decorator
@inline function row(table: usize, cell: i64, mask: i32, shift: i32): usize {
  return table + ((<usize>((<i32>cell) & mask)) << shift);
}

/** R(x) from y = 1/(x + 2). */
// @ts-expect-error: decorator
@inline export function vratioOfY(y: v128): v128 {
  const v = mul(all(95), y);
  const biased = add(v, all(ROUND));
  const s = sub(v, sub(biased, all(ROUND)));
  const i = row(RATIO, i64x2.extract_lane(biased, 0), 63, 6);
  const j = row(RATIO, i64x2.extract_lane(biased, 1), 63, 6);
  let p = add(
    v128.load64_lane(j, v128.load64_zero(i, 48), 1, 48),
    mul(s, v128.load64_lane(j, v128.load64_zero(i, 56), 1, 56)),
  );
  p = add(v128.load64_lane(j, v128.load64_zero(i, 40), 1, 40), mul(s, p));
  p = add(v128.load64_lane(j, v128.load64_zero(i, 32), 1, 32), mul(s, p));
  p = add(v128.load64_lane(j, v128.load64_zero(i, 24), 1, 24), mul(s, p));
  p = add(v128.load64_lane(j, v128.load64_zero(i, 16), 1, 16), mul(s, p));
  p = add(v128.load64_lane(j, v128.load64_zero(i, 8), 1, 8), mul(s, p));
  return mul(y, add(v128.load64_lane(j, v128.load64_zero(i, 0), 1, 0), mul(s, p)));
}

/** (R(a) − R(b))/(y(a) − y(b)). */
// @ts-expect-error: decorator
@inline export function vdividedOfY(ya: v128, yb: v128): v128 {
  const biased = add(mul(all(46), ya), all(ROUND));
  return vdividedOfRows(
    ya,
    yb,
    row(DIVIDED, i64x2.extract_lane(biased, 0), 31, 7),
    row(DIVIDED, i64x2.extract_lane(biased, 1), 31, 7),
  );
}

/** The same from the addresses of the rows of ya. */
// @ts-expect-error: decorator
@inline function vdividedOfRows(ya: v128, yb: v128, first: usize, second: usize): v128 {
  const centre = gather(first, second);
  const qa = sub(ya, centre);
  const qb = sub(yb, centre);
  let i = v128.load(first, 112);
  let j = v128.load(second, 112);
  let d = odds(i, j);
  let p = add(evens(i, j), mul(qb, d));
  d = add(p, mul(qa, d));
  i = v128.load(first, 96);
  j = v128.load(second, 96);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = v128.load(first, 80);
  j = v128.load(second, 80);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = v128.load(first, 64);
  j = v128.load(second, 64);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = v128.load(first, 48);
  j = v128.load(second, 48);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = v128.load(first, 32);
  j = v128.load(second, 32);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = v128.load(first, 16);
  j = v128.load(second, 16);
  p = add(odds(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  p = add(evens(i, j), mul(qb, p));
  d = add(p, mul(qa, d));
  i = v128.load(first, 0);
  j = v128.load(second, 0);
  p = add(odds(i, j), mul(qb, p));
  return add(p, mul(qa, d));
}
