import { add, type Dd, divide, divideBy, scale } from '../kernel/double-double.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { U } from '../numeric/constants.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import type { Atoms } from './pair.js';

/** Noise is listed until its tails are below e^{−DEPTH}. Only width depends on it. */
const DEPTH = 705;
/** A mass at infinity below this counts as 0, and is covered by the mass of losses that are not listed. */
const FAINTEST = 1e-295;

/** Symmetric, log-concave noise on the integers, as log ratios of adjacent masses from its centre outwards. */
export interface ListedNoise {
  /** log p(x) − log p(x + 1) ≥ 0 at x = centre, centre + 1, …: relative error at most 4U each. */
  readonly decay: Float64Array;
  /** The smallest absolute value of the centred noise: 0, or ½ if its values are ± ½, ± 3/2, …. */
  readonly centre: 0 | 0.5;
}

/** Noise on the integers, and the sensitivity of the query that it is added to. */
export interface WholeNoise {
  /** Standard deviation, about. */
  readonly deviation: number;
  /** The sensitivity, an integer. */
  readonly change: number;
  /** The noise, listed until its tails are below e^{−depth}. */
  listed(depth: number): ListedNoise;
}

interface Listed extends ListedNoise {
  /** P[Z < s], Z the noise and s the sensitivity: the mass of Z that Z + s cannot take; 0 if below `FAINTEST`. Undefined if Z takes every integer. */
  readonly infinity: number | undefined;
  /** Whether all values are listed. */
  readonly complete: boolean;
}

/**
 * The sum of `trials` fair coins, added to a whole number of the given sensitivity (docs/proofs/integer-noise.md 1, 2).
 *
 * Ensures: atoms of (Z, Z + sensitivity), Z ~ Bin(trials, ½), with the errors stated.
 */
export function binomialAtoms(trials: number, sensitivity: number): Atoms {
  const noise = listedBinomial(trials, sensitivity);
  const infinity = binomialTail(trials, sensitivity);
  const complete = noise.decay.length === Math.floor(trials / 2) && infinity > 0;
  return symmetricAtoms({ ...noise, infinity, complete }, sensitivity);
}

/**
 * log p(k) − log p(k + 1) of the masses p of centred binomial noise: log(1 + (2k + 1)/(N/2 − k)) for N trials. It is listed until tails are below
 * e^{−depth}, and `more` integers further. Relative error: at most 4U each.
 */
export function listedBinomial(trials: number, more: number, depth: number = DEPTH): ListedNoise {
  // Hoeffding: P[Z − trials/2 ≥ x] ≤ e^{−2x²/trials}
  const reach = Math.ceil(Math.sqrt((trials * depth) / 2)) + more;
  const last = Math.floor(trials / 2);
  const half = trials % 2;
  const decay = new Float64Array(Math.min(last, reach));
  for (let i = 0; i < decay.length; i++) decay[i] = log1p((2 * i + 1 + half) / (last - i));
  return { decay, centre: half === 1 ? 0.5 : 0 };
}

/**
 * P[Z < count] = Σ_{k < count} C(trials, k)/2^trials, Z ~ Bin(trials, ½), in double-double. Ensures: a relative error of one rounding, or the value 0 if
 * the probability is below `FAINTEST`.
 */
export function binomialTail(trials: number, count: number): number {
  if (count > trials) return 1;
  const step = 2 ** -400;
  let exponent = -trials;
  let term: Dd = { hi: 1, lo: 0 };
  let sum: Dd = { hi: 0, lo: 0 };
  for (let k = 0; k < count; k++) {
    sum = add(sum, term);
    term = divideBy(scale(term, trials - k), k + 1);
    if (term.hi < 2 ** 400) continue;
    [term, sum] = [scale(term, step), scale(sum, step)];
    exponent += 400;
  }
  const mass = sum.hi * 2 ** Math.ceil(exponent / 2) * 2 ** Math.floor(exponent / 2);
  return mass >= FAINTEST ? mass : 0;
}

/**
 * Skellam noise, the difference of two Poisson numbers of mean variance/2, added to a whole number of the given sensitivity.
 * Masses are p(k) = e^{−v} I_k(v), v the variance, I_k the modified Bessel function (docs/proofs/integer-noise.md 1, 3).
 *
 * Ensures: atoms of (Z, Z + sensitivity), Z ~ Skellam(variance/2, variance/2), with the errors stated.
 */
export function skellamAtoms(variance: number, sensitivity: number): Atoms {
  const noise = listedSkellam(variance, sensitivity);
  return symmetricAtoms({ ...noise, infinity: undefined, complete: false }, sensitivity);
}

/**
 * log p(k) − log p(k + 1) of the masses p of Skellam noise by `besselDecay`, until tails are below e^{−depth}, and `more` integers further. Relative
 * error: at most 4U each.
 */
export function listedSkellam(variance: number, more: number, depth: number = DEPTH): ListedNoise {
  // Chernoff: P[Z ≥ k] ≤ e^{√(k² + v²) − v − k arsinh(k/v)}, v the variance
  const exponent = (k: number): number => {
    const root = Math.sqrt(k * k + variance * variance);
    return k * log((k + root) / variance) - (k * k) / (root + variance);
  };
  const most = Math.ceil(1e4 + 50 * Math.sqrt(variance));
  const reach = firstWhere(most, (k) => exponent(k) >= depth + 1) + more;
  return { decay: besselDecay(variance, reach), centre: 0 };
}

/**
 * log p(k) − log p(k + 1) = (2k + 1)/2σ² of the masses p of a discrete Gaussian, until tails are below e^{−depth}. Its tails are below those of a Gaussian (Canonne,
 * Kamath, Steinke 2020). Relative error: at most 4U each.
 */
export function listedGaussian(sigma: number, depth: number): ListedNoise {
  const reach = Math.ceil(sigma * Math.sqrt(2 * (depth + 1)));
  return {
    decay: Float64Array.from({ length: reach }, (_, i) => (2 * i + 1) / (2 * sigma * sigma)),
    centre: 0,
  };
}

/**
 * log I_k(v) − log I_{k+1}(v), k < n, of modified Bessel functions. By the backward recurrence 1/r_k = 2(k + 1)/v + r_{k+1} of r_k = I_{k+1}/I_k. A
 * relative error of r_{k+1} shrinks by the factor r_k r_{k+1}. The recurrence is in double-double, as 1/r_k − 1 is a small difference.
 *
 * Ensures: a relative error of at most 4U each.
 */
function besselDecay(v: number, n: number): Float64Array {
  // start where the product of r_k² down to n is below e^{−80}; r_k < v/(k + ½ + √((k + 3/2)² + v²)) (Amos 1974)
  let start = n;
  for (let forgotten = 0; forgotten < 80; start++) {
    const most = v / (start + 0.5 + Math.sqrt((start + 1.5) ** 2 + v * v));
    forgotten -= 2 * log(most);
  }
  const decay = new Float64Array(n);
  let ratio: Dd = { hi: 0.5, lo: 0 };
  for (let k = start; k >= 0; k--) {
    const inverse = add(divideBy({ hi: 2 * (k + 1), lo: 0 }, v), ratio);
    if (k < n) decay[k] = log1p(inverse.hi - 1 + inverse.lo);
    ratio = divide({ hi: 1, lo: 0 }, inverse);
  }
  return decay;
}

/** Prefix sums log p(centre) − log p(centre + i) of log masses, i = 0 … n, as high + low in double-double. Additions have relative errors of about U². */
function prefixes(decay: Float64Array): { readonly high: Float64Array; readonly low: Float64Array } {
  const n = decay.length;
  const [high, low] = [new Float64Array(n + 1), new Float64Array(n + 1)];
  let sum: Dd = { hi: 0, lo: 0 };
  for (let i = 0; i < n; i++) {
    sum = add(sum, { hi: decay[i], lo: 0 });
    high[i + 1] = sum.hi;
    low[i + 1] = sum.lo;
  }
  return { high, low };
}

/** Bound of the relative error of a mass e^{−x} over its total: x, at most DEPTH + 40, has an error of 4Ux. */
const WEIGHTS = 8 * U * (DEPTH + 40);

/** Masses relative to that at the centre. */
const weightsOf = (high: Float64Array): Float64Array => high.map((x) => exp(-x));

/** log P[Z ≥ t] at t = centre, centre + 1, …, and the absolute error of each. */
export interface Tails {
  readonly logs: Float64Array;
  readonly error: number;
}

/**
 * log P[Z ≥ t] of listed noise at t = centre, centre + 1, …, while it is above −depth. Masses are added from the far end and divided by the total.
 * `listed`: noise is listed until its tails are about e^{−listed}.
 *
 * Ensures: the absolute error of each is at most `error`.
 */
export function logTails({ decay, centre }: ListedNoise, depth: number, listed: number = DEPTH): Tails {
  const weights = weightsOf(prefixes(decay).high);
  const sum = new CompensatedSum();
  const tails = weights.map((_, i) => {
    sum.add(weights[weights.length - 1 - i]);
    return sum.value;
  });
  tails.reverse();
  const total = 2 * tails[0] - (centre === 0 ? weights[0] : 0);
  const logs = tails.map((tail) => log(tail / total));
  const from = logs.findIndex((tail) => tail <= -depth);
  return { logs: from < 0 ? logs : logs.slice(0, from), error: 2 * WEIGHTS + exp(depth + 5 - listed) };
}

/**
 * The pair (Z, Z + s) of listed noise Z. Losses log p(x − s) − log p(x) come from prefix sums of `decay`; they ascend as log p is concave. Masses have
 * the relative error `WEIGHTS`, losses the error that `Atoms` takes where none is stated. The mass of outputs that are not listed is in `beyond`.
 *
 * Ensures: masses and losses are within the errors that the atoms state.
 */
function symmetricAtoms({ decay, centre, infinity, complete }: Listed, s: number): Atoms {
  const { high, low } = prefixes(decay);
  const weights = weightsOf(high);
  const total = new CompensatedSum();
  for (let i = decay.length; i >= 0; i--) total.add(i === 0 && centre === 0 ? 1 : 2 * weights[i]);
  const last = decay.length + centre;
  const n = Math.max(0, 2 * last - s + 1);
  const [loss, p, q] = Array.from({ length: 3 }, () => new Float64Array(n));
  for (let i = 0; i < n; i++) {
    const x = s - last + i;
    const [own, other] = [Math.abs(x) - centre, Math.abs(x - s) - centre];
    loss[i] = high[own] - high[other] + (low[own] - low[other]);
    p[i] = weights[own] / total.value;
    q[i] = weights[other] / total.value;
  }
  return {
    loss,
    p,
    q,
    infinity: infinity ?? 0,
    minusInfinity: infinity ?? 0,
    // the tails, and a mass at infinity that counts as 0
    ...(complete ? {} : { beyond: exp(1 - DEPTH) + FAINTEST, beyondInfinity: infinity !== undefined }),
    relative: WEIGHTS,
    gdpMu: Infinity,
    tailMu: infinity === undefined ? 0 : Infinity,
  };
}
