import {
  requireNumber,
  requireOptions,
  requirePositive,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { A_ROUNDING, ROUNDING, TO_LAST_DIGITS, up } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { firstWhere, turningPoint } from '../numeric/solve.js';
import { aroundLog, type Profile, requireEpsilon } from './profile.js';

/**
 * The partial order of guarantees (IAM thm 2.1): (ε₀, δ₀)-DP implies (ε, δ)-DP iff δ ≥ δ₀ + (1−δ₀)(e^{ε₀}−e^ε)⁺/(1+e^{ε₀}). For ε₀ ≥ ε this is 1 − δ
 * ≤ (1−δ₀)(1+e^ε)/(1+e^{ε₀}).
 */

/**
 * log of the least δ that (ε₀, δ₀)-DP with δ₀ = e^{logDelta0} implies at `epsilon`. By IAM thm 2.1 that δ is δ₀ + (1 − δ₀)(e^{ε₀} − e^ε)/(1 + e^{ε₀}) for
 * ε ≤ ε₀, else δ₀. The error is a few roundings.
 */
export function impliedLogDelta(epsilon0: number, logDelta0: number, epsilon: number): number {
  if (epsilon >= epsilon0 || logDelta0 === 0) return logDelta0;
  // (e^{ε₀} − e^ε)/(1 + e^{ε₀}), without cancellation and without overflow
  const rise = -expm1(epsilon - epsilon0) / (1 + exp(-epsilon0));
  const delta0 = exp(logDelta0);
  return Math.min(0, log(rise + delta0 * (1 - rise)));
}

/**
 * An interval of ε that contains the only maximum of (1 − δ̂(ε))/(1 + e^ε), δ̂ a profile. This quotient increases before the interval and decreases
 * after it.
 */
export interface Peak {
  /** Left end, in nats. */
  readonly low: number;
  /** Right end, in nats. */
  readonly high: number;
}

/** Approximate number of points at which a profile without a known peak is evaluated. */
const KNOTS = 4000;

/**
 * A profile δ̂ improved by all that its points imply at smaller ε (IAM app. C): δ(ε) = inf over ε₀ ≥ ε of (1 − δ̂(ε₀))(e^{ε₀} − e^ε)/(e^{ε₀} + 1) +
 * δ̂(ε₀).
 *
 * With `peak` the infimum is bracketed. For ε below the maximum of (1 − δ̂)/(1 + e^ε) it is attained at that maximum, for larger ε at ε itself.
 * Without, it is taken over ε itself and some thousand ε₀, most of them close to the best: each is a guarantee by itself.
 *
 * @throws TypeError if `naive` is not a profile.
 * @example
 * const naive = profileFromNoise({ noise: (epsilon, delta) => -Math.log(delta) / epsilon, sigma: 10 });
 * refinedProfile(naive).logDelta(0.2).upper; // -2.28732
 */
export function refinedProfile(naive: Profile, peak?: Peak): Profile {
  if (typeof naive?.logDelta !== 'function') throw wrongType('naive', 'a profile', naive);
  const best = peak === undefined ? knotsOf(naive) : undefined;
  return {
    ...naive,
    logDelta: (epsilon) => {
      requireEpsilon(epsilon);
      const own = naive.logDelta(epsilon);
      if (epsilon === Infinity) return own;
      if (best !== undefined) {
        const knot = best(epsilon);
        if (knot === undefined) return own;
        const there = naive.logDelta(knot);
        return lesser(own, between(knot, there, knot, there, epsilon));
      }
      const { low, high } = peak as Peak;
      if (epsilon >= high) return own;
      const from = Math.max(low, epsilon);
      return lesser(own, between(from, naive.logDelta(from), high, naive.logDelta(high), epsilon));
    },
  };
}

/** Bracket of the lesser of two values. Ensures: the lesser value lies in it. */
function lesser(a: Bracket, b: Bracket): Bracket {
  return bracket(Math.min(a.lower, b.lower), Math.min(a.upper, b.upper));
}

/**
 * Bracket of log δ(ε) that the best point ε₀ in [low, high] implies. The upper end is the smaller of what `low` and `high` imply. The lower end is
 * what `low` would imply with the δ of `high`.
 *
 * Ensures: what the best point implies lies in it, if the profile does not rise.
 */
function between(low: number, atLow: Bracket, high: number, atHigh: Bracket, epsilon: number): Bracket {
  const upper = Math.min(
    impliedLogDelta(low, atLow.upper, epsilon),
    impliedLogDelta(high, atHigh.upper, epsilon),
  );
  const lower = impliedLogDelta(low, atHigh.lower, epsilon);
  return bracket(aroundLog(Math.min(lower, upper)).lower, aroundLog(upper).upper);
}

/** A function that gives, of the points evaluated, the ε₀ ≥ ε that implies the least δ at ε; undefined beyond the last point. Heuristic: any point is valid. */
function knotsOf(naive: Profile): (epsilon: number) => number | undefined {
  const gainAt = (x: number): number => log(-expm1(naive.logDelta(x).upper)) - log1p(exp(x));
  let knots: { x: number; gain: number }[] = [];
  const add = (from: number, to: number, count: number): void => {
    for (let i = 0; i <= count; i++) {
      const x = from + ((to - from) * i) / count;
      knots.push({ x, gain: gainAt(x) });
    }
  };
  add(0, 50, KNOTS / 2);
  // points are denser near the best one, which decides δ at every smaller ε
  let reach = 50 / (KNOTS / 2);
  for (let round = 0; round < 12; round++) {
    const top = knots.reduce((a, b) => (b.gain > a.gain ? b : a));
    add(Math.max(0, top.x - reach), top.x + reach, KNOTS / 24);
    reach /= 20;
  }
  knots = knots.sort((a, b) => b.x - a.x);
  // only a point that is better than all points beyond it can be the best for some ε
  const records: { x: number; gain: number }[] = [];
  for (const knot of knots) {
    const last = records.at(-1);
    if (last === undefined || knot.gain > last.gain) records.push(knot);
  }
  records.reverse();
  return (epsilon) => records[firstWhere(records.length, (i) => !(records[i].x < epsilon))]?.x;
}

/** Noise σ with which a mechanism is (ε, δ)-DP, as a function that falls as ε or δ grows. */
export type NoiseFormula = (epsilon: number, delta: number) => number;

/**
 * The profile of a mechanism that runs with noise `sigma`, by an analysis that says which noise suffices for (ε, δ)-DP. It is the least δ for which
 * noise(ε, δ) ≤ sigma, found by bisection. Pass it to `refinedProfile`.
 *
 * @throws TypeError | RangeError for a wrong option; on evaluation, RangeError if the formula does not fall as δ grows.
 * @example
 * profileFromNoise({ noise: (epsilon, delta) => -Math.log(delta) / epsilon, sigma: 10 }).logDelta(0.2).upper; // -2
 */
export function profileFromNoise(options: { noise: NoiseFormula; sigma: number; title?: string }): Profile {
  requireOptions('profileFromNoise', options, ['noise', 'sigma', 'title']);
  const { noise } = options ?? {};
  if (typeof noise !== 'function') throw wrongType('noise', 'a function of epsilon and delta', noise);
  const sigma = requirePositive('sigma', options.sigma);
  const enough = (epsilon: number, logDelta: number): boolean => noise(epsilon, exp(logDelta)) <= sigma;
  return {
    title: options.title ?? 'noise formula',
    standing: 'estimate',
    adjacency: 'unstated',
    tail: { reason: 'a limit cannot be decided from values of a formula', ceiling: () => Infinity },
    logDelta: (epsilon) => {
      requireEpsilon(epsilon);
      if (epsilon === 0 || !enough(epsilon, 0)) return bracket(0, 0);
      if (enough(epsilon, -740)) return bracket(-Infinity, -740);
      const { low, high } = turningPoint((logDelta) => enough(epsilon, logDelta), {
        guess: -1,
        floor: -740,
        ceiling: 0,
        relative: TO_LAST_DIGITS,
        absolute: 1e-300,
      });
      if (!(low >= -740)) throw wrongValue('noise', 'a function that falls as delta grows', low);
      return bracket(low, high);
    },
  };
}

/**
 * The least noise by which a formula gives (ε, δ)-DP through some (ε₀, δ₀) that implies it (IAM app. C).
 *
 * @returns A point (ε₀, δ₀) that implies (ε, δ), and its noise, never above noise(ε, δ).
 * @throws TypeError | RangeError for a wrong option.
 * @example
 * leastNoise({ epsilon: 0.2, delta: Math.exp(-2), noise: (e, d) => -Math.log(d) / e }).noise; // 8.08572
 */
export function leastNoise(options: { epsilon: number; delta: number; noise: NoiseFormula }): {
  epsilon0: number;
  delta0: number;
  noise: number;
} {
  requireOptions('leastNoise', options, ['epsilon', 'delta', 'noise']);
  const { noise } = options ?? {};
  const epsilon = requireNumber('epsilon', options?.epsilon, 'a number in (0, 700)');
  const delta = requireProbability('delta', options.delta);
  if (typeof noise !== 'function') throw wrongType('noise', 'a function of epsilon and delta', noise);
  const at = (epsilon0: number): { epsilon0: number; delta0: number; noise: number } => {
    // 1 − δ₀ = (1 − δ)(1 + e^{ε₀})/(1 + e^ε): δ₀ = δ − (1 − δ)(e^{ε₀} − e^ε)/(1 + e^ε), rounded down
    const loss = ((1 - delta) * expm1(epsilon0 - epsilon)) / (1 + exp(-epsilon));
    const delta0 =
      epsilon0 === epsilon ? delta : Math.max(0, delta - up(loss, ROUNDING) - delta * A_ROUNDING);
    return { epsilon0, delta0, noise: noise(epsilon0, delta0) };
  };
  // the ε₀ at which δ₀ reaches 0
  const last = epsilon + log1p((delta / (1 - delta)) * (1 + exp(-epsilon)));
  let best = at(epsilon);
  const consider = (candidate: ReturnType<typeof at>): void => {
    if (candidate.noise < best.noise) best = candidate;
  };
  const top = Math.min(last, epsilon + 700);
  for (let i = 1; i <= 200; i++) consider(at(epsilon + ((top - epsilon) * i) / 200));
  let reach = (top - epsilon) / 200;
  for (let round = 0; round < 18; round++) {
    const centre = best.epsilon0;
    for (let i = -10; i <= 10; i++) consider(at(Math.min(top, Math.max(epsilon, centre + (reach * i) / 10))));
    reach /= 5;
  }
  return best;
}
