/**
 * Quadrature nodes on the real axis for one step. All tilts of an interval, called a grade, share them; `QuadratureLaw.outputsFor` chooses the
 * grades.
 */
import { INVERSE_SQRT_2PI } from '../../src/kernel/constants.js';
import { logOf } from '../functions/scalar.js';
import { Nodes } from './nodes.js';

/** Tables of nodes hold only losses of less than this size, whose exponentials do not overflow. */
export const LARGEST_LOSS: f64 = 690;

export abstract class Outputs extends Nodes {
  /** Spacing h of the nodes h·first, h·(first + 1), …. */
  h: f64 = 0;
  first: f64 = 0;
  /** Half width y of the strip |Im x| ≤ y on whose edges the integrand is bounded, for the quadrature error. */
  y: f64 = 0;

  /** The nodes for tilts from `near` to `far`; `far` is the end of the grade that is further from 0. */
  constructor(
    readonly far: f64,
    readonly near: f64,
  ) {
    super();
  }

  /**
   * Truncation error of n nodes of spacing h on the same range of outputs. Ensures: no less than the trapezoidal sum of the integrand at tilt c over
   * the nodes outside, divided by e^{logNorm} (contour.md 7, sampling.md 15).
   */
  abstract beyond(h: f64, n: f64, c: f64, logNorm: f64): f64;
  leftOut(c: f64, logNorm: f64): f64 {
    return this.beyond(this.h, <f64>this.n, c, logNorm);
  }

  /** log of h/√2π times a sum over nodes: the trapezoidal rule for integrands that contain the normal density. */
  override logOfSum(sum: f64): f64 {
    return logOf(sum * this.h * INVERSE_SQRT_2PI);
  }
}
