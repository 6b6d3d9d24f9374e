import { rhoOfRelease } from '../bounds/renyi.js';
import { wrongValue } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Basic, kindOf, pairOf } from '../mechanism/pairs.js';
import { pathsOf } from '../mechanism/paths.js';
import { reduceSteps } from '../mechanism/reduce.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { compareExact, exactDecimal, neighbour, times } from '../numeric/exact-decimal.js';
import { ROUNDINGS, up } from '../numeric/rounding.js';
import type { Spending } from './measures.js';

/**
 * The costs of a mechanism in a budget of GDP or zCDP, each with its count. A plain Gaussian costs its μ, rounded up to a double. Another step costs
 * a bound of μ or ρ of the unsampled step, which sampling never raises.
 */
export function chargesOf(
  mechanism: Mechanism,
  budget: 'gdp' | 'zcdp',
  adjacency: Adjacency,
): { spending: Spending; count: number }[] {
  return stepsOf(mechanism).flatMap((raw): Charge[] => {
    const paths = pathsOf(raw.mechanism, [{ ...raw, count: 1 }], adjacency);
    if (paths === undefined) return chargesOfStep(raw, budget, adjacency);
    const each = paths.map(({ steps }) => steps.flatMap((step) => chargesOfStep(step, budget, adjacency)));
    if (each.length === 1)
      return each[0].map(({ spending, count }) => ({ spending, count: count * raw.count }));
    // a record may be in any part, so the largest cost is charged
    const dearest = Math.max(...each.map((charges) => together(charges, budget)));
    return [{ spending: spendingOf(budget, dearest), count: raw.count }];
  });
}

/** A cost, and how often it is paid. */
interface Charge {
  readonly spending: Cost;
  readonly count: number;
}
/** A cost in GDP or zCDP. */
type Cost = { readonly kind: 'gdp'; readonly mu: number } | { readonly kind: 'zcdp'; readonly rho: number };

const spendingOf = (budget: 'gdp' | 'zcdp', bound: number): Cost =>
  budget === 'gdp' ? { kind: 'gdp', mu: bound } : { kind: 'zcdp', rho: bound };

/** The costs of one step, rounded up. @throws RangeError if it has no bound in the terms of the budget. */
function chargesOfStep(raw: Step, budget: 'gdp' | 'zcdp', adjacency: Adjacency): Charge[] {
  const steps = reduceSteps([{ ...raw, count: 1 }], adjacency);
  const isDoubled = adjacency === 'replace-one' && !raw.crosses;
  const unit = isDoubled ? kindOf(raw.mechanism).doubled?.(raw.mechanism) : undefined;
  const mu = plainMu(unit ?? raw.mechanism);
  return steps.map(({ mechanism: step, count: times }) => {
    const count = raw.count * times;
    if (mu !== undefined && mu < Infinity) return { spending: { kind: 'gdp', mu }, count };
    const bound = budget === 'gdp' ? pairOf(step).gdpMu * (1 + ROUNDINGS) : rhoOfRelease(step);
    if (!(bound < Infinity)) {
      throw wrongValue('mechanism', `made of steps with a ${budget} bound`, raw.mechanism.kind);
    }
    return { spending: spendingOf(budget, bound), count };
  });
}

/** The cost of several releases together: μ = √(Σ μᵢ²) for GDP, and ρ = Σ ρᵢ for zCDP. A Gaussian has ρ = μ²/2. Rounded up. Ensures: no less than the cost of all of them. */
function together(charges: readonly Charge[], budget: 'gdp' | 'zcdp'): number {
  const rhoOf = (cost: Cost): number => (cost.kind === 'zcdp' ? cost.rho : cost.mu ** 2 / 2);
  const rho = charges.reduce((sum, { spending, count }) => sum + count * rhoOf(spending), 0);
  return budget === 'gdp' ? up(Math.sqrt(2 * rho), ROUNDINGS) : up(rho, ROUNDINGS);
}

/** μ of a Gaussian release or of stated GDP, undefined for others. For noise multiplier σ it is 1/σ, rounded up to a double by exact arithmetic. */
function plainMu(mechanism: Basic): number | undefined {
  if (mechanism.kind === 'gdp') return mechanism.mu;
  if (mechanism.kind !== 'gaussian') return undefined;
  const { noiseMultiplier } = mechanism;
  if (noiseMultiplier === 0) return Infinity;
  const mu = 1 / noiseMultiplier;
  const product = times(exactDecimal(mu)!, exactDecimal(noiseMultiplier)!);
  return compareExact(product, exactDecimal(1)!) < 0 ? neighbour(mu, 1) : mu;
}
