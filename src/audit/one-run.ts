import { logistic, logProbability, logUpperTail } from '../numeric/binomial.js';
import { type Bracket, bracket, maxBracket } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { logSum } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import {
  down,
  FEW_ROUNDINGS,
  FUNCTION_ERROR,
  TO_12_DIGITS,
  TO_14_DIGITS,
  TO_LAST_DIGITS,
  up,
} from '../numeric/rounding.js';
import { exp, log, log1p, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { crossing, turningPoint } from '../numeric/solve.js';
import type { OneRunEvidence } from './evidence.js';

/**
 * Audits of one run with m canaries. (ε, δ): T. Steinke, M. Nasr, M. Jagielski, "Privacy auditing with one (1) training run",
 * 2023, thm 5.2. f-DP: S. Mahloujifar, L. Melis, K. Chaudhuri, "Auditing f-differential privacy in one run", 2024.
 */

/** An amount above the rounding errors of a sum of logarithms. */
const PAD = 1e-13;
/** Greatest ε that is searched. */
const LARGEST_EPSILON = 690;

/**
 * log of the p-value of (ε, δ)-DP: β + 2mδ max over 1 ≤ i ≤ v of P[v − i ≤ W < v]/i.
 * Here W ~ Bin(r, e^ε/(1 + e^ε)), β = P[W ≥ v], and m canaries got r guesses, of which v were right.
 *
 * `monotone` takes the maximum over i ≥ 2mδ alone: then every term is a convex combination of tails that rise with ε.
 *
 * Ensures: the logarithm of the p-value lies in the bracket.
 */
export function logPValueAt(
  { canaries, guesses, correct }: OneRunEvidence,
  epsilon: number,
  delta: number,
  monotone = false,
): Bracket {
  const tail = logUpperTail(guesses, correct, epsilon);
  if (delta === 0 || correct === 0) return tail;
  const weight = 2 * canaries * delta;
  const mean = largestMean(guesses, correct, epsilon, monotone ? Math.ceil(up(weight, FEW_ROUNDINGS)) : 1);
  if (mean === undefined) return tail;
  const shift = log(weight);
  const lower = logSum(tail.lower, shift + mean.lower);
  const upper = logSum(tail.upper, shift + mean.upper);
  return bracket(Math.min(0, lower - PAD), Math.min(0, upper + PAD));
}

/**
 * Bracket of log max over i ≥ `least` of (probability of the i outcomes below v)/i, for a binomial law; undefined if v < `least`. The law has
 * one peak. So once an outcome below the peak is less probable than the mean so far, no further one raises the mean.
 *
 * Ensures: the logarithm of the maximum lies in the bracket.
 */
function largestMean(r: number, v: number, logit: number, least: number): Bracket | undefined {
  if (least > v) return undefined;
  const chance = { logit, p: logistic(logit), q: logistic(-logit) };
  let lower = -Infinity;
  let upper = -Infinity;
  let best: Bracket | undefined;
  let before = -Infinity;
  for (let i = 1; i <= v; i++) {
    const { value, error } = logProbability(r, v - i, chance);
    lower = logSum(lower, value - error);
    upper = logSum(upper, value + error);
    const share = log(i);
    const slack = PAD + FUNCTION_ERROR * i;
    if (i >= least) {
      const own = bracket(lower - share - slack, upper - share + slack);
      best = best === undefined ? own : maxBracket(best, own);
      // the outcome is below the peak of the law, in spite of rounding errors, and less probable than the mean
      if (value + 2 * error < before && value + error < own.lower) break;
    }
    before = value;
  }
  return best;
}

/**
 * Bracket of sup{ε ≥ 0: p ≤ e^{logLevel}}, where p is the p-value of (ε, δ)-DP. Its ends are ∞ if p is at most the level at every ε searched.
 *
 * Ensures: the supremum lies in the bracket.
 */
export function epsilonRefuted(evidence: OneRunEvidence, delta: number, logLevel: number): Bracket {
  if (evidence.guesses === 0) return bracket(0, 0);
  const guess = Math.max(
    0,
    log((evidence.correct + 0.5) / (evidence.guesses - evidence.correct + 0.5)) - 0.5,
  );
  const options = {
    guess,
    reach: 0.2,
    ceiling: LARGEST_EPSILON,
    relative: TO_LAST_DIGITS,
    absolute: TO_LAST_DIGITS,
  };
  const refuted = crossing((epsilon) => logLevel - logPValueAt(evidence, epsilon, delta).upper, options);
  const held = crossing((epsilon) => logLevel - logPValueAt(evidence, epsilon, delta, true).lower, options);
  const lower = Math.max(0, refuted.low);
  // a p-value that is not above the level at ε = 0 refutes nothing
  return bracket(Math.min(lower, held.high), held.low === -Infinity && lower === 0 ? 0 : held.high);
}

/** Bounds of f̄⁻¹(R): the least false positive rate at which a claimed trade-off function allows power R. */
export interface ClaimedInverse {
  lower(power: number): number;
  upper(power: number): number;
}

/**
 * f̄⁻¹(R) = Φ(Φ⁻¹(R) − μ), the inverse for μ-GDP.
 *
 * Ensures: f̄⁻¹(R) lies between the two bounds.
 */
export function gaussianInverse(mu: number): ClaimedInverse {
  const logAt = (power: number): Bracket => {
    const z = power <= 0.5 ? normalQuantileLog(log(power)) : -normalQuantileLog(log1p(-power));
    return padLogProbability(logNormalCdf(z - mu));
  };
  return {
    lower: (power) => (power >= 1 ? 1 : down(exp(logAt(power).lower), FUNCTION_ERROR)),
    upper: (power) => (power >= 1 ? 1 : up(exp(logAt(power).upper), FUNCTION_ERROR)),
  };
}

/**
 * Whether the recursion of Mahloujifar et al. 2024 refutes a claim at level e^{logLevel}. Its rates are rounded down for side −1, where
 * a yes is certain, and up for side 1, where a no is certain.
 *
 * Ensures: the recursion with exact arithmetic refutes where −1 says yes, and does not where 1 says no.
 */
function refutes(evidence: OneRunEvidence, inverse: ClaimedInverse, logLevel: number, side: 1 | -1): boolean {
  const { canaries: m, guesses: r, correct: v } = evidence;
  const nudge = 1 + side * 4 * U;
  const level = exp(logLevel) * nudge;
  const at = side < 0 ? inverse.lower : inverse.upper;
  let right = ((level * v) / m) * nudge;
  let wrong = ((level * (r - v)) / m) * (1 + side * 8 * U);
  for (let i = v - 1; i >= 0; i--) {
    const next = Math.max(wrong, at(right));
    if (next === wrong) break;
    right = Math.min(1, (right + (i / (r - i)) * (next - wrong)) * nudge);
    wrong = next;
  }
  return (right + wrong) * nudge > r / m;
}

/**
 * Bracket of the log p-value of a claim that is given by its f̄⁻¹. p-values below e^{−650} are not searched.
 *
 * Ensures: the log p-value lies in the bracket, where it is above −650.
 */
export function logPValueOfCurve(evidence: OneRunEvidence, inverse: ClaimedInverse): Bracket {
  const options = { guess: -3, reach: 2, floor: -650, ceiling: 0, absolute: TO_12_DIGITS };
  const sure = turningPoint((level) => refutes(evidence, inverse, level, -1), options);
  const possible = turningPoint((level) => refutes(evidence, inverse, level, 1), options);
  const upper = Math.min(0, sure.high);
  return bracket(Math.min(upper, possible.low), upper);
}

/**
 * Bracket of sup{μ ≥ 0: μ-GDP is refuted at level e^{logLevel}}.
 *
 * Ensures: the supremum lies in the bracket.
 */
export function muRefuted(evidence: OneRunEvidence, logLevel: number): Bracket {
  if (evidence.guesses === 0) return bracket(0, 0);
  const options = { guess: 0.5, reach: 0.5, ceiling: 100, relative: TO_14_DIGITS, absolute: TO_14_DIGITS };
  const turn = (side: 1 | -1): { low: number; high: number } =>
    turningPoint((mu) => !refutes(evidence, gaussianInverse(mu), logLevel, side), options);
  const sure = turn(-1);
  const possible = turn(1);
  const lower = Math.max(0, sure.low);
  return bracket(lower, Math.max(lower, possible.low === -Infinity ? 0 : possible.high));
}
