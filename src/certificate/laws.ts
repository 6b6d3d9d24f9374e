/** The loss L of one step under exponential tilting: M(z) = E_base[e^{zL}] in closed form, with error bounds. Proofs are in docs/proofs/verify.md. */

import * as own from './elementary.js';
/** The unit roundoff. The functions of elementary.ts are within two units in the last place. */
export const U = 2 ** -53;

/** Number of terms of sums that may still be computed; negative if overdrawn. */
export interface WorkLeft {
  left: number;
}

/** Bounds of the absolute error of a number, by cause. */
export interface Errors {
  readonly quadrature: number;
  readonly rounding: number;
}

/** The characteristic function of the tilted loss, φ(τ) = M(c + iτ)/M(c), with bounds of its error. */
export interface Phi extends Errors {
  /** log |φ|. */
  readonly log: number;
  readonly argument: number;
}

/** A step under exponential tilting by c > 1. */
export interface Tilted {
  /** log M(c). */
  readonly log: number;
  /** Error bounds of log M(c). */
  readonly errors: Errors;
  /** Upper bound of the standard deviation of the tilted loss: a Lipschitz constant of |φ|. */
  readonly spread: number;
  at(tau: number): Phi;
  /** Upper bound of |φ(t)| for all |t| ≥ τ > 0. */
  beyond(tau: number): number;
}

/** The law of the loss of one step. */
export interface Law {
  /**
   * The law tilted by c in direction 'remove', or in direction 'add', where M(1 − z) takes the place of M(z).
   *
   * @param coarse Factor of the proven spacing of quadratures; tests set it above 1 to see that the quadrature error is counted.
   */
  tilted(c: number, remove: boolean, work: WorkLeft, coarse?: number): Tilted;
}

/** A lattice of losses. For losses on it the integrand is periodic, and the contour is one period. */
export interface Lattice {
  readonly spacing: number;
  /** One loss of the lattice. */
  readonly one: number;
}

/** The loss of a step on a Poisson sample of rate q, log(1 − q + q e^s), from the loss s of the step. Its error is a few units in the last place of each term. */
export function sampledLoss(s: number, rate: number): number {
  if (rate === 1) return s;
  return s > 40
    ? s + own.log(rate) + own.log1p(((1 - rate) / rate) * own.exp(-s))
    : own.log1p(rate * own.expm1(s));
}

/** N(0, σ²) against N(1, σ²): M(z) = e^{z(z − 1)/2σ²}, exact but for rounding, and for the relative error `relative` of σ. */
export function gaussianLaw(sigma: number, relative: number = 0): Law {
  const off = 8 * U + 2 * relative;
  const tilted = (c: number, _: boolean, work: WorkLeft): Tilted => {
    work.left -= 1;
    const log = (c * (c - 1)) / (2 * sigma ** 2);
    const at = (tau: number): Phi => {
      work.left -= 1;
      const [size, argument] = [-(tau ** 2) / (2 * sigma ** 2), (tau * (2 * c - 1)) / (2 * sigma ** 2)];
      const rounding = own.exp(size) * off * (Math.abs(argument) - size);
      return { log: size, argument, quadrature: 0, rounding };
    };
    return {
      log,
      errors: { quadrature: 0, rounding: off * log },
      spread: 1 / sigma,
      at,
      beyond: (tau) => own.exp(-(tau ** 2) / (2 * sigma ** 2)),
    };
  };
  return { tilted };
}

/** Laplace noise of loss at most ε, a symmetric pair. M(z) = e^{−ε/2}(cosh wε + sinh(wε)/2w) with w = z − ½ (verify.md 5), exact but for rounding. */
export function laplaceLaw(epsilon: number): Law {
  const tilted = (c: number, _: boolean, work: WorkLeft): Tilted => {
    work.left -= 1;
    const alpha = c - 0.5;
    const lower = own.exp(-2 * alpha * epsilon);
    const without = -own.expm1(-2 * alpha * epsilon);
    // M = e^{−ε/2}·e^{αε}·(1 + excess)
    const excess = (-0.5 * without * (c - 1)) / alpha;
    const whole = 1 + excess;
    const [linear, rest] = [(c - 1) * epsilon, own.log1p(excess)];
    const at = (tau: number): Phi => {
      work.left -= 1;
      const y = tau * epsilon;
      const half = own.sin(y / 2);
      const [p, q] = [-2 * half * half, own.sin(y)];
      // u + iv = 1/2w with w = α + iτ, and its difference du + i dv from 1/2α
      const square = alpha * alpha + tau * tau;
      const [u, v] = [(0.5 * alpha) / square, (-0.5 * tau) / square];
      const [du, dv] = [(-0.5 * tau * tau) / (alpha * square), v];
      const re = p * (1 + u) - q * v + du + lower * (p * (1 - u) - q * v - du);
      const im = q * (1 + u) + p * v + dv + lower * (-q * (1 - u) - p * v - dv);
      return phiOf(re / (2 * whole), im / (2 * whole), 0, 64 * U * Math.abs(y));
    };
    // products, as powers differ in the last digit between engines
    const cubes = [alpha * alpha * alpha, epsilon * epsilon * epsilon];
    const squares = 0.25 * Math.min(2 / cubes[0], (8 / 3) * cubes[1]) + 2 * epsilon ** 2 * lower;
    return {
      log: linear + rest,
      errors: { quadrature: 0, rounding: 8 * U * (linear + Math.abs(rest)) },
      spread: Math.sqrt(squares / whole),
      at,
      beyond: (tau) => ((1 + lower) * (1 + 0.5 / tau)) / (2 * whole),
    };
  };
  return { tilted };
}

/** φ from φ − 1 = x + iy, with its modulus and argument. Ensures: φ is off by at most the sum of the errors. */
export function phiOf(x: number, y: number, quadrature: number, rounding: number): Phi {
  // log1p would lose digits for small |φ|
  const square = 2 * x + x * x + y * y;
  const log = 0.5 * (square > -0.5 ? own.log1p(square) : own.log((1 + x) ** 2 + y * y));
  return { log, argument: own.atan2(y, 1 + x), quadrature, rounding: rounding + 4 * U * own.hypot(x, y) };
}
