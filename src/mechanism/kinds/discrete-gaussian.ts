import { atomicPair, discreteGaussianAtoms } from '../../law/atomic-pair.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, requireRatio, whole, zeroOr } from '../kind.js';
import { noNoise } from './gaussian.js';

/** Integer query plus noise k with probability ∝ e^{−k²/2σ²} (Canonne, Kamath, Steinke 2020). */
export interface DiscreteGaussian {
  readonly kind: 'discrete-gaussian';
  /** σ in [0.05, 1e4], in units of the query; 0 is no privacy, ε = ∞. */
  readonly sigma: number;
  /** A whole number from 1 to 1e6, with sensitivity/σ ≤ 50. */
  readonly sensitivity: number;
}

/**
 * Discrete Gaussian noise on an integer query.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `DiscreteGaussian`.
 * @example
 * account(engine, discreteGaussian({ sigma: 2, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 2.01134
 */
export function discreteGaussian(options: Omit<DiscreteGaussian, 'kind'>): DiscreteGaussian {
  return requireRatio(built(DISCRETE_GAUSSIAN_KIND, options), 'sigma', 0, 50);
}

export const DISCRETE_GAUSSIAN_KIND: Kind<DiscreteGaussian> = {
  name: 'discrete-gaussian',
  families: [ATOMS],
  title: 'Discrete Gaussian noise',
  standing: 'exact',
  tail: 'Gaussian, mu_t = sensitivity/sigma',
  source: 'Canonne, Kamath, Steinke 2020',
  fields: { sigma: zeroOr(0.05, 1e4), sensitivity: whole(1, 1e6) },
  build: discreteGaussian,
  describe: (m) => `discrete Gaussian, sigma ${shortDecimal(m.sigma)}, sensitivity ${m.sensitivity}`,
  pair: (m) => atomicPair(discreteGaussianAtoms(m.sigma, m.sensitivity)),
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.sigma === 0 ? noNoise() : undefined),
  // Canonne, Kamath, Steinke 2020, prop. 5
  rho: (m) => (m.sensitivity / m.sigma) ** 2 / 2,
  rank: (m) => ({ common: m.sensitivity, order: -m.sigma, size: m.sensitivity / m.sigma, blended: true }),
};
