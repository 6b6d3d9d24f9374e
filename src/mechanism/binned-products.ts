import { U } from '../numeric/constants.js';
import { least } from '../numeric/extremes.js';
import { cosPi, exp, expm1 } from '../numeric/scalar.js';

/** Inner products ⟨m_i, m_j⟩, where m_j is the direction in which a record in bin j moves the output of a matrix mechanism. */
export interface BinnedProducts {
  readonly bins: number;
  /** The products by rows for m_j the sum of the columns of |C| over the steps of bin j. */
  readonly moduli: Float64Array;
  /** The products by rows for m_j the sum of the columns of C itself. */
  readonly signed: Float64Array;
  /** Bound of the rounding error of each product, relative to `moduli`. */
  readonly slack: number;
}

/** Largest number of products of columns that are summed: larger matrices are refused. */
export const MOST_BINNED = 5e7;

/** The products of bins for the lower triangular Toeplitz matrix with this first column; bin j has the steps j, j + bins, …. Rounding errors are at most `slack`·moduli. */
export function columnProducts(given: readonly number[], steps: number, bins: number): BinnedProducts {
  const column = given.slice(0, steps);
  const n = column.length;
  const found = emptyProducts(
    bins,
    2 * U * (n + 8 + Math.ceil(steps / bins) * (Math.ceil((2 * n) / bins) + 1)),
  );
  for (let lag = 0; lag < n; lag++) {
    // entry u: the product of two columns at the distance `lag`, summed over their u common rows
    const [sums, sizes] = [new Float64Array(n - lag + 1), new Float64Array(n - lag + 1)];
    for (let u = 0; u < n - lag; u++) {
      const term = column[u] * column[u + lag];
      sums[u + 1] = sums[u] + term;
      sizes[u + 1] = sizes[u] + Math.abs(term);
    }
    for (let s = 0; s + lag < steps; s++) {
      const rows = Math.min(n - lag, steps - s - lag);
      addPair(found, s, s + lag, sums[rows], sizes[rows]);
    }
  }
  return found;
}

/** The products of bins for a square lower triangular matrix, given by rows; bin j has the steps j, j + bins, …. Rounding errors are at most `slack`·moduli. */
export function matrixProducts(rows: readonly (readonly number[])[], bins: number): BinnedProducts {
  const n = rows.length;
  const found = emptyProducts(bins, 2 * U * (n + 8 + Math.ceil(n / bins) ** 2));
  for (let i = 0; i < n; i++)
    for (let j = i; j < n; j++) {
      let [sum, size] = [0, 0];
      for (let t = j; t < n; t++) {
        const term = rows[t][i] * rows[t][j];
        sum += term;
        size += Math.abs(term);
      }
      addPair(found, i, j, sum, size);
    }
  return found;
}

function emptyProducts(bins: number, slack: number): BinnedProducts {
  const empty = (): Float64Array => new Float64Array(bins * bins);
  return { bins, moduli: empty(), signed: empty(), slack };
}

/** Adds the product of the columns of steps s and t to that of their bins, in both places of the symmetric table. `size` is the product of absolute values. */
function addPair(
  { bins, moduli, signed }: BinnedProducts,
  s: number,
  t: number,
  sum: number,
  size: number,
): void {
  const [i, j] = [s % bins, t % bins];
  moduli[i * bins + j] += size;
  signed[i * bins + j] += sum;
  if (s === t) return;
  moduli[j * bins + i] += size;
  signed[j * bins + i] += sum;
}

/** Products of exchangeable bins: `own` is ⟨m_j, m_j⟩ of every bin, and `shared` is ⟨m_i, m_j⟩ of any two. */
export interface Exchangeable {
  readonly bins: number;
  readonly own: number;
  readonly shared: number;
}

/**
 * The products of every `apart`-th bin, raised to their maximum. The residue of a record's bin modulo `apart` may be published, so only bins of one
 * residue are confused.
 *
 * Ensures: for bins of each residue, no product is above `own` on the diagonal, or `shared` off it. Each residue has at least `bins` of them.
 */
export function exchangeableAbove({ bins, moduli, slack }: BinnedProducts, apart: number): Exchangeable {
  let [own, shared] = [0, 0];
  for (let i = 0; i < bins; i++) {
    own = Math.max(own, moduli[i * bins + i]);
    for (let j = i + apart; j < bins; j += apart) shared = Math.max(shared, moduli[i * bins + j]);
  }
  own *= 1 + 2 * slack;
  return { bins: Math.floor(bins / apart), own, shared: Math.min(own, shared * (1 + 2 * slack)) };
}

/** The products of all bins, lowered to their minimum; undefined if one may be negative. Ensures: where every gradient is the same unit vector, no product is below them. */
export function exchangeableBelow({ bins, moduli, signed, slack }: BinnedProducts): Exchangeable | undefined {
  let [own, shared] = [Infinity, Infinity];
  for (const [k, sum] of signed.entries()) {
    const lowered = sum - 2 * slack * moduli[k];
    if (k % (bins + 1) === 0) own = Math.min(own, lowered);
    else shared = Math.min(shared, lowered);
  }
  return shared < 0 ? undefined : { bins, own, shared: Math.min(own, shared) };
}

/**
 * μ of the attack that looks only at the projection of the output on the sum of all bins' directions; 0 if a bin may move it downwards.
 *
 * Ensures: where every gradient is the same unit vector, each bin shifts the projection by at least μ standard deviations, for noise of variance 1.
 */
export function sumAttack({ bins, moduli, signed, slack }: BinnedProducts): number {
  let [norm, most] = [0, Infinity];
  for (let i = 0; i < bins; i++) {
    let [move, size] = [0, 0];
    for (let j = 0; j < bins; j++) {
      move += signed[i * bins + j];
      size += moduli[i * bins + j];
    }
    const lost = (2 * slack + 2 * U * bins) * size;
    norm += move + lost;
    most = Math.min(most, move - lost);
  }
  return most > 0 ? (most / Math.sqrt(norm)) * (1 - 4 * U * bins) : 0;
}

/** E W², the second moment of the likelihood ratio of exchangeable bins at noise variance `square`. Heuristic: it only chooses `apart`. */
function secondMoment({ bins, own, shared }: Exchangeable, square: number): number {
  return exp(shared / square) * (1 + expm1((own - shared) / square) / bins);
}

/** `exchangeableAbove` of every `apart`-th bin, for each `apart` from 1 to the number of bins. */
export function choicesAbove(products: BinnedProducts): Exchangeable[] {
  return Array.from({ length: products.bins }, (_, i) => exchangeableAbove(products, i + 1));
}

/** The products of `choices` with the least second moment of the likelihood ratio, for noise of the variance `square`. Each of them gives a valid bound. */
export function tightestAbove(choices: readonly Exchangeable[], square: number): Exchangeable {
  const moments = choices.map((choice) => secondMoment(choice, square));
  return choices[moments.indexOf(least(moments))];
}

/**
 * The first row of a circulant matrix above the products of every `apart`-th bin: the maximum at each distance around the circle of bins. `apart`
 * divides the number of bins. The diagonal is raised if the matrix is not positive semidefinite (docs/proofs/factorisations.md, 9).
 *
 * Ensures: for bins of each residue modulo `apart`, no product is above the entry at their distance; the matrix is positive semidefinite.
 */
export function ringAbove({ bins, moduli, slack }: BinnedProducts, apart: number): Float64Array {
  const ring = new Float64Array(bins / apart);
  for (let i = 0; i < bins; i++)
    for (let k = 0; k < ring.length; k++) {
      const product = moduli[i * bins + ((i + k * apart) % bins)] * (1 + 2 * slack);
      for (const at of [k, (ring.length - k) % ring.length]) ring[at] = Math.max(ring[at], product);
    }
  ring[0] += Math.max(0, -leastEigenvalue(ring));
  return ring;
}

/**
 * The first row of a circulant matrix below the products of all bins: the minimum at each distance around the circle of bins. If the matrix is not
 * positive semidefinite, entries off the diagonal are scaled down; undefined if that does not help (docs/proofs/factorisations.md, 9).
 *
 * Ensures: the matrix is positive semidefinite. If every gradient is one unit vector, up to the signs in `signed`, no product of two bins is below
 * the entry at their distance.
 */
export function ringBelow({ bins, moduli, signed, slack }: BinnedProducts): Float64Array | undefined {
  const ring = new Float64Array(bins).fill(Infinity);
  for (const [at, sum] of signed.entries()) {
    const k = ((at % bins) - Math.floor(at / bins) + bins) % bins;
    const product = sum - 2 * slack * moduli[at];
    for (const place of [k, (bins - k) % bins]) ring[place] = Math.min(ring[place], product);
  }
  const least = leastEigenvalue(ring);
  if (least >= 0) return ring;
  if (!(ring[0] > 0) || ring.some((x) => x < 0)) return undefined;
  const share = (ring[0] / (ring[0] - least)) * (1 - 1e-9);
  const lowered = ring.map((x, k) => (k === 0 ? x : x * share));
  return leastEigenvalue(lowered) >= 0 ? lowered : undefined;
}

/**
 * A lower bound of the least eigenvalue Σ_k γ_k cos(2πfk/n), over f, of the circulant matrix with first row γ. Rounding errors are subtracted.
 *
 * Ensures: no more than the least eigenvalue.
 */
function leastEigenvalue(ring: Float64Array): number {
  const n = ring.length;
  const cosines = Float64Array.from(ring, (_, k) => cosPi((2 * k) / n));
  const places = [...ring.keys()].filter((k) => ring[k] !== 0);
  const size = ring.reduce((sum, x) => sum + Math.abs(x), 0);
  let least = Infinity;
  for (let f = 0; f < n; f++) {
    let sum = 0;
    for (const k of places) sum += ring[k] * cosines[(f * k) % n];
    least = Math.min(least, sum);
  }
  return least - size * (n + 20) * 2 * U;
}
