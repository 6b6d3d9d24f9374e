import { wrongValue } from '../../errors.js';
import { allocatedPair, type BoundedPair } from '../../law/allocated.js';
import { allocationPair } from '../../law/gaussian-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { requireMechanism } from '../checks.js';
import { built, type Kind, requireMade, whole } from '../kind.js';
import { type Allocation, type Basic, describeMechanism, kindOf, pairOf } from '../pairs.js';
import { ballsAndBins } from './balls-and-bins.js';
import type { Gaussian } from './gaussian.js';

/**
 * Random allocation (balls and bins): one epoch of `bins` releases of a mechanism. Each record is in exactly one batch, chosen uniformly and
 * independently of the others.
 *
 * @param options `inner`: the mechanism on a batch: Gaussian, Laplace or discrete Laplace noise, randomised response, or pure DP. Unless it is
 * Gaussian, its privacy losses are at most 4. `bins`: number of batches.
 * @throws TypeError | RangeError naming what is wrong with `inner` or `bins`.
 * @example
 * const epoch = randomAllocation({ inner: laplace({ scale: 2, sensitivity: 1 }), bins: 100 });
 * account(engine, epoch, { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 0.156748
 */
export function randomAllocation(options: Omit<Allocation, 'kind' | 'side'>): Allocation {
  const mechanism = built(RANDOM_ALLOCATION_KIND, options);
  const { kind } = mechanism.inner;
  if (!INNER.includes(kind)) throw wrongValue('inner', `one of ${INNER.join(', ')}`, kind);
  requireInner(requireMade(mechanism.inner as Basic));
  return mechanism;
}

/** Largest privacy loss of `inner`: beyond it, cells of equal width of the likelihood ratio are too coarse for small ratios. */
const LARGEST = 4;
/** Kinds that `inner` may have: those whose dominating pairs are attained. */
const INNER: readonly string[] = [
  'gaussian',
  'laplace',
  'discrete-laplace',
  'randomized-response',
  'pure-dp',
];

/** Checks the range of `inner`. @throws TypeError | RangeError if a loss may exceed 4, or Gaussian noise is out of the range of balls and bins. */
function requireInner(inner: Basic): void {
  if (inner.kind === 'gaussian') {
    ballsAndBins({ noiseMultiplier: inner.noiseMultiplier, bins: 1 });
    return;
  }
  const { largest } = pairOf(inner);
  if (largest <= LARGEST) return;
  throw wrongValue('inner', `a release whose losses are at most ${LARGEST}`, shortDecimal(largest));
}

export const RANDOM_ALLOCATION_KIND: Kind<Allocation> = {
  name: 'random-allocation',
  families: ['atoms', 'allocation', 'gaussian'],
  title: 'Random allocation of any release',
  standing: 'exact',
  adjacency: 'add-remove and zero-out',
  tail: 'bounded losses, mu_t = 0, unless the noise is Gaussian',
  source: 'Feldman, Shenfeld 2025; docs/proofs/balls-and-bins.md, 15',
  wide: 'ratios lie on a mesh: 1e-3 of epsilon, more where losses are above 2, and in tails',
  drawing: 'balls-and-bins',
  fields: { inner: requireMechanism, bins: whole(1, 1e4) },
  build: randomAllocation,
  describe: (m) => `random allocation among ${m.bins} batches: ${describeMechanism(m.inner as Basic)}`,
  pair: ({ inner, bins, side }) => {
    const pair = pairOf(inner as Basic);
    return pair.family === 'gaussian'
      ? allocationPair(pair.mu, bins, bins)
      : allocatedPair(pair as BoundedPair, bins, side ?? 'above');
  },
  attacks: (m) =>
    m.side === undefined && m.inner.kind !== 'gaussian' ? [{ ...m, side: 'below' as const }] : [],
  revealsNothing: (m) => kindOf(m.inner as Basic).revealsNothing?.(m.inner as never) ?? false,
  sampled: ({ inner, bins }) => {
    if (bins === 1) return { rate: 1, mechanism: inner };
    if (inner.kind !== 'gaussian') return undefined;
    const { noiseMultiplier } = inner as Gaussian;
    return { rate: 1, mechanism: ballsAndBins({ noiseMultiplier, bins }) };
  },
};
