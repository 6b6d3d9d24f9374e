import { requireFields, wrongType } from '../errors.js';
import type { Subject } from '../tradeoff/subject.js';
import { curveGoal } from './curve-target.js';
import type { Given, Goal } from './goal.js';
import {
  advantage,
  attack,
  bayes,
  epsilonDelta,
  gaussianMu,
  predictive,
  reconstructed,
  renyi,
  zcdp,
} from './goals.js';

/** What a mechanism is calibrated to: the largest loss allowed, in one of several terms. */
export type Target =
  /** (ε, δ)-DP; at δ = 0 pure DP. */
  | { readonly epsilon: number; readonly delta: number }
  /** μ-GDP on the window min(α, f(α)) ≥ alphaMin (default 1e-10). */
  | { readonly mu: number; readonly alphaMin?: number }
  /** Membership advantage max(1 − α − f(α)). */
  | { readonly advantage: number }
  /** Power of the best test at a false positive rate. */
  | { readonly truePositiveRate: number; readonly falsePositiveRate: number }
  /** Error of the best guess whether a record was used, which has to be at least this, for a prior probability that it was. */
  | { readonly bayesError: number; readonly prior: number }
  /** Positive predictive value, the share of right ones among the records that a test calls used, for a prior and a false positive rate. */
  | {
      readonly positivePredictiveValue: number;
      readonly prior: number;
      readonly falsePositiveRate: number;
    }
  /** Success of reconstruction or attribute inference, where guessing without the release reaches `baseline`. */
  | { readonly reconstruction: number; readonly baseline: number }
  /** ρ-zCDP. */
  | { readonly rho: number }
  /** Rényi divergence of one order. */
  | { readonly renyi: number; readonly order: number }
  /**
   * f(α) ≥ g(α) for the g of a run, a profile or a trade-off function, wherever min(α, g(α)) ≥ alphaMin (default 1e-10). With a share s, each (ε, δ)
   * of g is replaced by (sε, sδ).
   */
  | { readonly tradeoff: Subject; readonly alphaMin?: number; readonly share?: number };

/** A kind of target: the names of its numbers, an optional one, and the function that makes its goal. */
interface Form {
  readonly names: readonly string[];
  readonly optional?: string;
  readonly goal: (given: Given) => Goal;
}

/** All kinds of targets. */
const FORMS: readonly Form[] = [
  { names: ['epsilon', 'delta'], goal: epsilonDelta },
  { names: ['mu'], optional: 'alphaMin', goal: gaussianMu },
  { names: ['advantage'], goal: advantage },
  { names: ['truePositiveRate', 'falsePositiveRate'], goal: attack },
  { names: ['bayesError', 'prior'], goal: bayes },
  { names: ['positivePredictiveValue', 'prior', 'falsePositiveRate'], goal: predictive },
  { names: ['reconstruction', 'baseline'], goal: reconstructed },
  { names: ['rho'], goal: zcdp },
  { names: ['renyi', 'order'], goal: renyi },
  { names: ['tradeoff'], optional: 'share', goal: curveGoal },
];

/** Every name that a target may have. */
export const TARGET_NAMES: readonly string[] = [
  ...new Set(FORMS.flatMap(({ names, optional }) => [...names, ...(optional ? [optional] : [])])),
];

/** The goal of a target. @throws TypeError | RangeError if the target is not exactly one of `Target`, or a number of it is not in its range. */
export function goalOf(target: Target): Goal {
  requireFields('target', target, TARGET_NAMES);
  const given: Given = { ...target };
  const form = FORMS.find(
    ({ names, optional }) =>
      names.every((name) => given[name] !== undefined) &&
      Object.keys(given).every(
        (name) =>
          name === 'alphaMin' || names.includes(name) || (name === optional && given[name] !== undefined),
      ),
  );
  if (form !== undefined) return form.goal(given);
  const forms = FORMS.map(({ names }) => `{${names.join(', ')}}`);
  throw wrongType('target', `one of ${forms.join(', ')}`, target);
}
