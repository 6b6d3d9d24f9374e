import { wrongValue } from '../../errors.js';
import { allocationPair, gaussianPair } from '../../law/gaussian-pair.js';
import { severalBinsPair, tellsSeveral } from '../../law/largest-batch.js';
import { U } from '../../numeric/constants.js';
import { down, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, type Kind, made, type Part, unless, whole } from '../kind.js';
import { asGaussian, GAUSSIAN_KIND, GDP_KIND } from './gaussian.js';

/**
 * One epoch of Gaussian steps on batches drawn by balls and bins (random allocation). Every record is put in one of `bins`
 * batches, or in `binsPerRecord` different ones, uniformly and independently of the others. Repeat it for epochs with fresh
 * draws. The sum of a batch is divided by a public constant; its size is not published.
 */
export interface BallsAndBins {
  readonly kind: 'balls-and-bins';
  /** Noise standard deviation over the sensitivity of a batch's sum: 1e-3 … 1e6. */
  readonly noiseMultiplier: number;
  /** Number t of batches, 1 … 1e6. */
  readonly bins: number;
  /** Number of batches that are run, fixed in advance: 1 … bins; all unless given. */
  readonly visited?: number;
  /**
   * Number k of batches that a record is in, 1 … bins; 1 unless given. If k > 1, only whole epochs are answered; the pair is exact for k = bins and k
   * = bins − 1, and bounded otherwise.
   */
  readonly binsPerRecord?: number;
  /** Set by the account for lower bounds: a test of the epoch in place of the epoch, by its parameter h (docs/proofs/balls-and-bins.md, 12). */
  readonly attack?: number;
}

/** Largest number of bins. More are refused, as they are not tested. */
export const MOST_BINS = 1e6;

/**
 * An epoch of DP-SGD whose records are thrown into `bins` batches; noise relative to the clipping norm.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states.
 * @example
 * ballsAndBins({ noiseMultiplier: 2, bins: 10 }).kind; // 'balls-and-bins'
 */
export function ballsAndBins(options: Omit<BallsAndBins, 'kind' | 'attack'>): BallsAndBins {
  const mechanism = built(BALLS_AND_BINS_KIND, options);
  const { bins, visited, binsPerRecord } = mechanism;
  if (binsPerRecord !== undefined && visited !== undefined)
    throw wrongValue('visited', `${bins}, the whole epoch, where a record is in several batches`, visited);
  return mechanism;
}

/** Parameters h of the tests for lower bounds, relative to the h of the most probable sum: one for small and one for large losses. Only width depends on them. */
const SHARES = [1, 0.5] as const;

/**
 * Releases that dominate an epoch with a record in k > 1 batches. If k is more than half, the epoch is one with the record in the other batches, and
 * Gaussians (docs/proofs/balls-and-bins.md, 14). Otherwise k independent epochs on blocks of batches dominate it (balls-and-bins.md, 11). Undefined for k = 1, and for
 * an attack with k at most half.
 */
function partsOf(m: BallsAndBins): Part[] | undefined {
  const { noiseMultiplier, bins, binsPerRecord: k = 1, attack } = m;
  const others = bins - k;
  if (k === 1 || (attack !== undefined && k <= others)) return undefined;
  if (k <= others) return blocksOf(m);
  const gaussians: Part = { mechanism: made(GAUSSIAN_KIND, { noiseMultiplier }), count: k - others };
  if (others === 0) return [gaussians];
  const rest: BallsAndBins = { ...m, binsPerRecord: others };
  return [...(attack === undefined ? blocksOf(rest) : [{ mechanism: rest, count: 1 }]), gaussians];
}

/** Independent epochs on k blocks of batches, whose sizes differ by at most one, with the record in one batch of each. */
function blocksOf({ noiseMultiplier, bins, binsPerRecord: k = 1 }: BallsAndBins): Part[] {
  const small = Math.floor(bins / k);
  const larger = bins % k;
  const block = (size: number): BallsAndBins => ({ kind: 'balls-and-bins', noiseMultiplier, bins: size });
  const blocks = [{ mechanism: block(small), count: k - larger }];
  return larger > 0 ? [...blocks, { mechanism: block(small + 1), count: larger }] : blocks;
}

export const BALLS_AND_BINS_KIND: Kind<BallsAndBins> = {
  name: 'balls-and-bins',
  families: ['allocation', 'gaussian', 'atoms'],
  title: 'Balls-and-bins epoch',
  standing: 'exact',
  adjacency: 'add-remove and zero-out',
  tail: 'Gaussian, mu_t = 1/noiseMultiplier in the direction of removal',
  source: 'Chua et al. 2025; Feldman, Shenfeld 2025',
  wide: 'the pair is exact, its numbers are brackets: a few epochs of noise 1 to 4 may be up to 90 % wide in epsilon (one epoch of 19 bins, noise 2.5: 13 % at delta 1e-5; of 100 bins, noise 2: 27 %), small deltas of many bins lose digits (ten epochs of 1,000 bins, noise 1: 1e-8 wide at delta 1e-5, 1e-5 at 1e-10), partial epochs alone reach from 0 to one Gaussian an epoch, and a record in several bins, but for all of them and all but one, is answered between bounds',
  drawing: 'balls-and-bins',
  fields: {
    noiseMultiplier: between(1e-3, 1e6),
    bins: whole(1, MOST_BINS),
    'visited?': (name, value, { bins }) => unless(bins, whole(1, bins as number))(name, value),
    'binsPerRecord?': (name, value, { bins }) => unless(1, whole(1, bins as number))(name, value),
  },
  build: ballsAndBins,
  describe: ({ noiseMultiplier, bins, visited, binsPerRecord = 1 }) =>
    `balls-and-bins epoch, ${visited === undefined ? '' : `${visited} of `}${bins} bins${binsPerRecord > 1 ? `, a record in ${binsPerRecord}` : ''}, noise multiplier ${shortDecimal(noiseMultiplier)}`,
  pair: ({ noiseMultiplier, bins, visited = bins, binsPerRecord = 1, attack: share }) => {
    if (share !== undefined)
      return severalBinsPair({ mu: 1 / noiseMultiplier, bins, perRecord: binsPerRecord, share });
    return binsPerRecord > 1
      ? gaussianPair(noiseMultiplier / up(Math.sqrt(binsPerRecord), 4 * U))
      : allocationPair(1 / noiseMultiplier, bins, visited);
  },
  parts: partsOf,
  attacks: (m) => {
    const { noiseMultiplier, bins, binsPerRecord: perRecord = 1 } = m;
    const fewest = Math.min(perRecord, bins - perRecord);
    if (fewest < 2) return [];
    const mu = 1 / noiseMultiplier;
    const sum = made(GDP_KIND, { mu: down((perRecord / Math.sqrt(bins)) * mu, 4 * U) });
    const shares = SHARES.filter((share) => tellsSeveral({ mu, bins, perRecord: fewest, share }));
    return [sum, ...shares.map((attack) => ({ ...m, attack }))];
  },
  sampled: ({ noiseMultiplier, bins, visited = bins, binsPerRecord = 1 }) => {
    if (binsPerRecord > 1) return undefined;
    // with one bin it is a Gaussian, and with one visited bin a Poisson sample
    return bins === 1 || visited === 1 ? asGaussian(noiseMultiplier, 1 / bins) : undefined;
  },
};
