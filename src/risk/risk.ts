import { ComposedRun } from '../account/composed-run.js';
import {
  requireFields,
  requireList,
  requireNumber,
  requireOptions,
  requireShare,
  requireWhole,
} from '../errors.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { probabilityOf } from '../numeric/log-probability.js';
import { down, ROUNDING } from '../numeric/rounding.js';
import { exp, log, log1p } from '../numeric/scalar.js';
import { runTradeoff } from '../tradeoff/constructors.js';
import { groupPrivacy } from '../tradeoff/group-privacy.js';
import { asTradeoff, type Subject, seen } from '../tradeoff/subject.js';
import type { TradeoffFunction } from '../tradeoff/tradeoff-function.js';

/** Questions of `risk`. Each list has a default; an empty list leaves its numbers out. */
export interface RiskOptions {
  /** Probabilities before the release that the record was used, in (0, 1); default [0.5]. */
  readonly priors?: readonly number[];
  /** False positive rates of membership tests, in (0, 1); default [0.001, 0.01, 0.1]. */
  readonly falsePositiveRates?: readonly number[];
  /** Baselines κ: the best success of a guess before the release, in (0, 1); default [1e-6, 0.001, 0.1]. */
  readonly baselines?: readonly number[];
  /** Numbers of records whose secrets are guessed together, whole numbers from 2 to 10,000; default []. */
  readonly secrets?: readonly number[];
  /** Predicates that single out a record: `weight`, the share of the population that meets one; `size`, the number of records of the data set. */
  readonly singlingOut?: { readonly weight: number; readonly size: number };
}

/** What the best attacks on one record reach, as brackets. It is JSON-serialisable. */
export interface Risk {
  /** max(TPR − FPR) of a membership test. */
  readonly advantage: Bracket;
  /**
   * 1 − f(α) at each false positive rate α: no membership test has more power. f is the largest convex function below the curves of adding and of
   * removing a record, which differ for Poisson samples, for example. Where the hull is below both directions, no single test attains it.
   */
  readonly truePositiveRate: readonly { falsePositiveRate: number; truePositiveRate: Bracket }[];
  /** The least error of a guess whether the record was used, for each prior. */
  readonly bayesError: readonly { prior: number; bayesError: Bracket }[];
  /** The largest share of right ones among the records that a test calls used, for each prior and false positive rate. */
  readonly positivePredictiveValue: readonly {
    prior: number;
    falsePositiveRate: number;
    positivePredictiveValue: Bracket;
  }[];
  /** The largest success of reconstruction and of attribute inference for each baseline, and its quotient by the baseline. */
  readonly reconstruction: readonly { baseline: number; reconstruction: Bracket; timesBaseline: Bracket }[];
  /** The largest success of guessing the secrets of several records: all of them, or at least one. */
  readonly severalSecrets: readonly { secrets: number; baseline: number; all: Bracket; any: Bracket }[];
  /** The largest probability that an attack finds a predicate of that weight that exactly one record of the data set meets. */
  readonly singlingOut?: { weight: number; size: number; singlingOut: Bracket };
}

/** Largest length of a list of questions. */
const MOST_QUESTIONS = 1000;

/**
 * What attacks on one record reach at most.
 *
 * Membership (advantage, true positive rate, Bayes error, positive predictive value) is asked of the symmetric trade-off curve, which holds whichever
 * of the neighbours was used. Reconstruction, attribute inference and singling out are asked of f = T(without, with): success is at most 1 − f(κ)
 * (docs/proofs/risk.md). Each bracket contains the value for the worst record that the theorem behind the run allows. For several secrets and for
 * singling out, the upper end is a theorem and the lower end a known attack.
 *
 * @throws TypeError | RangeError naming the option that is wrong.
 * @example
 * risk(account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' })).advantage.upper; // 0.197413
 */
export function risk(subject: Subject, options: RiskOptions = {}): Risk {
  requireOptions('risk', options, ['priors', 'falsePositiveRates', 'baselines', 'secrets', 'singlingOut']);
  const rates = shares('falsePositiveRates', options.falsePositiveRates ?? [0.001, 0.01, 0.1]);
  const baselines = shares('baselines', options.baselines ?? [1e-6, 0.001, 0.1]);
  const priors = shares('priors', options.priors ?? [0.5]);
  const secrets = listed('secrets', options.secrets ?? []).map((many) =>
    requireWhole('secrets', many, 2, 10_000),
  );
  const { f: member, ask, allowance } = seen(subject);
  const answers = (): Risk => {
    const secret = secretCurve(subject);
    const advantage = ask.advantage();
    const truePositiveRate = rates.map((falsePositiveRate) => ({
      falsePositiveRate,
      truePositiveRate: ask.truePositiveRate(falsePositiveRate),
    }));
    return {
      advantage,
      truePositiveRate,
      bayesError: priors.map((prior) => ({ prior, bayesError: member.bayesError(prior) })),
      positivePredictiveValue: priors.flatMap((prior) =>
        truePositiveRate.map(({ falsePositiveRate, truePositiveRate }) => ({
          prior,
          falsePositiveRate,
          positivePredictiveValue: predictiveValue(prior, falsePositiveRate, truePositiveRate),
        })),
      ),
      reconstruction: baselines.map((baseline) => {
        const reconstruction = secret.reconstruction(baseline);
        return { baseline, reconstruction, timesBaseline: scaled(reconstruction, 1 / baseline, Infinity) };
      }),
      severalSecrets: secrets.flatMap((many) =>
        baselines.map((baseline) => severalSecrets(secret, many, baseline)),
      ),
      ...(options.singlingOut !== undefined && { singlingOut: singlingOut(secret, options.singlingOut) }),
    };
  };
  return allowance.askAll(answers);
}

/** The trade-off function T(without, with) of a subject: for a run whose records may be removed, that of direction 'remove'; else the subject's own. */
export function secretCurve(subject: Subject): TradeoffFunction {
  const directed = subject instanceof ComposedRun && subject.settings.adjacency !== 'replace-one';
  return directed ? runTradeoff(subject, 'remove') : asTradeoff(subject);
}

/**
 * Bracket of the positive predictive value π·TPR/(π·TPR + (1 − π)·FPR) at prior π, for a bracket of TPR. Its relative rounding error is at most
 * ROUNDING.
 *
 * Ensures: the value lies in the bracket for every power of the one given.
 */
export function predictiveValue(prior: number, falsePositiveRate: number, power: Bracket): Bracket {
  const odds = ((1 - prior) / prior) * falsePositiveRate;
  const [lower, upper] = [power.lower, power.upper].map((tpr) => tpr / (tpr + odds));
  return bracket(lower * (1 - ROUNDING), Math.min(1, upper * (1 + ROUNDING)));
}

/**
 * Brackets of the success of guessing the secrets of k records, κ the baseline of one. All of them: at most 1 − f_k(κ^k), f_k the trade-off function
 * of a group of k records; at least κ^k, by guessing. Any of them: at most the union bound k(1 − f(κ)); at least 1 − f(κ), of one record.
 *
 * Ensures: no attack is above an upper end, and some attack reaches a lower one.
 */
function severalSecrets(
  f: TradeoffFunction,
  secrets: number,
  baseline: number,
): Risk['severalSecrets'][number] {
  const logAll = secrets * log(baseline);
  const reached = groupPrivacy(f, secrets).at(Math.min(0, logAll * (1 - ROUNDING))).logTpr;
  const one = f.reconstruction(baseline);
  const least = exp(logAll * (1 + ROUNDING)) * (1 - ROUNDING);
  const any = scaled(one, secrets, 1);
  return {
    secrets,
    baseline,
    all: bracket(least, Math.max(least, probabilityOf(reached).upper)),
    any: bracket(Math.min(one.lower, any.upper), any.upper),
  };
}

/** Upper bound of the relative error of an exponential of at most 746 in size, whose exponent is a sum of rounded terms. */
const BLIND_ERROR = 1e-11;

/**
 * Bracket of the success of singling out, for a predicate of weight w and n records. It is at most n(1 − f(w)), and at least nw(1 − w)^{n−1}, that of
 * a fixed predicate.
 *
 * Ensures: no predicate is above the upper end, and some predicate reaches the lower one.
 */
function singlingOut(
  f: TradeoffFunction,
  given: NonNullable<RiskOptions['singlingOut']>,
): NonNullable<Risk['singlingOut']> {
  requireFields('singlingOut', given, ['weight', 'size']);
  const weight = requireShare('singlingOut.weight', given.weight);
  const size = requireNumber('singlingOut.size', given.size, 'a whole number from 1 to 1e12');
  const most = scaled(f.reconstruction(weight), size, 1);
  const blind = exp(log(size * weight) + (size - 1) * log1p(-weight));
  const least = down(blind, BLIND_ERROR);
  return { weight, size, singlingOut: bracket(Math.min(least, most.upper), most.upper) };
}

/** A bracket times a factor, rounded outward and cut off at `most`. Ensures: the product lies in the bracket, or is above `most`. */
function scaled({ lower, upper }: Bracket, factor: number, most: number): Bracket {
  const end = Math.min(most, upper * factor * (1 + ROUNDING));
  return bracket(Math.min(lower * factor * (1 - ROUNDING), end), end);
}

/** Returns a list of at most 1000 entries. @throws TypeError | RangeError otherwise. */
function listed(option: string, value: unknown): readonly unknown[] {
  return requireList(option, value, 'numbers', 0, MOST_QUESTIONS);
}

/** Returns a list of numbers in (0, 1). @throws TypeError | RangeError otherwise. */
function shares(option: string, value: unknown): readonly number[] {
  return listed(option, value).map((each) => requireShare(option, each));
}
