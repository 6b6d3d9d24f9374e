import { wrongValue } from '../errors.js';
import type { Adjacency } from './adjacency.js';
import { type Basic, kindOf } from './basic.js';
import type { Step } from './steps.js';

/** Steps in add/remove units, with those that reveal nothing left out and what composes exactly merged. */
export function reduceSteps(steps: readonly Step[], adjacency: Adjacency): Step[] {
  const reduced: Step[] = [];
  let gaussianSquare = 0;
  for (const given of steps) {
    requireTheorem(given, adjacency);
    const step = inSampledForm(adjacency === 'replace-one' ? replaced(given) : given);
    const kind = kindOf(step.mechanism);
    // a copy: what is known of it stays true whatever becomes of the caller's object
    const mechanism = { ...step.mechanism };
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

/** The step where one record is replaced: twice the sensitivity, and on a Poisson sample its own pair. */
function replaced(step: Step): Step {
  const { mechanism, rate } = step;
  if (step.sampling === 'poisson') {
    // without noise the sample is told, and with it the record
    if (mechanism.kind !== 'gaussian' || mechanism.noiseMultiplier === 0) return step;
    const { noiseMultiplier } = mechanism;
    return {
      ...step,
      mechanism: { kind: 'replaced-gaussian', noiseMultiplier, rate },
      sampling: 'all',
      rate: 1,
    };
  }
  return { ...step, mechanism: kindOf(mechanism).doubled?.(mechanism) ?? mechanism };
}

/** What is a Poisson sample by another name, as one. */
function inSampledForm(step: Step): Step {
  const same = kindOf(step.mechanism).sampled?.(step.mechanism);
  if (same === undefined || step.sampling === 'without-replacement') return step;
  const rate = step.rate * same.rate;
  return { ...step, mechanism: same.mechanism as Basic, rate, sampling: rate === 1 ? 'all' : 'poisson' };
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

function requireTheorem({ mechanism, sampling }: Step, adjacency: Adjacency): void {
  if (sampling === 'poisson' && adjacency === 'replace-one' && mechanism.kind !== 'gaussian') {
    throw wrongValue(
      'adjacency',
      'add-remove for Poisson-subsampled steps that are not Gaussian noise (the report of the add-remove run bounds replace-one)',
      adjacency,
    );
  }
  if (mechanism.kind === 'balls-and-bins' && sampling !== 'all') {
    throw wrongValue('inner', 'a single release, not an epoch that samples itself', mechanism.kind);
  }
  if (sampling === 'without-replacement' && adjacency !== 'replace-one') {
    throw wrongValue('adjacency', 'replace-one for steps sampled without replacement', adjacency);
  }
  const { adjacency: own } = kindOf(mechanism).facts;
  if ((own === 'add-remove' || own === 'replace-one') && own !== adjacency) {
    throw wrongValue('adjacency', `${own} for ${mechanism.kind}`, adjacency);
  }
}
