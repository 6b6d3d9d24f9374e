import type { Bracket } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';

/**
 * FIRST: distance of the four ε at which δ is taken, relative to `near`, the guessed ε. SHORTER: factor for shorter distances. MOST: number of
 * distances tried. Only tightness depends on them.
 */
const FIRST = 0.03;
const SHORTER = 0.25;
const MOST = 7;
/** Least gain in the log of the power for which a shorter distance is tried. */
const WORTH = 1e-13;
/** Largest difference of two log slopes by which the ε between them is located. */
const UNEVEN = 3;
/** Largest ε at which δ is taken: beyond, e^ε may overflow, and certified tests give as narrow brackets. */
const LARGEST = 300;

/** Bounds of δ(ε)/α at one ε. */
interface Scaled {
  readonly low: number;
  readonly high: number;
}

/**
 * Lower bound of the log of the power of the best test at the false positive rate α = e^{logAlpha}. It uses δ at four ε around the one with f′(α) =
 * −e^ε, f the trade-off function. 1 − f(α) is inf_a δ(log a) + aα (docs/proofs/regret.md, 4). δ is convex in e^ε, so between and beyond four points
 * it is bounded to second order of their distance. If δ is far below α, this is sharper than tests, whose error is relative to the power.
 *
 * Ensures: no larger than the logarithm of that power.
 *
 * @param near An ε about where f has the slope −e^ε at α.
 * @returns −∞ if δ gives no bound.
 */
export function logPowerByDeltas(
  logDelta: (epsilon: number) => Bracket,
  logAlpha: number,
  near: number,
): number {
  let best = -Infinity;
  let at = near;
  let apart = FIRST * near;
  for (let i = 0; i < MOST; i++, apart *= SHORTER) {
    const epsilons = [-1.5, -0.5, 0.5, 1.5].map((j) => at + j * apart);
    if (!(epsilons[0] > 0 && epsilons[3] < LARGEST)) break;
    const scaled = epsilons.map((epsilon): Scaled => {
      const { lower, upper } = logDelta(epsilon);
      const slack = ROUNDINGS * (1 + Math.abs(lower) + Math.abs(logAlpha));
      return {
        low: exp(Math.min(700, lower - logAlpha)) * (1 - slack),
        high: exp(Math.min(700, upper - logAlpha)) * (1 + slack),
      };
    });
    const beyond = leastAbove(epsilons, scaled);
    const power = logAlpha + log1p(beyond) - ROUNDINGS * (1 + Math.abs(logAlpha));
    const gained = power - best;
    if (gained > 0) best = power;
    if (gained >= 0 && gained <= WORTH) break;
    // the four ε move to where the tangent of δ, as a function of e^ε, passes through (1, α)
    const [first, middle, last] = [0, 1, 2].map((k) => log(-slopeOf(epsilons, scaled, k)));
    const turn = (2 * apart) / (first - last);
    if (first - last < UNEVEN) at += Math.max(-2 * apart, Math.min(2 * apart, middle * turn));
  }
  return best;
}

/** Heuristic: the slope of δ/α in e^ε between points k and k + 1. */
function slopeOf(epsilons: readonly number[], scaled: readonly Scaled[], k: number): number {
  const rise = (scaled[k + 1].low - scaled[k].low) / expm1(epsilons[k + 1] - epsilons[k]);
  return rise * exp(-epsilons[k]);
}

/**
 * Lower bound of the infimum over a ≥ 0 of δ(log a)/α + a − 1, by convexity. Outside the four points the function decreases towards them; between
 * them it is above the extended chords. −∞ if the four points do not enclose the minimum. Rounding errors are subtracted.
 *
 * Ensures: no larger than the infimum.
 */
function leastAbove(epsilons: readonly number[], scaled: readonly Scaled[]): number {
  const b = epsilons.map((epsilon) => expm1(epsilon));
  const [h0, h1, h2, h3] = scaled;
  const gap = (k: number): number => exp(epsilons[k]) * expm1(epsilons[k + 1] - epsilons[k]);
  const [left, middle, right] = [gap(0), gap(1), gap(2)];
  // convexity: outside of the outer points the function decreases towards them
  if (!((h1.high - h0.low) / left <= -1 - ROUNDINGS && (h3.low - h2.high) / right >= -1 + ROUNDINGS))
    return -Infinity;
  const before = h1.low + ((h1.low - h2.high) / middle) * left;
  const behind = h2.low + ((h2.low - h1.high) / middle) * right;
  // between the inner points it lies above the extended outer chords
  const falling = (h1.low - h0.high) / left + 1;
  const rising = (h3.high - h2.low) / right + 1;
  const [f1, f2] = [h1.low + b[1], h2.low + b[2]];
  const share = (f2 - rising * middle - f1) / ((falling - rising) * middle);
  const inside = share > 0 && share < 1 && falling < 0 && rising > 0;
  const lowest = inside
    ? f1 + falling * share * middle
    : Math.min(f1 + Math.min(0, falling) * middle, f2 - Math.max(0, rising) * middle);
  const least = Math.min(lowest, f1, f2, h0.low + b[0], before + b[0], h3.low + b[3], behind + b[3]);
  return least - ROUNDINGS * (h0.high + b[3]);
}
