/**
 * Bounds of δ of a loss that is the sum of a Gaussian one and an independent one, log V. Only moments of V are known (docs/proofs/factorisations.md, 11).
 */
import { type Bracket, bracket } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, log, logNormalCdf } from '../numeric/scalar.js';
import { wholePower } from '../numeric/whole-power.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { interpolatingPolynomial, touchingPolynomial } from './touching-polynomial.js';

/** A likelihood ratio X·V. X is lognormal of mean 1, and log X has the variance mu². V ≥ e^{logLeast} is independent of X, with E V^k = moments[k]. */
export interface Factored {
  readonly mu: number;
  readonly logLeast: number;
  readonly moments: Float64Array;
  /** Relative error of each moment. */
  readonly relative: number;
}

/** Moments of u = (V − 1)/scale, V of `Factored`, with absolute errors. */
interface Scaled {
  readonly scale: number;
  readonly values: Float64Array;
  readonly errors: Float64Array;
}

/** The scale of `scaledMoments` keeps the error of the highest moment at 1/DROWNED or less, even if V is near 1 and digits cancel. Only width depends on it. */
const DROWNED = 10;

/**
 * Moments of u = (V − 1)/scale. They are E(V − 1)^k = Σ_i C(k, i)(−1)^{k−i} E V^i over scale^k, with bounds of their absolute errors. The scale makes the highest
 * moment at most ¼.
 */
function scaledMoments({ moments, relative }: Factored): Scaled {
  const central = new Float64Array(moments.length);
  const errors = new Float64Array(moments.length);
  for (let k = 0, row = [1]; k < moments.length; k++) {
    for (let i = 0; i <= k; i++) {
      central[k] += ((k - i) % 2 === 0 ? 1 : -1) * row[i] * moments[i];
      errors[k] += (relative + 2 * k * U) * row[i] * moments[i];
    }
    row = [1, ...row.map((x, i) => x + (row[i + 1] ?? 0))];
  }
  // exact: E V = 1, as the likelihood ratio is X·V, of independent factors, and that of the Gaussian has E X = 1
  [central[1], errors[0], errors[1]] = [0, 0, 0];
  // the error term of `deltaEnd` is a multiple of 1 + the highest moment of u, so that moment is kept at ¼ or less
  const order = moments.length - 1;
  const highest = Math.max(4 * central[order], DROWNED * errors[order], 1e-300);
  const scale = Math.max(1e-6, exp(log(highest) / order));
  const over = (x: number, k: number): number => x / wholePower(scale, k);
  return {
    scale,
    values: central.map(over),
    errors: errors.map((x, k) => over(x, k) + 2 * (k + 2) * U * Math.abs(over(central[k], k))),
  };
}

/** Cells of log V (`Factored`) end here; beyond, the approximating polynomial is bounded in one step. Only width and speed depend on this and the next three constants. */
const LAST = 14;
/** Largest width of a cell of log V (`Factored`). */
const WIDEST = 0.05;
/** Largest number of cells of log V (`Factored`). */
const MOST_CELLS = 3000;
/** Largest change of log δ over a cell of log V (`Factored`), about. */
const FINE = 0.04;

/** What is asked: δ(ε) at one ε ≥ 0 in one direction, and the fineness of the cells. */
interface Asked {
  readonly epsilon: number;
  /** Whether the direction is 'add', where δ(ε) = E(1 − e^ε XV)⁺; else 'remove', where δ(ε) = E(XV − e^ε)⁺. XV is the likelihood ratio. */
  readonly adds: boolean;
  /** Largest change of log δ over a cell, about; `FINE` unless given. */
  readonly fine?: number;
}

/** Heuristic: ends of cells of log V, narrower where log δ given V has a larger slope. They only choose where functions are bounded, not by what. */
function cellEnds({ mu, logLeast }: Factored, { epsilon, adds, fine = FINE }: Asked): Float64Array {
  const square = mu * mu;
  const least = (LAST - logLeast) / MOST_CELLS;
  const ends = [logLeast];
  for (let at = logLeast; at < LAST; ends.push(at)) {
    const slope = 1 + Math.max(0, adds ? epsilon : epsilon - at) / square;
    const fading = adds ? exp(Math.min(20, (Math.max(0, at) * epsilon) / (2 * square))) : 1;
    at += Math.min(WIDEST, Math.max(least, (fine * fading) / slope));
  }
  return Float64Array.from(ends);
}

/** Values of h(v), which is δ(ε) given V = v for V of `Factored`, a convex function of v. */
interface Sampled {
  /** Ends of the cells of V. */
  readonly v: Float64Array;
  /** Middles of the cells. */
  readonly middle: Float64Array;
  /** Upper bounds of h at the ends. */
  readonly upper: Float64Array;
  /** Lower bounds of h in the middles. */
  readonly between: Float64Array;
  /** Slopes of h in the middles. */
  readonly slope: Float64Array;
}

/**
 * h(v) = v·δ_μ(ε − log v), or δ_μ(ε + log v) in direction 'add', δ_μ the curve of N(0, 1) against N(μ, 1). Upper bounds at ends of cells, lower bounds in
 * middles, and slopes there with the relative error `OF_SLOPE`.
 */
export function sampledAt(of: Factored, asked: Asked): Sampled {
  const { epsilon, adds } = asked;
  const v = cellEnds(of, asked).map((x) => exp(x));
  // the first end is below every V, also after rounding of exp
  v[0] *= 1 - ROUNDINGS;
  const middle = v.subarray(1).map((x, i) => (x + v[i]) / 2);
  const { mu } = of;
  const run = gaussianRun(mu);
  const side = adds ? 1 : -1;
  // bounds include the rounding of the argument
  const valueAt = (x: number): Bracket => {
    const l = log(x);
    const off = 8 * U * (Math.abs(epsilon) + Math.abs(l));
    const factor = adds ? 1 : x;
    const above = exp(run.logDelta(epsilon + side * l - off).upper) * factor * (1 + ROUNDINGS);
    return bracket(exp(run.logDelta(epsilon + side * l + off).lower) * factor * (1 - ROUNDINGS), above);
  };
  const slopeAt = (x: number): number => {
    const z = (log(x) + side * epsilon) / mu;
    return adds ? -exp(epsilon + logNormalCdf(-z - mu / 2)) : exp(logNormalCdf(z + mu / 2));
  };
  const upper = v.map((x) => valueAt(x).upper);
  return {
    v,
    middle,
    upper,
    between: middle.map((x) => valueAt(x).lower),
    slope: middle.map(slopeAt),
  };
}

/** Bound of the relative error of a slope of `sampledAt`, whose logarithm log Φ may be some hundreds. Correctness depends on it. */
const OF_SLOPE = 1e-11;

/**
 * Upper bound of the supremum of side·(h(v) − p(u))/(1 + u^K). Here h is that of `sampledAt`, p a polynomial of degree K by its coefficients, and u = (v −
 * 1)/scale. In a cell h is below its chord and above its tangent in the middle, and p between its Bernstein coefficients; beyond the last cell h ≤ v.
 *
 * Ensures: no less than the supremum over v ≥ at.v[0], for K even.
 */
export function largestExcess(p: Float64Array, scale: number, side: 1 | -1, at: Sampled): number {
  const { v } = at;
  const order = p.length - 1;
  let excess = 0;
  for (let i = 0; i + 1 < v.length; i++) {
    const [a, b] = [(v[i] - 1) / scale, (v[i + 1] - 1) / scale];
    const width = b - a;
    const tangent = (end: number): number =>
      at.between[i] +
      at.slope[i] * (end - at.middle[i]) -
      (OF_SLOPE * Math.abs(at.slope[i]) + 4 * U) * (v[i + 1] - v[i]);
    const [left, right] = side > 0 ? [at.upper[i], at.upper[i + 1]] : [tangent(v[i]), tangent(v[i + 1])];
    const reach = Math.max(Math.abs(a), Math.abs(b)) + (16 * U) / scale;
    const { coefficients, size } = onCell(p, a, width, reach);
    const rounding = ROUNDINGS * 4 * (size + Math.abs(left) + Math.abs(right));
    let most = 0;
    for (let j = 0; j <= order; j++) {
      const line = left + ((right - left) * j) / order;
      most = Math.max(most, side * (line - coefficients[j]) + rounding);
    }
    const nearest = a <= 0 && b >= 0 ? 0 : Math.min(Math.abs(a), Math.abs(b)) * (1 - ROUNDINGS);
    excess = Math.max(excess, most / (1 + wholePower(nearest, order)));
  }
  // beyond the last cell: each term over u^K falls with u
  const u = ((v[v.length - 1] - 1) / scale) * (1 - ROUNDINGS);
  let beyond = side > 0 ? (1 + scale * u) / wholePower(u, order) : 0;
  for (const [k, x] of p.entries()) beyond += Math.max(0, -side * x) / wholePower(u, order - k);
  return Math.max(excess, beyond) * (1 + 4 * ROUNDINGS);
}

/**
 * Bernstein coefficients of Σ p_k u^k on [a, a + width]: the polynomial is their convex combination at each u. `size`: Σ |p_k| reach^k, relative to which
 * their rounding errors are a few units.
 */
function onCell(
  p: Float64Array,
  a: number,
  width: number,
  reach: number,
): { readonly coefficients: Float64Array; readonly size: number } {
  const order = p.length - 1;
  const shifted = p.slice();
  for (let k = 0; k < order; k++) for (let j = order - 1; j >= k; j--) shifted[j] += a * shifted[j + 1];
  let [size, power] = [0, 1];
  for (let k = 0; k <= order; k++) {
    size += Math.abs(p[k]) * wholePower(reach, k);
    shifted[k] *= power;
    // divided by a binomial coefficient
    power *= (width * (k + 1)) / (order - k);
  }
  // sums along rows of Pascal's triangle
  for (let k = 1; k <= order; k++) for (let j = order; j >= k; j--) shifted[j] += shifted[j - 1];
  return { coefficients: shifted, size };
}

/** Units of work charged per cell: values of two functions, and the linear programme. */
const OF_A_CELL = 4e3;

/**
 * Upper (side 1) or lower (−1) bound of δ(ε) = E h(V), ε ≥ 0, in one direction; h(v) is δ(ε) given V = v. It is E p(u) ± (largest excess)(1 + E u^K),
 * u = (V − 1)/scale. The moments give the mean of the polynomial p, of degree K (docs/proofs/factorisations.md, 11).
 *
 * Ensures: no less than δ(ε), or no more, for every V with such moments.
 */
function deltaEnd(of: Factored, scaled: Scaled, asked: Asked, side: 1 | -1): number {
  const at = sampledAt(of, asked);
  const { scale, values, errors } = scaled;
  const order = values.length - 1;
  charge(at.v.length * OF_A_CELL);
  const u = at.v.map((x) => (x - 1) / scale);
  const weight = u.map((x) => 1 + wholePower(x, order));
  const value = at.upper.map((x) => side * x);
  const plan =
    errors[order] > values[order]
      ? interpolatingPolynomial({ u, value, weight }, order, Math.min(1, -u[0]))
      : touchingPolynomial({ u, value, weight }, values);
  const p = plan.map((x) => side * x);
  if (!p.every((x) => Number.isFinite(x))) return side > 0 ? Infinity : 0;
  const excess = largestExcess(p, scale, side, at);
  let [mean, off] = [0, excess * (1 + values[order] + errors[order])];
  for (const [k, x] of p.entries()) {
    mean += x * values[k];
    off += Math.abs(x) * (errors[k] + 4 * order * U * Math.abs(values[k]));
  }
  return Math.max(0, mean + side * off * (1 + ROUNDINGS));
}

/** Upper and lower bound of log δ(ε) as functions of ε ≥ 0. */
export interface Ends {
  readonly above: (epsilon: number) => number;
  readonly below: (epsilon: number) => number;
}

/**
 * A function that gives an upper (side 1) or lower (−1) bound of δ(ε) in one direction, by `deltaEnd`.
 *
 * Ensures: no less than δ(ε), or no more, for every V with such moments.
 */
export function deltaByMoments(of: Factored): (asked: Asked, side: 1 | -1) => number {
  const scaled = scaledMoments(of);
  return (asked, side) => deltaEnd(of, scaled, asked, side);
}

/**
 * Upper and lower bounds of log δ(ε) for all V with the moments of `of`, by `deltaEnd`.
 *
 * Ensures: δ(ε) of both directions is at most the upper end, and that of one at least the lower.
 */
export function endsByMoments(of: Factored): Ends {
  const delta = deltaByMoments(of);
  return {
    above: (epsilon) => {
      const removed = delta({ epsilon, adds: false }, 1);
      // direction 'add' is mostly far smaller: wide cells suffice, unless their bound is larger than that of 'remove'
      const rough = delta({ epsilon, adds: true, fine: 4 * FINE }, 1);
      const added = rough > removed ? Math.min(rough, delta({ epsilon, adds: true }, 1)) : rough;
      return Math.min(0, log(Math.max(removed, added)) + ROUNDINGS);
    },
    below: (epsilon) => log(delta({ epsilon, adds: false }, -1)) - ROUNDINGS,
  };
}
