/** Three-term recurrence of the polynomials that are orthonormal for finitely many weighted points. */
export interface Recurrence {
  readonly diagonal: Float64Array;
  /** Square roots of β; the first is that of the sum of the weights. */
  readonly beside: Float64Array;
}

/** Below this a polynomial vanishes on all points: there are no more of them. */
const VANISHED = 1e-12;
const HALVINGS = 56;

/** The recurrence up to degree m − 1, or less where there are fewer points (Stieltjes' procedure). Points lie in [−1, 1]. */
export function recurrenceOf(x: Float64Array, weight: Float64Array, m: number): Recurrence {
  const n = x.length;
  let before = new Float64Array(n);
  let now = new Float64Array(n);
  const sum = weight.reduce((total, w) => total + w, 0);
  now.fill(1 / Math.sqrt(sum));
  const diagonal: number[] = [];
  const beside = [Math.sqrt(sum)];
  for (let i = 0; i < m; i++) {
    let middle = 0;
    for (let k = 0; k < n; k++) middle += weight[k] * x[k] * now[k] * now[k];
    diagonal.push(middle);
    if (i === m - 1) break;
    let norm = 0;
    const next = new Float64Array(n);
    for (let k = 0; k < n; k++) {
      next[k] = (x[k] - middle) * now[k] - (i > 0 ? beside[i] * before[k] : 0);
      norm += weight[k] * next[k] * next[k];
    }
    const root = Math.sqrt(norm);
    if (!(root > VANISHED)) break;
    for (let k = 0; k < n; k++) next[k] /= root;
    beside.push(root);
    [before, now] = [now, next];
  }
  return { diagonal: Float64Array.from(diagonal), beside: Float64Array.from(beside) };
}

/** The orthonormal polynomials of degree 0 … m − 1 at t. */
export function orthonormalAt({ diagonal, beside }: Recurrence, t: number): Float64Array {
  const values = new Float64Array(diagonal.length);
  values[0] = 1 / beside[0];
  for (let i = 0; i + 1 < values.length; i++) {
    const last = i > 0 ? beside[i] * values[i - 1] : 0;
    values[i + 1] = ((t - diagonal[i]) * values[i] - last) / beside[i + 1];
  }
  return values;
}

/**
 * Gauss' rule for finitely many weighted points in [−1, 1]: m nodes between them with positive weights and the points' sums of all polynomials of
 * degree below 2m, up to rounding. Nodes are the zeros of the polynomial of degree m, by Sturm sequences of the Jacobi
 * matrix; weights are Christoffel's 1/Σ p_i². Undefined where there are no more than m points.
 */
export function discreteGauss(
  x: Float64Array,
  weight: Float64Array,
  m: number,
): { readonly node: Float64Array; readonly weight: Float64Array } | undefined {
  const recurrence = recurrenceOf(x, weight, m);
  const { diagonal, beside } = recurrence;
  if (diagonal.length < m || x.length <= m) return undefined;
  const node = new Float64Array(m);
  const made = new Float64Array(m);
  for (let j = 0; j < m; j++) {
    let low = -1;
    let high = 1;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (zerosBelow(diagonal, beside, middle) > j) high = middle;
      else low = middle;
    }
    node[j] = (low + high) / 2;
    made[j] = 1 / orthonormalAt(recurrence, node[j]).reduce((total, p) => total + p * p, 0);
  }
  return { node, weight: made };
}

/** How many eigenvalues of the Jacobi matrix lie below t. */
function zerosBelow(diagonal: Float64Array, beside: Float64Array, t: number): number {
  let count = 0;
  let pivot = 1;
  for (let i = 0; i < diagonal.length; i++) {
    pivot = diagonal[i] - t - (i > 0 ? (beside[i] * beside[i]) / pivot : 0);
    if (pivot === 0) pivot = 1e-300;
    if (pivot < 0) count++;
  }
  return count;
}
