import { binomialShares } from '../../numeric/binomial-masses.js';
import { U } from '../../numeric/constants.js';
import { gaussLegendre, type Rule } from '../../numeric/gauss-legendre.js';
import { cosh, sinh } from '../../numeric/hyperbolic.js';
import { charge } from '../../numeric/meter.js';
import { PRICES } from '../../numeric/prices.js';
import { exp } from '../../numeric/scalar.js';

/**
 * Largest tail mass of Bin(n, p) that is truncated in the number of uniform terms. The truncation error is charged; only speed and width depend on
 * it.
 */
const OMITTED = 1e-18;

/**
 * The sum y of n independent numbers, each ε₀ or −ε₀ with probability (1 − p)/2 and else uniform on (−ε₀, ε₀). In units of 2ε₀, counted from −nε₀, y
 * has atoms at the knots 0 … n. Its density at x between them is
 *   Σ_{m≥1} Bin(n, p)(m) Σ_j Bin(n − m, ½)(j) B_m(x − j).
 * B_m is the cardinal B-spline of degree m − 1, the density of m uniform numbers. Only positive terms are added, so errors are relative however far
 * out the tail.
 */
export class BoxSum {
  /** Ensures: no less than the relative rounding error of every answer, apart from `UNDERFLOW`. */
  readonly error: number;
  /**
   * Terms with more than `boxes` uniform numbers are omitted. A uniform number on (−ε₀, ε₀) is below ±ε₀ in convex order, so E[f(y)] falls with
   * their number for every convex f. So the omitted terms are at most this fraction of the kept ones.
   */
  readonly omitted: number;
  private readonly boxes: number;
  private readonly shares: Float64Array;
  private readonly sides: Float64Array;
  private readonly rule: Rule;
  /** At knot i, over y ≥ y_i = (2i − n)ε₀: E[cosh((y − y_i)/2)], E[sinh((y − y_i)/2)] and E[e^{−(y − y_i)/2}]. */
  private readonly cosh: Float64Array;
  private readonly sinh: Float64Array;
  private readonly fall: Float64Array;

  /**
   * Prepares the mixture of B-splines that y's density is, and expectations at the knots (`fillKnots`). `error` bounds the relative rounding error
   * of all sums.
   * @param odds p/(1 − p), p the probability that a number is uniform; ∞ where p = 1.
   */
  constructor(
    readonly n: number,
    readonly epsilon0: number,
    odds: number,
  ) {
    const boxes = odds === Infinity ? binomialShares(n, 1, 0) : binomialShares(n, odds, 1);
    let last = n;
    let omitted = 0;
    while (omitted + boxes[last] <= OMITTED) omitted += boxes[last--];
    this.boxes = last;
    this.omitted = omitted / (1 - omitted);
    this.shares = boxes.subarray(0, last + 1);
    this.sides = binomialShares(n - last, 1, 1);
    // (ε₀/2)^{D+1}/(D+1)!·e^{ε₀} bounds the relative distance of cosh, sinh and exp on a cell from polynomials of degree D; Gauss–Legendre is exact
    // for these times splines
    let degree = 0;
    for (let left = exp(epsilon0); left > U / 4; degree++) left *= epsilon0 / 2 / (degree + 1);
    this.rule = gaussLegendre(Math.ceil((last + degree + 2) / 2));
    this.error = U * (14 * n + 24 * last + 40 * this.rule.node.length + 200);
    this.cosh = new Float64Array(n + 1);
    this.sinh = new Float64Array(n + 1);
    this.fall = new Float64Array(n + 1);
    this.fillKnots();
  }

  /** Heuristic: about the number of multiplications that the constructor takes. */
  static work(n: number, epsilon0: number, odds: number): number {
    const p = odds === Infinity ? 1 : odds / (1 + odds);
    const boxes = Math.min(n, n * p + 9 * Math.sqrt(n * p * (1 - p)) + 12);
    return (boxes / 2 + epsilon0 + 12) * (boxes + 4) * (n + boxes);
  }

  /**
   * E[2 sinh((y − x)/2); y > x] for x at a fraction t ∈ [0, 1) of the cell above knot i, 0 ≤ i < n. It is an integral over y in that cell, plus
   * expectations at knot i + 1. Relative error: `error` and `omitted`.
   */
  excess(i: number, t: number): number {
    const gap = (1 - t) * this.epsilon0;
    const within = this.partial(i, t, (half) => 2 * sinh(half));
    return within + 2 * (sinh(gap) * this.cosh[i + 1] + cosh(gap) * this.sinh[i + 1]);
  }

  /** E[2 sinh((y − y_i)/2); y > y_i] at knot i, 0 ≤ i ≤ n. */
  excessAtKnot(i: number): number {
    return 2 * this.sinh[i];
  }

  /** E[e^{(y − x)/2}; y > x], x as in `excess`. Relative error: `error` and `omitted`. */
  rise(i: number, t: number): number {
    const gap = (1 - t) * this.epsilon0;
    return this.partial(i, t, exp) + exp(gap) * (this.cosh[i + 1] + this.sinh[i + 1]);
  }

  /** E[e^{−(y − x)/2}; y > x], x as in `excess`. Relative error: `error`; `logDecline` of the spline run adds the truncation error. */
  decline(i: number, t: number): number {
    const gap = (1 - t) * this.epsilon0;
    return this.partial(i, t, (half) => exp(-half)) + exp(-gap) * this.fall[i + 1];
  }

  /** E[e^{−(y − y_i)/2}; y ≥ y_i] at knot i. */
  declineAtKnot(i: number): number {
    return this.fall[i];
  }

  /**
   * E[kernel((y − x)/2)] over y in cell i above x, x at the fraction t of the cell; its upper end is excluded. Gauss–Legendre quadrature of density
   * times kernel, exact to a relative U/4 for the kernels used, roundings apart.
   */
  private partial(i: number, t: number, kernel: (half: number) => number): number {
    const { node, complement, weight } = this.rule;
    let sum = 0;
    for (let g = 0; g < node.length; g++) {
      const up = (1 - t) * node[g];
      const columns = this.columns(t + up, (1 - t) * complement[g], i);
      sum += weight[g] * this.density(columns, i) * kernel(up * this.epsilon0);
    }
    return sum * (1 - t);
  }

  /**
   * E[k((y − y_i)/2); y ≥ y_i] at each knot i, for k(h) = cosh h, sinh h and e^{−h}. From the last knot down, by the addition theorems and the
   * integral over one cell. All terms are positive. Relative error: `error`.
   */
  private fillKnots(): void {
    const { n, epsilon0, rule } = this;
    const columns = Array.from(rule.node, (t, g) => this.columns(t, rule.complement[g]));
    const atoms = binomialShares(n, 1, 1);
    const alone = this.shares[0];
    const half = Float64Array.from(rule.node, (t) => t * epsilon0);
    const kernels = [cosh, sinh, (x: number) => exp(-x)].map((kernel) =>
      half.map((x, g) => kernel(x) * rule.weight[g]),
    );
    const [widthCosh, widthSinh, widthFall] = [cosh(epsilon0), sinh(epsilon0), exp(-epsilon0)];
    this.cosh[n] = alone * atoms[n];
    this.fall[n] = alone * atoms[n];
    for (let i = n - 1; i >= 0; i--) {
      let evenPart = alone * atoms[i];
      let oddPart = 0;
      let fallPart = alone * atoms[i];
      for (let g = 0; g < half.length; g++) {
        const here = this.density(columns[g], i);
        evenPart += here * kernels[0][g];
        oddPart += here * kernels[1][g];
        fallPart += here * kernels[2][g];
      }
      this.cosh[i] = evenPart + widthCosh * this.cosh[i + 1] + widthSinh * this.sinh[i + 1];
      this.sinh[i] = oddPart + widthSinh * this.cosh[i + 1] + widthCosh * this.sinh[i + 1];
      this.fall[i] = fallPart + widthFall * this.fall[i + 1];
    }
  }

  /** The density at one place of cell i, in units of 2ε₀: Σ_k Bin(n − M, ½)(i − k)·columns[k], M = `boxes`. Relative error: its part of `error`. */
  private density(columns: Float64Array, i: number): number {
    const { sides } = this;
    let sum = 0;
    const to = Math.min(columns.length - 1, i);
    for (let k = Math.max(0, i - sides.length + 1); k <= to; k++) sum += sides[i - k] * columns[k];
    return sum;
  }

  /**
   * Σ_m Bin(n, p)(m)·A^{M−m} B_m(k + t) for k = 0 … M − 1, M = `boxes`; A is the mean of a sequence and its shift by one, as a number that is not
   * uniform is either atom with probability ½. The power A^{n−M} is left to `density`. If a cell i is named, only entries that its density needs
   * are computed. Recurrence: B_m(k + t) = ((k + t)·B_{m−1}(k + t) + (m − k − t)·B_{m−1}(k − 1 + t))/(m − 1). Relative error: its part of `error`.
   * @param complement 1 − t.
   */
  private columns(t: number, complement: number, i?: number): Float64Array {
    const { boxes, shares, sides } = this;
    const [least, most] = i === undefined ? [0, boxes - 1] : [i - sides.length + 1, i];
    const spline = new Float64Array(boxes);
    const total = new Float64Array(boxes);
    if (boxes === 0) return total;
    spline[0] = 1;
    total[0] = shares[1];
    // the weights Bin(n, p)(m) of small m may underflow to 0
    const first = shares.findIndex((share, m) => m > 0 && share > 0);
    let terms = 0;
    for (let m = 2; m <= boxes; m++) {
      // entry k is computed from entries k and k − 1 of the step before
      const to = Math.max(1, least - (boxes - m));
      const from = Math.min(m - 1, most);
      terms += Math.max(0, from - to) + 4;
      for (let k = from; k >= to; k--)
        spline[k] = ((k + t) * spline[k] + (m - 1 - k + complement) * spline[k - 1]) / (m - 1);
      spline[0] = (t * spline[0]) / (m - 1);
      if (m < first) continue;
      for (let k = from; k >= to; k--) total[k] = (total[k] + total[k - 1]) / 2 + shares[m] * spline[k];
      total[0] = total[0] / 2 + shares[m] * spline[0];
    }
    charge(terms * PRICES.spline);
    return total;
  }
}

/** Bound of the error from terms that underflow, relative to the largest value of cosh, sinh or exp on the interval. */
export const UNDERFLOW = 1e-300;
