/** Where the bands of a run end, by the largest loss of a step: plans. */
import { loadF64 } from '../memory.js';
import { expm1Of, expOf, log1pOf } from '../scalar.js';

/** Ends differ by this factor. The first reaches so many deviations of the sum of the losses below it. Losses above that are in one band. */
export const RATIO: f64 = 4;
const INNERMOST: f64 = 1.5;
export const OUTERMOST: f64 = 1.5;
/** No first end is less: the ends of a run are few. */
const LEAST: f64 = 1e-36;
/** Outputs from −REACH to REACH, so far apart, for sums of squares of losses. */
const REACH: f64 = 8;
const STEP: f64 = 0.125;

/** The output at which a step loses y. */
export function outputOf(mu: f64, q: f64, y: f64): f64 {
  return log1pOf(expm1Of(y) / q) / mu + mu / 2;
}

/** About E[L²; L < y] of the steps of a phase. */
function squaresBelow(mu: f64, q: f64, y: f64): f64 {
  const end = Math.min(REACH, outputOf(mu, q, y));
  let sum: f64 = 0;
  for (let x = -REACH; x < end; x += STEP) {
    const loss = log1pOf(q * expm1Of(mu * x - (mu * mu) / 2));
    sum += STEP * 0.4 * expOf(-(x * x) / 2) * loss * loss;
  }
  return sum;
}

/** About the least y that is `INNERMOST` deviations of the sum of the losses below it. Three numbers of each of the phases up to `end`: μ, rate, steps. */
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
