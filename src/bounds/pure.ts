import { subsampledLoss } from '../law/subsampling.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Basic, kindOf } from '../mechanism/pairs.js';
import { largestOfPaths } from '../mechanism/paths.js';
import type { Step } from '../mechanism/steps.js';

/**
 * The ε for which an unsampled release is ε-DP, from the fields of its kind; ∞ if there is none.
 *
 * Ensures: within one rounding of the exact quotient.
 */
export function pureEpsilonOf(mechanism: Basic): number {
  const [over, under] = kindOf(mechanism).pureDp?.(mechanism) ?? [Infinity, 1];
  return over / under;
}

/** The ε for which a step is ε-DP: log(1 + q(e^ε − 1)) on a share q of the records, with either sampling. Within a few roundings. */
export function pureEpsilonOfStep({ mechanism, rate }: Step): number {
  const epsilon = pureEpsilonOf(mechanism);
  if (rate === 1 || epsilon === Infinity) return epsilon;
  return subsampledLoss(epsilon, rate);
}

/** The ε for which the run is ε-DP, Σ count·(ε of a step), the largest over what one record may change; ∞ if there is none. A few roundings a step. */
export function pureEpsilon(mechanism: Mechanism, adjacency: Adjacency): number {
  return largestOfPaths(mechanism, adjacency, (steps) =>
    steps.reduce((sum, step) => sum + step.count * pureEpsilonOfStep(step), 0),
  );
}
