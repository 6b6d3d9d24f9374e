import { gaussianPair } from '../../law/gaussian-pair.js';
import { largestBatchPair } from '../../law/largest-batch.js';
import { FEW_ROUNDINGS, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, type Kind, made, unless, whole } from '../kind.js';
import { BALLS_AND_BINS_KIND, MOST_BINS } from './balls-and-bins.js';
import { asGaussian } from './gaussian.js';

/**
 * One epoch of Gaussian steps on batches of fixed size cut from a uniformly random permutation of the records, all of them run. Repeat it for epochs that are
 * shuffled anew. No worst pair is known: the upper bound is that of a record that is in at most one batch, whose place is fixed. The lower bound is by attacks
 * on a data set (docs/proofs/shuffled.md).
 */
export interface Shuffled {
  readonly kind: 'shuffled';
  /** Noise standard deviation over the sensitivity of a batch's sum: 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** Number of batches of an epoch, 1 … 1e6. */
  readonly bins: number;
  /** Probability that a record is in no batch, in [0, 1); 0 unless given. If a smaller last batch is dropped, it is (n mod b)/n for n records and batches of b. */
  readonly leftOut?: number;
  /** Set by the account for lower bounds: an attack in place of the epoch, whose pair it attains. */
  readonly attack?: 'largest-batch';
}

/**
 * An epoch of DP-SGD on `bins` batches cut from a shuffled data set; noise relative to the clipping norm.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * shuffled({ noiseMultiplier: 1, bins: 100 }).kind; // 'shuffled'
 */
export function shuffled(options: Omit<Shuffled, 'kind' | 'attack'>): Shuffled {
  return built(SHUFFLED_KIND, options);
}

export const SHUFFLED_KIND: Kind<Shuffled> = {
  name: 'shuffled',
  families: ['gaussian', 'atoms'],
  title: 'Shuffled epoch',
  standing: 'bound',
  adjacency: 'zero-out; replace-one doubles the sensitivity',
  tail: 'Gaussian, mu_t = 1/noiseMultiplier',
  source: 'Chua et al. 2024; docs/proofs/shuffled.md',
  drawing: 'shuffled',
  fields: {
    noiseMultiplier: between(1e-3, 1e6),
    bins: whole(1, MOST_BINS),
    'leftOut?': unless(0, 'a number in [0, 1)'),
  },
  describe: ({ noiseMultiplier, bins, leftOut }) =>
    `shuffled epoch of ${bins} batches${leftOut === undefined ? '' : ', the last one dropped'}, noise multiplier ${shortDecimal(noiseMultiplier)}`,
  pair: ({ noiseMultiplier, bins, leftOut = 0, attack }) =>
    attack === undefined
      ? gaussianPair(noiseMultiplier)
      : largestBatchPair(1 / noiseMultiplier, bins, leftOut),
  doubled: (m) => ({ ...m, noiseMultiplier: m.noiseMultiplier / 2 }),
  sampled: ({ noiseMultiplier, attack }) => (attack === undefined ? asGaussian(noiseMultiplier) : undefined),
  attacks: (m, adjacency) => {
    const { noiseMultiplier, bins, leftOut = 0 } = m;
    const alone = bins === 1 && leftOut === 0;
    // all other gradients are 0: the record's batch is uniform, as with balls and bins
    const sigma = adjacency === 'replace-one' ? noiseMultiplier / 2 : noiseMultiplier;
    const allocation = made(BALLS_AND_BINS_KIND, {
      noiseMultiplier: sigma,
      ...thinned(bins, leftOut),
    });
    if (alone || (adjacency === 'replace-one' && leftOut === 0)) return [allocation];
    const largest: Shuffled = { ...m, attack: 'largest-batch' };
    return adjacency === 'replace-one' ? [allocation] : [largest, allocation];
  },
};

/** Bins and visited bins such that a record is in each visited one with probability at most (1 − leftOut)/bins. */
function thinned(bins: number, leftOut: number): { bins: number; visited?: number } {
  if (leftOut === 0) return { bins };
  const all = Math.ceil(up(bins / (1 - leftOut), FEW_ROUNDINGS));
  return { bins: all, visited: bins };
}
