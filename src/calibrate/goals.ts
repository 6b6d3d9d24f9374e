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

/** (ε, δ); at δ = 0 pure DP. */
export function epsilonDelta({ epsilon: epsilonGiven, delta: deltaGiven }: Given): Goal {
  const epsilon = within('epsilon', epsilonGiven, 0, 1e6);
  const delta = requireNumber('delta', deltaGiven, '0 or a number in [1e-300, 1)');
  if (delta === 0) return pure(epsilon);
  const target = log(delta);
  const deltaOf = once((subject) => subject.run().delta(epsilon));
  /**
   * The slope of log δ in ε near a corner, instead of a mean over a longer interval. It is used if δ meets its target at an ε reduced by less than
   * the zone.
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
      // ε is beyond every loss: only ε(δ) measures the distance
      if (here.upper === -Infinity)
        return unscaled(logRatio(withinEpsilon(run.epsilon(delta), epsilon), epsilon));
      // log δ decreases by s·ε over ε: the finer of ε and log δ is the measure
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

/** The bracket of ε(δ) given δ(epsilon) ≤ δ, that is, ε(δ) ≤ epsilon. Ensures: holds ε(δ), if the given bracket does. */
function withinEpsilon(b: Bracket, epsilon: number): Bracket {
  return bracket(Math.min(b.lower, epsilon), Math.min(b.upper, epsilon));
}

function pure(epsilonGiven: number): Goal {
  const epsilon = within('epsilon', epsilonGiven, 1e-12, 1e6);
  const loss = ({ mechanism, adjacency, run }: Trial): Bracket => {
    const exact = pureEpsilon(mechanism, adjacency);
    // sums of quotients are exact, and decide if the target is met exactly
    const open = exact === Infinity || Math.abs(exact / epsilon - 1) < MANY_ROUNDINGS;
    return open ? run().epsilon(0) : aroundRelative(exact, ROUNDINGS);
  };
  return logarithmic('epsilon', epsilon, loss, (times) => ({ mu: epsilon * times }));
}

/** μ on a window of error rates. */
export function gaussianMu({ mu: given, alphaMin }: Given): Goal {
  const mu = within('mu', given, 1e-9, 1e6);
  const window = { alphaMin: requireNumber('alphaMin', alphaMin ?? USUAL_ALPHA_MIN, 'a number in (0, 0.5)') };
  // where rare large losses dominate, the window's edge decides: there δ should equal that of the Gaussian
  const edge = -normalQuantile(window.alphaMin);
  const allowed = (times: number): Allowed => {
    const one = mu * times;
    const epsilon = Math.max(0, (edge - one / 2) * one);
    return { mu: one, epsilon, delta: deltaGdp(one, epsilon) };
  };
  return logarithmic('mu', mu, (subject) => muOf(subject.run(), window), allowed);
}

/** Membership advantage. */
export function advantage(given: Given): Goal {
  const most = requireShare('advantage', given['advantage']);
  const allowed = (times: number) => ({ mu: 2 * normalQuantile((1 + shareAt(most, times)) / 2) });
  return logarithmic('advantage', most, (subject) => subject.run().advantage(), allowed);
}

/** ρ-zCDP. */
export function zcdp(given: Given): Goal {
  const rho = within('rho', given['rho'], 1e-15, 1e6);
  return bounded('rho', rho, {
    atMost: ({ mechanism, adjacency }) => zcdpRho(mechanism, adjacency),
    // a divergence of ρα bounds the tail by that of √(2ρ)
    atLeast: ({ mechanism, adjacency, run }) =>
      Math.max(zcdpRhoAtLeast(mechanism, adjacency), halfSquare(run().settings.tailMu.lower)),
    muAt: (loss) => Math.sqrt(2 * loss),
  });
}

/** Rényi divergence of one order. */
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

function halfSquare(mu: number): number {
  return down((mu * mu) / 2, FEW_ROUNDINGS);
}

/** A loss with bounds only: the upper one is calibrated. */
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

/** The μ of the Gaussian whose tests have this power at a false positive rate. */
function ofPower(power: number, falsePositiveRate: number): Goal['allowed'] {
  return (times) => ({ mu: normalQuantile(shareAt(power, times)) - normalQuantile(falsePositiveRate) });
}

/** The probability of a right guess, 1 minus the error, is to be at most its target. */
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
    // rounding of 1 − error must not reverse what the error itself decided
    const end = lower >= least ? Math.min(1 - lower, most) : Math.max(1 - lower, up(most, 2 * U));
    return ordered(1 - upper, end);
  };
  return {
    ...logarithmic('accuracy', most, right, (times) => ({ mu: muOfError(least / times, prior) })),
    achieved: (subject) => ({ bayesError: error(subject) }),
  };
}

/** Approximate μ at which a Gaussian leaves this error: it decreases from min(prior, 1 − prior) to 0 in μ. */
function muOfError(error: number, prior: number): number {
  const threshold = log((1 - prior) / prior);
  const errorAt = (mu: number): number =>
    (1 - prior) * normalCdf(-threshold / mu - mu / 2) + prior * normalCdf(threshold / mu - mu / 2);
  const search = { guess: 1, floor: 1e-9, ceiling: 1e3, relative: 1e-3 };
  return turningPoint((mu) => errorAt(mu) <= error, search).low;
}

/** The goal of the share of right ones, as a target of the power, with which it increases. */
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
