import { wrongValue } from '../../errors.js';
import { atomicPair, discreteGaussianPair } from '../../law/atomic-pair.js';
import { discreteSumAtoms, lackOfSum } from '../../law/discrete-sum.js';
import { listedGaussian } from '../../law/integer-noise.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, requireRatio, unless, whole, zeroOr } from '../kind.js';
import { noNoise } from './gaussian.js';

/** Integer query plus noise k with probability ∝ e^{−k²/2σ²} (Canonne, Kamath, Steinke 2020), or the sum of such noise of several parties. */
export interface DiscreteGaussian {
  readonly kind: 'discrete-gaussian';
  /** σ in [0.05, 1e4], in units of the query; 0 is no privacy, ε = ∞. */
  readonly sigma: number;
  /** Largest change of the query by one record: a whole number from 1 to 1e6, with sensitivity/σ ≤ 50. */
  readonly sensitivity: number;
  /** Number of parties that each add such noise, 1 … 1e6; 1 unless given. Then sensitivity/(σ√parties) is at most 50, and σ√parties at most 1e4. */
  readonly parties?: number;
}

/**
 * Discrete Gaussian noise on an integer query.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `DiscreteGaussian`.
 * @example
 * account(engine, discreteGaussian({ sigma: 2, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 2.01134
 */
export function discreteGaussian(options: Omit<DiscreteGaussian, 'kind'>): DiscreteGaussian {
  const mechanism = built(DISCRETE_GAUSSIAN_KIND, options);
  const { sigma, sensitivity, parties } = mechanism;
  if (parties === undefined || sigma === 0) return requireRatio(mechanism, 'sigma', 0, 50);
  const lack = lackOfSum(sigma, parties, sensitivity);
  if (lack === undefined) return mechanism;
  throw wrongValue('parties', `such that ${lack} (sigma is ${sigma})`, parties);
}

export const DISCRETE_GAUSSIAN_KIND: Kind<DiscreteGaussian> = {
  name: 'discrete-gaussian',
  families: ['atoms'],
  title: 'Discrete Gaussian noise',
  standing: 'exact',
  tail: 'Gaussian, mu_t = sensitivity/(sigma √parties)',
  source: 'Canonne, Kamath, Steinke 2020; docs/proofs/integer-noise.md 5',
  fields: { sigma: zeroOr(0.05, 1e4), sensitivity: whole(1, 1e6), 'parties?': unless(1, whole(1, 1e6)) },
  build: discreteGaussian,
  describe: (m) =>
    `discrete Gaussian, sigma ${shortDecimal(m.sigma)}, sensitivity ${m.sensitivity}${m.parties === undefined ? '' : `, of ${m.parties} parties`}`,
  pair: ({ sigma, sensitivity, parties }) =>
    parties === undefined
      ? discreteGaussianPair(sigma, sensitivity)
      : atomicPair(discreteSumAtoms(sigma, parties, sensitivity)),
  noise: ({ sigma, sensitivity, parties }) =>
    parties === undefined
      ? { deviation: sigma, change: sensitivity, listed: (depth) => listedGaussian(sigma, depth) }
      : undefined,
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.sigma === 0 ? noNoise() : undefined),
  // ρ = sensitivity²/2σ²: Canonne, Kamath, Steinke 2020, prop. 5; no such bound is known for sums
  rho: (m) => (m.parties === undefined ? (m.sensitivity / m.sigma) ** 2 / 2 : undefined),
  rank: (m) =>
    m.parties === undefined
      ? { common: m.sensitivity, order: -m.sigma, size: m.sensitivity / m.sigma, blended: true }
      : undefined,
};
