/**
 * What δ(ε) implies for a symmetric trade-off function f, by its supporting line 1 − δ − e^ε α. Which Gaussian trade-off functions lie below f
 * (docs/proofs/regret.md 4, 6 and 7).
 */
import {
  expm1Of,
  expOf,
  log1pOf,
  logDeltaGdpOf,
  logOf,
  muGdpLogOf,
  normalQuantileLogOf,
} from '../functions/scalar.js';
import { loadF64, memory, storeF64 } from '../lane/memory.js';
import { spend } from '../lane/room.js';
import { logSum } from '../sums/errors.js';

/** Bound of up to 90 roundings, relative to the numbers that are added. */
export const ROUNDINGS: f64 = 1e-14;
/** Bound of the relative error of log δ_μ(ε). */
const SLACK: f64 = 2e-15;
/** Bound of the relative error of a normal quantile, and absolute near 0. */
const QUANTILE_SLACK: f64 = 1e-14;

/** μ = Φ⁻¹(power) − Φ⁻¹(α) of a Gaussian test. Ensures: no less (side 1) or no more (−1) than that. */
export function muBetween(logAlpha: f64, logPower: f64, side: f64): f64 {
  spend(700);
  const a = -normalQuantileLogOf(logAlpha);
  const b = normalQuantileLogOf(logPower);
  return a + b + side * QUANTILE_SLACK * (Math.abs(a) + Math.abs(b) + 1e-2);
}

/**
 * The μ with δ_μ(ε) = e^{logDelta}, moved outward in growing steps. Ensures: δ_μ(ε) is no less (side 1) or no more (−1) than e^{logDelta}, logDelta <
 * 0.
 */
export function muBeside(epsilon: f64, logDelta: f64, side: f64): f64 {
  spend(700);
  let mu = muGdpLogOf(epsilon, logDelta);
  for (let step = 1e-15; mu > 0 && mu < Infinity; step *= 4) {
    const there = logDeltaGdpOf(mu, epsilon) * (1 + side * SLACK);
    if (side > 0 ? there >= logDelta : there <= logDelta) return mu;
    mu *= 1 + side * Math.min(step, 1);
  }
  return mu;
}

/**
 * The μ of the Gaussian curve through the intersection of two supporting lines 1 − δ − e^ε α. Ensures: G_μ is below f between their slopes (7); −∞
 * where they meet at no rate.
 */
export function muAtCorner(from: f64, logFrom: f64, to: f64, logTo: f64): f64 {
  spend(400);
  const alpha = logFrom + logOf(-expm1Of(logTo - logFrom)) - from - logOf(expm1Of(to - from));
  // any rate that lies above both lines is sound
  const logAlpha = alpha < 0 ? alpha : -1e-300;
  const power = Math.max(logLineAt(from, logFrom, logAlpha), logLineAt(to, logTo, logAlpha));
  return power < 0 ? muBetween(logAlpha, power, 1) : Infinity;
}

/** Ensures: no less than log of the power at α, by the supporting line 1 − δ − e^ε α, ε ≥ 0. */
export function logLineAt(epsilon: f64, logDelta: f64, logAlpha: f64): f64 {
  const sum = logSum(logDelta, epsilon + logAlpha);
  return Math.min(0, sum + ROUNDINGS * (1 + Math.abs(epsilon) + Math.abs(logAlpha)));
}

/** Ensures: no less than the μ of the Gaussian curve through the supporting line's point at α. */
export function muAtEdge(epsilon: f64, logDelta: f64, logAlpha: f64): f64 {
  const power = logLineAt(epsilon, logDelta, logAlpha);
  return power < 0 ? muBetween(logAlpha, power, 1) : Infinity;
}

/**
 * Ensures: no more than log of the false positive rates at which f has the slope −e^{from}. It is a difference quotient of δ at two ε's (6); −∞ where
 * that is not positive.
 */
export function logFprBelow(from: f64, lower: f64, to: f64, upper: f64): f64 {
  spend(200);
  if (!(upper < lower)) return -Infinity;
  const size = Math.abs(lower) + Math.abs(upper) + to;
  const rise = lower + logOf(-expm1Of(upper - lower));
  return rise - from - logOf(expm1Of(to - from)) - ROUNDINGS * (1 + size);
}

/** For each of the four ε's: e^ε − 1, lower end of δ/α, upper end of δ/α. */
const FOUR: usize = memory.data(96, 16);
const LOW: usize = FOUR + 32;
const HIGH: usize = FOUR + 64;

/** Stores the i-th of the four: ε = x and a bracket of log δ(x). */
export function setFour(i: usize, x: f64, lower: f64, upper: f64, logAlpha: f64): void {
  spend(200);
  const slack = ROUNDINGS * (1 + Math.abs(lower) + Math.abs(logAlpha));
  storeF64(FOUR + (i << 3), expm1Of(x));
  storeF64(LOW + (i << 3), expOf(Math.min(700, lower - logAlpha)) * (1 - slack));
  storeF64(HIGH + (i << 3), expOf(Math.min(700, upper - logAlpha)) * (1 + slack));
}

/** Approximate log of minus the difference quotient of δ/α in e^ε, between the k-th and the next of the four: a guide only. */
export function logSlopeOfFour(k: usize): f64 {
  const at = k << 3;
  const run = loadF64(FOUR + at, 8) - loadF64(FOUR + at);
  return logOf((loadF64(LOW + at) - loadF64(LOW + at, 8)) / run);
}

/**
 * Lower bound of inf_{a ≥ 0} δ/α + a − 1, a = e^ε, by convexity (4). It takes brackets of δ at four ε's: x ∓ 1.5 and ∓ .5 times `apart`. Ensures: no
 * more than the infimum; −∞ where the four do not enclose the minimum.
 * @param fromSecond Whether a starts at the second of the four, as at the corner ε = 0.
 */
export function leastByFour(x: f64, apart: f64, fromSecond: bool): f64 {
  const b0 = loadF64(FOUR);
  const b3 = loadF64(FOUR, 24);
  const low0 = loadF64(LOW);
  const low1 = loadF64(LOW, 8);
  const low2 = loadF64(LOW, 16);
  const low3 = loadF64(LOW, 24);
  const high0 = loadF64(HIGH);
  const high1 = loadF64(HIGH, 8);
  const high2 = loadF64(HIGH, 16);
  const high3 = loadF64(HIGH, 24);
  const step = expm1Of(apart);
  const left = expOf(x - 1.5 * apart) * step;
  const middle = expOf(x - 0.5 * apart) * step;
  const right = expOf(x + 0.5 * apart) * step;
  // convexity: outside of the outer points the function decreases towards them
  const isFalling = fromSecond || (high1 - low0) / left <= -1 - ROUNDINGS;
  if (!(isFalling && (low3 - high2) / right >= -1 + ROUNDINGS)) return -Infinity;
  const before = low1 + ((low1 - high2) / middle) * left;
  const behind = low2 + ((low2 - high1) / middle) * right;
  // between the inner points it lies above the extended outer chords
  const falling = fromSecond ? 0 : (low1 - high0) / left + 1;
  const rising = (high3 - low2) / right + 1;
  const first = low1 + loadF64(FOUR, 8);
  const second = low2 + loadF64(FOUR, 16);
  const share = (second - rising * middle - first) / ((falling - rising) * middle);
  const inside = share > 0 && share < 1 && falling < 0 && rising > 0;
  const lowest = inside
    ? first + falling * share * middle
    : Math.min(first + Math.min(0, falling) * middle, second - Math.max(0, rising) * middle);
  const outside = fromSecond ? Infinity : Math.min(low0 + b0, before + b0);
  const outer = Math.min(outside, Math.min(low3 + b3, behind + b3));
  return Math.min(Math.min(lowest, outer), Math.min(first, second)) - ROUNDINGS * (high0 + b3);
}

/** Power = α(1 + least): ensures no more than its log, where `least` is no more than the true one. */
export function logPowerOf(least: f64, logAlpha: f64): f64 {
  return logAlpha + log1pOf(least) - ROUNDINGS * (1 + Math.abs(logAlpha));
}
