import { CONVERSIONS } from '../bounds/renyi-accountant.js';
import { requireList, requireNumber, requireProbability, wrongType } from '../errors.js';
import { MAX_POINTS } from '../mechanism/checks.js';
import { type Bracket, bracket, exactly, maxBracket, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { least } from '../numeric/extremes.js';
import { probabilityOf } from '../numeric/log-probability.js';
import { FUNCTION_ERROR, ROUNDINGS, TO_14_DIGITS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p, normalCdf } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { deltaOf, type Profile } from '../profile/profile.js';
import type { DirectedRun } from '../run/directed-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import {
  type Conversion,
  ConversionRefused,
  type ConversionSource,
  type Guarantee,
  lineOf,
} from './guarantee.js';

/** What a conversion function returns; `convert` adds the names of source and target. */
export type Converted = Omit<Conversion, 'from' | 'to'>;

/** Makes the result of a conversion into a guarantee with a single number, from a bracket of that number. */
export const answering =
  (stated: (value: Bracket) => Guarantee) =>
  (value: Bracket, theorem: string): Converted => ({ guarantee: stated(value), values: [value], theorem });

export function toPureDp(source: ConversionSource): Converted {
  const { pure, name, profile } = source;
  if (pure === Infinity)
    throw new ConversionRefused(name, 'pure-dp', 'no epsilon is known at which delta is 0');
  const lower = profile.logDelta(pure * (1 - 1e-9)).lower > -Infinity ? pure * (1 - 1e-9) : 0;
  const epsilon = bracket(lineOf(source.guarantee) ? pure : lower, pure);
  return answering(() => ({ kind: 'pure-dp', epsilon: pure }))(epsilon, 'the epsilon from which delta is 0');
}

/** Greatest ε of a result; if a larger one would be needed, the conversion is refused. */
const LARGEST = 1e6;

/**
 * The (ε, δ)-DP implied by the source, with the one parameter that the target leaves open.
 *
 * Ensures: all that meets the guarantee is (ε, δ)-DP for the upper end of the answer.
 */
export function toApproximateDp(
  source: ConversionSource,
  target: { epsilon?: number; delta?: number },
): Converted {
  if ((target.epsilon === undefined) === (target.delta === undefined)) {
    throw wrongType('target', 'an object with either "epsilon" or "delta"', target);
  }
  const answer = (epsilon: number, delta: number, value: Bracket): Converted => ({
    ...answering(() => ({ kind: 'approximate-dp', epsilon, delta }))(value, theoremOf(source)),
    ...weaker(source, target.epsilon, log(delta)),
  });
  if (target.delta === undefined) {
    const epsilon = requireNumber('epsilon', target.epsilon, 'a number in [0, 300]');
    const delta = deltaAt(source, epsilon);
    return answer(epsilon, delta.upper, delta);
  }
  const delta = requireProbability('delta', target.delta);
  const line = lineOf(source.guarantee);
  const found = delta < 1 && line?.delta === delta ? exactly(line.epsilon) : epsilonAt(source, log(delta));
  // the source's own statement is returned without rounding
  const most = line !== undefined && line.delta <= delta ? line.epsilon : Infinity;
  const epsilon = ordered(found.lower, Math.min(found.upper, most));
  if (epsilon.upper === Infinity) {
    const why = `delta is not known to fall to ${delta} at any epsilon`;
    throw new ConversionRefused(source.name, 'approximate-dp', why);
  }
  return answer(epsilon.upper, delta, epsilon);
}

/** δ at ε: exactly the stated δ from the stated ε on, else the profile's. Ensures: the bracket holds the least δ that follows from the source. */
function deltaAt({ guarantee, profile }: ConversionSource, epsilon: number): Bracket {
  const line = lineOf(guarantee);
  return line !== undefined && epsilon >= line.epsilon ? exactly(line.delta) : deltaOf(profile, epsilon);
}

/** For comparison: δ at ε, or ε at δ = e^{logDelta} if ε is not given, by the usual conversions of Rényi divergences. */
function weaker(
  { guarantee }: ConversionSource,
  epsilon: number | undefined,
  logDelta: number,
): Pick<Converted, 'beside'> {
  if (guarantee?.kind === 'zcdp' && guarantee.rho > 0) {
    const { rho } = guarantee;
    const value =
      epsilon === undefined
        ? rho + 2 * Math.sqrt(-rho * logDelta)
        : epsilon > rho
          ? exp((-(epsilon - rho) * (epsilon - rho)) / (4 * rho))
          : 1;
    return { beside: [{ name: 'Bun, Steinke 2016, prop. 1.3', value }] };
  }
  if (guarantee?.kind !== 'rdp') return {};
  const beside = Object.values(CONVERSIONS).map((by) => {
    const values = guarantee.points.map(({ order, epsilon: divergence }) =>
      epsilon === undefined
        ? by.epsilon(order - 1, divergence, logDelta)
        : exp(Math.min(0, by.logDelta(order - 1, divergence, epsilon))),
    );
    return { name: by.source, value: Math.max(0, least(values)) };
  });
  return { beside };
}

/**
 * The least ε with δ(ε) ≤ e^{logDelta}, by bisection of the privacy profile.
 *
 * Ensures: the least ε with that δ lies in the bracket.
 */
function epsilonAt({ profile, pure }: ConversionSource, logDelta: number): Bracket {
  if (logDelta === 0) return exactly(0);
  if (logDelta === -Infinity) return bracket(0, pure);
  const options = { guess: 1, ceiling: LARGEST, relative: TO_14_DIGITS, absolute: 1e-300 };
  const above = turningPoint((epsilon) => profile.logDelta(epsilon).upper <= logDelta, options);
  const below = turningPoint((epsilon) => profile.logDelta(epsilon).lower <= logDelta, options);
  return bracket(Math.min(Math.max(0, below.low), above.high), above.high);
}

const REGION = 'the joint region of all orders in both directions (REP appendix A.6)';
const ORDER = 'the exact partial order (IAM theorem 2.1)';
const THEOREMS: Readonly<Record<Guarantee['kind'], string>> = {
  'pure-dp': ORDER,
  'approximate-dp': ORDER,
  gdp: 'the Gaussian profile (GDP corollary 2.13)',
  zcdp: REGION,
  'approximate-zcdp': `${REGION}, but for delta (docs/proofs/renyi.md)`,
  rdp: REGION,
  tcdp: REGION,
  mcdp: 'the divergences that the mean and the deviation imply (docs/proofs/renyi.md), jointly at all orders',
  'probabilistic-dp': '(epsilon, delta)-pDP is (epsilon, delta)-DP',
  'trade-off': 'the dual of the trade-off curve (GDP proposition 2.12)',
  tabulated: 'the convex hull of all that the points imply (GDP proposition 2.11)',
};

function theoremOf({ name, guarantee }: ConversionSource): string {
  return guarantee === undefined ? `the curve of the ${name}` : THEOREMS[guarantee.kind];
}

/**
 * The largest value of `at` found on [0, `end`], or `from` if that is larger. It tries evenly spaced places first, then ever closer neighbours of the
 * best one. Any place gives a valid bound, so a missed maximum only loosens the bound.
 */
function highest(
  at: (x: number) => number,
  end: number,
  places: number,
  finest: number,
  from: number,
): number {
  let [best, centre] = [from, 0];
  const consider = (x: number): void => {
    const value = x >= 0 ? at(x) : from;
    if (value > best) [best, centre] = [value, x];
  };
  for (let i = 0; i <= places; i++) consider((end * i) / places);
  for (let step = end / (2 * places); step > finest; step /= 2) {
    for (const side of [-1, 1]) consider(centre + side * step);
  }
  return best;
}

/**
 * The δ of probabilistic DP at a given ε*. (ε, δ)-DP ⇒ (ε*, δ(1 + e^{−ε*})/(1 − e^{ε−ε*}))-pDP for every ε < ε* (Zhao et al. 2019, lemma 4), and the
 * smallest value found is taken. A run's own tails are used where they are known.
 *
 * Ensures: whatever meets the guarantee has a privacy loss above ε* in size with at most the upper end as probability.
 */
export function toProbabilisticDp(source: ConversionSource, target: { epsilon: number }): Converted {
  const epsilon = requireNumber('epsilon', target.epsilon, 'a number in (0, 300]');
  const { guarantee, profile, pure } = source;
  const lower = deltaOf(profile, epsilon).lower;
  const answer = answering(({ upper: delta }) => ({ kind: 'probabilistic-dp', epsilon, delta }));
  if (pure <= epsilon) return answer(ordered(lower, 0), 'the privacy loss is never larger');
  const tails = ownTails(source, epsilon);
  if (tails !== undefined) return answer(tails, 'both tails of its privacy loss (GM lemma 15 ii)');
  const own = guarantee?.kind === 'probabilistic-dp' && guarantee.epsilon <= epsilon ? guarantee.delta : 2;
  const at = (x: number): number => {
    if (x >= epsilon) return -Infinity;
    const value = profile.logDelta(x).upper + log1p(exp(-epsilon)) - log(-expm1(x - epsilon));
    // widened by more than the rounding errors of three logarithms and their sum
    return -(value + 4 * U * (4 + Math.abs(value)));
  };
  const logDelta = -highest(at, epsilon, 100, 1e-9 * epsilon, -Infinity);
  const delta = probabilityOf(bracket(-Infinity, logDelta)).upper;
  if (own <= delta) return answer(ordered(lower, own), 'it is stated at a smaller epsilon');
  if (!(delta < 1)) {
    const why = `nothing below delta = 1 follows at epsilon = ${epsilon}`;
    throw new ConversionRefused(source.name, 'probabilistic-dp', why);
  }
  return answer(ordered(lower, delta), '(epsilon, delta)-DP implies pDP at a larger epsilon (GM lemma 4)');
}

/**
 * Pr[|L| > ε] of the privacy loss L itself. It is known for a Gaussian run, where closer neighbours have smaller tails, and for a source that is a pair.
 * A pair that only dominates the source does not bound these tails: they are not a divergence, so post-processing may raise them.
 *
 * Ensures: the probability lies in the bracket.
 */
function ownTails(
  { guarantee, profile, pairs = [] }: ConversionSource,
  epsilon: number,
): Bracket | undefined {
  if (guarantee !== undefined || profile.standing !== 'exact') return undefined;
  const { gaussianMu } = profile;
  if (gaussianMu !== undefined) return gaussianMu.lower > 0 ? gaussianTails(gaussianMu, epsilon) : undefined;
  return pairs.length === 0 ? undefined : lossTails(pairs, epsilon);
}

export function toTable(source: ConversionSource, target: { epsilons: readonly number[] }): Converted {
  const epsilons = requireNumbers('epsilons', target.epsilons, 'numbers in [0, 1e4]');
  const values = epsilons.map((epsilon) => deltaAt(source, epsilon));
  const points = epsilons.map((epsilon, i) => ({ epsilon, delta: values[i].upper }));
  return { guarantee: { kind: 'tabulated', points }, values, theorem: theoremOf(source) };
}

export function toTradeoff(source: ConversionSource, target: { alphas: readonly number[] }): Converted {
  const given = requireNumbers('alphas', target.alphas, 'numbers in [0, 1]');
  const alphas = [...given].sort((a, b) => a - b);
  const values = alphas.map((alpha) => missRate(source, alpha));
  const rates = alphas.map((alpha, i) => ({ alpha, beta: values[i].lower }));
  const points = rates.filter(({ alpha }, i) => alpha !== alphas[i - 1]);
  const kind = source.guarantee?.kind;
  const theorem =
    kind === 'zcdp' || kind === 'rdp' ? REGION : 'supporting lines of the profile (GDP proposition 2.11)';
  // the points lie on a convex curve whose chords prove nothing, so they are stated without interpolation
  return { guarantee: { kind: 'trade-off', points: falling(points), linear: false }, values, theorem };
}

/** The points with β lowered to the least β before it, as rounding errors may have made it rise with α. */
function falling(points: { alpha: number; beta: number }[]): { alpha: number; beta: number }[] {
  let most = 1;
  return points.map(({ alpha, beta }) => {
    most = Math.min(most, beta);
    return { alpha, beta: most };
  });
}

/** Bracket of β at α that follows from the source. Ensures: the lower end is no more than f(α) of any mechanism that meets the source. */
function missRate(source: ConversionSource, alpha: number): Bracket {
  if (alpha === 1) return exactly(0);
  const { guarantee, run, profile } = source;
  const line = guarantee?.kind === 'probabilistic-dp' ? undefined : lineOf(guarantee);
  if (line !== undefined) return twoLines(line.epsilon, line.delta, alpha);
  if (run !== undefined) return TradeoffCurve.symmetric([run]).fnr(alpha);
  return bracket(missRateFromProfile(profile, alpha), Math.min(1, (1 - alpha) * (1 + ROUNDINGS)));
}

/**
 * The trade-off function of (ε, δ)-DP, max{0, 1 − δ − e^ε α, e^{−ε}(1 − δ − α)} (Dong, Roth, Su 2022, eq. 3).
 *
 * Ensures: the maximum lies in the bracket.
 */
function twoLines(epsilon: number, delta: number, alpha: number): Bracket {
  const hidden = 1 - delta;
  const room = hidden - alpha;
  // the sign of a difference of doubles is right. But 1 − δ itself may have been rounded to α.
  if (room < 0 || (room === 0 && 1 - hidden === delta)) return exactly(0);
  const steep = hidden - exp(epsilon) * alpha;
  const flat = exp(-epsilon) * room;
  const value = Math.max(0, steep, flat);
  const slack = FUNCTION_ERROR * (steep > flat ? 1 : 1 + exp(-epsilon));
  return bracket(Math.max(0, value - slack), Math.min(1, value + slack));
}

/**
 * A lower bound of f(α) (Dong, Roth, Su 2022, proposition 2.12). It is the greatest value found of 1 − δ(ε) − e^ε α and e^{−ε}(1 − δ(ε) − α), ε ≥ 0.
 *
 * Ensures: no larger than f(α).
 */
function missRateFromProfile(profile: Profile, alpha: number): number {
  const at = (epsilon: number): number => {
    const hidden = -expm1(profile.logDelta(epsilon).upper);
    return Math.max(hidden - exp(epsilon) * alpha, exp(-epsilon) * (hidden - alpha)) - FUNCTION_ERROR;
  };
  // lines 1 − δ − e^ε α are useful for ε up to −log α, the others up to −log f(α)
  const top = Math.min(700, 1 - log(Math.max(alpha, 1e-300)) - 2 * log(Math.max(1 - alpha, 1e-150)));
  return highest(at, top, 300, 1e-9, 0);
}

export function requireNumbers(option: string, value: unknown, expected: string): readonly number[] {
  const given = requireList(option, value, expected, 1, MAX_POINTS);
  return Array.from(given, (each) => requireNumber(option, each, expected));
}

/** Lengths in ε, relative to min(1, ε), of chords of δ whose slopes bound a tail probability. The tightest bound is used. */
const STRIDES = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] as const;

/**
 * e^ε Pr_P[L > ε] of a pair. Pr_P[L > ε] is the false positive rate −dδ/de^ε. As δ is convex in e^ε, the rate lies between the
 * slopes of the chords before and after ε.
 *
 * Ensures: e^ε Pr_P[L > ε] lies in the bracket.
 */
function liftedRate(run: DirectedRun, epsilon: number): Bracket {
  let lower = 0;
  let upper = exp(epsilon);
  const at = (x: number): Bracket => probabilityOf(run.logDelta(x));
  const here = at(epsilon);
  for (const share of STRIDES) {
    const stride = share * Math.min(1, epsilon);
    const before = at(epsilon - stride);
    const after = at(epsilon + stride);
    upper = Math.min(upper, ((before.upper - here.lower) / -expm1(-stride)) * (1 + ROUNDINGS));
    lower = Math.max(lower, ((here.lower - after.upper) / expm1(stride)) * (1 - ROUNDINGS));
  }
  return bracket(Math.min(lower, upper), Math.max(0, upper));
}

/**
 * Pr_Q[L > ε] + Pr_Q[L < −ε] of a pair (P, Q). The first term is δ(ε) + e^ε Pr_P[L > ε]. The second is Pr[L′ > ε] under the first law
 * of the exchanged pair (Q, P), with the loss L′ = −L.
 *
 * Ensures: the sum lies in the bracket.
 */
function lossBeyond(forward: DirectedRun, backward: DirectedRun, epsilon: number): Bracket {
  const delta = probabilityOf(forward.logDelta(epsilon));
  const own = liftedRate(forward, epsilon);
  const other = liftedRate(backward, epsilon);
  const lower = delta.lower + own.lower + other.lower / exp(epsilon);
  const upper = delta.upper + own.upper + other.upper / exp(epsilon);
  return outward(lower, upper, ROUNDINGS);
}

/**
 * Pr[|L| > ε] of a run's privacy loss, in the worse role of the neighbours; ε > 0.
 *
 * Ensures: the probability lies in the bracket.
 */
function lossTails(directions: readonly DirectedRun[], epsilon: number): Bracket {
  const [forward, backward = forward] = directions;
  const a = lossBeyond(forward, backward, epsilon);
  if (backward === forward) return a;
  return maxBracket(a, lossBeyond(backward, forward, epsilon));
}

/**
 * Pr[|L| > ε] of μ-GDP's Gaussian pair: Φ(−(ε − μ²/2)/μ) + Φ(−(ε + μ²/2)/μ) (Zhao et al. 2019, lemma 15 ii).
 *
 * Ensures: the probability lies in the bracket for every μ of the one given.
 */
function gaussianTails(mu: Bracket, epsilon: number): Bracket {
  const at = (mu: number): number => normalCdf(mu / 2 - epsilon / mu) + normalCdf(-mu / 2 - epsilon / mu);
  // `normalCdf` errs by the rounding of its argument. The relative error of a tail is that times the square of the argument.
  const slack = Math.min(1, ROUNDINGS + FUNCTION_ERROR * (epsilon / mu.lower + mu.upper) ** 2);
  return outward(at(mu.lower), at(mu.upper), slack);
}

/**
 * A bracket of a sum of few probabilities, widened by the relative error `slack`. A probability that underflows is not taken as 0.
 *
 * Ensures: holds the sum, if its relative error is at most `slack`.
 */
function outward(lower: number, upper: number, slack: number): Bracket {
  return bracket(Math.max(0, lower * (1 - slack) - LEAST), Math.min(1, upper * (1 + slack) + LEAST));
}

/** The error of a sum of two subnormal numbers. */
const LEAST = 2 * Number.MIN_VALUE;
