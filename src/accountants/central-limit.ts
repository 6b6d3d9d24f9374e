/** δ(ε) of a run from a few moments of its loss: approximations, and one guarantee. */
import { gaussianMuOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { INVERSE_SQRT_2PI } from '../numeric/constants.js';
import { exp, normalCdf } from '../numeric/scalar.js';
import { dpSgdLimits } from '../tradeoff/clt.js';
import type { Cumulants, LossCumulants } from './loss-moments.js';

/** Above the relative error of the moments, which are sums over nodes. The bound depends on it. */
const UP = 1 + 1e-4;

/** Pr[L > ε] of a normal L, as 1 − Φ of the normal score, with a few roundings of error. */
function normalTail({ mean, variance }: Cumulants, epsilon: number): number {
  return normalCdf((mean - epsilon) / Math.sqrt(variance));
}

/**
 * Berry–Esseen bound with Shevtsova's constant 0.56, as in GDP thm 3.4. The two laws are bounded separately, so the pair need not
 * be symmetric.
 * δ(ε) = Pr_Q[L > ε] − e^ε Pr_P[L > ε], and each tail is within γ = 0.56 Σ E|L−EL|³/(Var)^{3/2} of the normal one.
 *
 * Ensures: no smaller than δ(ε), where the moments are within `UP` of the exact ones.
 */
export function berryEsseenDelta({ underP, underQ }: LossCumulants, epsilon: number): number {
  const gamma = (c: Cumulants): number =>
    (0.56 * UP * c.absoluteThird) / (c.variance * Math.sqrt(c.variance));
  const above = normalTail(underQ, epsilon) + gamma(underQ);
  const below = Math.max(0, normalTail(underP, epsilon) - gamma(underP));
  return Math.min(1, above - (below > 0 ? exp(epsilon) * below : 0));
}

/**
 * δ(ε) with the Edgeworth expansions of both tails, by skewness and kurtosis (Wang et al. 2022; Feller II, XVI.4). An approximation: no bound of its
 * error is known.
 */
export function edgeworthDelta({ underP, underQ }: LossCumulants, epsilon: number): number {
  const below = edgeworthTail(underP, epsilon);
  const value = edgeworthTail(underQ, epsilon) - (below > 0 ? exp(epsilon) * below : 0);
  return Math.min(1, Math.max(0, value));
}

function edgeworthTail(c: Cumulants, epsilon: number): number {
  const deviation = Math.sqrt(c.variance);
  const x = (epsilon - c.mean) / deviation;
  const skew = c.third / (c.variance * deviation);
  const kurtosis = c.fourth / (c.variance * c.variance);
  const square = x * x;
  const second = square - 1;
  const third = x * (square - 3);
  const fifth = x * (square * (square - 10) + 15);
  const correction = (skew / 6) * second + (kurtosis / 24) * third + ((skew * skew) / 72) * fifth;
  const density = exp(-square / 2) * INVERSE_SQRT_2PI;
  return normalCdf(-x) + density * correction;
}

/**
 * μ of the Gaussian limit (GDP thm 3.5): 2kl/√(κ₂ − kl²) for symmetric pairs, else the larger direction's. An approximation of a run with finitely
 * many steps, without a bound of its error.
 */
export function limitMuOf(directions: readonly LossCumulants[]): number {
  return Math.max(
    ...directions.map(({ underP, underQ }) => (underQ.mean - underP.mean) / Math.sqrt(underP.variance)),
  );
}

/**
 * μ of several phases of DP-SGD in the limit of many steps at small rates: approximations that are known to be optimistic. Undefined unless every
 * step is a Gaussian on a sample.
 */
export function phaseLimits(
  steps: readonly Step[],
): { poisson: number; withoutReplacement: number } | undefined {
  let [poisson, withoutReplacement] = [0, 0];
  for (const { mechanism, sampling, rate, count } of steps) {
    const mu = gaussianMuOf(mechanism);
    if (mu === undefined || mu === Infinity || sampling === 'all') return undefined;
    const limits = dpSgdLimits({ noiseMultiplier: 1 / mu, samplingRate: rate, steps: count });
    poisson += limits.poisson ** 2;
    withoutReplacement += limits.withoutReplacement ** 2;
  }
  if (steps.length === 0) return undefined;
  return { poisson: Math.sqrt(poisson), withoutReplacement: Math.sqrt(withoutReplacement) };
}
