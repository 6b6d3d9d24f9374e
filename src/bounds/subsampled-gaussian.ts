/**
 * Upper bound of log E_P[(Q/P)^α] of the Poisson-subsampled Gaussian, P = N(0, σ²), Q = (1−q)P + qN(1, σ²). It is (α − 1)D_α(Q‖P), and by thm 5 of
 * Mironov, Talwar, Zhang 2019 no less than (α − 1)D_α(P‖Q).
 */
import { HALF_LOG_2PI } from '../numeric/constants.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { A_ROUNDING, FUNCTION_ERROR, padded, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/** Largest order for which sampling is taken into account. Only width and speed depend on it. */
const LARGEST_ORDER = 1e5;
/** Largest number of nodes of an integral. Only width and speed depend on it. */
const MAX_NODES = 6000;

/**
 * log E_P[(Q/P)^α], α the order: at integers by the binomial sum, else by quadrature. If that has too many nodes, by a chord between integers.
 *
 * Ensures: no less than log E_P[(Q/P)^α].
 *
 * @param order α > 1. @returns ∞ where it overflows.
 */
export function logMomentOfSubsampledGaussian(sigma: number, q: number, order: number): number {
  // the log moment of the unsampled Gaussian is no smaller
  const unsampled = (order * (order - 1)) / (2 * sigma * sigma);
  if (order > LARGEST_ORDER) return up(unsampled, FUNCTION_ERROR);
  const direct = Number.isInteger(order) ? undefined : byQuadrature(sigma, q, order);
  const sampled = direct ?? logMomentOfSample(q, order, (i) => (i * (i - 1)) / (2 * sigma * sigma));
  return Math.min(sampled, up(unsampled, FUNCTION_ERROR));
}

/**
 * Upper bound of log E_P[((1−q) + q·Q/P)^α], α the order, of a release on a Poisson sample. At integers it is the binomial sum over log moments
 * `whole(i)` of the unsampled release; between integers it is a chord, as log moments are convex in α.
 *
 * Ensures: no less than the log moment on the sample, if each `whole(i)` is no less than log E_P[(Q/P)^i].
 */
export function logMomentOfSample(q: number, order: number, whole: (i: number) => number): number {
  const below = Math.floor(order);
  const weight = order - below;
  const here = integerOrder(q, below, whole);
  return weight === 0
    ? here
    : up((1 - weight) * here + weight * integerOrder(q, below + 1, whole), FUNCTION_ERROR);
}

/** log(1 + Σ_{i≥2} C(α,i)(1−q)^{α−i}q^i(e^{K(i)} − 1)), K(i) = `whole(i)` the log moment of the unsampled release. Terms are positive; rounded up. */
function integerOrder(q: number, order: number, whole: (i: number) => number): number {
  if (order === 1) return 0;
  const logQ = log(q);
  const logRest = log1p(-q);
  const terms = new Float64Array(order + 1);
  let logBinomial = log(order);
  let top = -Infinity;
  for (let i = 2; i <= order; i++) {
    logBinomial += log((order - i + 1) / i);
    const loss = whole(i);
    const logGrowth = loss > 30 ? loss + log1p(-exp(-loss)) : log(expm1(loss));
    terms[i] = logBinomial + (order - i) * logRest + i * logQ + logGrowth;
    if (terms[i] > top) top = terms[i];
  }
  if (top === Infinity) return Infinity;
  let sum = 0;
  for (let i = 2; i <= order; i++) sum += exp(terms[i] - top);
  const logAbove = padded(top + log(sum), order + Math.abs(top) + 10, ROUNDINGS);
  return logSum(0, logAbove);
}

/**
 * log(1 + E_P[(1+x)^α − 1 − αx]), x = q(e^{(2o−1)/2σ²} − 1), E_P[x] = 0, o the output. The integrand is not negative, so nothing cancels. For a
 * function analytic in the strip |Im o| < d, the trapezoidal rule with step h errs by at most 2N/(e^{2πd/h} − 1). N is the integral of its modulus on
 * the edges: N ≤ e^{d²/2σ²}(E(1+x)^α + 1 + 2α) for d ≤ πσ²/2. The error is added; undefined if there would be too many nodes.
 */
function byQuadrature(sigma: number, q: number, order: number): number | undefined {
  const strip = Math.min(1.5 * sigma * sigma, 6 * sigma);
  const bump = (strip * strip) / (2 * sigma * sigma);
  const depth = 50;
  const stride = (2 * Math.PI * strip) / (bump + depth);
  const low = -39 * sigma;
  const count = Math.ceil((Math.max(1, order) + 39 * sigma - low) / stride);
  if (count > MAX_NODES) return undefined;
  const exponents = new Float64Array(count + 1);
  const logs = new Float64Array(count + 1);
  const xs = new Float64Array(count + 1);
  let top = 0;
  for (let i = 0; i <= count; i++) {
    const o = low + i * stride;
    const s = (2 * o - 1) / (2 * sigma * sigma);
    const x = s < 700 ? q * expm1(s) : Infinity;
    const l = s < 700 ? log1p(x) : s + log(q);
    const density = (-0.5 * o * o) / (sigma * sigma) - HALF_LOG_2PI + log(stride / sigma);
    xs[i] = x;
    logs[i] = order * l;
    exponents[i] = density;
    top = Math.max(top, logs[i] + density);
  }
  let sum = 0;
  let errorBound = 0;
  const huge = top > 500;
  for (let i = 0; i <= count; i++) {
    if (huge) {
      sum += exp(logs[i] + exponents[i] - top);
      continue;
    }
    const density = exp(exponents[i]);
    const x = xs[i];
    if (Math.abs(x) * order < 1e-3) {
      const cubic = ((order - 2) * x) / 3;
      sum += density * 0.5 * order * (order - 1) * x * x * (1 + cubic * (1 + ((order - 3) * x) / 4));
      errorBound += density * order * (order - 1) * x * x * 1e-9;
    } else if (logs[i] < 600) {
      sum += density * (expm1(logs[i]) - order * x);
      errorBound += density * (exp(logs[i]) + order * Math.abs(x) + 1) * (4 + logs[i]) * A_ROUNDING;
    } else {
      sum += exp(logs[i] + exponents[i]);
    }
  }
  if (huge) return padded(top + log(sum), 1 + top, ROUNDINGS);
  const edge = (2 * exp(bump) * (sum + 2 + 2 * order)) / expm1(bump + depth);
  return log1p(up(sum + errorBound + edge, ROUNDINGS));
}
