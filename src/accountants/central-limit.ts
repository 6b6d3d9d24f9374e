/** δ(ε) of a run from the first moments of its privacy loss: approximations by central limit theorems, and the bound of Berry and Esseen. */
import { gaussianMuOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { INVERSE_SQRT_2PI } from '../numeric/constants.js';
import { exp, normalCdf } from '../numeric/scalar.js';
import { dpSgdLimits } from '../tradeoff/clt.js';
import type { Cumulants, LossCumulants } from './loss-moments.js';

/** Factor above the relative error of the moments, which are computed by quadrature. Correctness of the bound depends on it. */
const UP = 1 + 1e-4;

/** Pr[L > ε] = Φ((mean − ε)/√variance) of a normal L, with a few roundings. */
function normalTail({ mean, variance }: Cumulants, epsilon: number): number {
  return normalCdf((mean - epsilon) / Math.sqrt(variance));
}

/**
 * Berry–Esseen bound with Shevtsova's constant 0.56, as in GDP thm 3.4. δ(ε) = Pr_Q[L > ε] − e^ε Pr_P[L > ε], L the loss of the run. Each probability is
 * within γ = 0.56 Σ E|L_i − E L_i|³/(Var L)^{3/2} of that of a normal law, L_i the losses of the steps. The pair need not be symmetric.
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

/**
 * Edgeworth's expansion of Pr[L > ε]: with x = (ε − mean)/√variance, 1 − Φ(x) + φ(x)(s/6 H₂ + k/24 H₃ + s²/72 H₅). H are Hermite polynomials at x, s the
 * skewness and k the excess kurtosis. An approximation, without a bound of its error.
 */
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
 * μ of the Gaussian limit (GDP thm 3.5): (E_Q L − E_P L)/√Var_P L, which is 2kl/√(κ₂ − kl²) for symmetric pairs; the larger of the directions. For a
 * finite number of steps it is an approximation, without a bound of its error.
 */
export function limitMuOf(directions: readonly LossCumulants[]): number {
  return Math.max(
    ...directions.map(({ underP, underQ }) => (underQ.mean - underP.mean) / Math.sqrt(underP.variance)),
  );
}

/**
 * μ of several phases of DP-SGD in the limit of many steps at small rates (`dpSgdLimits`): approximations, which are mostly below the exact μ. Undefined
 * unless every step is a Gaussian on a sample.
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
