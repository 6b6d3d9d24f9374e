import { requireNumber, requireShare } from '../errors.js';
import { type Bracket, ordered } from '../numeric/bracket.js';
import { log, normalCdf, normalQuantile } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { predictiveValue, secretCurve } from '../risk/risk.js';
import { seen } from '../tradeoff/subject.js';
import { type Given, type Goal, logarithmic, once, shareAt, type Trial } from './goal.js';

/** The power of a membership test. */
export function attack({ truePositiveRate, falsePositiveRate: fpr }: Given): Goal {
  const most = requireShare('truePositiveRate', truePositiveRate);
  const falsePositiveRate = requireNumber(
    'falsePositiveRate',
    fpr,
    `a number in (0, ${most}), below the true positive rate`,
  );
  const loss = (subject: Trial): Bracket => subject.run().truePositiveRate(falsePositiveRate);
  return logarithmic('truePositiveRate', most, loss, ofPower(most, falsePositiveRate));
}

/** The μ of a Gaussian whose tests have this power at a false positive rate. */
function ofPower(power: number, falsePositiveRate: number): Goal['allowed'] {
  return (times) => ({ mu: normalQuantile(shareAt(power, times)) - normalQuantile(falsePositiveRate) });
}

/** What is to be at most its target is the share of right guesses, 1 less the error. */
export function bayes({ bayesError, prior: given }: Given): Goal {
  const prior = requireShare('prior', given);
  const guessing = Math.min(prior, 1 - prior);
  const least = requireNumber(
    'bayesError',
    bayesError,
    `a number in (0, ${guessing}), below the error of a guess without the release`,
  );
  const error = once((subject) => seen(subject.run()).f.bayesError(prior));
  const most = 1 - least;
  const right = (subject: Trial): Bracket => {
    const { lower, upper } = error(subject);
    // rounding 1 less the error does not decide what the error itself has decided
    const end = lower >= least ? Math.min(1 - lower, most) : Math.max(1 - lower, most * (1 + 2 ** -52));
    return ordered(1 - upper, end);
  };
  return {
    ...logarithmic('accuracy', most, right, (times) => ({ mu: muOfError(least / times, prior) })),
    achieved: (subject) => ({ bayesError: error(subject) }),
  };
}

/** The μ at which a Gaussian leaves this error, for guesses: it falls from min(prior, 1 − prior) to 0 as μ grows. */
function muOfError(error: number, prior: number): number {
  const threshold = log((1 - prior) / prior);
  const errorAt = (mu: number): number =>
    (1 - prior) * normalCdf(-threshold / mu - mu / 2) + prior * normalCdf(threshold / mu - mu / 2);
  const search = { guess: 1, floor: 1e-9, ceiling: 1e3, relative: 1e-3 };
  return turningPoint((mu) => errorAt(mu) <= error, search).low;
}

/** As a target of the power: the share of right ones grows with it. */
export function predictive(given: Given): Goal {
  const prior = requireShare('prior', given['prior']);
  const falsePositiveRate = requireShare('falsePositiveRate', given['falsePositiveRate']);
  const odds = ((1 - prior) / prior) * falsePositiveRate;
  const sure = 1 / (1 + odds);
  const most = requireNumber(
    'positivePredictiveValue',
    given['positivePredictiveValue'],
    `a number in (${prior}, ${sure}): above the prior, and below what a test of power 1 has`,
  );
  const loss = (subject: Trial): Bracket =>
    predictiveValue(prior, falsePositiveRate, subject.run().truePositiveRate(falsePositiveRate));
  const allowed = ofPower((odds * most) / (1 - most), falsePositiveRate);
  return logarithmic('positivePredictiveValue', most, loss, allowed);
}

/** 1 − f(baseline) of f = T(without, with). */
export function reconstructed({ reconstruction, baseline: given }: Given): Goal {
  const baseline = requireShare('baseline', given);
  const expected = `a number in (${baseline}, 1), above the baseline`;
  const most = requireNumber('reconstruction', reconstruction, expected);
  const loss = (subject: Trial): Bracket => secretCurve(subject.run()).reconstruction(baseline);
  return logarithmic('reconstruction', most, loss, ofPower(most, baseline));
}
