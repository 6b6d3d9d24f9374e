import { wrongValue } from '../errors.js';
import { doubleOf, type ExactDecimal, exactDecimal, minus } from '../numeric/exact-decimal.js';
import { FUNCTION_ERROR } from '../numeric/rounding.js';
import { log, log1p } from '../numeric/scalar.js';
import type { Gauge, PrivacyBudget } from './measures.js';

/** A guarantee for all outputs so far. With probability at least 1 − delta their privacy loss is at most epsilon, at all times at once. */
export interface Odometer {
  /** Bound of the privacy loss, log of how much likelier the outputs are with the record than without it or conversely, in nats, rounded up; ≥ 0. */
  readonly epsilon: number;
  /** The probability asked about, in [0, 1]. */
  readonly delta: number;
}

/**
 * Values of α − 1 between which δ is shared equally if the budget declares no orders. With the powers 2^−6 … 2^12, log(1/δ)/(α − 1) is at most a
 * third larger than at the best order.
 */
const EXPONENTS = Array.from({ length: 19 }, (_, i) => 2 ** (i - 6));
/** Factor that rounds up by more than the relative error of the operations below. */
const UP = 1 + 1e-13;

/**
 * The odometer of a budget. For one order α, e^{(α−1)(L − Σ D_α)} is a supermartingale that starts at 1 if each step's divergence D_α is known before
 * the step. By Ville's inequality it exceeds 1/δ with probability at most δ, so L ≤ Σ D_α + log(1/δ)/(α − 1) at all times. Of k orders, with δ/k
 * each, the best counts. For (ε, δ) releases see points 7 and 8 of docs/budget.md. Rounded up.
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

/** Shares of δ minus the budget's own δ that the Rényi bound may use. The best share for a fully spent budget is taken: it must not depend on outputs. */
const SHARES = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64];

/**
 * An upper bound of the privacy loss that holds at all times, except with probability `delta`, for (ε, δ) releases (docs/budget.md, points 7 and 8).
 * D is the Σ δ that the budget allows. If the sum is of ε, the bound is Σ ε + x. If it is of ε², the bound is the Rényi bound at a probability δ′, a
 * share of `delta` − D, plus x. x solves (δ′ + D)/(1 − e^{−x}) = `delta`, with δ′ = 0 in the first case. Rounded up.
 */
function approximate(gauges: readonly Gauge[], spent: number, delta: number): number {
  const [{ power, capacity }, deltas] = gauges;
  const whole = doubleOf(deltas.capacity, 'up');
  const rest = doubleOf(minus(exactDecimal(delta)!, deltas.capacity), 'down');
  if (whole === 0) return power === 1 ? spent : byRho(spent / 2, delta);
  if (!(rest > 0)) throw wrongValue('delta', "above the budget's delta less its slack", delta);
  if (power === 1) return (spent + hidden(whole, rest, delta)) * UP;
  const at = (sum: number, part: number): number => {
    // for δ near the least double a share may round to all of `rest`
    const own = part * rest;
    return (byRho(sum / 2, own) + hidden(whole + own, Math.min((1 - part) * rest, rest - own), delta)) * UP;
  };
  const full = doubleOf(capacity, 'up');
  return at(
    spent,
    SHARES.reduce((best, part) => (at(full, part) < at(full, best) ? part : best)),
  );
}

/** The x with (δ′ + D)/(1 − e^{−x}) = δ, rounded up. `taken` is δ′ + D, and `rest` is δ − δ′ − D. */
function hidden(taken: number, rest: number, delta: number): number {
  return (taken < delta / 2 ? -log1p(-taken / delta) : log(delta / rest)) * UP + FUNCTION_ERROR;
}

/** The least αρ + log(k/δ)/(α − 1) over the k orders of EXPONENTS, rounded up. It bounds the loss for releases that are ρ-zCDP in all. */
function byRho(rho: number, delta: number): number {
  const cost = share(EXPONENTS.length, delta);
  return Math.min(...EXPONENTS.map((above) => (1 + above) * rho + cost / above)) * UP;
}

/** log(k/δ), for k orders that share δ equally. */
function share(k: number, delta: number): number {
  return log(k) - log(delta);
}
