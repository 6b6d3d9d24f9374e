import { type Bracket, bracket } from './bracket.js';
import { down, FUNCTION_ERROR, up } from './rounding.js';
import { exp, expm1, log } from './scalar.js';

/** Relative error that brackets allow for in δ, 1 − δ and other probabilities. It is above the measured errors; correctness depends on it. */
export const SLACK = 1e-13;

/**
 * Bracket of log p from a computed value of it. p may have a relative error of about `SLACK` (1 + |log p|), and so may 1 − p with |log(1 − p)|.
 *
 * Ensures: holds log p for such errors.
 */
export function padLogProbability(value: number): Bracket {
  if (value === -Infinity) return bracket(-Infinity, -Number.MAX_VALUE);
  // for p near 1 the error of log p is that of 1 − p, which is about −log p
  const near1 = value > -0.5 ? -value * SLACK * (1 - log(Math.max(-value, 1e-320))) : Infinity;
  // covers the absolute error of subnormal numbers
  const least = value < 0 && value > -1e-290 ? Number.MIN_VALUE : 0;
  const slack = Math.min(near1, SLACK * (1 + Math.abs(value))) + least;
  return bracket(value - slack, Math.min(0, value + slack));
}

/** Distance from 1 to the next double below. */
const BEFORE_1 = 2 ** -53;

/**
 * Bracket of a probability from that of its logarithm, rounded outward, as `exp` has an error of at most one ulp.
 *
 * Ensures: holds the probability.
 */
export function probabilityOf({ lower, upper }: Bracket): Bracket {
  const below =
    lower > -BEFORE_1
      ? 1 - (lower < 0 ? BEFORE_1 : 0)
      : Math.max(0, down(exp(lower), FUNCTION_ERROR) - Number.MIN_VALUE);
  const above = upper === -Infinity ? 0 : up(exp(upper), FUNCTION_ERROR) + Number.MIN_VALUE;
  return bracket(below, Math.min(1, above));
}

/**
 * Bracket of 1 − p from that of log p, rounded outward, as `expm1` has an error of at most one ulp. If p is exactly 1 or 0, so is 1 − p.
 *
 * Ensures: holds the complement.
 */
export function complementOf({ lower, upper }: Bracket): Bracket {
  const below = Math.max(0, down(-expm1(upper), FUNCTION_ERROR) - (upper < 0 ? Number.MIN_VALUE : 0));
  const above = Math.min(1, up(-expm1(lower), FUNCTION_ERROR) + (lower < 0 ? Number.MIN_VALUE : 0));
  return bracket(upper === -Infinity ? 1 : below, above);
}
