/**
 * Quadrature nodes on the real axis for one step. Neighbouring tilts share them: a grade is the interval of tilts between near and far, powers of two
 * apart.
 */
import { INVERSE_SQRT_2PI } from '../../src/kernel/constants.js';
import { logOf } from '../functions/scalar.js';
import { Nodes } from './nodes.js';

/** Meshes have no losses of this size or more: their exponentials would overflow. */
export const LARGEST_LOSS: f64 = 690;

export abstract class Outputs extends Nodes {
  /** Spacing h, and index of the first node. */
  h: f64 = 0;
  first: f64 = 0;
  /** Half width of the strip |Im x| ≤ y in which the integrand is bounded. */
  y: f64 = 0;

  constructor(
    readonly far: f64,
    readonly near: f64,
  ) {
    super();
  }

  /** Truncation error of n nodes from the same ends, h apart. Ensures: no less than the sum of φWu^c beyond them, over e^{logNorm} (7). */
  abstract beyond(h: f64, n: f64, c: f64, logNorm: f64): f64;
  leftOut(c: f64, logNorm: f64): f64 {
    return this.beyond(this.h, <f64>this.n, c, logNorm);
  }

  /** log of h/√2π times a sum over nodes. */
  override logOfSum(sum: f64): f64 {
    return logOf(sum * this.h * INVERSE_SQRT_2PI);
  }
}
