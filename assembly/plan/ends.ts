/** Heuristic: thresholds of the largest loss of a step, at which a run is split into bands. They enter no bound. */
import { PhaseStep } from '../law/phase-step.js';
import { expOf } from '../functions/scalar.js';

/** Ratio of consecutive thresholds. */
export const RATIO: f64 = 4;
/** The first threshold is INNERMOST standard deviations of the sum of the losses below it. Losses above OUTERMOST are in one band. */
const INNERMOST: f64 = 1.5;
export const OUTERMOST: f64 = 1.5;
/** The least first threshold, which limits the number of thresholds. */
const LEAST: f64 = 1e-36;
/** Squared losses are integrated over outputs from −REACH to REACH, with the spacing STEP. */
const REACH: f64 = 8;
const STEP: f64 = 0.125;
/** Losses below −NEGATIVE·y are left out of the integral for the threshold y; negative losses of mixtures may be rare and large too. */
const NEGATIVE: f64 = 32;

/** Approximate E[L²; L < y] of one step, by a sum over outputs with the density of N(0, 1). Heuristic: it chooses thresholds. */
function squaresBelow(step: PhaseStep, y: f64): f64 {
  const end = Math.min(REACH, step.outputOf(y));
  let sum: f64 = 0;
  for (let x = -REACH; x < end; x += STEP) {
    const loss = step.lossAt(x);
    if (loss > -NEGATIVE * y) sum += STEP * 0.4 * expOf(-(x * x) / 2) * loss * loss;
  }
  return sum;
}

/** Heuristic: the approximate least y such that the losses below y sum to a random variable of standard deviation y/INNERMOST or less. */
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
