import { wrongValue } from '../errors.js';
import { doubleOf, type ExactDecimal, exactDecimal, minus } from '../numeric/exact-decimal.js';
import { log } from '../numeric/scalar.js';
import type { Budget, Gauge } from './measures.js';

/** With probability at least 1 − delta the privacy loss is at most epsilon, at all times at once. */
export interface Odometer {
  /** Privacy loss in nats, rounded up; ≥ 0, Infinity where no bound is known. */
  readonly epsilon: number;
  /** The probability asked about, in [0, 1]. */
  readonly delta: number;
}

/** α − 1 of the orders among which δ is shared where none are declared: what 2^−6 … 2^12 miss of the best is a third at most of log(1/δ)/(α − 1). */
const EXPONENTS = Array.from({ length: 19 }, (_, i) => 2 ** (i - 6));
/** More than the few operations below can err, relative. */
const UP = 1 + 1e-13;

/**
 * For one order α, e^{(α−1)(L − Σ D_α)} is a supermartingale that starts at 1 when each step's divergence D_α is known before
 * the step; so (Ville) it never exceeds 1/δ but with probability δ, and L ≤ Σ D_α + log(1/δ)/(α − 1) at all times.
 * Of k orders, with δ/k each, the best may be read. (ε, δ) releases: the same but for events of probability Σ δ.
 */
export function odometerOf(
  budget: Budget,
  gauges: readonly Gauge[],
  sums: readonly ExactDecimal[],
  delta: number,
): Odometer {
  const spent = doubleOf(sums[0], 'up');
  switch (budget.kind) {
    case 'pure-dp':
      return { epsilon: spent, delta };
    case 'gdp':
      return { epsilon: byRho(spent / 2, delta), delta };
    case 'zcdp':
      return { epsilon: byRho(spent, delta), delta };
    case 'approximate-dp': {
      const rest = doubleOf(minus(exactDecimal(delta)!, gauges[1].capacity), 'down');
      if (!(rest > 0 || (rest === 0 && gauges[0].power === 1))) {
        throw wrongValue('delta', "above the budget's delta less its slack", delta);
      }
      return { epsilon: gauges[0].power === 1 ? spent : byRho(spent / 2, rest), delta };
    }
    case 'rdp': {
      const terms = gauges.map(
        ({ order }, i) => doubleOf(sums[i], 'up') + share(gauges.length, delta) / (order! - 1),
      );
      return { epsilon: Math.min(...terms) * UP, delta };
    }
  }
}

function byRho(rho: number, delta: number): number {
  const cost = share(EXPONENTS.length, delta);
  return Math.min(...EXPONENTS.map((above) => (1 + above) * rho + cost / above)) * UP;
}

/** log(k/δ). */
function share(k: number, delta: number): number {
  return log(k) - log(delta);
}
