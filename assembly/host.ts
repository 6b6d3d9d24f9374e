/**
 * Scalar functions for hosts without JavaScript: doubles in and out, NaN for invalid arguments. docs/host-kernel.md has the ABI. Ends of brackets are
 * those of log δ_μ, whose relative error is below 8.9e-16, widened by SLACK; ε is found by bisection on certified ends.
 */
import { SPLITTER } from '../src/kernel/constants.js';
import { expOf, logDeltaGdpOf, logOf, muGdpLogOf } from './functions/scalar.js';

/** Upper bound of the relative error of log δ_μ. */
const SLACK: f64 = 2e-15;
/** Upper bound of the relative error of an exponential or a logarithm. */
const ROUNDING: f64 = 4e-16;
const LEAST: f64 = 5e-324;

function logUpper(mu: f64, epsilon: f64): f64 {
  return logDeltaGdpOf(mu, epsilon) * (1 - SLACK);
}

function logLower(mu: f64, epsilon: f64): f64 {
  return logDeltaGdpOf(mu, epsilon) * (1 + SLACK);
}

function isMu(mu: f64): bool {
  return mu >= 0 && mu <= 1e6;
}

/** Upper bound of δ_μ(ε), 0 ≤ μ ≤ 1e6, 0 ≤ ε ≤ 1e12. Ensures: no less than δ_μ(ε). */
export function gdp_delta_upper(mu: f64, epsilon: f64): f64 {
  if (!isMu(mu) || !(epsilon >= 0 && epsilon <= 1e12)) return NaN;
  if (mu === 0) return 0;
  return min<f64>(1, expOf(logUpper(mu, epsilon)) * (1 + ROUNDING) + LEAST);
}

/** Lower bound of δ_μ(ε). Ensures: no more than δ_μ(ε). */
export function gdp_delta_lower(mu: f64, epsilon: f64): f64 {
  if (!isMu(mu) || !(epsilon >= 0 && epsilon <= 1e12)) return NaN;
  if (mu === 0) return 0;
  return max<f64>(0, expOf(logLower(mu, epsilon)) * (1 - ROUNDING) - LEAST);
}

/**
 * Bisection on ε for log δ_μ(ε) = target. With `upper`, the least ε found at which the upper bound of log δ is at most the target. Without, the
 * greatest at which the lower bound of log δ is at least the target. Ensures: no less (upper) or no more than the exact ε.
 */
function search(mu: f64, target: f64, upper: bool): f64 {
  let low: f64 = 0;
  let high = 0.5 * mu * mu + mu * Math.sqrt(-2 * target) + mu;
  while (logUpper(mu, high) > target) {
    low = high;
    high *= 2;
    if (high > 1e12) return NaN;
  }
  for (let i = 0; i < 1100; i++) {
    const middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    const below = upper ? logUpper(mu, middle) <= target : logLower(mu, middle) < target;
    if (below) high = middle;
    else low = middle;
  }
  return upper ? high : low;
}

/** An ε ≥ 0 with δ_μ(ε) ≤ δ, by bisection, 1e-300 ≤ δ < 1. Ensures: no less than the exact ε; 0 where ε = 0 suffices. */
export function gdp_epsilon_upper(mu: f64, delta: f64): f64 {
  if (!isMu(mu) || !(delta >= 1e-300 && delta < 1)) return NaN;
  const target = logOf(delta) * (1 + ROUNDING);
  if (mu === 0 || logUpper(mu, 0) <= target) return 0;
  return search(mu, target, true);
}

/** The least ε ≥ 0 with δ_μ(ε) ≤ δ, rounded down. Ensures: no more than the exact ε. */
export function gdp_epsilon_lower(mu: f64, delta: f64): f64 {
  if (!isMu(mu) || !(delta >= 1e-300 && delta < 1)) return NaN;
  const target = logOf(delta) * (1 - ROUNDING);
  if (mu === 0 || logLower(mu, 0) < target) return 0;
  return search(mu, target, false);
}

/** Upper bound of μ_GDP(ε, δ), the μ with δ_μ(ε) = δ; 0 ≤ ε ≤ 1e9, 1e-300 ≤ δ < 1. Ensures: no less than it. */
export function gdp_mu_upper(epsilon: f64, delta: f64): f64 {
  if (!(epsilon >= 0 && epsilon <= 1e9) || !(delta >= 1e-300 && delta < 1)) return NaN;
  const target = logOf(delta) * (1 - ROUNDING);
  let mu = muGdpLogOf(epsilon, target);
  for (let step: f64 = 1e-15; logLower(mu, epsilon) < target; step *= 4) mu *= 1 + step;
  return mu;
}

/** Lower bound of μ_GDP(ε, δ), for calibration by σ = sensitivity/μ. Ensures: the Gaussian mechanism of this μ is (ε, δ)-DP. */
export function gdp_mu_lower(epsilon: f64, delta: f64): f64 {
  if (!(epsilon >= 0 && epsilon <= 1e9) || !(delta >= 1e-300 && delta < 1)) return NaN;
  const target = logOf(delta) * (1 + ROUNDING);
  let mu = muGdpLogOf(epsilon, target);
  for (let step: f64 = 1e-15; mu > 0 && logUpper(mu, epsilon) > target; step *= 4) mu *= 1 - step;
  return mu;
}

/** a + b rounded up, both ≥ 0 and finite, by the sign of the exact rounding error (Knuth's TwoSum). Ensures: no less than the sum. */
function addUp(a: f64, b: f64): f64 {
  const s = a + b;
  const c = s - a;
  const error = a - (s - c) + (b - c);
  return error > 0 ? next(s) : s;
}

/** The next double above s ≥ 0. */
function next(s: f64): f64 {
  return reinterpret<f64>(reinterpret<i64>(s) + 1);
}

/** The next double below s > 0. */
function previous(s: f64): f64 {
  return reinterpret<f64>(reinterpret<i64>(s) - 1);
}

/**
 * a·b rounded up, 0 ≤ a, b < 1e150, by the sign of the exact rounding error (Dekker), where that does not underflow. Ensures: no less than the
 * product.
 */
function multiplyUp(a: f64, b: f64): f64 {
  const p = a * b;
  if (p === 0) return a === 0 || b === 0 ? 0 : LEAST;
  if (p < 1e-250 || a > 1e140 || b > 1e140) return next(p);
  const ah = upperHalf(a);
  const bh = upperHalf(b);
  const al = a - ah;
  const bl = b - bh;
  const error = ah * bh - p + ah * bl + al * bh + al * bl;
  return error > 0 ? next(p) : p;
}

/** The upper 26 bits of x (Veltkamp's splitting). */
function upperHalf(x: f64): f64 {
  const c = SPLITTER * x;
  return c - (c - x);
}

function isLedger(spent: f64, cost: f64, budget: f64): bool {
  return spent >= 0 && spent < 1e300 && cost >= 0 && cost < 1e150 && budget >= 0 && budget < 1e300;
}

/**
 * The ρ that a zCDP ledger has spent after `count` more releases of ρ = cost each: spent + cost·count, rounded up. NaN if that exceeds the budget:
 * then nothing may be released, and nothing is spent. Ensures: no less than the exact sum.
 */
export function zcdp_spend(spent: f64, cost: f64, count: f64, budget: f64): f64 {
  if (!isLedger(spent, cost, budget) || !(count >= 0 && count <= 9007199254740991) || floor(count) !== count)
    return NaN;
  const after = addUp(spent, multiplyUp(cost, count));
  return after <= budget ? after : NaN;
}

/** The budget less what a ledger has spent, rounded down. Ensures: no more than budget − spent. */
export function ledger_left(spent: f64, budget: f64): f64 {
  if (!isLedger(spent, 0, budget) || spent > budget) return NaN;
  const left = budget - spent;
  // exact rounding error of the difference, by TwoSum
  const c = left - budget;
  const error = budget - (left - c) - (spent + c);
  return error < 0 ? previous(left) : left;
}

/**
 * The μ² that a Gaussian ledger has spent after `count` more releases of μ each, spent + count·μ², rounded up. NaN if that exceeds `budget`, also a
 * μ². Ensures: no less than the exact sum.
 */
export function gdp_spend(spent: f64, mu: f64, count: f64, budget: f64): f64 {
  if (!(mu >= 0 && mu <= 1e6)) return NaN;
  return zcdp_spend(spent, multiplyUp(mu, mu), count, budget);
}

/** The μ of a Gaussian ledger that has spent a μ² of `spent`. Ensures: no less than √spent. */
export function gdp_spent_mu(spent: f64): f64 {
  if (!(spent >= 0 && spent <= 1e12)) return NaN;
  return spent === 0 ? 0 : next(Math.sqrt(spent));
}
