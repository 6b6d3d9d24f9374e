import { requireOptions, requireWhole } from '../../errors.js';
import { allocationPair } from '../../law/allocation-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { within } from '../checks.js';
import type { Kind } from '../kind.js';

/**
 * One epoch of Gaussian steps in which every record is put in one of `bins` batches, uniformly and independently of the others (balls and bins,
 * random allocation); repeat it for epochs with fresh draws. The sum of a batch is divided by a public constant, its size is not published.
 */
export interface BallsAndBins {
  readonly kind: 'balls-and-bins';
  /** Noise standard deviation over the sensitivity of a batch's sum: 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** t, 1 … 1e6. */
  readonly bins: number;
  /** Batches run, fixed in advance: 1 … bins; all unless given. */
  readonly visited?: number;
}

/** More are refused: nothing has been checked there. */
export const MOST_BINS = 1e6;

/**
 * An epoch of DP-SGD whose records are thrown into `bins` batches; noise relative to the clipping norm.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * ballsAndBins({ noiseMultiplier: 2, bins: 10 }).kind; // 'balls-and-bins'
 */
export function ballsAndBins(options: {
  noiseMultiplier: number;
  bins: number;
  visited?: number;
}): BallsAndBins {
  requireOptions('ballsAndBins', options, ['noiseMultiplier', 'bins', 'visited']);
  const noiseMultiplier = within('noiseMultiplier', options?.noiseMultiplier, 1e-3, 1e6);
  const bins = requireWhole('bins', options.bins, 1, MOST_BINS);
  const visited = options.visited === undefined ? bins : requireWhole('visited', options.visited, 1, bins);
  return { kind: 'balls-and-bins', noiseMultiplier, bins, ...(visited < bins && { visited }) };
}

export const BALLS_AND_BINS_KIND: Kind<BallsAndBins> = {
  facts: {
    title: 'Balls-and-bins epoch',
    standing: 'exact',
    adjacency: 'add-remove and zero-out',
    tail: 'Gaussian, mu_t = 1/noiseMultiplier in the direction of removal',
    source: 'Chua et al. 2025; Feldman, Shenfeld 2025',
    wide: 'the pair is exact, its numbers are brackets: a few epochs of noise 1 to 4 may be up to 90 % wide in epsilon (19 bins, noise 2.5: 21 %), and partial epochs alone reach from 0 to one Gaussian an epoch',
  },
  drawing: 'balls-and-bins',
  fields: ['noiseMultiplier', 'bins'],
  optional: ['visited'],
  build: ballsAndBins,
  describe: ({ noiseMultiplier, bins, visited }) =>
    `balls-and-bins epoch, ${visited === undefined ? '' : `${visited} of `}${bins} bins, noise multiplier ${shortDecimal(noiseMultiplier)}`,
  pair: ({ noiseMultiplier, bins, visited = bins }) => allocationPair(1 / noiseMultiplier, bins, visited),
  sampled: ({ noiseMultiplier, bins, visited = bins }) => {
    // one bin is one Gaussian, and one bin seen of many a Poisson sample
    const mechanism = { kind: 'gaussian', noiseMultiplier };
    if (bins === 1) return { rate: 1, mechanism };
    return visited === 1 ? { rate: 1 / bins, mechanism } : undefined;
  },
};
