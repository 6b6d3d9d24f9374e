import type { ComposedRun } from '../account/composed-run.js';
import { pureEpsilon } from '../bounds/pure.js';
import { renyiDivergence, zcdpRho, zcdpRhoAtLeast } from '../bounds/renyi.js';
import { requireNumber, requireShare } from '../errors.js';
import { muOf } from '../measure/measure.js';
import { within } from '../mechanism/kind.js';
import { aroundRelative, type Bracket, bracket, exactly, ordered } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { BARELY, down, FEW_ROUNDINGS, MANY_ROUNDINGS, ROUNDINGS, up } from '../numeric/rounding.js';
import { deltaGdp, log, muGdp, normalCdf, normalQuantile } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { predictiveValue, secretCurve } from '../risk/risk.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { seen } from '../tradeoff/subject.js';
import {
  type Allowed,
  type Given,
  type Goal,
  logarithmic,
  logRatio,
  once,
  shareAt,
  type Trial,
  unscaled,
} from './goal.js';

/** The goal (ε, δ)-DP: δ(ε) at most δ; for δ = 0 pure DP. */
export function epsilonDelta({ epsilon: epsilonGiven, delta: deltaGiven }: Given): Goal {
  const epsilon = within('epsilon', epsilonGiven, 0, 1e6);
  const delta = requireNumber('delta', deltaGiven, '0 or a number in [1e-300, 1)');
  if (delta === 0) return pure(epsilon);
  const target = log(delta);
  const deltaOf = once((subject) => subject.run().delta(epsilon));
  /**
   * The slope of log δ in the logarithm of ε, over the relative distance `zone` of ε. `rough` is the slope over 1 %; they differ near a corner of the
   * profile. It is used if the target is met at (1 − zone)ε.
   */
  const scaleWithin = (run: ComposedRun, zone: number, rough: number): number => {
    const [here, near] = [run.logDelta(epsilon), run.logDelta((1 - zone) * epsilon)];
    return near.upper > target ? rough : Math.max(1, (near.upper - here.upper) / zone);
  };
  return {
    allowed: (times) => ({ mu: muGdp(epsilon * times, delta), epsilon: epsilon * times, delta }),
    excess: (subject, zone = 0) => {
      const run = subject.run();
      const here = run.logDelta(epsilon);
      const met = deltaOf(subject).upper <= delta;
      // ε is beyond every loss: the distance to the target is measured by ε(δ)
      if (here.upper === -Infinity)
        return unscaled(logRatio(withinEpsilon(run.epsilon(delta), epsilon), epsilon));
      // the distance is measured in ε if log δ falls faster than ε grows, relatively, and in log δ otherwise
      const before = run.logDelta(0.99 * epsilon);
      const fall = (before.lower - here.upper) / 0.01;
      const rough = fall > 1 && fall < Infinity ? fall : 1;
      const scale = met && target - here.upper <= zone * rough ? scaleWithin(run, zone, rough) : rough;
      const upper = (here.upper - target) / scale;
      // rounding of logarithms must not reverse the decision
      const decided = met ? Math.min(upper, 0) : Math.max(upper, BARELY);
      return { lower: Math.min((here.lower - target) / scale, decided), upper: decided, scale };
    },
    achieved: (subject) => {
      const atEpsilon = deltaOf(subject);
      const atDelta = subject.run().epsilonNear(delta, epsilon);
      return {
        epsilon: atEpsilon.upper <= delta ? withinEpsilon(atDelta, epsilon) : atDelta,
        delta: atEpsilon,
      };
    },
  };
}

/** A bracket of ε(δ) cut off at `epsilon`, where δ(`epsilon`) ≤ δ is certified. Ensures: ε(δ) lies in it, if in the given bracket. */
function withinEpsilon(b: Bracket, epsilon: number): Bracket {
  return bracket(Math.min(b.lower, epsilon), Math.min(b.upper, epsilon));
}

/** The goal of ε-DP. */
function pure(epsilonGiven: number): Goal {
  const epsilon = within('epsilon', epsilonGiven, 1e-12, 1e6);
  const loss = ({ mechanism, adjacency, run }: Trial): Bracket => {
    const exact = pureEpsilon(mechanism, adjacency);
    // the exact sum of the steps' ε decides, unless it is so close to the target that rounding counts
    const open = exact === Infinity || Math.abs(exact / epsilon - 1) < MANY_ROUNDINGS;
    return open ? run().epsilon(0) : aroundRelative(exact, ROUNDINGS);
  };
  return logarithmic('epsilon', epsilon, loss, (times) => ({ mu: epsilon * times }));
}

/** The goal of μ-GDP on the window min(α, f(α)) ≥ alphaMin. */
export function gaussianMu({ mu: given, alphaMin }: Given): Goal {
  const mu = within('mu', given, 1e-9, 1e6);
  const window = { alphaMin: requireNumber('alphaMin', alphaMin ?? USUAL_ALPHA_MIN, 'a number in (0, 0.5)') };
  // for the guess: if rare large losses dominate, δ at the window's edge decides, and should equal that of the Gaussian
  const edge = -normalQuantile(window.alphaMin);
  const allowed = (times: number): Allowed => {
    const one = mu * times;
    const epsilon = Math.max(0, (edge - one / 2) * one);
    return { mu: one, epsilon, delta: deltaGdp(one, epsilon) };
  };
  return logarithmic('mu', mu, (subject) => muOf(subject.run(), window), allowed);
}

/** The goal of a membership advantage δ(0). */
export function advantage(given: Given): Goal {
  const most = requireShare('advantage', given['advantage']);
  const allowed = (times: number) => ({ mu: 2 * normalQuantile((1 + shareAt(most, times)) / 2) });
  return logarithmic('advantage', most, (subject) => subject.run().advantage(), allowed);
}

/** The goal of ρ-zCDP. */
export function zcdp(given: Given): Goal {
  const rho = within('rho', given['rho'], 1e-15, 1e6);
  return bounded('rho', rho, {
    atMost: ({ mechanism, adjacency }) => zcdpRho(mechanism, adjacency),
    // ρ-zCDP implies a tail limit of at most √(2ρ)
    atLeast: ({ mechanism, adjacency, run }) =>
      Math.max(zcdpRhoAtLeast(mechanism, adjacency), halfSquare(run().settings.tailMu.lower)),
    muAt: (loss) => Math.sqrt(2 * loss),
  });
}

/** The goal of a Rényi divergence of one order. */
export function renyi({ renyi: given, order: orderGiven }: Given): Goal {
  const most = within('renyi', given, 1e-15, 1e6);
  const order = requireNumber('order', orderGiven, 'a number in (1, 1e6]');
  return bounded('renyi', most, {
    atMost: ({ mechanism, adjacency }) => renyiDivergence(mechanism, order, adjacency),
    atLeast: ({ run }) => {
      const { settings, directions } = run();
      if (directions[0].logInfinity.lower > -Infinity) return Infinity;
      return settings.gaussian ? order * halfSquare(settings.tailMu.lower) : 0;
    },
    muAt: (loss) => Math.sqrt((2 * loss) / order),
  });
}

/** μ²/2, rounded down. */
function halfSquare(mu: number): number {
  return down((mu * mu) / 2, FEW_ROUNDINGS);
}

/** A goal of a loss of which only bounds are known: the upper bound is calibrated, and `achieved` states both. */
function bounded(
  name: string,
  most: number,
  {
    atMost,
    atLeast,
    muAt,
  }: Record<'atMost' | 'atLeast', (subject: Trial) => number> & { muAt: (loss: number) => number },
): Goal {
  return {
    ...logarithmic(
      name,
      most,
      (subject) => exactly(atMost(subject)),
      (times) => ({ mu: muAt(most * times) }),
    ),
    achieved: (subject) => {
      const upper = atMost(subject);
      return { [name]: bracket(Math.min(upper, atLeast(subject)), upper) };
    },
  };
}

/** The goal of the power of a membership test at a false positive rate. */
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

/** The μ of a Gaussian whose best test has this power at the false positive rate. */
function ofPower(power: number, falsePositiveRate: number): Goal['allowed'] {
  return (times) => ({ mu: normalQuantile(shareAt(power, times)) - normalQuantile(falsePositiveRate) });
}

/** The goal of a Bayes error, at least the given one. The probability of a right guess, 1 − error, is to be at most its target. */
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
    // 1 − error is rounded so that it is at most `most` exactly if the error is at least `least`
    const end = lower >= least ? Math.min(1 - lower, most) : Math.max(1 - lower, up(most, 2 * U));
    return ordered(1 - upper, end);
  };
  return {
    ...logarithmic('accuracy', most, right, (times) => ({ mu: muOfError(least / times, prior) })),
    achieved: (subject) => ({ bayesError: error(subject) }),
  };
}

/** Heuristic: about the μ at which the Bayes error of a Gaussian is `error`; the error falls from min(prior, 1 − prior) to 0 as μ grows. */
function muOfError(error: number, prior: number): number {
  const threshold = log((1 - prior) / prior);
  const errorAt = (mu: number): number =>
    (1 - prior) * normalCdf(-threshold / mu - mu / 2) + prior * normalCdf(threshold / mu - mu / 2);
  const search = { guess: 1, floor: 1e-9, ceiling: 1e3, relative: 1e-3 };
  return turningPoint((mu) => errorAt(mu) <= error, search).low;
}

/** The goal of a positive predictive value, the share of right ones among a test's alarms. It increases with the power of the test. */
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

/** The goal of the success of reconstruction, 1 − f(baseline), with f the trade-off function between the outputs without and with the record. */
export function reconstructed({ reconstruction, baseline: given }: Given): Goal {
  const baseline = requireShare('baseline', given);
  const expected = `a number in (${baseline}, 1), above the baseline`;
  const most = requireNumber('reconstruction', reconstruction, expected);
  const loss = (subject: Trial): Bracket => secretCurve(subject.run()).reconstruction(baseline);
  return logarithmic('reconstruction', most, loss, ofPower(most, baseline));
}
