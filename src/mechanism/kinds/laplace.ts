import { laplacePair } from '../../law/exponential-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { BOUNDED_TAIL, between, built, type Kind, requireRatio, zeroOr } from '../kind.js';
import { noNoise } from './gaussian.js';

/** Query of L1 sensitivity `sensitivity` plus Laplace noise of scale `scale`; scale 0 or sensitivity/scale in [1e-9, 300]. */
export interface Laplace {
  readonly kind: 'laplace';
  /** Scale b of the noise, in the unit of the query; 0 is no privacy, ε = ∞. */
  readonly scale: number;
  /** Largest change of the query by one record (L1), in its unit. */
  readonly sensitivity: number;
}

/**
 * Laplace noise on a query whose L1 sensitivity and noise scale are given in one unit.
 *
 * @throws TypeError | RangeError if `scale` is neither 0 nor positive, `sensitivity` is not positive, or sensitivity/scale is not in [1e-9, 300].
 * @example
 * account(engine, laplace({ scale: 2, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(0).upper; // 0.5
 */
export function laplace(options: Omit<Laplace, 'kind'>): Laplace {
  return requireRatio(built(LAPLACE_KIND, options), 'scale', 1e-9, 300);
}

export const LAPLACE_KIND: Kind<Laplace> = {
  name: 'laplace',
  families: ['exponential'],
  title: 'Laplace noise',
  standing: 'exact',
  tail: BOUNDED_TAIL,
  source: 'Dwork, McSherry, Nissim, Smith 2006',
  fields: { scale: zeroOr(1e-300, 1e300), sensitivity: between(1e-300, 1e300) },
  build: laplace,
  describe: (m) => `Laplace, scale ${shortDecimal(m.scale)}, sensitivity ${shortDecimal(m.sensitivity)}`,
  pair: (m) => laplacePair(m.sensitivity / m.scale),
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.scale === 0 ? noNoise() : undefined),
  pureDp: (m) => [m.sensitivity, m.scale],
  rank: (m) => ({ common: m.sensitivity, order: -m.scale, size: m.sensitivity / m.scale }),
};
