import { requireNumber, requireShare } from '../errors.js';
import { type Bracket, ordered } from '../numeric/bracket.js';
import { log, normalCdf, normalQuantile } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { predictiveValue, secretCurve } from '../risk/risk.js';
import { seen } from '../tradeoff/subject.js';
import { type Goal, logarithmic, shareAt, type Trial } from './goal.js';

/** The power of a membership test. */
export function attack(tprGiven: unknown, fprGiven: unknown): Goal {
  const most = requireShare('truePositiveRate', tprGiven);
  const falsePositiveRate = requireNumber(
    'falsePositiveRate',
    fprGiven,
    `a number in (0, ${most}), below the true positive rate`,
    (x) => x > 0 && x < most,
  );
  return {
    allowed: (times) => ({
      mu: normalQuantile(shareAt(most, times)) - normalQuantile(falsePositiveRate),
    }),
    ...logarithmic('truePositiveRate', most, (subject) => subject.run().truePositiveRate(falsePositiveRate)),
  };
}

/** What is to be at most its target is the share of right guesses, 1 less the error. */
export function bayes(errorGiven: unknown, priorGiven: unknown): Goal {
  const prior = requireShare('prior', priorGiven);
  const guessing = Math.min(prior, 1 - prior);
  const least = requireNumber(
    'bayesError',
    errorGiven,
    `a number in (0, ${guessing}), below the error of a guess without the release`,
    (x) => x > 0 && x < guessing,
  );
  const error = (subject: Trial): Bracket => seen(subject.run()).f.bayesError(prior);
  const most = 1 - least;
  const right = (subject: Trial): Bracket => {
    const { lower, upper } = error(subject);
    // rounding 1 less the error does not decide what the error itself has decided
    const end = lower >= least ? Math.min(1 - lower, most) : Math.max(1 - lower, most * (1 + 2 ** -52));
    return ordered(1 - upper, end);
  };
  return {
    allowed: (times) => ({ mu: muOfError(least / times, prior) }),
    ...logarithmic('accuracy', most, right),
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
export function predictive(t: Record<string, unknown>): Goal {
  const prior = requireShare('prior', t['prior']);
  const falsePositiveRate = requireShare('falsePositiveRate', t['falsePositiveRate']);
  const odds = ((1 - prior) / prior) * falsePositiveRate;
  const sure = 1 / (1 + odds);
  const most = requireNumber(
    'positivePredictiveValue',
    t['positivePredictiveValue'],
    `a number in (${prior}, ${sure}): above the prior, and below what a test of power 1 has`,
    (x) => x > prior && x < sure,
  );
  const power = (odds * most) / (1 - most);
  const loss = (subject: Trial): Bracket =>
    predictiveValue(prior, falsePositiveRate, subject.run().truePositiveRate(falsePositiveRate));
  return {
    allowed: (times) => ({ mu: normalQuantile(shareAt(power, times)) - normalQuantile(falsePositiveRate) }),
    ...logarithmic('positivePredictiveValue', most, loss),
  };
}

/** 1 − f(baseline) of f = T(without, with). */
export function reconstructed(mostGiven: unknown, baselineGiven: unknown): Goal {
  const baseline = requireShare('baseline', baselineGiven);
  const most = requireNumber(
    'reconstruction',
    mostGiven,
    `a number in (${baseline}, 1), above the baseline`,
    (x) => x > baseline && x < 1,
  );
  return {
    allowed: (times) => ({ mu: normalQuantile(shareAt(most, times)) - normalQuantile(baseline) }),
    ...logarithmic('reconstruction', most, (subject) => secretCurve(subject.run()).reconstruction(baseline)),
  };
}
