import { requireOptions } from '../../errors.js';
import { laplacePair } from '../../law/exponential-pair.js';
import { EXPONENTIAL } from '../../methods/families/exponential.js';
import { shortDecimal } from '../../text/decimal.js';
import { requireRatio, within, zeroOr } from '../checks.js';
import { BOUNDED_TAIL, DOUBLED, type Kind } from '../kind.js';
import { made } from '../made.js';
import { bare } from './bare.js';

/** Query of L1 sensitivity `sensitivity` plus Laplace noise of scale `scale`; scale 0 or sensitivity/scale in [1e-9, 300]. */
export interface Laplace {
  readonly kind: 'laplace';
  /** b, scale of the noise, in the unit of the query; 0 is no privacy, ε = ∞. */
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
export function laplace(options: { scale: number; sensitivity: number }): Laplace {
  requireOptions('laplace', options, ['scale', 'sensitivity']);
  const scale = zeroOr('scale', options?.scale, 1e-300, 1e300);
  const sensitivity = within('sensitivity', options.sensitivity, 1e-300, 1e300);
  if (scale > 0) requireRatio('scale', scale, sensitivity, 1e-9, 300);
  return made(LAPLACE_KIND, { scale, sensitivity });
}

export const LAPLACE_KIND: Kind<Laplace> = {
  name: 'laplace',
  families: [EXPONENTIAL],
  facts: {
    title: 'Laplace noise',
    standing: 'exact',
    adjacency: DOUBLED,
    tail: BOUNDED_TAIL,
    source: 'Dwork, McSherry, Nissim, Smith 2006',
  },
  fields: ['scale', 'sensitivity'],
  build: laplace,
  describe: (m) => `Laplace, scale ${shortDecimal(m.scale)}, sensitivity ${shortDecimal(m.sensitivity)}`,
  pair: (m) => laplacePair(m.sensitivity / m.scale),
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.scale === 0 ? bare() : undefined),
  pure: (m) => [m.sensitivity, m.scale],
  rung: (m) => ({ common: m.sensitivity, order: -m.scale, size: m.sensitivity / m.scale }),
};
