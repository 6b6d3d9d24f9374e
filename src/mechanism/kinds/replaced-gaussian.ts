import { mixturePair } from '../../law/mixture-pair.js';
import type { Side } from '../../law/mixture-side.js';
import { MIXTURE } from '../../methods/families/mixture.js';
import { shortDecimal } from '../../text/decimal.js';
import { between } from '../checks.js';
import type { Kind } from '../kind.js';
import { built, made } from '../made.js';
import { GAUSSIAN_KIND } from './gaussian.js';

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
  return built(REPLACED_GAUSSIAN_KIND, 'replacedGaussian', options);
}

function sideOf({ noiseMultiplier, rate }: ReplacedGaussian): Side {
  const mu = 1 / noiseMultiplier;
  return rate === 1
    ? { shift: Float64Array.of(mu), weight: Float64Array.of(1) }
    : { shift: Float64Array.of(0, mu), weight: Float64Array.of(1 - rate, rate) };
}

export const REPLACED_GAUSSIAN_KIND: Kind<ReplacedGaussian> = {
  name: 'replaced-gaussian',
  families: [MIXTURE],
  facts: {
    title: 'Poisson sample, one record replaced',
    standing: 'exact',
    tail: 'Gaussian, mu_t = 1/noiseMultiplier (twice that at rate 1)',
    source: 'Lebeda, Regehr, Kamath, Steinke 2025, prop. 13',
  },
  adjacencies: ['replace-one'],
  fields: { noiseMultiplier: between(1e-9, 1e9), rate: 'a number in [1e-290, 1]' },
  build: replacedGaussian,
  describe: (m) =>
    `Gaussian on a Poisson sample of rate ${shortDecimal(m.rate)}, one record replaced, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: (m) => mixturePair(sideOf(m), sideOf(m)),
  sampled: (m) =>
    m.rate === 1
      ? {
          rate: 1,
          mechanism: made(GAUSSIAN_KIND, { noiseMultiplier: m.noiseMultiplier / 2 }),
        }
      : undefined,
};
