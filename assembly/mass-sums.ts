/**
 * Sums over discrete losses with masses unit·e^{logMass}, for src/methods/contour/step/masses.ts. Rows are logMass, loss, massError, lossError, and
 * for centred masses e^y − 1 and its error.
 */
import { U } from '../src/kernel/constants.js';
import { loadF64, storeF64 } from './memory.js';
import { requireBlock } from './lanes.js';
import { expm1Of, expOf } from './scalar.js';

/** For c·y above this, 1 + cv is less than 2⁻⁵³ of u^c: then u^c − 1 − cv is u^c. */
const STEEP: f64 = 30;
/** Terms of the Taylor series of u^c at most: 0.3^60 is far below u. */
const LONGEST: i32 = 60;

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

/** (1 + v)^c − 1 − cv for y = log(1 + v), and its rounding error given y and v. */
let excess: f64 = 0;
let excessWrong: f64 = 0;
/**
 * Sets `excess` to (1 + v)^c − 1 − cv, and `excessWrong` to a bound of its rounding error. By the Taylor series for small v, else as expm1(cy) − cv.
 */
function powerExcess(c: f64, v: f64, y: f64): void {
  const scale = Math.max(1, Math.abs(c));
  if (Math.abs(v) * scale < 0.3) {
    let term = 0.5 * c * (c - 1) * v * v;
    excess = term;
    for (let k: i32 = 2; k < LONGEST && Math.abs(term) > 1e-18 * Math.abs(excess); k++) {
      term *= (c - <f64>k) * (1 / <f64>(k + 1)) * v;
      excess += term;
    }
    excessWrong = 40 * U * Math.abs(excess);
    return;
  }
  const t = c * y;
  const power = expm1Of(t);
  excess = power - c * v;
  excessWrong = U * (5 * Math.abs(power) + 3 * Math.abs(c * v) + 2 * Math.abs(t));
}

/**
 * For f = e^{logMass + cy}, u = e^y: Σ f, Σ fy, Σ fy², an error bound, and S. S = Σ e^{logMass}(u^c − 1 − c(u − 1)) has no cancellation. Ensures: the
 * error of S is no more than the bound.
 */
export function riseSums(rows: usize, n: usize, c: f64, out: usize): void {
  requireBlock(rows, 6 * (n + (n & 1)));
  const row = (n + (n & 1)) << 3;
  const size = Math.abs(c);
  let mass: f64 = 0;
  let first: f64 = 0;
  let second: f64 = 0;
  let wrong: f64 = 0;
  let sum: f64 = 0;
  let carry: f64 = 0;
  for (let j = rows; j < rows + (n << 3); j += 8) {
    const p = expOf(loadF64(j));
    const y = loadF64(j + row);
    const v = loadF64(j + 4 * row);
    const off = loadF64(j + 5 * row);
    let f: f64 = 0;
    let term: f64 = 0;
    let inexact: f64 = 0;
    if (c * y > STEEP) {
      // combined in one exponential it neither overflows nor underflows
      f = expOf(loadF64(j) + c * y);
      term = f - p * (1 + c * v);
      inexact = p * size * (4 * U * Math.abs(v) + off) + f * termError(j, row, c, 0);
    } else {
      powerExcess(c, v, y);
      f = p * (1 + c * v + excess);
      term = p * excess;
      const near = Math.abs(v) * Math.max(1, size) < 0.3;
      inexact =
        p * excessWrong +
        size * (near ? 3 * p * Math.abs((c - 1) * v) * off : p * off + Math.max(0, f) * loadF64(j + 3 * row));
    }
    const total = sum + term;
    carry += Math.abs(sum) >= Math.abs(term) ? sum - total + term : term - total + sum;
    sum = total;
    mass += f;
    first += f * y;
    second += f * y * y;
    wrong += inexact + Math.abs(term) * (loadF64(j + 2 * row) + U * (12 + 2 * Math.abs(loadF64(j))));
  }
  storeF64(out, mass);
  storeF64(out, first, 8);
  storeF64(out, second, 16);
  storeF64(out, wrong, 24);
  storeF64(out, sum + carry, 32);
}
