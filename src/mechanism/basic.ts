import {
  requireFields,
  requireNumber,
  requireOptions,
  requireWhole,
  wrongType,
  wrongValue,
} from '../errors.js';
import { expm1 } from '../numeric/scalar.js';

/**
 * Single releases. Sensitivities are those of adding or removing one record; replacing one is counted as
 * both at once, so it doubles them. What is stated by its guarantee alone (pure-dp, approximate-dp, gdp, zcdp,
 * rdp, bounded-range, tabulated) and randomised response, which is about changing one's answer, is taken to
 * hold under the adjacency of the account, whichever that is.
 */
export type Basic =
  | Gaussian
  | Laplace
  | DiscreteGaussian
  | DiscreteLaplace
  | RandomizedResponse
  | PureDp
  | ApproximateDp
  | Gdp
  | Zcdp
  | Rdp
  | BoundedRange
  | Tabulated;

/** Sum query of L2 sensitivity 1 plus N(0, σ²I) noise. */
export interface Gaussian {
  readonly kind: 'gaussian';
  /** Noise standard deviation over sensitivity: 0 (no privacy, ε = ∞) or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
}

/** Query of L1 sensitivity `sensitivity` plus Laplace noise of scale `scale`; sensitivity/scale in [1e-9, 300]. */
export interface Laplace {
  readonly kind: 'laplace';
  readonly scale: number;
  readonly sensitivity: number;
}

/** Integer query plus noise k with probability ∝ e^{−k²/2σ²} (Canonne, Kamath, Steinke 2020). */
export interface DiscreteGaussian {
  readonly kind: 'discrete-gaussian';
  /** σ in [0.05, 1e4], in units of the query. */
  readonly sigma: number;
  /** A whole number from 1 to 1e6, with sensitivity/σ ≤ 50. */
  readonly sensitivity: number;
}

/** Integer query plus noise k with probability ∝ e^{−|k|/scale} (the geometric mechanism). */
export interface DiscreteLaplace {
  readonly kind: 'discrete-laplace';
  readonly scale: number;
  /** A whole number from 1 to 1e6, with sensitivity/scale in [1e-9, 300]. */
  readonly sensitivity: number;
}

/** One of `categories` answers: the true one with probability e^ε/(e^ε + categories − 1), else any other. */
export interface RandomizedResponse {
  readonly kind: 'randomized-response';
  /** 0 or in [1e-12, 300]. */
  readonly epsilon: number;
  /** A whole number from 2 to 2⁵³ − 1. */
  readonly categories: number;
}

/** Anything ε-DP, ε = 0 or in [1e-12, 300]. */
export interface PureDp {
  readonly kind: 'pure-dp';
  readonly epsilon: number;
}

/** Anything (ε, δ)-DP, ε = 0 or in [1e-12, 300], δ in [0, 1]. */
export interface ApproximateDp {
  readonly kind: 'approximate-dp';
  readonly epsilon: number;
  readonly delta: number;
}

/** Anything μ-GDP, μ = 0 or in [1e-9, 1e9]. */
export interface Gdp {
  readonly kind: 'gdp';
  readonly mu: number;
}

/** Anything ρ-zCDP, ρ = 0 or in [1e-12, 1e4]. */
export interface Zcdp {
  readonly kind: 'zcdp';
  readonly rho: number;
}

/** Anything with Rényi divergence at most `epsilon` at each of the orders listed (order > 1). */
export interface Rdp {
  readonly kind: 'rdp';
  readonly points: readonly { readonly order: number; readonly epsilon: number }[];
}

/** Anything whose losses span at most ε (Durfee, Rogers 2019): the exponential mechanism e^{εu/2Δ} and its like. ε = 0 or in [1e-12, 300]. */
export interface BoundedRange {
  readonly kind: 'bounded-range';
  readonly epsilon: number;
}

/** Anything (εᵢ, δᵢ)-DP for every point listed, ε in [−300, 1e4]; no δ can be below 1 − e^ε. */
export interface Tabulated {
  readonly kind: 'tabulated';
  readonly points: readonly { readonly epsilon: number; readonly delta: number }[];
}

/** Points of a table: more is a mistake, not a mechanism. */
export const MAX_POINTS = 100_000;

/** @throws TypeError | RangeError if `noiseMultiplier` is neither 0 nor in [1e-9, 1e9]. */
export function gaussian(options: { noiseMultiplier: number }): Gaussian {
  requireOptions('gaussian', options, ['noiseMultiplier']);
  return {
    kind: 'gaussian',
    noiseMultiplier: zeroOr('noiseMultiplier', options?.noiseMultiplier, 1e-9, 1e9),
  };
}

/** @throws TypeError | RangeError if an option is not a positive number or sensitivity/scale is not in [1e-9, 300]. */
export function laplace(options: { scale: number; sensitivity: number }): Laplace {
  requireOptions('laplace', options, ['scale', 'sensitivity']);
  const scale = within('scale', options?.scale, 1e-300, 1e300);
  const sensitivity = within('sensitivity', options.sensitivity, 1e-300, 1e300);
  requireRatio('scale', scale, sensitivity, 1e-9, 300);
  return { kind: 'laplace', scale, sensitivity };
}

/** @throws TypeError | RangeError for values outside the ranges stated at `DiscreteGaussian`. */
export function discreteGaussian(options: { sigma: number; sensitivity: number }): DiscreteGaussian {
  requireOptions('discreteGaussian', options, ['sigma', 'sensitivity']);
  const sigma = within('sigma', options?.sigma, 0.05, 1e4);
  const sensitivity = requireWhole('sensitivity', options.sensitivity, 1, 1e6);
  requireRatio('sigma', sigma, sensitivity, 0, 50);
  return { kind: 'discrete-gaussian', sigma, sensitivity };
}

/** @throws TypeError | RangeError for values outside the ranges stated at `DiscreteLaplace`. */
export function discreteLaplace(options: { scale: number; sensitivity: number }): DiscreteLaplace {
  requireOptions('discreteLaplace', options, ['scale', 'sensitivity']);
  const scale = within('scale', options?.scale, 1e-300, 1e300);
  const sensitivity = requireWhole('sensitivity', options.sensitivity, 1, 1e6);
  requireRatio('scale', scale, sensitivity, 1e-9, 300);
  return { kind: 'discrete-laplace', scale, sensitivity };
}

/** @throws TypeError | RangeError for values outside the ranges stated at `RandomizedResponse`. */
export function randomizedResponse(options: { epsilon: number; categories?: number }): RandomizedResponse {
  requireOptions('randomizedResponse', options, ['epsilon', 'categories']);
  return {
    kind: 'randomized-response',
    epsilon: zeroOr('epsilon', options?.epsilon, 1e-12, 300),
    categories: requireWhole(
      'categories',
      options.categories === undefined ? 2 : options.categories,
      2,
      Number.MAX_SAFE_INTEGER,
    ),
  };
}

/** @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-12, 300]. */
export function pureDp(options: { epsilon: number }): PureDp {
  requireOptions('pureDp', options, ['epsilon']);
  return { kind: 'pure-dp', epsilon: zeroOr('epsilon', options?.epsilon, 1e-12, 300) };
}

/** @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-12, 300] or `delta` not in [0, 1]. */
export function approximateDp(options: { epsilon: number; delta: number }): ApproximateDp {
  requireOptions('approximateDp', options, ['epsilon', 'delta']);
  return {
    kind: 'approximate-dp',
    epsilon: zeroOr('epsilon', options?.epsilon, 1e-12, 300),
    delta: within('delta', options.delta, 0, 1),
  };
}

/** @throws TypeError | RangeError if `mu` is neither 0 nor in [1e-9, 1e9]. */
export function gdp(options: { mu: number }): Gdp {
  requireOptions('gdp', options, ['mu']);
  return { kind: 'gdp', mu: zeroOr('mu', options?.mu, 1e-9, 1e9) };
}

/** @throws TypeError | RangeError if `rho` is neither 0 nor in [1e-12, 1e4]. */
export function zcdp(options: { rho: number }): Zcdp {
  requireOptions('zcdp', options, ['rho']);
  return { kind: 'zcdp', rho: zeroOr('rho', options?.rho, 1e-12, 1e4) };
}

/** @throws TypeError | RangeError if there is no point, an order is not in (1, 1e6] or an epsilon not in [0, 1e6]. */
export function rdp(options: { points: readonly { order: number; epsilon: number }[] }): Rdp {
  requireOptions('rdp', options, ['points']);
  const points = requirePoints(options?.points, ['order', 'epsilon']).map((point, i) => ({
    order: requireNumber(
      `points[${i}].order`,
      point['order'],
      'a number in (1, 1e6]',
      (x) => x > 1 && x <= 1e6,
    ),
    epsilon: within(`points[${i}].epsilon`, point['epsilon'], 0, 1e6),
  }));
  return { kind: 'rdp', points: points.sort((a, b) => a.order - b.order) };
}

/** @throws TypeError | RangeError if `epsilon` is neither 0 nor in [1e-12, 300]. */
export function boundedRange(options: { epsilon: number }): BoundedRange {
  requireOptions('boundedRange', options, ['epsilon']);
  return { kind: 'bounded-range', epsilon: zeroOr('epsilon', options?.epsilon, 1e-12, 300) };
}

/** @throws TypeError | RangeError if there is no point, an epsilon is not in [−300, 1e4] or a delta not in [max(0, 1 − e^ε), 1]. */
export function tabulated(options: { points: readonly { epsilon: number; delta: number }[] }): Tabulated {
  requireOptions('tabulated', options, ['points']);
  const points = requirePoints(options?.points, ['epsilon', 'delta']).map((point, i) => {
    const epsilon = within(`points[${i}].epsilon`, point['epsilon'], -300, 1e4);
    const delta = within(`points[${i}].delta`, point['delta'], 0, 1);
    if (delta < -expm1(epsilon) * (1 - 1e-12)) {
      throw wrongValue(`points[${i}].delta`, `at least 1 - e^epsilon, as every δ(${epsilon}) is`, delta);
    }
    return { epsilon, delta };
  });
  return { kind: 'tabulated', points: points.sort((a, b) => a.epsilon - b.epsilon || a.delta - b.delta) };
}

function requirePoints(points: unknown, names: readonly string[]): Record<string, unknown>[] {
  const expected = `an array of {"${names[0]}", …} objects`;
  if (!Array.isArray(points)) throw wrongType('points', expected, points);
  if (points.length === 0 || points.length > MAX_POINTS) {
    throw wrongValue('points', `1 to ${MAX_POINTS} points`, points);
  }
  points.forEach((point, i) => {
    requireFields(`points[${i}]`, point, names);
  });
  return points;
}

function within(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, `a number in [${low}, ${high}]`, (x) => x >= low && x <= high);
}

function zeroOr(option: string, value: unknown, low: number, high: number): number {
  const expected = `0 or a number from ${low} to ${high}`;
  return requireNumber(option, value, expected, (x) => x === 0 || (x >= low && x <= high));
}

function requireRatio(option: string, noise: number, sensitivity: number, low: number, high: number): void {
  const ratio = sensitivity / noise;
  if (!(ratio >= low && ratio <= high)) {
    const expected = `such that sensitivity/${option} is in [${low}, ${high}] (sensitivity is ${sensitivity})`;
    throw wrongValue(option, expected, noise);
  }
}
