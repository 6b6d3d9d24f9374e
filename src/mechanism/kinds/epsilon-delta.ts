import { wrongValue } from '../../errors.js';
import { approximateDpAtoms, atomicPair, randomizedResponseAtoms } from '../../law/atomic-pair.js';
import { tabulatedAtoms } from '../../law/tabulated-atoms.js';
import { down, LONG_SUM } from '../../numeric/rounding.js';
import { expm1 } from '../../numeric/scalar.js';
import { shortDecimal } from '../../text/decimal.js';
import { requirePoints } from '../checks.js';
import { BOUNDED_TAIL, between, built, type Kind, made, whole, within, zeroOr } from '../kind.js';

/** Any mechanism that is ε-DP, ε = 0 or in [1e-12, 300]. */
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
  return built(PURE_DP_KIND, options);
}

export const PURE_DP_KIND: Kind<PureDp> = {
  name: 'pure-dp',
  families: ['atoms'],
  title: 'Pure DP',
  standing: 'bound',
  tail: BOUNDED_TAIL,
  source: 'Kairouz, Oh, Viswanath 2015',
  fields: { epsilon: zeroOr(1e-12, 300) },
  describe: (m) => `${shortDecimal(m.epsilon)}-DP`,
  pair: (m) => atomicPair(randomizedResponseAtoms(m.epsilon, 2)),
  revealsNothing: (m) => m.epsilon === 0,
  drawnApart: ({ epsilon }) => made(RANDOMIZED_RESPONSE_KIND, { epsilon, categories: 3 }),
  pureDp: (m) => [m.epsilon, 1],
  rank: (m) => ({ order: m.epsilon, size: m.epsilon }),
};

/** Any mechanism that is (ε, δ)-DP, ε = 0 or in [1e-12, 300], δ in [0, 1]. */
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
  return built(APPROXIMATE_DP_KIND, options);
}

export const APPROXIMATE_DP_KIND: Kind<ApproximateDp> = {
  name: 'approximate-dp',
  families: ['atoms'],
  title: '(epsilon, delta)-DP',
  standing: 'bound',
  tail: 'delta stays: mu_t is infinite, unless delta is 0',
  source: 'Kairouz, Oh, Viswanath 2015',
  fields: { epsilon: zeroOr(1e-12, 300), delta: between(0, 1) },
  describe: (m) => `(${shortDecimal(m.epsilon)}, ${shortDecimal(m.delta)})-DP`,
  pair: (m) => atomicPair(approximateDpAtoms(m.epsilon, m.delta)),
  revealsNothing: (m) => m.epsilon === 0 && m.delta === 0,
  revealsAll: (m) => m.delta === 1,
  pureDp: (m) => (m.delta === 0 ? [m.epsilon, 1] : undefined),
  rank: (m) => ({ common: m.delta, order: m.epsilon, size: m.epsilon }),
};

/** Any mechanism that is (εᵢ, δᵢ)-DP for every point listed, ε in [−300, 1e4]; each δ is at least 1 − e^ε. */
export interface Tabulated {
  readonly kind: 'tabulated';
  /** Pairs (ε, δ) that hold all at once: ε in nats, δ a probability. */
  readonly points: readonly { readonly epsilon: number; readonly delta: number }[];
}

/**
 * Any mechanism of which (ε, δ)-DP is known at the points listed.
 *
 * @throws TypeError | RangeError if there is no point, an epsilon is not in [−300, 1e4] or a delta not in [max(0, 1 − e^ε), 1].
 * @example
 * account(engine, tabulated({ points: [{ epsilon: 1, delta: 1e-3 }, { epsilon: 2, delta: 1e-6 }] }), { adjacency: 'add-remove' }).epsilon(2e-6).upper; // 1.99937
 */
export function tabulated(options: Omit<Tabulated, 'kind'>): Tabulated {
  return built(TABULATED_KIND, options);
}

/** Returns checked points, sorted by ε and then δ. @throws TypeError | RangeError if an ε or a δ is out of range. */
function requireProfile(_: string, given: unknown): Tabulated['points'] {
  const points = requirePoints(given, ['epsilon', 'delta']).map((point, i) => {
    const epsilon = within(`points[${i}].epsilon`, point['epsilon'], -300, 1e4);
    const delta = within(`points[${i}].delta`, point['delta'], 0, 1);
    if (delta < down(-expm1(epsilon), LONG_SUM)) {
      throw wrongValue(`points[${i}].delta`, `at least 1 - e^epsilon, as every δ(${epsilon}) is`, delta);
    }
    return { epsilon, delta };
  });
  return points.sort((a, b) => a.epsilon - b.epsilon || a.delta - b.delta);
}

export const TABULATED_KIND: Kind<Tabulated> = {
  name: 'tabulated',
  families: ['atoms'],
  title: 'Tabulated profile',
  standing: 'bound',
  tail: 'delta stays at its least listed value: mu_t is infinite, unless that is 0',
  source: 'the largest profile under the points: convex in e^epsilon',
  fields: { points: requireProfile },
  describe: (m) => `profile given at ${m.points.length} points`,
  pair: (m) => atomicPair(tabulatedAtoms(m.points)),
  revealsAll: (m) => m.points.every(({ delta }) => delta === 1),
};

/** Randomised response: one of `categories` answers, the true one with probability e^ε/(e^ε + categories − 1), else any other, each as likely. */
export interface RandomizedResponse {
  readonly kind: 'randomized-response';
  /** ε in nats: 0 or in [1e-12, 300]. */
  readonly epsilon: number;
  /** Number of answers, 2 … 2⁵³ − 1. */
  readonly categories: number;
}

/**
 * Randomised response over `categories` answers (default 2), ε-DP for one person's answer replaced.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `RandomizedResponse`.
 * @example
 * account(engine, randomizedResponse({ epsilon: 1 }), { adjacency: 'replace-one' }).epsilon(0).upper; // 1
 */
export function randomizedResponse(options: { epsilon: number; categories?: number }): RandomizedResponse {
  const { epsilon, categories = 2 }: typeof options = built(RANDOMIZED_RESPONSE_KIND, options);
  return made(RANDOMIZED_RESPONSE_KIND, { epsilon, categories });
}

export const RANDOMIZED_RESPONSE_KIND: Kind<RandomizedResponse> = {
  name: 'randomized-response',
  families: ['atoms'],
  title: 'Randomised response',
  standing: 'exact',
  tail: BOUNDED_TAIL,
  source: 'Warner 1965',
  fields: { epsilon: zeroOr(1e-12, 300), 'categories?': whole(2, Number.MAX_SAFE_INTEGER) },
  build: randomizedResponse,
  describe: (m) => `randomized response, epsilon ${shortDecimal(m.epsilon)}, ${m.categories} answers`,
  pair: (m) => atomicPair(randomizedResponseAtoms(m.epsilon, m.categories)),
  revealsNothing: (m) => m.epsilon === 0,
  drawnApart: (m) => (m.categories > 2 ? m : undefined),
  pureDp: (m) => [m.epsilon, 1],
  rank: (m) => ({ common: m.categories, order: m.epsilon, size: m.epsilon }),
};
