import { wrongValue } from '../errors.js';
import { doubleOf, type ExactDecimal, exactDecimal, minus } from '../numeric/exact-decimal.js';
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import { log, log1p } from '../numeric/scalar.js';
import type { Gauge, PrivacyBudget } from './measures.js';

/** With probability at least 1 − delta the privacy loss of all that came out is at most epsilon, at all times at once. */
export interface Odometer {
  /** Logarithm of how much likelier all that came out is in one world than in the other, in nats, rounded up; ≥ 0. */
  readonly epsilon: number;
  /** The probability asked about, in [0, 1]. */
  readonly delta: number;
}

/**
 * Values of α − 1 among which δ is shared equally if no orders are declared. With the powers 2^−6 … 2^12, log(1/δ)/(α − 1) is at most a third larger
 * than at the best order.
 */
const EXPONENTS = Array.from({ length: 19 }, (_, i) => 2 ** (i - 6));
/** More than the relative error of the few operations below. */
const UP = 1 + 1e-13;

/**
 * For one order α, e^{(α−1)(L − Σ D_α)} is a supermartingale that starts at 1 when each step's divergence D_α is known before
 * the step; so (Ville) it never exceeds 1/δ except with probability δ, and L ≤ Σ D_α + log(1/δ)/(α − 1) at all times.
 * Of k orders, with δ/k each, the best may be read. (ε, δ) releases: points 7 and 8 of docs/budget.md.
 */
export function odometerOf(
  budget: PrivacyBudget,
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
    case 'approximate-dp':
      return { epsilon: approximate(gauges, spent, delta), delta };
    case 'rdp': {
      const terms = gauges.map(
        ({ order }, i) => doubleOf(sums[i], 'up') + share(gauges.length, delta) / (order! - 1),
      );
      return { epsilon: Math.min(...terms) * UP, delta };
    }
  }
}

/**
 * Shares of δ less the budget's own δ that the Rényi bound may use. The share used is the best for a budget that is all spent. So it does not depend
 * on outputs, as the theorem demands.
 */
const SHARES = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64];

/**
 * An upper bound of the privacy loss that holds at all times, except with probability `delta`. D is Σ δ of the budget. With pure ε it is Σ ε + x.
 * With Σ ε² it is the Rényi bound at the probability δ′, a share of `delta` − D, plus x. x solves (δ′ + D)/(1 − e^{−x}) = `delta`; with pure ε, δ′ =
 * 0 (docs/budget.md, points 7 and 8).
 */
function approximate(gauges: readonly Gauge[], spent: number, delta: number): number {
  const [{ power, capacity }, deltas] = gauges;
  const whole = doubleOf(deltas.capacity, 'up');
  const rest = doubleOf(minus(exactDecimal(delta)!, deltas.capacity), 'down');
  if (whole === 0) return power === 1 ? spent : byRho(spent / 2, delta);
  if (!(rest > 0)) throw wrongValue('delta', "above the budget's delta less its slack", delta);
  if (power === 1) return (spent + hidden(whole, rest, delta)) * UP;
  const at = (sum: number, part: number): number => {
    // with δ near the least double a share may round to all of it; the rest is what is really left
    const own = part * rest;
    return (byRho(sum / 2, own) + hidden(whole + own, Math.min((1 - part) * rest, rest - own), delta)) * UP;
  };
  const full = doubleOf(capacity, 'up');
  return at(
    spent,
    SHARES.reduce((best, part) => (at(full, part) < at(full, best) ? part : best)),
  );
}

/** The x with (δ′ + D)/(1 − e^{−x}) = δ, rounded up. Given are `taken` = δ′ + D and `rest` = δ − δ′ − D. */
function hidden(taken: number, rest: number, delta: number): number {
  return (taken < delta / 2 ? -log1p(-taken / delta) : log(delta / rest)) * UP + FUNCTION_ERROR;
}

function byRho(rho: number, delta: number): number {
  const cost = share(EXPONENTS.length, delta);
  return Math.min(...EXPONENTS.map((above) => (1 + above) * rho + cost / above)) * UP;
}

/** log(k/δ). */
function share(k: number, delta: number): number {
  return log(k) - log(delta);
}
