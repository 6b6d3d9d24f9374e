import { type Bracket, bracket } from './bracket.js';
import { log } from './scalar.js';

/** Relative slack put on δ, on 1 − δ and on probabilities in general: above the measured error of the functions. */
export const SLACK = 1e-13;

/** Bracket of a log-probability whose probability and complement are known to about `SLACK` (1 + |log|) relative. */
export function padLogProbability(value: number): Bracket {
  if (value === -Infinity) return bracket(-Infinity, -Number.MAX_VALUE);
  // absolute slack on log p; close to 0 (p near 1) the complement −log p itself carries the relative slack
  const near1 = value > -0.5 ? -value * SLACK * (1 - log(Math.max(-value, 1e-320))) : Infinity;
  const slack = Math.min(near1, SLACK * (1 + Math.abs(value)));
  return bracket(value - slack, Math.min(0, value + slack));
}
