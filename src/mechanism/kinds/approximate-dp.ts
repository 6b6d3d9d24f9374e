import { atomicPair } from '../../law/atomic-pair.js';
import { approximateDpAtoms } from '../../law/atoms.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, zeroOr } from '../checks.js';
import type { Kind } from '../kind.js';
import { built } from '../made.js';

/** Anything (ε, δ)-DP, ε = 0 or in [1e-12, 300], δ in [0, 1]. */
export interface ApproximateDp {
  readonly kind: 'approximate-dp';
  /** ε, in nats. */
  readonly epsilon: number;
  /** δ, a probability. */
  readonly delta: number;
}

/**
 * Any mechanism of which only (ε, δ)-DP is known: ε in nats, δ a probability.
 *
 * @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-12, 300] or `delta` not in [0, 1].
 * @example
 * account(engine, approximateDp({ epsilon: 1, delta: 1e-5 }), { adjacency: 'add-remove' }).delta(0.5).upper; // 0.287657
 */
export function approximateDp(options: Omit<ApproximateDp, 'kind'>): ApproximateDp {
  return built(APPROXIMATE_DP_KIND, 'approximateDp', options);
}

export const APPROXIMATE_DP_KIND: Kind<ApproximateDp> = {
  name: 'approximate-dp',
  families: [ATOMS],
  facts: {
    title: '(epsilon, delta)-DP',
    standing: 'bound',
    tail: 'delta stays: mu_t is infinite, unless delta is 0',
    source: 'Kairouz, Oh, Viswanath 2015',
  },
  fields: { epsilon: zeroOr(1e-12, 300), delta: between(0, 1) },
  build: approximateDp,
  describe: (m) => `(${shortDecimal(m.epsilon)}, ${shortDecimal(m.delta)})-DP`,
  pair: (m) => atomicPair(approximateDpAtoms(m.epsilon, m.delta)),
  isSilent: (m) => m.epsilon === 0 && m.delta === 0,
  isBare: (m) => m.delta === 1,
  pure: (m) => (m.delta === 0 ? [m.epsilon, 1] : undefined),
  rung: (m) => ({ common: m.delta, order: m.epsilon, size: m.epsilon }),
};
