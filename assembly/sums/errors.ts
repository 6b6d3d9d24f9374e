/** Bounds of the errors of a numerical integral, one for each source, relative to the integral. */
import { expm1Of, expOf, log1pOf } from '../functions/scalar.js';

export class Errors {
  /** Floating-point errors of the terms and of their sum. */
  rounding: f64 = 0;
  /** Error of the trapezoidal rule. It includes the error at an output where a window is cut off to 0 (contour.md 14). */
  quadrature: f64 = 0;
  /** The sum or integral beyond the last nodes. */
  truncation: f64 = 0;

  /**
   * The sum of the three, with a margin of 1e-3. Ensures: no less than the relative error of all together; if it is below 2e-3, no less than e^{sum}
   * − 1.
   */
  sum(): f64 {
    return (this.rounding + this.quadrature + this.truncation) * 1.001;
  }
}

/**
 * 2e^{growth}/(e^{fall} − 1). Ensures: no less than the relative quadrature error of a trapezoidal sum with spacing h, fall = 2πb/h. The integrand
 * grows by at most e^{growth} from the line to the edges of the strip of half width b around it (contour.md 4).
 */
export function stripError(growth: f64, fall: f64): f64 {
  return (-2 * expOf(growth - fall)) / expm1Of(-fall);
}

/** log(e^a + e^b), with a few roundings. */
export function logSum(a: f64, b: f64): f64 {
  const high = Math.max(a, b);
  return high === -Infinity ? high : high + log1pOf(expOf(Math.min(a, b) - high));
}
