import { type Bracket, exactly, ordered } from './bracket.js';
import { U } from './constants.js';
import { ROUNDING } from './rounding.js';
import { exp, expm1, log, log1p } from './scalar.js';

/** Numbers smaller than this have not all digits of a double. */
const FEWEST_DIGITS = 1e-300;

/** log(e^a + e^b). */
export function logSum(a: number, b: number): number {
  const top = Math.max(a, b);
  return top === -Infinity ? top : top + log1p(exp(Math.min(a, b) - top));
}

/** log(1 − e^a), a ≤ 0: relative accuracy of the complement at both ends. It is 0 for a = −∞ alone: what is nearer to 0 than the smallest number is that number. */
export function logComplement(a: number): number {
  if (a > -Math.LN2) return log(-expm1(a));
  return a === -Infinity ? 0 : Math.min(log1p(-exp(a)), -Number.MIN_VALUE);
}

/**
 * A log-probability made larger (side 1) or smaller (−1) by `ROUNDING`: of p, or of 1 − p where that is the smaller. 0 is certain.
 *
 * Ensures: on that side of the exact logarithm, if it was right to half of `ROUNDING`.
 */
export function outward(logP: number, side: 1 | -1): number {
  if (logP === -Infinity) return logP;
  const slack = ROUNDING * (logP > -0.5 ? -logP : 1 + Math.abs(logP) / 8);
  // the smallest numbers have no digits to spare
  const least = logP < 0 && logP > -FEWEST_DIGITS ? Number.MIN_VALUE : 0;
  return Math.min(0, logP + side * (slack + least));
}

/**
 * log(1 − e^x (w − p)) from the logarithms of p and w ≥ p, x ≤ 0. It gives δ at x < 0 from that of the exchanged pair at −x, as 1
 * − δ(x) = e^x (1 − δ′(−x)). w is the mass that p is a part of. Every term of log(1 − δ) = x + log w + log(1 − p/w) has one sign.
 * So 1 − δ keeps its digits however near 1 δ is, and the rounding outward is relative to 1 − δ.
 *
 * Ensures: holds the logarithm for all values of the brackets given.
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
