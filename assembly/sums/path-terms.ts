/**
 * Terms of the quadrature along a line Im x = a, for a tilted law. The term of a node has the modulus e^{size − τα} at the frequency τ, α = arg u. u
 * is the likelihood ratio, U = 2⁻⁵³.
 */
import { U } from '../../src/kernel/constants.js';
import { vexpm1 } from '../functions/elementary.js';
import { even, NOTHING, outputsAt } from './loss-mesh.js';
import { abs, add, all, LANES, mul, pmax, requireBlock, sub, WIDTH } from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';

/** √2, rounded up: if both parts of a complex number have errors of at most d, it has one of at most √2·d. */
export const BOTH: f64 = 1.4143;

/**
 * log moduli of the terms of n nodes at τ = 0, unit + height + c·log|u|, to `sizes`; u is the likelihood ratio. `unit` is the log of a factor that
 * all terms have. Heights log|e^{−x²/2}W| and log|u| are read from the tables of `windowRows` and `turnedLosses`. For `bounding` = 1, |c| times the
 * error of log|u| is added, for 0 not.
 */
function fillSizes(
  losses: usize,
  heights: usize,
  c: f64,
  unit: f64,
  n: usize,
  bounding: f64,
  sizes: usize,
): void {
  const row = even(n) << 3;
  const errors = losses + 2 * row;
  const size = bounding * (c < 0 ? -c : c);
  for (let j: usize = 0; j < row; j += WIDTH) {
    const power = add(mul(all(c), load(losses + j)), mul(all(size), load(errors + j)));
    store(sizes + j, add(add(all(unit), load(heights + j)), power));
  }
}

/**
 * Terms e^{size − τα} whose sum bounds |φ(τ)|. Two rows to `out` of n numbers, rounded up to even: upper bounds of the sizes, and lower bounds of the
 * angles α.
 */
export function pathModuli(losses: usize, heights: usize, c: f64, unit: f64, n: usize, out: usize): void {
  const row = even(n) << 3;
  requireBlock(out, row >> 2);
  fillSizes(losses, heights, c, unit, n, 1, out);
  for (let j: usize = 0; j < row; j += WIDTH)
    store(out + row + j, pmax(all(0), sub(load(losses + row + j), load(losses + 2 * row + j))));
  if ((n & 1) !== 0) storeF64(out + (n << 3), NOTHING);
}

/**
 * The terms of a contour's sum at nodes h·first + ia, …, without those of log modulus below `floor` at either end. Six rows for `pathLine` go to
 * `out`, of m numbers, rounded up to even. They are y = log|u|, α, size, phase θ, relative error, and relative error per unit of τ.
 * @param path Five numbers: c, the log of the constant factor of a term, h, first and a.
 * @param common Relative error of every term.
 * @param sizes Room for n numbers.
 * @returns m.
 */
export function pathTerms(
  losses: usize,
  heights: usize,
  n: usize,
  path: usize,
  common: f64,
  floor: f64,
  sizes: usize,
  out: usize,
): f64 {
  const c = loadF64(path);
  const h = loadF64(path, 16);
  const first = loadF64(path, 24);
  const a = loadF64(path, 32);
  const stride = even(n);
  const given = stride << 3;
  requireBlock(out, 6 * stride);
  requireBlock(sizes, stride);
  fillSizes(losses, heights, c, loadF64(path, 8), n, 0, sizes);
  let from: usize = 0;
  let to: usize = n;
  while (from < to && loadF64(sizes + (from << 3)) < floor) from++;
  while (to > from && loadF64(sizes + ((to - 1) << 3)) < floor) to--;
  const m = to - from;
  const row = even(m) << 3;
  const size = all(c < 0 ? -c : c);
  const end = from + (row >> 3);
  for (let i = from; i < end; i += LANES, out += WIDTH) {
    const j = i << 3;
    const X = outputsAt(h, first, i);
    const y = load(losses + j);
    const alpha = load(losses + given + j);
    const off = load(losses + 2 * given + j);
    const start = add(sub(mul(all(c), alpha), mul(all(a), X)), load(heights + given + j));
    const tilt = mul(size, abs(y));
    const rounding = mul(all(U), add(add(mul(X, X), mul(all(3), tilt)), mul(all(2), abs(start))));
    const power = vexpm1(mul(all(BOTH), mul(size, off)));
    const sliding = mul(mul(all(2), off), add(all(1), power));
    store(out, y);
    store(out + row, alpha);
    store(out + 2 * row, load(sizes + j));
    store(out + 3 * row, start);
    store(out + 4 * row, add(add(add(load(heights + 2 * given + j), all(common)), rounding), power));
    store(out + 5 * row, add(sliding, mul(all(4 * U), add(abs(y), alpha))));
  }
  if ((m & 1) === 0) return <f64>m;
  // padding to a full vector
  for (let i: usize = 0; i < 6; i++) storeF64(out - 8 + i * row, i === 2 ? NOTHING : 0);
  return <f64>m;
}
