import type { CountedLaw } from '../../law/loss-law.js';
import { logSum, outward } from '../../numeric/log-arithmetic.js';
import { FUNCTION_ERROR, ROUNDINGS } from '../../numeric/rounding.js';
import { log } from '../../numeric/scalar.js';

/**
 * Upper bound of log δ(ε) of a composition of T steps, ε ≥ 0: δ(ε) ≤ Σ_i δ_i(ε/T), δ_i that of step i. This is basic composition (Dwork and Roth
 * 2014, theorem 3.16). Each distinct step costs one formula.
 *
 * Ensures: no less than log δ(ε).
 */
export function sumOfDeltas(laws: readonly CountedLaw[]): (epsilon: number) => number {
  const steps = laws.reduce((sum, { count }) => sum + count, 0);
  return (epsilon) => {
    const share = (epsilon / steps) * (1 - ROUNDINGS);
    let sum = -Infinity;
    for (const { law, count } of laws) {
      const upper = law.single.ceiling?.(share) ?? law.single.logDelta(share).upper;
      sum = logSum(sum, log(count) + upper);
    }
    // a rounding error for each term, and for each partial sum
    const slack = (4 + laws.length) * FUNCTION_ERROR * (1 + Math.abs(sum));
    return sum > -Infinity ? outward(Math.min(0, sum + slack), 1) : sum;
  };
}
