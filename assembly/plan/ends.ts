/** Thresholds of the largest loss at which a run is split into bands: plans. */
import { PhaseStep } from '../law/phase-step.js';
import { expOf } from '../functions/scalar.js';

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
/** Losses below −NEGATIVE·y do not count: those of mixtures may be rare on that side too. */
const NEGATIVE: f64 = 32;

/** Approximate E[L²; L < y] of one step, with the base's density N(0, 1). */
function squaresBelow(step: PhaseStep, y: f64): f64 {
  const end = Math.min(REACH, step.outputOf(y));
  let sum: f64 = 0;
  for (let x = -REACH; x < end; x += STEP) {
    const loss = step.lossAt(x);
    if (loss > -NEGATIVE * y) sum += STEP * 0.4 * expOf(-(x * x) / 2) * loss * loss;
  }
  return sum;
}

/**
 * Heuristic: the approximate least y such that the losses below it sum to a law whose `INNERMOST` standard deviations are y. Each phase has its steps.
 */
export function innermost(steps: Array<PhaseStep>): f64 {
  let y: f64 = 1;
  for (let k = 0; k < steps.length; k++) y = Math.min(y, steps[k].fraction() / 8);
  y = Math.max(y, LEAST);
  for (; y < OUTERMOST; y *= 1.3) {
    let squares: f64 = 0;
    for (let k = 0; k < steps.length; k++) squares += steps[k].count * squaresBelow(steps[k], y);
    if (INNERMOST * Math.sqrt(squares) <= y) break;
  }
  return y;
}
