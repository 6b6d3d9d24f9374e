import { renyiPair } from '../../law/renyi-profile.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { zeroOr } from '../checks.js';
import { DOWN, type Kind } from '../kind.js';
import { built, made } from '../made.js';
import { GDP_KIND } from './gdp.js';

/** Anything (ρ, ω)-tCDP: Rényi divergence at most ρt at every order 1 < t < ω. */
export interface Tcdp {
  readonly kind: 'tcdp';
  /** 0 or in [1e-12, 1e4]. */
  readonly rho: number;
  /** In (1, 1e6]. */
  readonly omega: number;
}

/**
 * Anything (ρ, ω)-truncated concentrated DP, as data.
 *
 * @throws TypeError | RangeError if `rho` is neither 0 nor in [1e-12, 1e4], or `omega` not in (1, 1e6].
 * @example
 * account(engine, tcdp({ rho: 0.5, omega: 8 }), { adjacency: 'add-remove' }).delta(4).upper; // 0.000195768
 */
export function tcdp(options: Omit<Tcdp, 'kind'>): Tcdp {
  return built(TCDP_KIND, 'tcdp', options);
}

export const TCDP_KIND: Kind<Tcdp> = {
  name: 'tcdp',
  families: [ATOMS],
  facts: {
    title: 'Truncated CDP',
    standing: 'bound',
    tail: 'exponential: mu_t is infinite',
    source: 'Bun, Dwork, Rothblum, Steinke 2018',
  },
  fields: { rho: zeroOr(1e-12, 1e4), omega: 'a number in (1, 1e6]' },
  build: tcdp,
  describe: (m) => `(${shortDecimal(m.rho)}, ${shortDecimal(m.omega)})-tCDP`,
  pair: (m) => renyiPair(m),
  isSilent: (m) => m.rho === 0,
  // divergences add up at the orders that are bounded; others stay apart
  sum: {
    times: (m, count) => ({ ...m, rho: count * m.rho }),
    plus: (a, b) => (a.omega === b.omega ? { ...a, rho: a.rho + b.rho } : undefined),
  },
  attained: (m) => made(GDP_KIND, { mu: Math.sqrt(2 * m.rho) * DOWN }),
};
