import { gaussianPair } from '../../law/gaussian-pair.js';
import { GAUSSIAN } from '../../methods/families/gaussian.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, zeroOr } from '../kind.js';

/** Anything μ-GDP, μ = 0 or in [1e-9, 1e9]. */
export interface Gdp {
  readonly kind: 'gdp';
  /** μ: telling N(0, 1) from N(μ, 1) is at least as easy as telling the outputs apart. */
  readonly mu: number;
}

/**
 * Any mechanism of which only μ-GDP is known.
 *
 * @throws TypeError | RangeError if `mu` is neither 0 nor in [1e-9, 1e9].
 * @example
 * account(engine, compose([gdp({ mu: 0.3 }), gdp({ mu: 0.4 })]), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 1.9931
 */
export function gdp(options: Omit<Gdp, 'kind'>): Gdp {
  return built(GDP_KIND, options);
}

export const GDP_KIND: Kind<Gdp> = {
  name: 'gdp',
  families: [GAUSSIAN],
  title: 'Gaussian DP',
  standing: 'bound',
  tail: 'Gaussian, mu_t = mu',
  source: 'Dong, Roth, Su 2022, cor. 2.13',
  fields: { mu: zeroOr(1e-9, 1e9) },
  build: gdp,
  describe: (m) => `${shortDecimal(m.mu)}-GDP`,
  pair: (m) => gaussianPair(1 / m.mu, m.mu),
  isSilent: (m) => m.mu === 0,
  gaussianMu: (m) => m.mu,
  statedMu: (m) => [m.mu, 1],
  rho: (m) => (m.mu * m.mu) / 2,
  rung: (m) => ({ order: m.mu, size: m.mu }),
};
