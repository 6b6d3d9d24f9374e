import { requireOneOf } from '../errors.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { exp, log, logDeltaGdp } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { epsilonOf } from '../run/epsilon.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { SLACK } from './closed-forms.js';
import { type GaussianRequest, requireDelta, requireRequest } from './request.js';

/** Two older noise formulas, σ = FΔ/ε: F = √(2 ln(2/δ)) (Dwork et al. 2006) and F = √(2 ln(1.25/δ)) (Dwork, Roth 2014). */
export type Classical = 'dwork-2006' | 'dwork-2014';

export const FORMULAS: readonly Classical[] = ['dwork-2006', 'dwork-2014'];

/** Said where a classical formula is used beyond ε = 1, up to which it is proven. */
export interface ClassicalWarning {
  /** 'unproven': ε > 1, though (ε, δ)-DP still holds; 'invalid': it does not hold; 'undecided': too close to the threshold to tell. */
  readonly status: 'unproven' | 'invalid' | 'undecided';
  /** G(δ): beyond it the formula is not (ε, δ)-DP. */
  readonly threshold: Bracket;
  /** What the σ delivers: δ at the ε asked for, and ε at the δ asked for. */
  readonly delta: Bracket;
  /** ε at the δ asked for, in nats. */
  readonly epsilon: Bracket;
}

/** Noise by a classical formula. */
export interface ClassicalSigma {
  /** Standard deviation, in the unit of the query. */
  readonly sigma: Bracket;
  /** Where ε > 1, beyond the formula's proof. */
  readonly warning?: ClassicalWarning;
}

function factor(formula: Classical, delta: number): number {
  return Math.sqrt(2 * log((requireOneOf('formula', formula, FORMULAS) === 'dwork-2006' ? 2 : 1.25) / delta));
}

/**
 * σ of a classical formula, with a warning wherever its proof does not cover ε.
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * classicalSigma('dwork-2014', { epsilon: 1, delta: 1e-5 }).sigma.upper; // 4.84481
 */
export function classicalSigma(formula: Classical, request: GaussianRequest): ClassicalSigma {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  const value = (factor(formula, delta) * sensitivity) / epsilon;
  const sigma = bracket(value * (1 - SLACK), value * (1 + SLACK));
  if (epsilon <= 1) return { sigma };
  const threshold = classicalThreshold(formula, delta);
  const [most, least] = [
    gaussianRun((sensitivity / sigma.lower) * (1 + SLACK)),
    gaussianRun((sensitivity / sigma.upper) * (1 - SLACK)),
  ];
  const [above, below] = [most.logDelta(epsilon).upper, least.logDelta(epsilon).lower];
  const [large, small] = [most, least].map((run) => epsilonOf(run, log(delta), 1e-12));
  return {
    sigma,
    warning: {
      status: epsilon <= threshold.lower ? 'unproven' : epsilon > threshold.upper ? 'invalid' : 'undecided',
      threshold,
      delta: bracket(exp(below) * (1 - SLACK), Math.min(1, exp(above) * (1 + SLACK))),
      epsilon: bracket(small.lower, large.upper),
    },
  };
}

/**
 * G(δ) of GM thm 1: the ε beyond which the formula's σ = F(δ)Δ/ε is not (ε, δ)-DP. With μ = ε/F, δ_μ(ε) grows
 * with ε, since dδ/dε = φ(t)(1/F − R(t + μ)) and R(x) < 1/x.
 *
 * @throws TypeError | RangeError if `delta` is not in [1e-300, 1).
 * @example
 * classicalThreshold('dwork-2014', 1e-5).lower; // 8.41977
 */
export function classicalThreshold(formula: Classical, delta: number): Bracket {
  const f = factor(formula, requireDelta(delta));
  const target = log(delta);
  // F carries its rounding, which moves μ
  const at = (epsilon: number, side: 1 | -1) =>
    padLogProbability(logDeltaGdp((epsilon / f) * (1 + side * SLACK), epsilon));
  const options = { guess: 9, ceiling: 1e6 };
  const fails = turningPoint((epsilon) => at(epsilon, -1).lower > target, options);
  const may = turningPoint((epsilon) => at(epsilon, 1).upper > target, {
    ...options,
    guess: fails.high,
    reach: 1e-11 * fails.high,
  });
  return bracket(Math.max(0, may.low), fails.high);
}
