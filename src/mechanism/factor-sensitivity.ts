import { type Bracket, bracket } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';

/**
 * The sensitivity of a strategy matrix C: the largest 2-norm by which one record moves Cx. x holds the gradients of the steps, each of norm at most
 * 1. The record takes part in at most k steps, any two at least b steps apart. Upper bounds hold for all such steps and gradients; lower bounds are
 * attained (docs/proofs/factorisations.md, 2 to 4).
 */

/** Largest number of products that are summed; beyond it the triangle inequality of column norms bounds the sensitivity. Only width and speed depend on it. */
const MOST_PRODUCTS = 5e7;

/** The norm of the sum of the columns 0, b, 2b, … of the Toeplitz matrix with this first column: `parts` columns, b = `apart`. */
function leftmostNorm(column: Float64Array, steps: number, parts: number, apart: number): number {
  const sum = new Float64Array(steps);
  for (let j = 0; j < parts; j++) {
    const from = j * apart;
    const end = Math.min(column.length, steps - from);
    for (let u = 0; u < end; u++) sum[from + u] += column[u];
  }
  return norm(sum);
}

/** The 2-norm of a vector. */
function norm(x: Float64Array): number {
  return Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));
}

/** The largest number of steps that a record can take part in: at most `parts`, and `apart` steps from one to the next. */
function fitting(steps: number, parts: number, apart: number): number {
  return Math.min(parts, Math.ceil(steps / apart));
}

/**
 * Sensitivity of the lower triangular Toeplitz matrix with this first column, which is 0 beyond the numbers given. If the column decreases and is not
 * negative, steps 0, b, 2b, … are the worst (docs/proofs/factorisations.md, 3). Other columns are bounded by the least decreasing column above their
 * absolute values.
 *
 * Ensures: the sensitivity lies in the bracket.
 */
export function columnSensitivity(
  given: readonly number[],
  steps: number,
  { parts: most, apart }: { readonly parts: number; readonly apart: number },
): Bracket {
  const column = Float64Array.from(given.slice(0, steps));
  const parts = fitting(steps, most, apart);
  const size = column.map(Math.abs);
  const single = norm(column);
  const slack = 2 * U * (steps + parts + 8);
  if (parts * column.length > MOST_PRODUCTS)
    return bracket(single * (1 - slack), parts * single * (1 + slack));
  const leftmost = leftmostNorm(column, steps, parts, apart);
  // rounding error of the signed sum, by the sum of absolute values
  const lost = slack * leftmostNorm(size, steps, parts, apart);
  const lower = Math.max(single * (1 - slack), leftmost - lost);
  if (column.length <= apart) return bracket(lower, leftmost + lost);
  // the least decreasing column above the absolute values
  const falling = size.slice();
  for (let u = falling.length - 2; u >= 0; u--) falling[u] = Math.max(falling[u], falling[u + 1]);
  const upper = Math.min(parts * single, leftmostNorm(falling, steps, parts, apart)) * (1 + slack);
  return bracket(Math.min(lower, upper), upper);
}

/**
 * Sensitivity of a square matrix, given by rows. Its square is at most the largest Σ_i r_i over allowed steps; r_i is the largest Σ_j |⟨C_i, C_j⟩|
 * over allowed steps with i (docs/proofs/factorisations.md, 2). Below, the norm that those steps attain.
 *
 * Ensures: the sensitivity lies in the bracket.
 */
export function matrixSensitivity(
  rows: readonly (readonly number[])[],
  { parts: most, apart }: { readonly parts: number; readonly apart: number },
): Bracket {
  const n = rows.length;
  const parts = fitting(n, most, apart);
  const slack = 2 * U * (n + 8);
  const products = Array.from({ length: n }, () => new Float64Array(n));
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let [sum, size] = [0, 0];
      for (let t = 0; t < n; t++) {
        const term = rows[t][i] * rows[t][j];
        sum += term;
        size += Math.abs(term);
      }
      products[i][j] = products[j][i] = Math.abs(sum) + slack * size;
    }
  // r_i of each step: its own product, and the best partners on either side
  const paired = Float64Array.from(products, (row, i) => row[i] + bestAround(row, i, parts - 1, apart));
  const { weight, steps } = heaviest(paired, parts, apart);
  const upper = Math.sqrt(weight) * (1 + slack);
  return bracket(Math.min(upper, attainedBy(rows, steps) * (1 - slack)), upper);
}

/** The norm of Σ ±C_i over some steps, with signs chosen greedily, minus its rounding error. Ensures: no larger than the norm that these steps reach with some signs. */
function attainedBy(rows: readonly (readonly number[])[], steps: readonly number[]): number {
  const sum = new Float64Array(rows.length);
  let moved = 0;
  for (const i of steps) {
    const sign = rows.reduce((dot, row, t) => dot + sum[t] * row[i], 0) < 0 ? -1 : 1;
    rows.forEach((row, t) => {
      sum[t] += sign * row[i];
    });
    moved += norm(Float64Array.from(rows, (row) => row[i]));
  }
  return Math.max(0, norm(sum) - 2 * U * steps.length * moved);
}

/** Largest total weight of at most `count` steps, any two at least `apart`, and at least that far from step i. */
function bestAround(weight: Float64Array, i: number, count: number, apart: number): number {
  const left = sums(weight.subarray(0, Math.max(0, i - apart + 1)), count, apart);
  const right = sums(weight.subarray(Math.min(weight.length, i + apart)), count, apart);
  let best = 0;
  for (let p = 0; p <= count; p++) best = Math.max(best, left[p] + right[count - p]);
  return best;
}

/** The largest total weight of at most 0, 1, … `count` steps, any two at least `apart`; `weight` has one number for each step. */
function sums(weight: Float64Array, count: number, apart: number): Float64Array {
  return Float64Array.from(table(weight, count, apart), (row) => row[weight.length]);
}

/** A table by dynamic programming. Entry [p][x] is the largest total weight of at most p of the first x steps, any two at least `apart`. */
function table(weight: Float64Array, count: number, apart: number): Float64Array[] {
  const best = [new Float64Array(weight.length + 1)];
  for (let p = 1; p <= count; p++) {
    const [row, before] = [new Float64Array(weight.length + 1), best[p - 1]];
    for (let x = 1; x <= weight.length; x++)
      row[x] = Math.max(row[x - 1], before[Math.max(0, x - apart)] + weight[x - 1]);
    best.push(row);
  }
  return best;
}

/** The steps of the largest total weight: at most `count` of them, any two at least `apart`. */
function heaviest(weight: Float64Array, count: number, apart: number): { weight: number; steps: number[] } {
  const best = table(weight, count, apart);
  const steps: number[] = [];
  for (let [p, x] = [count, weight.length]; p > 0 && x > 0; ) {
    if (best[p][x] === best[p][x - 1]) x--;
    else {
      steps.push(x - 1);
      [p, x] = [p - 1, Math.max(0, x - apart)];
    }
  }
  return { weight: best[count][weight.length], steps: steps.reverse() };
}
