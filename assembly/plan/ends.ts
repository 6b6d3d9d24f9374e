/** Thresholds of the largest loss at which a run is split into bands: plans. */
import { loadF64 } from '../memory.js';
import { expm1Of, expOf, log1pOf } from '../scalar.js';

/** Ratio of consecutive thresholds. */
export const RATIO: f64 = 4;
/** The first threshold, in standard deviations of the sum of the losses below it; losses above OUTERMOST are in one band. */
const INNERMOST: f64 = 1.5;
export const OUTERMOST: f64 = 1.5;
/** Least first threshold of losses, so that there are few thresholds. */
const LEAST: f64 = 1e-36;
/** Integration of squared losses over outputs from −REACH to REACH, with this spacing. */
const REACH: f64 = 8;
const STEP: f64 = 0.125;

/** The output at which a step's loss is y. */
export function outputOf(mu: f64, q: f64, y: f64): f64 {
  return log1pOf(expm1Of(y) / q) / mu + mu / 2;
}

/** Approximate E[L²; L < y] over the steps of a phase. */
function squaresBelow(mu: f64, q: f64, y: f64): f64 {
  const end = Math.min(REACH, outputOf(mu, q, y));
  let sum: f64 = 0;
  for (let x = -REACH; x < end; x += STEP) {
    const loss = log1pOf(q * expm1Of(mu * x - (mu * mu) / 2));
    sum += STEP * 0.4 * expOf(-(x * x) / 2) * loss * loss;
  }
  return sum;
}

/**
 * A plan: the approximate least y that is `INNERMOST` standard deviations of the sum of the losses below it. Three numbers for each of the phases up
 * to `end`: μ, rate, steps.
 */
export function innermost(phases: usize, end: usize): f64 {
  let y: f64 = 1;
  for (let at = phases; at < end; at += 24) y = Math.min(y, loadF64(at, 8) / 8);
  y = Math.max(y, LEAST);
  for (; y < OUTERMOST; y *= 1.3) {
    let squares: f64 = 0;
    for (let at = phases; at < end; at += 24)
      squares += loadF64(at, 16) * squaresBelow(loadF64(at), loadF64(at, 8), y);
    if (INNERMOST * Math.sqrt(squares) <= y) break;
  }
  return y;
}
