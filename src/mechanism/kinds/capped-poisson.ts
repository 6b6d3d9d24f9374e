import { requireProbability } from '../../errors.js';
import type { Displacing } from '../../law/displaced-law.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { branchedPair } from '../../law/joined-laws.js';
import { cellLaw } from '../../law/lattice/cell-law.js';
import { mixturePair } from '../../law/mixture-pair.js';
import { NOTHING, sideOf } from '../../law/mixture-side.js';
import type { Branch, Pair } from '../../law/pair.js';
import { methods } from '../../methods/brought/methods.js';
import { logLowerTail, logProbability, logUpperTail, MOST_TRIALS } from '../../numeric/binomial.js';
import { U } from '../../numeric/constants.js';
import { down, FEW_ROUNDINGS, FUNCTION_ERROR, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, made, whole, zeroOr } from '../kind.js';
import { asGaussian, noNoise } from './gaussian.js';
import { GAUSSIAN_MIXTURE_KIND, REPLACED_GAUSSIAN_KIND } from './gaussian-mixture.js';

/**
 * A Gaussian step on a Poisson sample that is cut to a uniformly random subset if it has more than `batchCap` records (truncated Poisson). The sum is
 * divided by a public constant; the size of the batch is not published. Rate 1 is a sample of fixed size.
 */
export interface CappedPoisson {
  readonly kind: 'capped-poisson';
  /** Noise standard deviation over the sensitivity of a batch's sum: 0 (no privacy, ε = ∞) or 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** Sampling rate q, [0, 1]. */
  readonly rate: number;
  /** Number n of records, the one in question included: 1 … 1e9. */
  readonly datasetSize: number;
  /** Largest batch size B, 1 … 1e9. */
  readonly batchCap: number;
  /** Set by the account: one record is replaced by another instead of being left out. */
  readonly replaced?: true;
  /** Set by the account: a full batch is accounted as one where the record displaces another one. If not set, it is accounted as a Poisson sample of a larger rate. */
  readonly displacing?: true;
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
  options: Omit<CappedPoisson, 'kind' | 'replaced' | 'displacing' | 'published'>,
): CappedPoisson {
  return built(CAPPED_POISSON_KIND, options);
}

/** How often a batch capped at B of n records, drawn at the rate q, is full without the record in question. */
interface Capping {
  /** p = P[Bin(n−1, q) ≥ B]: the probability that the others fill the batch. */
  readonly full: number;
  /** 1 − p. */
  readonly rest: number;
  /** Bound of the relative error of p and of 1 − p. */
  readonly relative: number;
  /** Upper bound of q′ = P[Bin(n, q) ≥ B+1]·B/(np): the probability that the record is drawn and kept, given that the others fill the batch. */
  readonly kept: number;
  /** Lower bound of q′. */
  readonly keptBelow: number;
}

/** Least probability of a full batch that is computed: smaller ones count as this, which changes δ of a step by no more. */
const LEAST = 1e-290;

/**
 * The probabilities of a full batch, by binomial tails with the rounding error of the log odds of q; undefined if the cap is at least the number of
 * records.
 *
 * Ensures: `full` and `rest` have at most the relative error `relative`, except below 1e-290. `kept` is no smaller than q′, and `keptBelow` no
 * larger.
 */
export function cappingOf({ rate, datasetSize: n, batchCap: cap }: CappedPoisson): Capping | undefined {
  if (cap >= n) return undefined;
  // log odds of q with their rounding error, which tails magnify at most n times
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

/** Lower bound of the probability (1 − p)q + pq′ that the record is in the batch; q is the rate, p and q′ those of `Capping`. Ensures: no larger than that probability. */
function keptBelowOf(m: CappedPoisson): number {
  const capping = m.rate === 0 ? undefined : cappingOf(m);
  if (capping === undefined) return m.rate;
  const { full, rest, keptBelow, relative } = capping;
  return Math.min(1, (rest * m.rate + full * keptBelow) * (1 - relative - ROUNDINGS));
}

/** Probabilities of the cases of a step in which B − 1 or more others are drawn (docs/proofs/capped-poisson.md, 1). */
interface Near {
  /** Upper bound: the record is in the batch, with B − 1 others. */
  readonly joins: number;
  /** Lower bound: the record is not in the batch, and B − 1 others are. */
  readonly beside: number;
  /** Upper bound of the case `beside`. */
  readonly besideAbove: number;
  /** Lower bound: the record is not in the batch, and B others are. */
  readonly hidden: number;
}

/**
 * The probabilities of `Near`, from those of full batches and from P[Bin(n−1, q) = B−1]. Ensures: `joins` and `besideAbove` are no smaller, `beside`
 * and `hidden` no larger than these probabilities.
 */
function nearOf(m: CappedPoisson, { full, relative, kept }: Capping): Near {
  const { rate, datasetSize: n, batchCap: cap } = m;
  const hidden = down(full * (1 - relative) * (1 - kept), ROUNDINGS);
  if (rate === 1) return { joins: up(kept, ROUNDINGS), beside: 0, besideAbove: 0, hidden };
  const logit = log(rate) - log1p(-rate);
  const { value, error } = logProbability(n - 1, cap - 1, { p: rate, q: 1 - rate, logit });
  const off = error + FUNCTION_ERROR * (1 + Math.abs(logit)) * (1 + Math.abs(cap - 1 - (n - 1) * rate));
  const [least, most] = [down(exp(value - off), ROUNDINGS), up(exp(value + off), ROUNDINGS)];
  return {
    joins: up(most * rate + full * kept, ROUNDINGS),
    beside: least * (1 - rate),
    besideAbove: most * (1 - rate),
    hidden,
  };
}

/** A Poisson sample of some rate, and the probability that the step counts as it. */
interface Sample {
  readonly rate: number;
  readonly weight: number;
}

/**
 * Full batches without the record are told apart if their probability is at least LEAST_HIDDEN. They count as samples of HIDDEN_SHARE times the rate,
 * so that transforms decay. Only width depends on them.
 */
const [LEAST_HIDDEN, HIDDEN_SHARE] = [0.01, 0.25];

/**
 * A step as a publicly drawn choice between Poisson samples (docs/proofs/capped-poisson.md, 8). Batches of B − 1 others with the record, or without
 * it, together are a sample of the rate joins/(joins + beside). A full batch without the record reveals nothing.
 *
 * Ensures: no sample of a larger rate is more probable than stated.
 */
function samplesOf({ rate }: CappedPoisson, near: Near): readonly Sample[] {
  const { joins, beside, besideAbove, hidden: free } = near;
  const weight = Math.min(1, up(joins + besideAbove, ROUNDINGS));
  const hidden = free < LEAST_HIDDEN ? 0 : Math.min(free, 1 - weight);
  return [
    { rate: Math.min(1, up(joins / (joins + beside), ROUNDINGS)), weight },
    { rate, weight: up(Math.max(0, 1 - weight - hidden), FEW_ROUNDINGS) },
    { rate: HIDDEN_SHARE * rate, weight: hidden },
  ].filter((sample) => sample.weight > 0);
}

/**
 * A step as a publicly drawn choice (docs/proofs/capped-poisson.md, 1). It is the Poisson sample, or B − 1 others with the record, with another one, or with
 * neither. `weight` is the probability of the last three together.
 *
 * Ensures: `kept` no smaller; `beside`, and both probabilities without the record, no larger.
 */
function displacingOf({ joins, beside, hidden }: Near): Displacing & { readonly weight: number } {
  const weight = down(Math.min(1, joins + beside + hidden), FEW_ROUNDINGS);
  const kept = Math.min(1, up(joins / weight, ROUNDINGS));
  return { weight, kept, beside: Math.max(0, down(beside / weight, ROUNDINGS) - 2 * FEW_ROUNDINGS * kept) };
}

/** Heuristic: approximate second moments of the likelihood ratio of a step by `samplesOf` and by `displacingOf`. They only decide which is asked. */
function spreadsOf(
  { noiseMultiplier, rate, replaced }: CappedPoisson,
  near: Near,
): [samples: number, displacing: number] {
  const square = Math.min(100, 1 / noiseMultiplier / noiseMultiplier);
  const one = replaced ? 2 * (exp(square) - exp(-square)) : expm1(square);
  const two = replaced ? expm1(4 * square) : exp(4 * square) - 2 * exp(2 * square) + exp(square);
  const { joins, beside, hidden } = near;
  const plain = Math.max(0, 1 - joins - beside - hidden) * rate * rate * one;
  return [plain + (joins * joins * one) / beside, plain + (joins * joins) / (beside / one + hidden / two)];
}

/** If the second moment by `samplesOf` exceeds this multiple of that by `displacingOf`, compositions are computed by the latter too. Only speed and width depend on it. */
const ALSO = 1.0003;

/**
 * One branch of a publicly drawn choice of pairs: a Poisson sample of the given rate, drawn with probability `weight`. The record is left out, or
 * replaced if `replaced`. Ensures: its laws are those of that sample.
 */
function sampleBranch(
  sigma: number,
  { rate, weight }: { readonly rate: number; readonly weight: number },
  replaced: true | undefined,
): Branch {
  const own = sideOf(1 / sigma, rate);
  const sample = replaced ? { pair: mixturePair(own, own), rate: 1 } : { pair: gaussianPair(sigma), rate };
  return { weight, sample, law: (direction) => cellLaw(sample.pair, sample.rate, direction) };
}

/**
 * The pair of a step: a publicly drawn choice of pairs, by the number of others in the batch (docs/proofs/capped-poisson.md, 1 and 8).
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
  const tails = { tailMu: replaced ? 2 * mu : mu, gdpMu: up(2 * mu, 8 * U) };
  if (published !== undefined) return publishedPair(mechanism, capping, tails);
  const near = nearOf(mechanism, capping);
  if (!mechanism.displacing)
    return branchedPair(
      samplesOf(mechanism, near).map((sample) => sampleBranch(sigma, sample, replaced)),
      4 * FEW_ROUNDINGS,
      tails,
    );
  const step = displacingOf(near);
  const rest = up(1 - step.weight, FEW_ROUNDINGS);
  const closed: Branch = {
    weight: step.weight,
    law: (direction) => {
      const { displacedLaw, displacedReplacedLaw } = methods();
      return replaced ? displacedReplacedLaw(sigma, step) : displacedLaw(sigma, step, direction);
    },
  };
  const open = rest > ROUNDINGS || rate < 1 ? [sampleBranch(sigma, { rate, weight: rest }, replaced)] : [];
  return branchedPair([...open, closed], 4 * FEW_ROUNDINGS, tails);
}

/** The pair of another system, for comparison: a full batch, drawn with probability p, and a Poisson sample. Ensures: brackets hold for that pair. */
function publishedPair(
  { noiseMultiplier: sigma, rate, replaced, published }: CappedPoisson,
  { full, rest, relative, kept }: Capping,
  tails: Parameters<typeof branchedPair>[2],
): Pair {
  const mu = 1 / sigma;
  const met = sideOf(2 * mu, kept);
  const against = replaced || published === 'google' ? met : sideOf(mu, kept);
  const closed: Branch = {
    weight: full,
    law: (direction) => cellLaw(mixturePair(met, against), 1, direction),
  };
  const open = rest > 0 ? [sampleBranch(sigma, { rate, weight: rest }, replaced)] : [];
  return branchedPair([...open, closed], relative, tails);
}

export const CAPPED_POISSON_KIND: Kind<CappedPoisson> = {
  name: 'capped-poisson',
  families: ['mixture', 'branched'],
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
  alike: (m, isSingle) => {
    const capping = m.rate > 0 && m.noiseMultiplier > 0 ? cappingOf(m) : undefined;
    if (capping === undefined || m.published !== undefined) return undefined;
    const [samples, displacing] = spreadsOf(m, nearOf(m, capping));
    return isSingle || samples > ALSO * displacing ? { ...m, displacing: true } : undefined;
  },
  // outside the event that the record is in a batch of B: a Poisson sample without a cap, docs/proofs/capped-poisson.md, 9
  mostly: (m) => {
    const capping = m.rate > 0 && m.noiseMultiplier > 0 ? cappingOf(m) : undefined;
    if (capping === undefined || m.published !== undefined) return undefined;
    return {
      mechanism: { ...m, batchCap: m.datasetSize },
      logLost: Math.min(0, log(nearOf(m, capping).joins) + ROUNDINGS),
    };
  },
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
