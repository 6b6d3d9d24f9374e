import { rhoOfRelease } from '../bounds/renyi.js';
import { wrongValue } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Basic, kindOf, pairOf } from '../mechanism/pairs.js';
import { reduceSteps } from '../mechanism/reduce.js';
import { stepsOf } from '../mechanism/steps.js';
import { compareExact, exactDecimal, neighbour, times } from '../numeric/exact-decimal.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import type { Spending } from './measures.js';

/**
 * What a mechanism costs a budget in GDP or zCDP. A plain Gaussian costs its μ, rounded up to a double. Another step costs a
 * bound for the unsampled step, which sampling never raises. Each spending comes with its count.
 *
 * @throws RangeError for a step without such a bound, or without a theorem for the adjacency.
 */
export function chargesOf(
  mechanism: Mechanism,
  budget: 'gdp' | 'zcdp',
  adjacency: Adjacency,
): { spending: Spending; count: number }[] {
  return stepsOf(mechanism).flatMap((raw) => {
    const steps = reduceSteps([{ ...raw, count: 1 }], adjacency);
    const unit = adjacency === 'replace-one' ? kindOf(raw.mechanism).doubled?.(raw.mechanism) : undefined;
    const mu = plainMu(unit ?? raw.mechanism);
    return steps.map(({ mechanism: step, count: times }) => {
      const count = raw.count * times;
      if (mu !== undefined && mu < Infinity) return { spending: { kind: 'gdp', mu }, count };
      const bound = budget === 'gdp' ? pairOf(step).gdpMu * (1 + ROUNDINGS) : rhoOfRelease(step);
      if (!(bound < Infinity)) {
        throw wrongValue('mechanism', `made of steps with a ${budget} bound`, raw.mechanism.kind);
      }
      return {
        spending: budget === 'gdp' ? { kind: 'gdp', mu: bound } : { kind: 'zcdp', rho: bound },
        count,
      };
    });
  });
}

/** μ of a stated Gaussian; of noise σ the double next to 1/σ that is not below it. */
function plainMu(mechanism: Basic): number | undefined {
  if (mechanism.kind === 'gdp') return mechanism.mu;
  if (mechanism.kind !== 'gaussian') return undefined;
  const { noiseMultiplier } = mechanism;
  if (noiseMultiplier === 0) return Infinity;
  const mu = 1 / noiseMultiplier;
  const product = times(exactDecimal(mu)!, exactDecimal(noiseMultiplier)!);
  return compareExact(product, exactDecimal(1)!) < 0 ? neighbour(mu, 1) : mu;
}
