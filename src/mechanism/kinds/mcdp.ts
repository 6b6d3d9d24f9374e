import { mcdpAttained, renyiPair } from '../../law/renyi-profile.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { zeroOr } from '../checks.js';
import { DOWN, type Kind } from '../kind.js';
import { built, made } from '../made.js';
import { GDP_KIND } from './gdp.js';
import { ZCDP_KIND } from './zcdp.js';

/** Anything (mean, τ)-mCDP: the loss has at most this mean, and is τ-subgaussian about its mean. */
export interface Mcdp {
  readonly kind: 'mcdp';
  /** 0 or in [1e-12, 1e4]. */
  readonly mean: number;
  /** 0 or in [1e-6, 100]. */
  readonly tau: number;
}

/**
 * Anything (mean, τ)-mean-concentrated DP, as data.
 *
 * @throws TypeError | RangeError if `mean` is neither 0 nor in [1e-12, 1e4], or `tau` neither 0 nor in [1e-6, 100].
 * @example
 * account(engine, mcdp({ mean: 0.5, tau: 1 }), { adjacency: 'add-remove' }).delta(1).upper; // 0.214912
 */
export function mcdp(options: Omit<Mcdp, 'kind'>): Mcdp {
  return built(MCDP_KIND, 'mcdp', options);
}

export const MCDP_KIND: Kind<Mcdp> = {
  name: 'mcdp',
  families: [ATOMS],
  facts: {
    title: 'Mean-concentrated CDP',
    standing: 'bound',
    tail: 'Gaussian, mu_t = tau',
    source: 'Dwork, Rothblum 2016; divergences as in docs/proofs/renyi.md',
  },
  fields: { mean: zeroOr(1e-12, 1e4), tau: zeroOr(1e-6, 100) },
  build: mcdp,
  describe: (m) => `(${shortDecimal(m.mean)}, ${shortDecimal(m.tau)})-mCDP`,
  pair: (m) => renyiPair(m),
  isSilent: (m) => m.mean === 0 || m.tau === 0,
  // means and squares of the deviation add up (Dwork, Rothblum 2016, thm 3.4)
  sum: {
    times: (m, count) => ({ ...m, mean: (count * m.mean) / DOWN, tau: (Math.sqrt(count) * m.tau) / DOWN }),
    plus: (a, b) => ({
      ...a,
      mean: (a.mean + b.mean) / DOWN,
      tau: Math.sqrt(a.tau * a.tau + b.tau * b.tau) / DOWN,
    }),
  },
  rho: (m) => (m.tau * m.tau) / 2,
  zcdp: (rho) => made(ZCDP_KIND, { rho }),
  attained: (m) => made(GDP_KIND, { mu: mcdpAttained(m) }),
};
