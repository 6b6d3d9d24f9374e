import { requireNumber, saidBy, wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, checkedFields, type Kind, made, unless, zeroOr } from '../kind.js';
import { noiseMultiplierOf } from '../noise-multiplier.js';

/** Sum query of L2 sensitivity 1 plus N(0, σ²I) noise. */
export interface Gaussian {
  readonly kind: 'gaussian';
  /** Noise standard deviation over sensitivity: 0 (no privacy, ε = ∞) or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
}

/**
 * Gaussian noise of standard deviation `noiseMultiplier`, relative to the L2 sensitivity of the query. Where `sensitivity` is given, both are
 * in the unit of the query, and the mechanism has their quotient, as `noiseMultiplierOf` rounds it.
 *
 * @throws TypeError | RangeError if the noise, over the sensitivity, is neither 0 nor in [1e-9, 1e9], or `sensitivity` is not in [1e-300, 1e300].
 * @example
 * account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 1.9931
 */
export function gaussian(options: Omit<Gaussian, 'kind'> & { readonly sensitivity?: number }): Gaussian {
  const given = checkedFields('gaussian', options, GAUSSIAN_KIND) as unknown as typeof options;
  const { noiseMultiplier: noiseStd, sensitivity = 1 } = given;
  const noiseMultiplier =
    sensitivity === 1 ? noiseStd : noiseMultiplierOf({ noiseStd, clipNorm: sensitivity });
  if (saidBy(NOISE)(noiseMultiplier)) return made(GAUSSIAN_KIND, { noiseMultiplier });
  const over = sensitivity === 1 ? '' : `, over the sensitivity ${sensitivity}`;
  throw wrongValue('noiseMultiplier', `${NOISE}${over}`, noiseStd);
}

/** Range of the noise multiplier. */
const NOISE = zeroOr(1e-9, 1e9);

export const GAUSSIAN_KIND: Kind<Gaussian> = {
  name: 'gaussian',
  families: ['gaussian'],
  title: 'Gaussian noise',
  standing: 'exact',
  tail: 'Gaussian, mu_t = 1/noiseMultiplier',
  source: 'Balle, Wang 2018, thm 8',
  fields: {
    // the range is that of noise over sensitivity
    noiseMultiplier: (name, value) => requireNumber(name, value, NOISE, saidBy('a finite number >= 0')),
    'sensitivity?': unless(1, between(1e-300, 1e300)),
  },
  build: gaussian,
  describe: (m) => `Gaussian, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: (m) => gaussianPair(m.noiseMultiplier),
  doubled: (m) => ({ ...m, noiseMultiplier: m.noiseMultiplier / 2 }),
  revealsAll: (m) => m.noiseMultiplier === 0,
  gaussianMu: (m) => 1 / m.noiseMultiplier,
  statedMu: (m) => (m.noiseMultiplier > 0 ? [1, m.noiseMultiplier] : undefined),
  rank: (m) => ({ order: -m.noiseMultiplier, size: 1 / m.noiseMultiplier }),
};

/** A Gaussian on a Poisson sample, as what another kind's mechanism is equivalent to; on all records unless a rate is given. */
export function asGaussian(
  noiseMultiplier: number,
  rate = 1,
): { readonly rate: number; readonly mechanism: Gaussian } {
  return { rate, mechanism: made(GAUSSIAN_KIND, { noiseMultiplier }) };
}

/** A Gaussian release without noise, which reveals the record, as what another kind's mechanism without noise is equivalent to. */
export function noNoise(rate = 1): ReturnType<typeof asGaussian> {
  return asGaussian(0, rate);
}

/** Any mechanism that is μ-GDP, μ = 0 or in [1e-9, 1e9]. */
export interface Gdp {
  readonly kind: 'gdp';
  /** μ of GDP: outputs on neighbouring data sets are at least as hard to tell apart as N(0, 1) and N(μ, 1). */
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
  families: ['gaussian'],
  title: 'Gaussian DP',
  standing: 'bound',
  tail: 'Gaussian, mu_t = mu',
  source: 'Dong, Roth, Su 2022, cor. 2.13',
  fields: { mu: zeroOr(1e-9, 1e9) },
  describe: (m) => `${shortDecimal(m.mu)}-GDP`,
  pair: (m) => gaussianPair(1 / m.mu, m.mu),
  revealsNothing: (m) => m.mu === 0,
  gaussianMu: (m) => m.mu,
  statedMu: (m) => [m.mu, 1],
  rho: (m) => (m.mu * m.mu) / 2,
  rank: (m) => ({ order: m.mu, size: m.mu }),
};
