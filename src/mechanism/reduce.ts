import { wrongValue } from '../errors.js';
import type { Adjacency } from './adjacency.js';
import { type Basic, kindOf } from './basic.js';
import type { Step } from './steps.js';

/** Steps in add/remove units, with those that reveal nothing left out and what composes exactly merged. */
export function reduceSteps(steps: readonly Step[], adjacency: Adjacency): Step[] {
  const reduced: Step[] = [];
  let gaussianSquare = 0;
  for (const step of steps) {
    requireTheorem(step, adjacency);
    const kind = kindOf(step.mechanism);
    // a copy: what is known of it stays true whatever becomes of the caller's object
    const mechanism = {
      ...((adjacency === 'replace-one' && kind.doubled?.(step.mechanism)) || step.mechanism),
    };
    if (kind.isSilent?.(mechanism)) continue;
    const mu = step.sampling === 'all' ? kind.gaussianMu?.(mechanism) : undefined;
    if (mu !== undefined && mu < Infinity) gaussianSquare += step.count * mu * mu;
    else if (step.sampling === 'all' && kind.sum) addSum(reduced, kind.sum.times(mechanism, step.count));
    else reduced.push({ ...step, mechanism });
  }
  // any number of plain Gaussians is one Gaussian (GDP cor. 3.3)
  if (gaussianSquare > 0) reduced.push(once({ kind: 'gdp', mu: Math.sqrt(gaussianSquare) }));
  return reduced;
}

function once(mechanism: Basic): Step {
  return { mechanism, sampling: 'all', rate: 1, count: 1 };
}

/** Joins `mechanism` to the first step it composes with exactly, or puts it last. */
function addSum(steps: Step[], mechanism: Basic): void {
  for (const [i, { mechanism: other, sampling }] of steps.entries()) {
    if (sampling !== 'all' || other.kind !== mechanism.kind) continue;
    const sum = kindOf(mechanism).sum?.plus(other, mechanism);
    if (sum === undefined) continue;
    steps[i] = once(sum);
    return;
  }
  steps.push(once(mechanism));
}

function requireTheorem({ sampling }: Step, adjacency: Adjacency): void {
  if (sampling === 'poisson' && adjacency !== 'add-remove') {
    throw wrongValue(
      'adjacency',
      'add-remove for Poisson-subsampled steps (the report of the add-remove run bounds replace-one)',
      adjacency,
    );
  }
  if (sampling === 'without-replacement' && adjacency !== 'replace-one') {
    throw wrongValue('adjacency', 'replace-one for steps sampled without replacement', adjacency);
  }
}
