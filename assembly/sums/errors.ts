/** Bounds of the errors of a numerical integral, one for each source, relative to the integral. */
import { expm1Of, expOf, log1pOf } from '../functions/scalar.js';

export class Errors {
  /** Floating-point errors of the terms and of their sum. */
  rounding: f64 = 0;
  /** Error of the trapezoidal rule, with the legs at a window's hard end. */
  quadrature: f64 = 0;
  /** Tails beyond the last nodes. */
  truncation: f64 = 0;

  /** Ensures: no less than the relative error when all three are present; up to 2e-3, e^{rounding + …} − 1 too. */
  sum(): f64 {
    return (this.rounding + this.quadrature + this.truncation) * 1.001;
  }
}

/**
 * Ensures: no less than the relative quadrature error of a trapezoidal sum with spacing h. The integrand grows by at most e^{growth} on the edges |Im
 * x| = b of a strip; fall = 2πb/h (contour.md 4).
 */
export function stripError(growth: f64, fall: f64): f64 {
  return (-2 * expOf(growth - fall)) / expm1Of(-fall);
}

/** log(e^a + e^b). */
export function logSum(a: f64, b: f64): f64 {
  const high = Math.max(a, b);
  return high === -Infinity ? high : high + log1pOf(expOf(Math.min(a, b) - high));
}
