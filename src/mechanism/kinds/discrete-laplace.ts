import { atomicPair, discreteLaplaceAtoms } from '../../law/atomic-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { BOUNDED_TAIL, built, type Kind, requireRatio, whole, zeroOr } from '../kind.js';
import { noNoise } from './gaussian.js';

/** Integer query plus noise k with probability ∝ e^{−|k|/scale} (the geometric mechanism). */
export interface DiscreteLaplace {
  readonly kind: 'discrete-laplace';
  /** Scale of the noise, in the unit of the query; 0 is no privacy, ε = ∞. */
  readonly scale: number;
  /** Largest change of the query by one record: a whole number from 1 to 1e6, with sensitivity/scale in [1e-9, 300]. */
  readonly sensitivity: number;
}

/**
 * Discrete Laplace (geometric) noise on an integer query.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `DiscreteLaplace`.
 * @example
 * account(engine, discreteLaplace({ scale: 2, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(0).upper; // 0.5
 */
export function discreteLaplace(options: Omit<DiscreteLaplace, 'kind'>): DiscreteLaplace {
  return requireRatio(built(DISCRETE_LAPLACE_KIND, options), 'scale', 1e-9, 300);
}

export const DISCRETE_LAPLACE_KIND: Kind<DiscreteLaplace> = {
  name: 'discrete-laplace',
  families: ['atoms'],
  title: 'Discrete Laplace noise',
  standing: 'exact',
  tail: BOUNDED_TAIL,
  source: 'Ghosh, Roughgarden, Sundararajan 2009',
  fields: { scale: zeroOr(1e-300, 1e300), sensitivity: whole(1, 1e6) },
  build: discreteLaplace,
  describe: (m) => `discrete Laplace, scale ${shortDecimal(m.scale)}, sensitivity ${m.sensitivity}`,
  pair: (m) => atomicPair(discreteLaplaceAtoms(m.scale, m.sensitivity)),
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.scale === 0 ? noNoise() : undefined),
  pureDp: (m) => [m.sensitivity, m.scale],
  rank: (m) => ({ common: m.sensitivity, order: -m.scale, size: m.sensitivity / m.scale }),
};
