/**
 * Bounds for a symmetric trade-off function f from its privacy profile δ. Each ε gives the supporting line 1 − δ(ε) − e^ε α, which is at most f(α).
 * They show which Gaussian trade-off functions G_μ lie below f (docs/proofs/regret.md 4, 6 and 7).
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
import { loadF64, storeF64 } from '../lane/memory.js';
import { spend, take } from '../lane/room.js';
import { logSum } from '../sums/errors.js';

/** Bound of up to 90 roundings, relative to the sum of moduli of the numbers that are added. */
export const ROUNDINGS: f64 = 1e-14;
/** Bound of the relative error of log δ_μ(ε), δ_μ the profile of N(0, 1) and N(μ, 1). */
const SLACK: f64 = 2e-15;
/** Bound of the error of a normal quantile, relative to its size plus 1/100. */
const QUANTILE_SLACK: f64 = 1e-14;

/**
 * The μ of the Gaussian trade-off function through a point: Φ⁻¹(power) − Φ⁻¹(α), moved by the quantiles' error. Ensures: no less (side 1) or no more
 * (−1) than that.
 */
export function muBetween(logAlpha: f64, logPower: f64, side: f64): f64 {
  spend(700);
  const a = -normalQuantileLogOf(logAlpha);
  const b = normalQuantileLogOf(logPower);
  return a + b + side * QUANTILE_SLACK * (Math.abs(a) + Math.abs(b) + 1e-2);
}

/**
 * The μ with δ_μ(ε) = e^{logDelta}, logDelta < 0; δ_μ is the profile of N(0, 1) and N(μ, 1). It is moved up (side 1) or down (−1) in growing steps
 * until it is certified. Ensures: δ_μ(ε) is no less (side 1) or no more (−1) than e^{logDelta}.
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
 * The μ of the Gaussian trade-off function G_μ through the intersection of the supporting lines of δ at ε = from and ε = to. Ensures: G_μ is below f
 * where its slope is between those of the lines (regret.md 7). ∞ where they intersect at power 1.
 */
export function muAtCorner(from: f64, logFrom: f64, to: f64, logTo: f64): f64 {
  spend(400);
  const alpha = logFrom + logOf(-expm1Of(logTo - logFrom)) - from - logOf(expm1Of(to - from));
  // the theorem holds for any rate α with the power of the higher line at α, so α may be rounded
  const logAlpha = alpha < 0 ? alpha : -1e-300;
  const power = Math.max(logLineAt(from, logFrom, logAlpha), logLineAt(to, logTo, logAlpha));
  return power < 0 ? muBetween(logAlpha, power, 1) : Infinity;
}

/**
 * log of an upper bound of the power 1 − f(α). It is δ + e^ε α, by the supporting line at ε ≥ 0, at most 1. Ensures: no less than the log of the
 * power.
 */
export function logLineAt(epsilon: f64, logDelta: f64, logAlpha: f64): f64 {
  const sum = logSum(logDelta, epsilon + logAlpha);
  return Math.min(0, sum + ROUNDINGS * (1 + Math.abs(epsilon) + Math.abs(logAlpha)));
}

/** The μ of the Gaussian trade-off function through the supporting line's point at α; ∞ where the power there is 1. Ensures: no less than that μ. */
export function muAtEdge(epsilon: f64, logDelta: f64, logAlpha: f64): f64 {
  const power = logLineAt(epsilon, logDelta, logAlpha);
  return power < 0 ? muBetween(logAlpha, power, 1) : Infinity;
}

/**
 * log of the difference quotient of δ by e^ε, (δ(from) − δ(to))/(e^to − e^from), from brackets of δ at both (regret.md 6); −∞ where it may not be
 * positive. Ensures: no more than log of the false positive rates at which f has the slope −e^{from}.
 */
export function logFprBelow(from: f64, lower: f64, to: f64, upper: f64): f64 {
  spend(200);
  if (!(upper < lower)) return -Infinity;
  const size = Math.abs(lower) + Math.abs(upper) + to;
  const rise = lower + logOf(-expm1Of(upper - lower));
  return rise - from - logOf(expm1Of(to - from)) - ROUNDINGS * (1 + size);
}

/** Four ε, and brackets of δ there. */
export class FourPoints {
  /** Three rows for four ε: e^ε − 1, the lower end of δ(ε)/α, and the upper end of δ(ε)/α. */
  private readonly base: usize;
  private readonly low: usize;
  private readonly high: usize;

  constructor() {
    this.base = take(12);
    this.low = this.base + 32;
    this.high = this.low + 32;
  }

  /** Stores the i-th of the four ε, x, with its bracket of log δ(x). Rounded outward. */
  set(i: usize, x: f64, lower: f64, upper: f64, logAlpha: f64): void {
    spend(200);
    const slack = ROUNDINGS * (1 + Math.abs(lower) + Math.abs(logAlpha));
    storeF64(this.base + (i << 3), expm1Of(x));
    storeF64(this.low + (i << 3), expOf(Math.min(700, lower - logAlpha)) * (1 - slack));
    storeF64(this.high + (i << 3), expOf(Math.min(700, upper - logAlpha)) * (1 + slack));
  }

  /** Heuristic: log of minus the difference quotient of δ/α by e^ε, between the k-th and the next of the four ε. */
  logSlope(k: usize): f64 {
    const run = loadF64(this.base + (k << 3), 8) - loadF64(this.base + (k << 3));
    return logOf((loadF64(this.low + (k << 3)) - loadF64(this.low + (k << 3), 8)) / run);
  }

  /**
   * Lower bound of the least δ(log a)/α + a − 1 over a ≥ 0. It takes brackets of δ at four ε, `apart` from each other around x. δ is convex in a:
   * outside of two points it lies above their chord (regret.md 4). Ensures: no more than the infimum; −∞ where the four do not enclose the minimum.
   * @param fromSecond Whether a starts at the second of the four, as at the corner ε = 0.
   */
  leastAround(x: f64, apart: f64, fromSecond: bool): f64 {
    const b0 = loadF64(this.base);
    const b3 = loadF64(this.base, 24);
    const low0 = loadF64(this.low);
    const low1 = loadF64(this.low, 8);
    const low2 = loadF64(this.low, 16);
    const low3 = loadF64(this.low, 24);
    const high0 = loadF64(this.high);
    const high1 = loadF64(this.high, 8);
    const high2 = loadF64(this.high, 16);
    const high3 = loadF64(this.high, 24);
    const step = expm1Of(apart);
    const left = expOf(x - 1.5 * apart) * step;
    const middle = expOf(x - 0.5 * apart) * step;
    const right = expOf(x + 0.5 * apart) * step;
    // by convexity the function decreases before the first point and increases behind the last
    const isFalling = fromSecond || (high1 - low0) / left <= -1 - ROUNDINGS;
    if (!(isFalling && (low3 - high2) / right >= -1 + ROUNDINGS)) return -Infinity;
    const before = low1 + ((low1 - high2) / middle) * left;
    const behind = low2 + ((low2 - high1) / middle) * right;
    // between the inner points it lies above the outer chords, continued
    const falling = fromSecond ? 0 : (low1 - high0) / left + 1;
    const rising = (high3 - low2) / right + 1;
    const first = low1 + loadF64(this.base, 8);
    const second = low2 + loadF64(this.base, 16);
    const share = (second - rising * middle - first) / ((falling - rising) * middle);
    const inside = share > 0 && share < 1 && falling < 0 && rising > 0;
    const lowest = inside
      ? first + falling * share * middle
      : Math.min(first + Math.min(0, falling) * middle, second - Math.max(0, rising) * middle);
    const outside = fromSecond ? Infinity : Math.min(low0 + b0, before + b0);
    const outer = Math.min(outside, Math.min(low3 + b3, behind + b3));
    return Math.min(Math.min(lowest, outer), Math.min(first, second)) - ROUNDINGS * (high0 + b3);
  }
}

/** log of a lower bound of the power, α(1 + least). Ensures: no more than log of the power, given `least` no more than the exact one. */
export function logPowerOf(least: f64, logAlpha: f64): f64 {
  return logAlpha + log1pOf(least) - ROUNDINGS * (1 + Math.abs(logAlpha));
}
