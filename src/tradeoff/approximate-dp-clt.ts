import { requireCount, requireFields, requireList, requireNumber, requireProbability } from '../errors.js';
import { expm1 } from '../numeric/scalar.js';
import { certainRun } from '../run/changed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { TradeoffFunction } from './tradeoff-function.js';

/** One (ε, δ)-DP guarantee of a composition, and how often; default once. */
export interface ApproximateDpPart {
  /** ε, in nats, ≥ 0. */
  readonly epsilon: number;
  /** δ, in [0, 1]. */
  readonly delta: number;
  /** How often, a whole number ≥ 0. */
  readonly count?: number;
}

/** What GDP theorem 3.7 says of a composition: no bound in either direction. */
export interface ApproximateDpLimit {
  readonly label: 'approximation';
  /** √Σε². */
  readonly mu: number;
  /** 1 − e^{−Σδ}. */
  readonly delta: number;
  /** G_μ ⊗ f_{0,δ}. */
  readonly f: TradeoffFunction;
}

/**
 * The central limit theorem for (εᵢ, δᵢ)-DP, each its own: their composition tends to G_μ ⊗ f_{0,1−e^{−δ}} with μ² = Σεᵢ² and
 * δ = Σδᵢ as the largest of them go to 0 (GDP thm 3.7).
 *
 * @throws TypeError | RangeError if there is no part, or one is not (ε ≥ 0, δ in [0, 1], count a whole number).
 * @example
 * approximateDpClt([{ epsilon: 0.05, delta: 1e-7, count: 100 }]).f.delta(1).upper; // 0.00683953
 */
export function approximateDpClt(parts: readonly ApproximateDpPart[]): ApproximateDpLimit {
  requireList('parts', parts, '{epsilon, delta} objects', 1);
  let [square, sum] = [0, 0];
  for (const [i, part] of parts.entries()) {
    requireFields(`parts[${i}]`, part, ['epsilon', 'delta', 'count']);
    const epsilon = requireNumber(`parts[${i}].epsilon`, part.epsilon, 'a number in [0, 300]');
    const count = requireCount(`parts[${i}].count`, part.count ?? 1);
    square += count * epsilon * epsilon;
    sum += count * requireProbability(`parts[${i}].delta`, part.delta);
  }
  const mu = Math.sqrt(square);
  const delta = -expm1(-sum);
  const run = certainRun(gaussianRun(mu), -sum);
  return {
    label: 'approximation',
    mu,
    delta,
    f: new TradeoffFunction(`G_${mu} ⊗ f_{0, ${delta}}`, new TradeoffCurve(run)),
  };
}
