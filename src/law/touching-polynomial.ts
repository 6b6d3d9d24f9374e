/**
 * Heuristic: polynomials above a function that touch it, by a linear programme over their coefficients (simplex method). They are approximate;
 * `moment-bounds` computes how far they are from being bounds.
 */

import { cosPi } from '../numeric/scalar.js';
import { wholePower } from '../numeric/whole-power.js';

/** Values of a function at nodes u, and weights t(u) ≥ 1 relative to which its excess is measured. */
export interface Nodes {
  readonly u: Float64Array;
  readonly value: Float64Array;
  readonly weight: Float64Array;
}

/** Largest number of simplex exchanges. Only width depends on this constant and the next ones. */
const MOST_EXCHANGES = 200;
/** Excess of the function over the polynomial, relative to the largest value, at which exchanges end. */
const ENOUGH = 1e-9;
/** Cost of an artificial column, relative to the largest value. */
const LARGE = 1e4;
/** Components of a direction below this are treated as 0. */
const NONE = 1e-11;

/**
 * Heuristic: coefficients of a polynomial Σ p_k u^k that is approximately above the function at all nodes, and whose mean Σ p_k·moments[k] is least. The
 * simplex method solves the dual problem, for the law on the nodes with these moments that has the largest mean of the function.
 */
export function touchingPolynomial({ u, value, weight }: Nodes, moments: Float64Array): Float64Array {
  const n = moments.length;
  const column = (i: number): Float64Array => {
    const power = new Float64Array(n);
    let term = 1 / weight[i];
    for (let k = 0; k < n; k++, term *= u[i]) power[k] = term;
    return power;
  };
  const scale = value.reduce((most, x, i) => Math.max(most, Math.abs(x) / weight[i]), 0);
  // the first basis: artificial columns of a large cost
  const columns: Float64Array[] = Array.from(moments, (m, k) => {
    const one = new Float64Array(n);
    one[k] = m < 0 ? -1 : 1;
    return one;
  });
  const costs = new Float64Array(n).fill(-LARGE * scale);
  let best = solved(transposed(columns), costs);
  for (let exchange = 0; exchange < MOST_EXCHANGES; exchange++) {
    let [entering, most] = [-1, ENOUGH * scale];
    for (let i = 0; i < u.length; i++) {
      let fitted = 0;
      for (let k = n - 1; k >= 0; k--) fitted = fitted * u[i] + best[k];
      const excess = (value[i] - fitted) / weight[i];
      if (excess > most) [entering, most] = [i, excess];
    }
    if (entering < 0) break;
    const next = column(entering);
    const shares = solved(columns, next);
    const masses = solved(columns, moments);
    let [leaving, least] = [-1, Infinity];
    for (let k = 0; k < n; k++) {
      const ratio = shares[k] > NONE ? Math.max(0, masses[k]) / shares[k] : Infinity;
      if (ratio < least) [leaving, least] = [k, ratio];
    }
    if (leaving < 0) break;
    columns[leaving] = next;
    costs[leaving] = value[entering] / weight[entering];
    best = solved(transposed(columns), costs);
  }
  return best;
}

/**
 * Heuristic: coefficients of the polynomial through the values at the nodes next to Chebyshev's nodes of [−reach, reach]. It is used if rounding errors
 * exceed the highest moment, so that the linear programme has no sense.
 */
export function interpolatingPolynomial({ u, value }: Nodes, order: number, reach: number): Float64Array {
  const at: number[] = [];
  for (let k = 0; k <= order; k++) {
    const node = -reach * cosPi((k + 0.5) / (order + 1));
    const next = u.findIndex((x, i) => x >= node && i > (at.at(-1) ?? -1));
    at.push(next < 0 ? u.length - 1 : next);
  }
  const powers = Array.from({ length: order + 1 }, (_, k) =>
    Float64Array.from(at, (i) => wholePower(u[i], k)),
  );
  return solved(
    powers,
    Float64Array.from(at, (i) => value[i]),
  );
}

/** Transposes a matrix. */
function transposed(columns: readonly Float64Array[]): Float64Array[] {
  return columns.map((_, i) => Float64Array.from(columns, (column) => column[i]));
}

/** Heuristic: solves Σ x_j column_j = right by Gaussian elimination with row pivoting. */
function solved(columns: readonly Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  const rows = Array.from({ length: n }, (_, i) =>
    Float64Array.of(...columns.map((column) => column[i]), right[i]),
  );
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const x = new Float64Array(n);
  for (let k = n - 1; k >= 0; k--) {
    let sum = rows[k][n];
    for (let j = k + 1; j < n; j++) sum -= rows[k][j] * x[j];
    x[k] = sum / rows[k][k];
  }
  return x;
}
