import { renyiPair } from '../../law/renyi-profile.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { zeroOr } from '../checks.js';
import { DOWN, type Kind } from '../kind.js';
import { built, made } from '../made.js';
import { GDP_KIND } from './gdp.js';

/** Anything ρ-zCDP, ρ = 0 or in [1e-12, 1e4]. */
export interface Zcdp {
  readonly kind: 'zcdp';
  /** ρ, in nats: Rényi divergence of order α at most ρα. */
  readonly rho: number;
}

/**
 * Any mechanism of which only ρ-zCDP is known, ρ in nats.
 *
 * @throws TypeError | RangeError if `rho` is neither 0 nor in [1e-12, 1e4].
 * @example
 * account(engine, zcdp({ rho: 0.5 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 4.72839
 */
export function zcdp(options: Omit<Zcdp, 'kind'>): Zcdp {
  return built(ZCDP_KIND, 'zcdp', options);
}

export const ZCDP_KIND: Kind<Zcdp> = {
  name: 'zcdp',
  families: [ATOMS],
  facts: {
    title: 'zCDP',
    standing: 'bound',
    tail: 'Gaussian, mu_t = sqrt(2 rho)',
    source: 'Bun, Steinke 2016',
  },
  fields: { rho: zeroOr(1e-12, 1e4) },
  build: zcdp,
  describe: (m) => `${shortDecimal(m.rho)}-zCDP`,
  pair: (m) => renyiPair(m),
  isSilent: (m) => m.rho === 0,
  sum: {
    times: (m, count) => ({ ...m, rho: count * m.rho }),
    plus: (a, b) => ({ ...a, rho: a.rho + b.rho }),
  },
  rho: (m) => m.rho,
  zcdp: (rho) => made(ZCDP_KIND, { rho }),
  // N(0, σ²) with Δ/σ = μ has divergence tμ²/2 at order t
  attained: (m) => made(GDP_KIND, { mu: Math.sqrt(2 * m.rho) * DOWN }),
  rung: (m) => ({ order: m.rho, size: Math.sqrt(2 * m.rho) }),
};
