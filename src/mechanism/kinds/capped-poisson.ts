import { requireProbability } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { branchedPair, displacedLaw, withoutReplacementLaw } from '../../law/joined-laws.js';
import { cellLaw } from '../../law/lattice/cell-law.js';
import { mixturePair } from '../../law/mixture-pair.js';
import { NOTHING, sideOf } from '../../law/mixture-side.js';
import type { Branch, Pair } from '../../law/pair.js';
import { BRANCHED } from '../../methods/families/branched.js';
import { MIXTURE } from '../../methods/families/mixture.js';
import { logLowerTail, logUpperTail, MOST_TRIALS } from '../../numeric/binomial.js';
import { U } from '../../numeric/constants.js';
import { down, FEW_ROUNDINGS, FUNCTION_ERROR, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, made, whole, zeroOr } from '../kind.js';
import { asGaussian, noNoise } from './gaussian.js';
import { GAUSSIAN_MIXTURE_KIND, REPLACED_GAUSSIAN_KIND } from './gaussian-mixture.js';

/**
 * A Gaussian step on a Poisson sample that is cut to a uniformly random subset where it has more than `batchCap` records (truncated
 * Poisson). The sum is divided by a public constant, its size is not published. Rate 1 is a sample of fixed size.
 */
export interface CappedPoisson {
  readonly kind: 'capped-poisson';
  /** Noise standard deviation over the sensitivity of a batch's sum: 0 (no privacy, ε = ∞) or 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** q, [0, 1]. */
  readonly rate: number;
  /** n, the record in question included: 1 … 1e9. */
  readonly datasetSize: number;
  /** B, 1 … 1e9. */
  readonly batchCap: number;
  /** Set by the account: one record is replaced by another instead of left out. */
  readonly replaced?: true;
  /** Set by comparisons: the pair that another system uses for a full batch. */
  readonly published?: 'ganesh' | 'google';
}

/**
 * A step of DP-SGD on a Poisson sample of which at most `batchCap` records are kept; noise relative to the clipping norm.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * cappedPoisson({ noiseMultiplier: 1, rate: 0.02, datasetSize: 50000, batchCap: 1100 }).kind; // 'capped-poisson'
 */
export function cappedPoisson(
  options: Omit<CappedPoisson, 'kind' | 'replaced' | 'published'>,
): CappedPoisson {
  return built(CAPPED_POISSON_KIND, options);
}

/** How often a batch capped at B records is full, without the record. */
interface Capping {
  /** p = P[Bin(n−1, q) ≥ B], the probability that the batch is full without the record; 1 − p; and their relative error. */
  readonly full: number;
  readonly rest: number;
  readonly relative: number;
  /** q′ = P[Bin(n, q) ≥ B+1]·B/(np), the probability that the record is then kept: upper and lower bound. */
  readonly kept: number;
  readonly keptBelow: number;
}

/** Probabilities below this count as this: δ of a step changes by no more. */
const LEAST = 1e-290;

/** Ensures: `full` and `rest` to `relative`, but for 1e-290; `kept` no smaller and `keptBelow` no larger than q′. */
export function cappingOf({ rate, datasetSize: n, batchCap: cap }: CappedPoisson): Capping | undefined {
  if (cap >= n) return undefined;
  // error of the log odds: a few roundings, which tails magnify at most n times
  const logit = log(rate) - log1p(-rate);
  const off = rate === 1 ? 0 : FUNCTION_ERROR * (1 + Math.abs(logit));
  const [low, high] = [logit - off, logit + off];
  const logFull = [logUpperTail(n - 1, cap, low).lower, logUpperTail(n - 1, cap, high).upper];
  const logMore = [logUpperTail(n, cap + 1, low).lower, logUpperTail(n, cap + 1, high).upper];
  const full = Math.max(LEAST, exp(logFull[1]));
  const logRest = [logLowerTail(n - 1, cap - 1, high).lower, logLowerTail(n - 1, cap - 1, low).upper];
  const share = log(cap / n);
  const width = ([from, to]: number[]): number => (exp(to) > LEAST ? to - from : 0);
  return {
    full: Math.min(1, full),
    rest: exp(logRest[1]),
    relative: Math.max(width(logFull), width(logRest)) + FEW_ROUNDINGS,
    kept: Math.min(1, up(exp(logMore[1] - logFull[0] + share), ROUNDINGS) || rate),
    keptBelow: Math.min(1, down(exp(logMore[0] - logFull[1] + share), ROUNDINGS) || 0),
  };
}

/**
 * Lower bound of the probability that the record is in the batch.
 *
 * Ensures: no larger than that probability.
 */
function keptBelowOf(m: CappedPoisson): number {
  const capping = m.rate === 0 ? undefined : cappingOf(m);
  if (capping === undefined) return m.rate;
  const { full, rest, keptBelow, relative } = capping;
  return Math.min(1, (rest * m.rate + full * keptBelow) * (1 - relative - ROUNDINGS));
}

/**
 * A mixture: whether the batch was full without the record is published at every step.
 *
 * Ensures: the pair dominates the release; with `published` it is the published pair.
 */
function pairOfCapped(mechanism: CappedPoisson): Pair {
  const { noiseMultiplier: sigma, rate, replaced, published } = mechanism;
  const mu = 1 / sigma;
  const capping = cappingOf(mechanism);
  const own = sideOf(mu, rate);
  const replacedPair = mixturePair(own, replaced ? own : NOTHING);
  if (capping === undefined) return replacedPair;
  const { full, rest, relative, kept } = capping;
  const plain = replaced ? replacedPair : gaussianPair(sigma);
  const open: Branch = {
    weight: rest,
    law: (direction) => cellLaw(plain, replaced ? 1 : rate, direction),
  };
  const met = sideOf(2 * mu, kept);
  const closed: Branch = {
    weight: full,
    law: (direction) => {
      if (published !== undefined) {
        const against = replaced || published === 'google' ? met : sideOf(mu, kept);
        return cellLaw(mixturePair(met, against), 1, direction);
      }
      return replaced
        ? withoutReplacementLaw(gaussianPair(sigma / 2), kept)
        : displacedLaw(sigma, kept, direction);
    },
  };
  return branchedPair([...(rest > 0 ? [open] : []), closed], relative, {
    tailMu: replaced ? 2 * mu : mu,
    gdpMu: up(2 * mu, 8 * U),
  });
}

export const CAPPED_POISSON_KIND: Kind<CappedPoisson> = {
  name: 'capped-poisson',
  families: [MIXTURE, BRANCHED],
  title: 'Capped Poisson sample',
  standing: 'bound',
  adjacency: 'zero-out; replace-one by a pair of its own',
  tail: 'Gaussian, mu_t = 1/noiseMultiplier (at most twice that under replace-one)',
  source: 'Ganesh 2025; docs/proofs/capped-poisson.md',
  drawing: 'capped-poisson',
  fields: {
    noiseMultiplier: zeroOr(1e-3, 1e6),
    rate: requireProbability,
    datasetSize: whole(1, MOST_TRIALS),
    batchCap: whole(1, MOST_TRIALS),
  },
  describe: ({ noiseMultiplier, rate, datasetSize, batchCap }) =>
    `Gaussian on a Poisson sample of rate ${shortDecimal(rate)} of ${datasetSize} records, at most ${batchCap} of them, noise multiplier ${shortDecimal(noiseMultiplier)}`,
  pair: pairOfCapped,
  doubled: (m) => ({ ...m, replaced: true }),
  revealsNothing: ({ rate }) => rate === 0,
  sampled: (m) => {
    const { noiseMultiplier, rate, datasetSize, batchCap, replaced } = m;
    if (noiseMultiplier === 0) return noNoise(keptBelowOf(m));
    if (batchCap < datasetSize || rate === 0) return undefined;
    return replaced
      ? { rate: 1, mechanism: made(REPLACED_GAUSSIAN_KIND, { noiseMultiplier, rate }) }
      : asGaussian(noiseMultiplier, rate);
  },
  attacks: (m, adjacency) => {
    if (m.rate === 0 || m.noiseMultiplier === 0 || m.batchCap >= m.datasetSize) return [];
    // if all other gradients are 0, it is a Poisson sample at the rate with which the record is in the batch
    const rate = keptBelowOf(m);
    const { noiseMultiplier } = m;
    return adjacency === 'replace-one'
      ? [made(REPLACED_GAUSSIAN_KIND, { noiseMultiplier, rate })]
      : [
          made(GAUSSIAN_MIXTURE_KIND, {
            noiseMultiplier,
            sensitivities: [0, 1],
            probabilities: [1 - rate, rate],
          }),
        ];
  },
  rank: ({ noiseMultiplier, ...common }) => ({
    common: JSON.stringify(common),
    order: -noiseMultiplier,
    size: Math.sqrt(log1p(common.rate * expm1(Math.min(50, 1 / noiseMultiplier / noiseMultiplier)))),
  }),
};
