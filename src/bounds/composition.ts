/** Composition theorems for steps of which only (εᵢ, δᵢ)-DP is used. */

import { withoutReplacementLaw } from '../law/joined-laws.js';
import { cellLaw } from '../law/lattice/cell-law.js';
import { made } from '../mechanism/kind.js';
import { PURE_DP_KIND, type PureDp } from '../mechanism/kinds/epsilon-delta.js';
import { pairOf } from '../mechanism/pairs.js';
import { pureSum } from '../mechanism/stated-sums.js';
import type { Step } from '../mechanism/steps.js';
import { typedFraction } from '../numeric/exact-decimal.js';
import { down, FEW_ROUNDINGS, LONG_SUM } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { epsilonOf } from '../run/epsilon.js';
import { pureEpsilonOf, pureEpsilonOfStep } from './pure.js';

/** Factor above the rounding error of a sum over steps with different ε. Correctness depends on it. */
const UP = 1 + 1e-13;

/** An (ε, δ)-DP step, and its number of repetitions. */
interface Guaranteed {
  readonly epsilon: number;
  readonly delta: number;
  readonly count: number;
}

/**
 * Each step as (εᵢ, δᵢ)-DP: by its statement, or with δᵢ = 0 if it is ε-DP. On a share q of the records εᵢ is log(1 + q(e^ε − 1)) and δᵢ = qδ, with a few
 * roundings. Undefined if one step is neither.
 */
function statedGuarantees(steps: readonly Step[]): Guaranteed[] | undefined {
  const stated: Guaranteed[] = [];
  for (const step of steps) {
    const { mechanism, rate, count } = step;
    if (mechanism.kind === 'approximate-dp') {
      const hidden: PureDp = made(PURE_DP_KIND, { epsilon: mechanism.epsilon });
      const epsilon = pureEpsilonOfStep({ ...step, mechanism: hidden });
      stated.push({ epsilon, delta: rate * mechanism.delta, count });
    } else if (pureEpsilonOf(mechanism) < Infinity) {
      stated.push({ epsilon: pureEpsilonOfStep(step), delta: 0, count });
    } else return undefined;
  }
  return stated;
}

/**
 * Each step as (εᵢ, δᵢ)-DP. Steps that are ε-DP have δᵢ = 0; the others have equal δᵢ that sum to `delta`, and the εᵢ of their δ curve, rounded up.
 */
function sharedGuarantees(steps: readonly Step[], delta: number): Guaranteed[] {
  const impure = steps.filter(({ mechanism }) => pureEpsilonOf(mechanism) === Infinity);
  const total = impure.reduce((sum, { count }) => sum + count, 0);
  const share = delta / total;
  return steps.map((step) => {
    if (!impure.includes(step)) return { epsilon: pureEpsilonOfStep(step), delta: 0, count: step.count };
    const epsilons = singleRuns(step).map((run) => epsilonOf(run, log(share), 1e-6).upper);
    return { epsilon: Math.max(...epsilons), delta: share, count: step.count };
  });
}

/** δ and tests of one step in each direction of adjacency in which they differ. */
function singleRuns({ mechanism, sampling, rate }: Step) {
  const inner = pairOf(mechanism);
  if (sampling === 'without-replacement') return [withoutReplacementLaw(inner, rate).single];
  if (sampling === 'all') return [inner.forward, inner.backward];
  return (['remove', 'add'] as const).map((direction) => cellLaw(inner, rate, direction).single);
}

/**
 * Basic composition: ε = Σεᵢ (Dwork et al. 2006). If every εᵢ is a number that the user typed, the sum is exact for these decimals: 50 steps of 0.2 make
 * 10.
 *
 * Ensures: the run is (ε, `delta`)-DP at what is returned.
 */
export function basicEpsilon(steps: readonly Step[], delta: number): number {
  const typed = pureSum(steps, typedFraction);
  if (typed !== undefined) return typed;
  let sum = 0;
  for (const { epsilon, count } of guaranteesWithin(steps, delta)) sum += count * epsilon;
  return sum * UP;
}

/**
 * Advanced composition (Dwork, Rothblum, Vadhan 2010): √(2 ln(1/δ') Σεᵢ²) + Σ εᵢ(e^{εᵢ} − 1). Here δ' is `delta` if every step is ε-DP, and half of it
 * otherwise.
 *
 * Ensures: the run is (ε, `delta`)-DP at what is returned, and so is an adaptive choice of such steps.
 */
export function advancedEpsilon(steps: readonly Step[], delta: number): number {
  const pure = steps.every(({ mechanism }) => pureEpsilonOf(mechanism) < Infinity);
  const slack = pure ? delta : delta / 2;
  let square = 0;
  let drift = 0;
  for (const { epsilon, count } of guaranteesWithin(steps, delta - slack)) {
    square += count * epsilon * epsilon;
    drift += count * epsilon * expm1(epsilon);
  }
  return (Math.sqrt(-2 * log(slack) * square) + drift) * UP;
}

/** The steps as (εᵢ, δᵢ)-DP with Σδᵢ ≤ `delta`: as stated, or else by their δ curves. One step of ε = ∞ if the stated δᵢ are too large. */
function guaranteesWithin(steps: readonly Step[], delta: number): Guaranteed[] {
  const stated = statedGuarantees(steps);
  if (!stated) return sharedGuarantees(steps, delta);
  const spent = stated.reduce((sum, step) => sum + step.count * step.delta, 0);
  return spent <= delta ? stated : [{ epsilon: Infinity, delta: 1, count: 1 }];
}

/**
 * log δ(ε) of the worst k steps that are (ε₀, δ₀)-DP, rounded up (Kairouz, Oh, Viswanath 2015, thm 3.3).
 * δ = 1 − (1−δ₀)^k (1 − Σ_l C(k,l)(e^{(k−l)ε₀} − e^ε e^{lε₀})⁺/(1+e^{ε₀})^k).
 *
 * Ensures: no less than log δ(ε) of k steps each of which is (ε₀, δ₀)-DP.
 */
export function optimalLogDelta({ epsilon: step, delta, count: k }: Guaranteed, epsilon: number): number {
  const logTotal = k * (step + log1p(exp(-step)));
  let logBinomial = 0;
  let sum = 0;
  // l runs over the terms other than 0: (k − 2l)ε₀ > ε
  for (let l = 0; l <= k; l++) {
    if (l > 0) logBinomial += log((k - l + 1) / l);
    const gap = (k - 2 * l) * step - epsilon;
    if (!(gap > 0)) break;
    sum += exp(logBinomial + (k - l) * step - logTotal) * -expm1(-gap);
  }
  const slack = FEW_ROUNDINGS * (k + logTotal + 10);
  const hidden = log(sum) + slack;
  if (delta === 0) return Math.min(0, hidden);
  const logHidden = k * log1p(-delta) * (1 + FEW_ROUNDINGS) + log1p(-Math.min(1, exp(hidden)));
  return Math.min(0, log(-expm1(logHidden)) + slack);
}

/** Relative tolerance of the search for an ε. Only width depends on it. */
const NARROW = 1e-13;
/** Number of steps up to which `kairouzEpsilon` uses the optimal theorem, a sum over the steps. Only width and speed depend on it. */
const MOST_STEPS = 1e6;

/**
 * The smallest ε at which `optimalLogDelta` is at most log δ; ∞ if there is none.
 *
 * Ensures: `optimalLogDelta` is at most log δ at the returned ε.
 */
export function optimalEpsilon(step: Guaranteed, delta: number): number {
  const target = log(delta);
  return turningPoint((epsilon) => optimalLogDelta(step, epsilon) <= target, {
    guess: step.epsilon * Math.sqrt(step.count),
    reach: step.epsilon,
    ceiling: step.count * step.epsilon * UP,
    relative: NARROW,
    absolute: 1e-300,
  }).high;
}

/**
 * ε of unequal (εᵢ, δᵢ)-DP steps at `delta` (Kairouz, Oh, Viswanath 2015, thm 3.5). It is the least of Σεᵢ, D + √(2S log(e + √S/δ̃)) and
 * D + √(2S log(1/δ̃)), rounded up. Here S = Σεᵢ², D = Σεᵢ(e^{εᵢ} − 1)/(e^{εᵢ} + 1), and 1 − δ = (1 − δ̃)Π(1 − δᵢ).
 */
function unequalEpsilon(steps: readonly Guaranteed[], delta: number): number {
  let logHidden = 0;
  let sum = 0;
  let square = 0;
  let drift = 0;
  for (const { epsilon, delta: own, count } of steps) {
    logHidden += count * log1p(-own);
    sum += count * epsilon;
    square += count * epsilon * epsilon;
    drift += (count * epsilon * expm1(epsilon)) / (exp(epsilon) + 1);
  }
  // 1 − (1 − δ̃)Π(1 − δᵢ) = δ
  const slack = down(-expm1(log1p(-delta) - logHidden), LONG_SUM);
  if (!(slack > 0)) return Infinity;
  const first = drift + Math.sqrt(2 * square * log(Math.E + Math.sqrt(square) / slack));
  const second = drift + Math.sqrt(-2 * square * log(slack));
  return Math.min(sum, first, second) * UP;
}

/**
 * ε at `delta` by the theorems of Kairouz, Oh and Viswanath: the optimal one for equal steps, else that for unequal ones. Undefined if a step is not
 * stated as (εᵢ, δᵢ)-DP.
 *
 * Ensures: the run is (ε, `delta`)-DP at what is returned.
 */
export function kairouzEpsilon(steps: readonly Step[], delta: number): number | undefined {
  const stated = statedGuarantees(steps);
  if (!stated) return undefined;
  const [only] = stated;
  return stated.length === 1 && only.count <= MOST_STEPS
    ? optimalEpsilon(only, delta)
    : unequalEpsilon(stated, delta);
}
