/**
 * Sums over discrete losses with masses unit·e^{logMass}, for src/methods/contour/step/masses.ts. Rows are logMass, loss, massError and lossError.
 */
import { U } from '../src/kernel/constants.js';
import { loadF64, storeF64 } from './memory.js';
import { requireBlock } from './lanes.js';
import { expOf } from './scalar.js';

/** The largest logMass + c·loss, for log-sum-exp. */
export function largestTerm(rows: usize, n: usize, c: f64): f64 {
  requireBlock(rows, 2 * (n + (n & 1)));
  const row = (n + (n & 1)) << 3;
  let top: f64 = -Infinity;
  for (let j = rows; j < rows + (n << 3); j += 8) top = Math.max(top, loadF64(j) + c * loadF64(j + row));
  return top;
}

/** Ensures: no less than the relative error of a term e^{logMass + cy − top}: the stated error, and roundings of exponent and exponential. */
function termError(j: usize, row: usize, c: f64, top: f64): f64 {
  const roundings = 4 + 2 * Math.abs(loadF64(j)) + 3 * Math.abs(c * loadF64(j + row)) + 2 * Math.abs(top);
  return loadF64(j + 2 * row) + Math.abs(c) * loadF64(j + 3 * row) + U * roundings;
}

/** Moments Σ f, Σ fy and Σ fy² of the tilted masses f = e^{logMass + cy − top}. A bound of the error of Σ f follows them. */
export function powerSums(rows: usize, n: usize, c: f64, top: f64, out: usize): void {
  requireBlock(rows, 4 * (n + (n & 1)));
  const row = (n + (n & 1)) << 3;
  let mass: f64 = 0;
  let first: f64 = 0;
  let second: f64 = 0;
  let wrong: f64 = 0;
  for (let j = rows; j < rows + (n << 3); j += 8) {
    const y = loadF64(j + row);
    const f = expOf(loadF64(j) + c * y - top);
    mass += f;
    first += f * y;
    second += f * y * y;
    wrong += f * termError(j, row, c, top);
  }
  storeF64(out, mass);
  storeF64(out, first, 8);
  storeF64(out, second, 16);
  storeF64(out, wrong, 24);
}
