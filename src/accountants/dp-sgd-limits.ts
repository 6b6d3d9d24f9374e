import { gaussianMuOf } from '../mechanism/pairs.js';
import type { Step } from '../mechanism/steps.js';
import { dpSgdLimits } from '../tradeoff/clt.js';

/** μ of several phases of DP-SGD in the limit of many steps at small rates (approximations, known to be optimistic); undefined unless every step is a Gaussian on a sample. */
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
