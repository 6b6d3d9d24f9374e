import { LARGEST_LOGIT, logistic, logLowerTail } from '../numeric/binomial.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import {
  down,
  FUNCTION_ERROR,
  FUNCTIONS_ERROR,
  TO_KEPT_DIGITS,
  TO_LAST_DIGITS,
  up,
} from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import type { ScoresEvidence, ThresholdEvidence } from './evidence.js';

/** Counts at one threshold. */
export interface Counts {
  readonly threshold?: number;
  readonly falsePositives: number;
  readonly truePositives: number;
}

/** Counts at thresholds, and the numbers of runs. One bound of an FPR has the share `shareOfFpr` of the error level, one of a TPR `shareOfTpr`. */
export interface Trials {
  readonly counts: readonly Counts[];
  readonly nonMembers: number;
  readonly members: number;
  readonly shareOfFpr: number;
  readonly shareOfTpr: number;
}

/** A threshold with confidence bounds: an upper bound of its false positive rate, and a lower bound of its true positive rate. */
export interface BoundedPoint extends Counts {
  readonly fprUpper: RateBound;
  readonly tprLower: RateBound;
}

/** The counts of the evidence at its thresholds, and the shares of the error level that each bound has. */
export function trialsOf(evidence: ThresholdEvidence | ScoresEvidence, logLevel: number): Trials {
  if (evidence.kind === 'threshold') {
    const { falsePositives, truePositives, nonMembers, members } = evidence;
    return single([{ falsePositives, truePositives }], nonMembers, members);
  }
  const { nonMembers, members, thresholds, split } = evidence;
  if (thresholds !== undefined)
    return single(
      thresholds.map((threshold) => countsAt(nonMembers, members, threshold)),
      nonMembers.length,
      members.length,
    );
  if (split !== undefined) {
    const threshold = chosen(
      fromScores(nonMembers.slice(0, split.nonMembers), members.slice(0, split.members)),
      logLevel,
    );
    const rest = [nonMembers.slice(split.nonMembers), members.slice(split.members)] as const;
    return single([countsAt(...rest, threshold)], rest[0].length, rest[1].length);
  }
  return fromScores(nonMembers, members);
}

/** Thresholds fixed beforehand: of n thresholds, each of the 2n bounds has the share 1/(2n) of the error level. */
function single(counts: readonly Counts[], nonMembers: number, members: number): Trials {
  const share = 0.5 / counts.length;
  return { counts, nonMembers, members, shareOfFpr: share, shareOfTpr: share };
}

function countsAt(nonMembers: readonly number[], members: readonly number[], threshold: number): Counts {
  const over = (scores: readonly number[]): number =>
    scores.reduce((n, x) => (x >= threshold ? n + 1 : n), 0);
  return { threshold, falsePositives: over(nonMembers), truePositives: over(members) };
}

/** Thresholds from the scores. The level is shared among all possible counts (a union bound); only corners of the convex hull of the ROC curve are evaluated. */
function fromScores(nonMembers: readonly number[], members: readonly number[]): Trials {
  return {
    counts: corners(nonMembers, members),
    nonMembers: nonMembers.length,
    members: members.length,
    shareOfFpr: 0.5 / (nonMembers.length + 1),
    shareOfTpr: 0.5 / (members.length + 1),
  };
}

/** The corners of the upper convex hull of the empirical ROC curve, from the highest threshold to the lowest. */
function corners(nonMembers: readonly number[], members: readonly number[]): Counts[] {
  const without = Float64Array.from(nonMembers).sort().reverse();
  const having = Float64Array.from(members).sort().reverse();
  const hull: Counts[] = [{ falsePositives: 0, truePositives: 0 }];
  let i = 0;
  let j = 0;
  while (i < without.length || j < having.length) {
    const threshold = Math.max(without[i] ?? -Infinity, having[j] ?? -Infinity);
    while (i < without.length && without[i] >= threshold) i++;
    while (j < having.length && having[j] >= threshold) j++;
    const point = { threshold, falsePositives: i, truePositives: j };
    while (hull.length > 1 && !isCorner(hull[hull.length - 2], hull[hull.length - 1], point)) hull.pop();
    hull.push(point);
  }
  return hull.slice(1);
}

function isCorner(a: Counts, b: Counts, c: Counts): boolean {
  const run = b.falsePositives - a.falsePositives;
  const rise = b.truePositives - a.truePositives;
  return rise * (c.falsePositives - a.falsePositives) > (c.truePositives - a.truePositives) * run;
}

/** The threshold with the largest difference between the logits of its bounds of the TPR and of the FPR. */
function chosen(trials: Trials, logLevel: number): number {
  const halves = { ...trials, shareOfFpr: 0.5, shareOfTpr: 0.5 };
  let [best, most] = [Infinity, -Infinity];
  for (const point of boundsOf(halves, logLevel)) {
    const gain = point.tprLower.logit.lower - point.fprUpper.logit.upper;
    if (gain > most) [best, most] = [point.threshold!, gain];
  }
  return best;
}

/**
 * Clopper–Pearson bounds of both rates at every threshold.
 *
 * Ensures: all bounds hold together, except with probability e^{logLevel}.
 */
export function boundsOf(trials: Trials, logLevel: number): BoundedPoint[] {
  const { counts, nonMembers, members, shareOfFpr, shareOfTpr } = trials;
  return counts.map((point) => {
    const fprUpper = clopperPearson(point.falsePositives, nonMembers, logLevel + log(shareOfFpr));
    const missed = clopperPearson(members - point.truePositives, members, logLevel + log(shareOfTpr));
    const logit = bracket(-missed.logit.upper, -missed.logit.lower);
    return { ...point, fprUpper, tprLower: { logit, rate: rateOf(logit) } };
  });
}

/** A bound of a rate, and its logit log(rate/(1 − rate)), which is accurate for rates near 0 and near 1. Both are brackets of the exact bound. */
interface RateBound {
  readonly rate: Bracket;
  readonly logit: Bracket;
}

/** Bracket of the rate of a logit: e^t/(1 + e^t). Ensures: the rate of every logit of the bracket lies in the result. */
function rateOf({ lower, upper }: Bracket): Bracket {
  return bracket(down(logistic(lower), FUNCTIONS_ERROR), Math.min(1, up(logistic(upper), FUNCTIONS_ERROR)));
}

/**
 * The one-sided upper confidence limit of Clopper and Pearson: the least rate x with
 * P[Bin(trials, x) ≤ successes] ≤ e^{logLevel}. The true rate is above it with probability at most e^{logLevel}.
 *
 * Ensures: the limit lies in the bracket of the rate, and its logit in the other.
 */
export function clopperPearson(successes: number, trials: number, logLevel: number): RateBound {
  if (successes >= trials) return { rate: bracket(1, 1), logit: bracket(Infinity, Infinity) };
  const guess = log((successes + 0.5) / (trials - successes));
  const options = {
    reach: 0.5,
    floor: -LARGEST_LOGIT,
    ceiling: LARGEST_LOGIT,
    relative: FUNCTION_ERROR,
    absolute: TO_LAST_DIGITS,
  };
  const tail = (t: number): Bracket => logLowerTail(trials, successes, t);
  const { high } = crossing((t) => tail(t).upper - logLevel, { ...options, guess });
  const { low } = crossing((t) => tail(t).lower - logLevel, {
    ...options,
    guess: Math.min(high, LARGEST_LOGIT),
    reach: TO_KEPT_DIGITS,
  });
  const logit = bracket(Math.min(low, high), high);
  return { rate: rateOf(logit), logit };
}
