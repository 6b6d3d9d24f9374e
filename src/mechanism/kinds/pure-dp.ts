import { atomicPair } from '../../law/atomic-pair.js';
import { randomizedResponseAtoms } from '../../law/atoms.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { zeroOr } from '../checks.js';
import { BOUNDED_TAIL, type Kind } from '../kind.js';
import { built } from '../made.js';

/** Anything ε-DP, ε = 0 or in [1e-12, 300]. */
export interface PureDp {
  readonly kind: 'pure-dp';
  /** ε, in nats. */
  readonly epsilon: number;
}

/**
 * Any mechanism of which only ε-DP is known, ε in nats.
 *
 * @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-12, 300].
 * @example
 * account(engine, repeat(pureDp({ epsilon: 0.1 }), 10), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 0.993692
 */
export function pureDp(options: Omit<PureDp, 'kind'>): PureDp {
  return built(PURE_DP_KIND, 'pureDp', options);
}

export const PURE_DP_KIND: Kind<PureDp> = {
  name: 'pure-dp',
  families: [ATOMS],
  facts: {
    title: 'Pure DP',
    standing: 'bound',
    tail: BOUNDED_TAIL,
    source: 'Kairouz, Oh, Viswanath 2015',
  },
  fields: { epsilon: zeroOr(1e-12, 300) },
  build: pureDp,
  describe: (m) => `${shortDecimal(m.epsilon)}-DP`,
  pair: (m) => atomicPair(randomizedResponseAtoms(m.epsilon, 2)),
  isSilent: (m) => m.epsilon === 0,
  pure: (m) => [m.epsilon, 1],
  rung: (m) => ({ order: m.epsilon, size: m.epsilon }),
};
