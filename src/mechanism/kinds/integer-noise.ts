import { wrongValue } from '../../errors.js';
import { atomicPair } from '../../law/atomic-pair.js';
import { binomialAtoms, skellamAtoms } from '../../law/integer-noise.js';
import { ATOMS } from '../../methods/families/atoms.js';
import { shortDecimal } from '../../text/decimal.js';
import { built, type Kind, whole, zeroOr } from '../kind.js';
import { noNoise } from './gaussian.js';

/**
 * Integer query plus the sum of fair coins, each 0 or 1: binomial noise. Many parties make it by a few coins each, which secure
 * aggregation adds up.
 */
export interface Binomial {
  readonly kind: 'binomial';
  /** Coins of all parties together: a whole number up to 4e8; 0 is no privacy, ε = ∞. */
  readonly trials: number;
  /** A whole number from 1 to 1e6. */
  readonly sensitivity: number;
}

/**
 * Integer query plus Skellam noise, the difference of two Poisson numbers of mean variance/2. Sums of Skellam noise are Skellam:
 * the variances of the parties add up.
 */
export interface Skellam {
  readonly kind: 'skellam';
  /** Variance of all noise together, in [0.01, 1e8]; 0 is no privacy, ε = ∞. */
  readonly variance: number;
  /** A whole number from 1 to 1e6, with sensitivity/√variance ≤ 50. */
  readonly sensitivity: number;
}

/**
 * Binomial noise on an integer query: the sum of `trials` fair coins.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `Binomial`.
 * @example
 * account(engine, binomial({ trials: 2000, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(1e-6).upper; // 0.168254
 */
export function binomial(options: Omit<Binomial, 'kind'>): Binomial {
  return built(BINOMIAL_KIND, options);
}

/**
 * Skellam noise on an integer query.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `Skellam`.
 * @example
 * account(engine, skellam({ variance: 25, sensitivity: 1 }), { adjacency: 'add-remove' }).epsilon(1e-6).upper; // 0.775701
 */
export function skellam(options: Omit<Skellam, 'kind'>): Skellam {
  const mechanism = built(SKELLAM_KIND, options);
  const { variance, sensitivity } = mechanism;
  if (variance === 0 || sensitivity / Math.sqrt(variance) <= 50) return mechanism;
  const expected = `such that sensitivity/√variance is at most 50 (sensitivity is ${sensitivity})`;
  throw wrongValue('variance', expected, variance);
}

const SOURCE = 'docs/proofs/integer-noise.md';

export const BINOMIAL_KIND: Kind<Binomial> = {
  name: 'binomial',
  families: [ATOMS],
  title: 'Binomial noise of many parties',
  standing: 'exact',
  tail: 'some outputs give the record away: mu_t = ∞, though with probability 2^-trials and little more',
  source: SOURCE,
  fields: { trials: whole(0, 4e8), sensitivity: whole(1, 1e6) },
  build: binomial,
  describe: (m) => `binomial noise of ${shortDecimal(m.trials)} fair coins, sensitivity ${m.sensitivity}`,
  pair: (m) => atomicPair(binomialAtoms(m.trials, m.sensitivity)),
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.sensitivity > m.trials ? noNoise() : undefined),
  // a sum of more coins is one of fewer with some added
  rank: (m) => ({ common: m.sensitivity, order: -m.trials, size: m.sensitivity / Math.sqrt(m.trials) }),
};

export const SKELLAM_KIND: Kind<Skellam> = {
  name: 'skellam',
  families: [ATOMS],
  title: 'Skellam noise of many parties',
  standing: 'exact',
  tail: 'lighter than Gaussian, mu_t = 0',
  source: SOURCE,
  fields: { variance: zeroOr(0.01, 1e8), sensitivity: whole(1, 1e6) },
  build: skellam,
  describe: (m) => `Skellam noise of variance ${shortDecimal(m.variance)}, sensitivity ${m.sensitivity}`,
  pair: (m) => atomicPair(skellamAtoms(m.variance, m.sensitivity)),
  doubled: (m) => ({ ...m, sensitivity: m.sensitivity * 2 }),
  sampled: (m) => (m.variance === 0 ? noNoise() : undefined),
  // more of it is less with some added
  rank: (m) => ({ common: m.sensitivity, order: -m.variance, size: m.sensitivity / Math.sqrt(m.variance) }),
};
