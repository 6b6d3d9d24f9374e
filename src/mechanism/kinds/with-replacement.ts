import type { DrawnCopies } from '../../law/drawn-copies.js';
import { mixturePair } from '../../law/mixture-pair.js';
import type { Side } from '../../law/mixture-side.js';
import { logUpperTail, MOST_TRIALS } from '../../numeric/binomial.js';
import { logCopies } from '../../numeric/binomial-masses.js';
import { U } from '../../numeric/constants.js';
import { logSum, outward } from '../../numeric/log-arithmetic.js';
import { SLACK } from '../../numeric/log-probability.js';
import { down, FUNCTION_ERROR, ROUNDINGS, up } from '../../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../../numeric/scalar.js';
import { gaussianRun } from '../../run/gaussian-run.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, made, whole, zeroOr } from '../kind.js';
import { GAUSSIAN_KIND, noNoise } from './gaussian.js';
import { GAUSSIAN_MIXTURE_KIND } from './gaussian-mixture.js';

/**
 * A Gaussian step on `sampleSize` records drawn one by one, uniformly and with replacement, so that a record may be in the batch several
 * times. The sum is divided by a public constant. Replace-one only.
 */
export interface WithReplacement {
  readonly kind: 'with-replacement';
  /** Noise standard deviation over the clipping norm: 0 (no privacy, ε = ∞) or 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** Number m of draws of a batch, 1 … 1e9. */
  readonly sampleSize: number;
  /** Number n of records of the data set, 2 … 1e9. */
  readonly datasetSize: number;
}

/**
 * A step of DP-SGD on a batch drawn with replacement; noise relative to the clipping norm.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * const step = withReplacement({ noiseMultiplier: 2, sampleSize: 100, datasetSize: 1000 });
 * account(engine, step, { adjacency: 'replace-one' }).epsilon(1e-5).upper; // 3.03025
 */
export function withReplacement(options: Omit<WithReplacement, 'kind'>): WithReplacement {
  return built(WITH_REPLACEMENT_KIND, options);
}

/** Largest number of copies of a record whose laws are distinguished; batches with more copies count as revealing it. */
const MOST_COPIES = 60;
/** log of a probability: numbers of copies that are less probable together count as revealing the record. Only width and speed depend on it. */
const LOG_RARE = -28;
/** The value of `LOG_RARE` where a further number of copies costs little. */
const LOG_RAREST = -60;

/** Least probabilities of a number of copies that attacks use, for two attacks. Only width depends on them. */
const LEAST_TOLD = [1e-9, 1e-12];
/** Bound of the relative error of masses by `logCopies`, for each unit of m/n, the expected number of copies. */
const COPIES = 8e-16;

/** The number of copies of one record in a batch. */
interface Copies {
  /** P[Bin(m, 1/n) = k] for each number k of copies that is distinguished. */
  readonly mass: readonly number[];
  /** Bound of the relative error of each mass. */
  readonly relative: number;
  /** Upper bound of log of the probability of more copies than listed. */
  readonly logMore: number;
}

/**
 * The law of the number of copies of a record, as far as probabilities exceed e^{rare}. Ensures: each mass to `relative`; more copies than listed
 * have a probability of at most e^{logMore}.
 */
function copiesOf({ sampleSize: m, datasetSize: n }: WithReplacement, rare: number = LOG_RARE): Copies {
  const logit = -log(n - 1);
  const above = logit + FUNCTION_ERROR * (1 - logit);
  const beyond = (k: number): number => (k >= m ? -Infinity : logUpperTail(m, k + 1, above).upper);
  let most = 1;
  while (most < Math.min(m, MOST_COPIES) && beyond(most) > rare) most++;
  return { mass: logCopies(m, n, most).map(exp), relative: SLACK + (COPIES * m) / n, logMore: beyond(most) };
}

/** The law of the number of copies of a record in a batch, with an upper bound of the probability of more. Ensures: probabilities are rounded up, that of no copy down. */
export function copiesUpTo(m: WithReplacement): DrawnCopies {
  const { mass, relative, logMore } = copiesOf(m, LOG_RAREST);
  const weights = mass.map((p, k) => (k === 0 ? down(p, 2 * relative) : up(p, 2 * relative)));
  return { weights, more: exp(logMore) * (1 + ROUNDINGS) };
}

/**
 * One side of the pair of mixtures of Gaussians. k copies shift the sum by 2k/noiseMultiplier, with probability mass_k·`times`; no copy has the
 * remaining probability. The rounding error is in `times`.
 */
function sideOf({ noiseMultiplier }: WithReplacement, { mass }: Copies, times: number): Side {
  const drawn = mass.reduce((sum, p, k) => (k > 0 ? sum + p : sum), 0);
  const most = drawn * times > 1 ? 1 / drawn : times;
  const weight = Float64Array.from(mass, (p) => p * most);
  weight[0] = Math.max(0, 1 - drawn * most);
  return { shift: Float64Array.from(mass, (_, k) => (2 * k) / noiseMultiplier), weight };
}

/**
 * Upper bound of log δ(ε) of one step, ε ≥ 0, as if the number of copies were published (Balle, Barthe, Gaboardi 2018, thm 10). A share η of batches
 * has the record; with e^{ε′} = 1 + (e^ε − 1)/η, the bound is Σ w_k δ_k(ε′), δ_k that of Gaussian noise on k copies. More copies than listed count as
 * revealing the record.
 *
 * Ensures: no smaller than log δ(ε) of the step.
 */
function toldCopies(m: WithReplacement): (epsilon: number) => number {
  const { noiseMultiplier, sampleSize, datasetSize } = m;
  const drawn = up(-expm1(sampleSize * log1p(-1 / datasetSize)), ROUNDINGS);
  const { mass, relative, logMore } = copiesOf(m);
  return (epsilon) => {
    if (!(epsilon >= 0)) return 0;
    const from = epsilon > 700 ? epsilon - log(drawn) : log1p(expm1(epsilon) / drawn);
    let total = logMore;
    for (let k = 1; k < mass.length; k++) {
      const { upper } = gaussianRun(up((2 * k) / noiseMultiplier, 4 * U)).logDelta(down(from, ROUNDINGS));
      total = logSum(total, log(mass[k]) + relative + upper);
    }
    return outward(Math.min(0, total + SLACK), 1);
  };
}

export const WITH_REPLACEMENT_KIND: Kind<WithReplacement> = {
  name: 'with-replacement',
  families: ['mixture'],
  title: 'Sample with replacement',
  standing: 'bound',
  adjacency: 'replace-one',
  tail: 'Gaussian, mu_t = 2 sampleSize/noiseMultiplier',
  source: 'docs/proofs/sampling.md, 13, and fixed-size.md, 12 to 14; Balle, Barthe, Gaboardi 2018, thm 10',
  wide: 'several steps are known to about 2 to 5 % of ε where a batch has the record at most once in ten. Else, and with noise below .3, the two worlds of the upper end are on either side of the others, those of the lower end on one: from 1 to 2 times as far apart',
  drawing: 'with-replacement',
  fields: {
    noiseMultiplier: zeroOr(1e-3, 1e6),
    sampleSize: whole(1, MOST_TRIALS),
    datasetSize: whole(2, MOST_TRIALS),
  },
  describe: ({ noiseMultiplier, sampleSize, datasetSize }) =>
    `Gaussian on ${sampleSize} of ${datasetSize} records drawn with replacement, noise multiplier ${shortDecimal(noiseMultiplier)}`,
  pair: (m) => {
    const copies = copiesOf(m);
    // probabilities given that the number of copies is listed, rounded up
    const side = sideOf(m, copies, (1 + copies.relative) / Math.max(1e-9, -expm1(copies.logMore)));
    const pair = mixturePair(side, side);
    // the largest loss is that of a batch in which every draw is the record
    const reach = (2 * m.sampleSize) / m.noiseMultiplier;
    return { ...pair, gdpMu: up(2 * reach, 8 * U), tailMu: reach };
  },
  alone: toldCopies,
  // a single draw is a sample without replacement of one record
  drawn: ({ noiseMultiplier, sampleSize, datasetSize }) =>
    sampleSize === 1
      ? { share: 1 / datasetSize, mechanism: made(GAUSSIAN_KIND, { noiseMultiplier }) }
      : undefined,
  logLost: (m) => (m.noiseMultiplier === 0 ? -Infinity : copiesOf(m).logMore),
  // without noise a batch with the record reveals it
  sampled: (m) => {
    if (m.noiseMultiplier > 0) return undefined;
    const drawn = -expm1(m.sampleSize * log1p(-1 / m.datasetSize));
    return noNoise(down(drawn, ROUNDINGS));
  },
  // attacks on a data set whose other records all equal the replacement
  attacks: (m) => {
    if (m.noiseMultiplier === 0) return [];
    const copies = copiesOf(m);
    const { noiseMultiplier } = m;
    const { weight } = sideOf(m, copies, 1 - copies.relative);
    // few copies are quick to compute, more are tighter: all attacks are asked
    const told = LEAST_TOLD.map((least) =>
      Math.max(
        1,
        copies.mass.findLastIndex((p) => p >= least),
      ),
    );
    return [...new Set([1, ...told])].map((most) => {
      const own = weight.slice(0, most + 1);
      own[0] += weight.slice(most + 1).reduce((sum, p) => sum + p, 0);
      return made(GAUSSIAN_MIXTURE_KIND, {
        noiseMultiplier,
        sensitivities: Array.from(own, (_, k) => 2 * k),
        probabilities: Array.from(own),
      });
    });
  },
};
