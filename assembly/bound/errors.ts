/** Errors of an integral, over the integral, each bounded for itself. */
import { expm1Of, expOf, log1pOf } from '../scalar.js';

export class Errors {
  /** Of terms and of adding them. */
  rounding: f64 = 0;
  /** Of the trapezoidal rule between nodes, and of its legs at a hard end. */
  quadrature: f64 = 0;
  /** What the nodes leave out. */
  truncation: f64 = 0;

  /** Ensures: no less than all three together. */
  sum(): f64 {
    return (this.rounding + this.quadrature + this.truncation) * 1.001;
  }
}

/** Ensures: no less than the quadrature error of a trapezoidal sum. Its integrand grows by e^{growth} at the edges of a strip around it; fall = 2πb/h (contour.md 4). */
export function stripError(growth: f64, fall: f64): f64 {
  return (-2 * expOf(growth - fall)) / expm1Of(-fall);
}

/** log(e^a + e^b). */
export function logSum(a: f64, b: f64): f64 {
  const high = Math.max(a, b);
  return high === -Infinity ? high : high + log1pOf(expOf(Math.min(a, b) - high));
}
