import { requireBoolean, wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, type Kind, oneOf, unless, zeroOr } from '../kind.js';
import { asGaussian } from './gaussian.js';

/**
 * One step of adaptive clipping (Andrew, Thakkar, McMahan, Ramaswamy 2021). On one sample of records it releases a noisy sum of
 * clipped gradients, and a noisy count of those below the clipping norm. The count sets the next norm.
 */
export interface AdaptiveClipping {
  readonly kind: 'adaptive-clipping';
  /** Noise multiplier of the sum of gradients: 0 or 1e-9 … 1e9. If `total` is set, that of sum and count together. */
  readonly noiseMultiplier: number;
  /** Standard deviation σ_b of the noise of the count: 1e-9 … 1e9. */
  readonly countNoise: number;
  /** 'centred': a record adds −½ or ½ to the count. 'raw': 0 or 1. */
  readonly count: 'centred' | 'raw';
  /** Set if `noiseMultiplier` is that of sum and count together, from which the noise of the sum follows. */
  readonly total?: boolean;
}

/** Largest contribution of a record to the count. */
const SHARE = { centred: 0.5, raw: 1 } as const;

/**
 * A step of DP-SGD with adaptive clipping. Sum and count together are one Gaussian of noise multiplier (z⁻² + (s/σ_b)²)^(−½)
 * (docs/proofs/sampling.md). z is that of the sum; s is ½ for a centred count and 1 for a raw one. Put it on a Poisson sample with
 * `poissonSubsampled`.
 *
 * @throws TypeError | RangeError if `noiseMultiplier` is neither 0 nor in [1e-9, 1e9], or `countNoise` not in [1e-9, 1e9]; if `count` is not stated;
 * or if a total is not below the noise multiplier of the count alone, 2σ_b or σ_b.
 * @example
 * const step = adaptiveClipping({ noiseMultiplier: 1, countNoise: 10, count: 'centred' });
 * account(engine, step, { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 4.38351
 */
export function adaptiveClipping(options: Omit<AdaptiveClipping, 'kind'>): AdaptiveClipping {
  const mechanism = built(ADAPTIVE_CLIPPING_KIND, options);
  const { noiseMultiplier, countNoise, count, total } = mechanism;
  const most = countNoise / SHARE[count];
  if (total && !(noiseMultiplier < most))
    throw wrongValue(
      'noiseMultiplier',
      `below ${shortDecimal(most)} where it is the total: the count alone has no more noise than that`,
      noiseMultiplier,
    );
  return mechanism;
}

/** (a⁻² ± b⁻²)^(−½), computed without overflow. */
function joined(a: number, b: number, sign: 1 | -1): number {
  const ratio = a / b;
  return a / Math.sqrt(1 + sign * ratio * ratio);
}

/** The noise multiplier of the one Gaussian that is equivalent to sum and count together. */
function noiseOf({ noiseMultiplier, countNoise, count, total }: AdaptiveClipping): number {
  if (total === true || noiseMultiplier === 0) return noiseMultiplier;
  return joined(noiseMultiplier, countNoise / SHARE[count], 1);
}

/** The noise multiplier of the sum alone: as stated, or derived from the total and the count's noise. */
function noiseOfSum({ noiseMultiplier, countNoise, count, total }: AdaptiveClipping): number {
  return total === true ? joined(noiseMultiplier, countNoise / SHARE[count], -1) : noiseMultiplier;
}

export const ADAPTIVE_CLIPPING_KIND: Kind<AdaptiveClipping> = {
  name: 'adaptive-clipping',
  families: ['gaussian'],
  title: 'Adaptive clipping',
  standing: 'exact',
  tail: 'Gaussian, mu_t of sum and count together',
  source: 'Andrew and others 2021, thm 1',
  adjacencies: ['add-remove', 'zero-out'],
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    countNoise: between(1e-9, 1e9),
    count: oneOf('centred', 'raw'),
    'total?': unless(false, requireBoolean),
  },
  build: adaptiveClipping,
  describe: (m) =>
    `Adaptive clipping, noise multiplier ${shortDecimal(noiseOfSum(m))} of the sum, noise ${shortDecimal(m.countNoise)} of a ${m.count} count`,
  pair: (m) => gaussianPair(noiseOf(m)),
  revealsAll: (m) => m.noiseMultiplier === 0,
  sampled: (m) => asGaussian(noiseOf(m)),
};
