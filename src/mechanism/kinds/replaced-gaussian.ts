import { mixturePair } from '../../law/mixture-pair.js';
import { sideOf } from '../../law/mixture-side.js';
import { MIXTURE } from '../../methods/families/mixture.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, type Kind } from '../kind.js';
import { asGaussian } from './gaussian.js';

/**
 * Gaussian noise on a Poisson sample in which one record is replaced: (1−q)N(0, σ²) + qN(−1, σ²) against (1−q)N(0, σ²) + qN(1, σ²). What
 * Poisson-subsampled Gaussian steps are under replace-one adjacency (docs/proofs/sampling.md).
 */
export interface ReplacedGaussian {
  readonly kind: 'replaced-gaussian';
  /** Noise standard deviation over the sensitivity to adding one record: 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** q, 1e-290 … 1. */
  readonly rate: number;
}

/**
 * A Gaussian step on a Poisson sample, one record replaced by another.
 *
 * @throws TypeError | RangeError if `noiseMultiplier` is not in [1e-9, 1e9] or `rate` not in [1e-290, 1].
 * @example
 * account(engine, replacedGaussian({ noiseMultiplier: 2, rate: 0.1 }), { adjacency: 'replace-one' }).epsilon(1e-5).upper; // 0.460413
 */
export function replacedGaussian(options: Omit<ReplacedGaussian, 'kind'>): ReplacedGaussian {
  return built(REPLACED_GAUSSIAN_KIND, options);
}

export const REPLACED_GAUSSIAN_KIND: Kind<ReplacedGaussian> = {
  name: 'replaced-gaussian',
  families: [MIXTURE],
  title: 'Poisson sample, one record replaced',
  standing: 'exact',
  tail: 'Gaussian, mu_t = 1/noiseMultiplier (twice that at rate 1)',
  source: 'Lebeda, Regehr, Kamath, Steinke 2025, prop. 13',
  adjacencies: ['replace-one'],
  fields: { noiseMultiplier: between(1e-9, 1e9), rate: 'a number in [1e-290, 1]' },
  build: replacedGaussian,
  describe: (m) =>
    `Gaussian on a Poisson sample of rate ${shortDecimal(m.rate)}, one record replaced, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: ({ noiseMultiplier, rate }) => {
    const side = sideOf(1 / noiseMultiplier, rate);
    return mixturePair(side, side);
  },
  sampled: (m) => (m.rate === 1 ? asGaussian(m.noiseMultiplier / 2) : undefined),
};
