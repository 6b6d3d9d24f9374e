import { type Bracket, exactly, ordered } from './bracket.js';
import { U } from './constants.js';
import { ROUNDING } from './rounding.js';
import { exp, expm1, log, log1p } from './scalar.js';

/** Below this modulus doubles may have fewer significant digits, so the least positive double is added to errors. */
const FEWEST_DIGITS = 1e-300;

/** log(e^a + e^b), with a few roundings of error. */
export function logSum(a: number, b: number): number {
  const top = Math.max(a, b);
  return top === -Infinity ? top : top + log1p(exp(Math.min(a, b) - top));
}

/**
 * log(1 − e^a), a ≤ 0, by expm1 for a near 0 and else by log1p, with a relative error of a few roundings. It is 0 only for a = −∞; otherwise it is at most
 * minus the smallest double.
 */
export function logComplement(a: number): number {
  if (a > -Math.LN2) return log(-expm1(a));
  return a === -Infinity ? 0 : Math.min(log1p(-exp(a)), -Number.MIN_VALUE);
}

/**
 * A log-probability log p rounded up (side 1) or down (−1): p, or 1 − p if that is smaller, changes relatively by `ROUNDING`. log 1 = 0 is not changed.
 *
 * Ensures: on that side of the exact logarithm, if that relative error was at most half of `ROUNDING`.
 */
export function outward(logP: number, side: 1 | -1): number {
  if (logP === -Infinity) return logP;
  const slack = ROUNDING * (logP > -0.5 ? -logP : 1 + Math.abs(logP) / 8);
  // covers the absolute error of subnormal numbers
  const least = logP < 0 && logP > -FEWEST_DIGITS ? Number.MIN_VALUE : 0;
  return Math.min(0, logP + side * (slack + least));
}

/** log(e^a + e^b) of two log-probabilities, at most 0. Ensures: rounded up. */
export function sumAbove(a: number, b: number): number {
  return outward(Math.min(0, logSum(a, b)), 1);
}

/** log(e^{logP} − e^{logLess}) of two probabilities; −∞ where the difference is not positive. Ensures: rounded down. */
export function differenceBelow(logP: number, logLess: number): number {
  if (logLess === -Infinity) return logP;
  const share = logLess - logP + ROUNDING * (1 + Math.abs(logLess) + Math.abs(logP));
  return share < 0 ? outward(logP + logComplement(share), -1) : -Infinity;
}

/**
 * Bracket of log(1 − e^x (w − p)) from those of log p and log w, p ≤ w, x ≤ 0. With w = 1 it gives δ(x), x < 0, from the δ′ of the exchanged pair:
 * 1 − δ(x) = e^x (1 − δ′(−x)). All terms of log(1 − δ) = x + log w + log(1 − p/w) have one sign. So 1 − δ is accurate, even if δ is near 1.
 *
 * Ensures: holds the logarithm for all values in the brackets given.
 */
export function complementTimes(x: number, logP: Bracket, logWhole: Bracket = exactly(0)): Bracket {
  const at = (part: number, whole: number, side: 1 | -1): number => {
    const share = whole === 0 ? part : part - whole + side * 4 * U * (Math.min(-part, 1e3) - whole);
    const rest = x + whole + logComplement(Math.min(0, share));
    const least = rest < 0 && rest > -FEWEST_DIGITS ? 2 * Number.MIN_VALUE : 0;
    return outward(logComplement(Math.min(0, rest * (1 + side * ROUNDING) - side * least)), side);
  };
  return ordered(at(logP.lower, logWhole.upper, -1), at(logP.upper, logWhole.lower, 1));
}
