import { subsampledLoss } from '../law/subsampling.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Basic, kindOf } from '../mechanism/pairs.js';
import { largestOfPaths } from '../mechanism/paths.js';
import type { Step } from '../mechanism/steps.js';

/**
 * The ε for which a release is ε-DP: its largest loss; ∞ if there is none.
 *
 * Ensures: within a rounding of the largest loss of what is stated.
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

/** The smallest ε for which the run is ε-DP: the sum of largest losses, exact for releases with finite losses; ∞ if there is none. */
export function pureEpsilon(mechanism: Mechanism, adjacency: Adjacency): number {
  return largestOfPaths(mechanism, adjacency, (steps) =>
    steps.reduce((sum, step) => sum + step.count * pureEpsilonOfStep(step), 0),
  );
}
