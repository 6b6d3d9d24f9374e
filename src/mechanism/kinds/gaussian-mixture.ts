import { requireList, requireNumber, wrongValue } from '../../errors.js';
import { mixturePair } from '../../law/mixture-pair.js';
import { NOTHING, type Side, sideOf } from '../../law/mixture-side.js';
import { U } from '../../numeric/constants.js';
import { LONG_SUM } from '../../numeric/rounding.js';
import { expm1, log1p } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, checkedFields, type Kind, made, zeroOr } from '../kind.js';
import { asGaussian } from './gaussian.js';

/**
 * Gaussian noise of standard deviation σ on a sum that the record shifts by one of several distances. It is N(0, σ²) without the record, Σ p_i N(c_i,
 * σ²) with it. Vectors are represented by their norms (docs/proofs/sampling.md). The neighbours differ by adding, removing or zeroing out what causes
 * the shift.
 */
export interface GaussianMixture {
  readonly kind: 'gaussian-mixture';
  /** Standard deviation σ of the noise, in units of the sensitivities: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Distances c_i ≥ 0, ascending. */
  readonly sensitivities: readonly number[];
  /** Probabilities p_i ≥ 0 of the distances, with sum 1 within 1e-12. */
  readonly probabilities: readonly number[];
}

/** Largest number of components of a mixture. */
export const MAX_PARTS = 1025;

/**
 * Gaussian noise on a sum that the record shifts by one of several distances at random. Distances of probability 0 are dropped, equal ones merged, and
 * all sorted.
 *
 * @throws TypeError | RangeError if `noiseMultiplier` is neither 0 nor in [1e-9, 1e9], or a sensitivity is not 0 or in [1e-9, 1e9]; if a probability
 * is not 0 or in [1e-290, 1], the lists differ in length, or the probabilities do not sum to 1 within 1e-12.
 * @example
 * const records = gaussianMixture({ noiseMultiplier: 2, sensitivities: [0, 1, 2], probabilities: [0.81, 0.18, 0.01] });
 * account(engine, records, { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 0.812075
 */
export function gaussianMixture(options: Omit<GaussianMixture, 'kind'>): GaussianMixture {
  const stated = checkedFields('gaussianMixture', options, GAUSSIAN_MIXTURE_KIND);
  const { noiseMultiplier, sensitivities, probabilities } = stated as unknown as GaussianMixture;
  if (sensitivities.length !== probabilities.length)
    throw wrongValue(
      'probabilities',
      `as many as sensitivities (${sensitivities.length})`,
      probabilities.length,
    );
  const parts = new Map<number, number>();
  let sum = 0;
  sensitivities.forEach((given, i) => {
    const c = requireNumber(`sensitivities[${i}]`, given, zeroOr(1e-9, 1e9));
    const p = requireNumber(`probabilities[${i}]`, probabilities[i], '0 or a number in [1e-290, 1]');
    sum += p;
    if (p > 0) parts.set(c, (parts.get(c) ?? 0) + p);
  });
  if (!(Math.abs(sum - 1) <= LONG_SUM))
    throw wrongValue('probabilities', 'numbers with sum 1 within 1e-12', sum);
  const sorted = [...parts].sort(([a], [b]) => a - b);
  return made(GAUSSIAN_MIXTURE_KIND, {
    noiseMultiplier,
    sensitivities: sorted.map(([c]) => c),
    probabilities: sorted.map(([, p]) => p),
  });
}

/** A check of a list of at most MAX_PARTS numbers. */
const listed = (name: string, list: unknown) => requireList(name, list, 'numbers', 1, MAX_PARTS);

/** All components as one side of a pair of mixtures: distances in units of σ, and probabilities divided by their sum. */
function allParts({ noiseMultiplier, sensitivities, probabilities }: GaussianMixture): Side {
  const total = probabilities.reduce((sum, p) => sum + p, 0);
  return {
    shift: Float64Array.from(sensitivities, (c) => c / noiseMultiplier),
    weight: Float64Array.from(probabilities, (p) => p / total),
  };
}

/**
 * The probability of the components with a distance above 0, if the mixture equals a Poisson sample of that rate. Undefined if its complement differs
 * from the stated probability of distance 0 by more than a few roundings. The direction 'add' depends on that probability alone, however small it is.
 */
function rateOf({ sensitivities, probabilities }: GaussianMixture): number | undefined {
  if (sensitivities[0] > 0) return 1;
  const [rest, ...moved] = probabilities;
  const rate = moved.reduce((sum, p) => sum + p, 0);
  return Math.abs(1 - rate - rest) <= 4 * U * rest ? rate : undefined;
}

export const GAUSSIAN_MIXTURE_KIND: Kind<GaussianMixture> = {
  name: 'gaussian-mixture',
  families: ['mixture'],
  title: 'Mixture of Gaussians',
  standing: 'exact',
  tail: 'Gaussian, mu_t = largest sensitivity/noiseMultiplier',
  source: 'Choquette-Choo et al. 2024, cor. 4.7',
  adjacencies: ['add-remove', 'zero-out'],
  fields: { noiseMultiplier: zeroOr(1e-9, 1e9), sensitivities: listed, probabilities: listed },
  build: gaussianMixture,
  describe: ({ noiseMultiplier, sensitivities }) =>
    `mixture of ${sensitivities.length} Gaussians up to ${shortDecimal(sensitivities[sensitivities.length - 1])} apart, noise ${shortDecimal(noiseMultiplier)}`,
  pair: (m) => mixturePair(allParts(m), NOTHING),
  revealsNothing: (m) => m.sensitivities[m.sensitivities.length - 1] === 0,
  revealsAll: (m) => m.noiseMultiplier === 0,
  sampled: (m) => {
    const rate = rateOf(m);
    if (rate === undefined) return undefined;
    const from = m.sensitivities[0] === 0 ? 1 : 0;
    const [c, ...others] = m.sensitivities.slice(from);
    if (c === undefined) return undefined;
    if (others.length === 0) return asGaussian(m.noiseMultiplier / c, rate);
    if (from === 0) return undefined;
    const probabilities = m.probabilities.slice(from).map((p) => p / rate);
    return { rate, mechanism: { ...m, sensitivities: m.sensitivities.slice(from), probabilities } };
  },
  rank: (m) => ({
    common: JSON.stringify([m.sensitivities, m.probabilities]),
    order: -m.noiseMultiplier,
    size: sizeOf(m),
  }),
};

/** Heuristic: the μ of a Gaussian with about the same second moment e^{μ²} of the likelihood ratio. */
function sizeOf({ noiseMultiplier, sensitivities, probabilities }: GaussianMixture): number {
  const most = sensitivities.reduce(
    (sum, c, i) => sum + probabilities[i] * expm1(half(c / noiseMultiplier)),
    0,
  );
  return Math.sqrt(2 * log1p(most));
}

/** x²/2, at most 25 to avoid overflow. */
function half(x: number): number {
  return Math.min(25, (x * x) / 2);
}

/**
 * Gaussian noise on a Poisson sample of rate q in which one record is replaced. The pair is (1−q)N(0, σ²) + qN(−1, σ²) against (1−q)N(0, σ²) + qN(1,
 * σ²). Poisson-subsampled Gaussian steps have this pair under replace-one adjacency (docs/proofs/sampling.md, 3).
 */
export interface ReplacedGaussian {
  readonly kind: 'replaced-gaussian';
  /** Noise standard deviation over the sensitivity to adding one record: 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** Sampling rate q, 1e-290 … 1. */
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
  families: ['mixture'],
  title: 'Poisson sample, one record replaced',
  standing: 'exact',
  tail: 'Gaussian, mu_t = 1/noiseMultiplier (twice that at rate 1)',
  source: 'Lebeda, Regehr, Kamath, Steinke 2025, prop. 13',
  adjacencies: ['replace-one'],
  fields: { noiseMultiplier: between(1e-9, 1e9), rate: 'a number in [1e-290, 1]' },
  describe: (m) =>
    `Gaussian on a Poisson sample of rate ${shortDecimal(m.rate)}, one record replaced, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: ({ noiseMultiplier, rate }) => {
    const side = sideOf(1 / noiseMultiplier, rate);
    return mixturePair(side, side);
  },
  sampled: (m) => (m.rate === 1 ? asGaussian(m.noiseMultiplier / 2) : undefined),
  rank: ({ noiseMultiplier, rate }) => ({ order: -noiseMultiplier, size: 2 / noiseMultiplier, rate }),
};
