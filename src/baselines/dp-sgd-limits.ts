import { gaussianMuOf } from '../law/law-of.js';
import type { Step } from '../mechanism/steps.js';
import { exp, expm1, normalCdf } from '../scalar.js';

/** μ of DP-SGD in the limit of many steps at small rates: approximations, known to be optimistic. */
export interface DpSgdLimits {
  /** Poisson sampling, √Σ q²T(e^{1/σ²} − 1) (Bu, Dong, Long, Su 2020; GDP §5). */
  readonly poisson: number;
  /** Symmetrised, √Σ 2q²T(e^{1/σ²}Φ(3/2σ) + 3Φ(−1/2σ) − 2) (GDP cor. 5.4). */
  readonly symmetrised: number;
}

/** Undefined unless every step is a Gaussian on a sample. */
export function dpSgdLimits(steps: readonly Step[]): DpSgdLimits | undefined {
  let poisson = 0;
  let symmetrised = 0;
  for (const { mechanism, sampling, rate, count } of steps) {
    const mu = gaussianMuOf(mechanism);
    if (mu === undefined || sampling === 'all') return undefined;
    const each = rate * rate * count;
    poisson += each * expm1(mu * mu);
    symmetrised += each * 2 * (exp(mu * mu) * normalCdf(1.5 * mu) + 3 * normalCdf(-0.5 * mu) - 2);
  }
  return steps.length === 0
    ? undefined
    : { poisson: Math.sqrt(poisson), symmetrised: Math.sqrt(symmetrised) };
}
