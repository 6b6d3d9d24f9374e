import { boundedRangePair } from '../../law/exponential-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { BOUNDED_TAIL, built, DOWN, type Kind, made, zeroOr } from '../kind.js';
import { PURE_DP_KIND } from './epsilon-delta.js';
import { ZCDP_KIND } from './renyi.js';

/**
 * Any mechanism whose losses lie in an interval of length ε (Durfee, Rogers 2019). An example is the exponential mechanism, e^{εu/2Δ} for scores u of
 * sensitivity Δ. ε = 0 or in [1e-12, 300].
 */
export interface BoundedRange {
  readonly kind: 'bounded-range';
  /** Largest span of the losses, in nats. */
  readonly epsilon: number;
}

/**
 * Any mechanism whose losses span at most ε nats, such as the exponential mechanism.
 *
 * @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-12, 300].
 * @example
 * account(engine, boundedRange({ epsilon: 1 }), { adjacency: 'replace-one' }).epsilon(1e-3).upper; // 0.949074
 */
export function boundedRange(options: Omit<BoundedRange, 'kind'>): BoundedRange {
  return built(BOUNDED_RANGE_KIND, options);
}

export const BOUNDED_RANGE_KIND: Kind<BoundedRange> = {
  name: 'bounded-range',
  families: ['exponential'],
  title: 'Bounded range: the exponential mechanism',
  standing: 'bound',
  tail: BOUNDED_TAIL,
  source: 'Durfee, Rogers 2019',
  fields: { epsilon: zeroOr(1e-12, 300) },
  describe: (m) => `exponential mechanism (bounded range) ${shortDecimal(m.epsilon)}`,
  pair: (m) => boundedRangePair(m.epsilon),
  revealsNothing: (m) => m.epsilon === 0,
  pureDp: (m) => [m.epsilon, 1],
  // ρ = ε²/8: Cesar, Rogers 2021
  rho: (m) => (m.epsilon * m.epsilon) / 8,
  zcdp: (rho) => made(ZCDP_KIND, { rho }),
  // the losses ±ε/2 of ε/2-DP randomised response lie in an interval of length ε
  attained: (m) => made(PURE_DP_KIND, { epsilon: (m.epsilon / 2) * DOWN }),
  rank: (m) => ({ order: m.epsilon, size: m.epsilon }),
};
