import type { Kernel } from '../../../kernel/kernel.js';

/**
 * One step of a run through M(z) = E_P[e^{zL}; L finite], L = log(dQ/dP): everything the contour sums need.
 * `count` is how often the step is composed; counts multiply log M and change no cost.
 */
export interface SpectralLaw {
  /** count·log M(c), real c. */
  cumulant(c: number, count: number): Cumulant;
  /**
   * count·(log M(c + iτ) − log M(c)) at τ = (first + k)·dTau, k = 0 … n − 1, first 0 unless given; undefined where that
   * would cost more than `MAX_WORK` rotations.
   */
  line(
    kernel: Kernel,
    c: number,
    dTau: number,
    n: number,
    count: number,
    first?: number,
  ): LogPhiLine | undefined;
  /** Bounds of φ(τ) = M(c + iτ)/M(c) for one step. */
  decay(c: number): Decay;
  /** log of the P- and Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
}

export interface Cumulant {
  readonly value: number;
  /** Bound on the error of `value`. */
  readonly error: number;
  /** Mean and variance of the loss under the tilted law, count times: guides, not certified. */
  readonly mean: number;
  readonly variance: number;
}

/** log φ^count on a line. Lines on the same nodes add up entry by entry, and so do their errors. */
export interface LogPhiLine {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  /** Bound on |error| of logModulus + i·phase from rounding; ∞ where only |φ|^count ≤ e^{logModulus} is known. */
  readonly error: Float64Array;
  /** The same from quadrature over outputs and their cut tails. */
  readonly quadrature: Float64Array;
}

export interface Decay {
  /** Upper bound of log|φ(τ)| over from ≤ |τ| ≤ to. */
  within(from: number, to: number): number;
  /** Upper bound of log|φ(τ)| for every |τ| ≥ from, where it is sharper than the others and costs more. */
  steep?(from: number): number;
  /** log|φ(τ)| ≤ log − power·log(τ/from) for every τ ≥ from. */
  beyond(from: number): { readonly log: number; readonly power: number };
  /** Upper bounds of |φ| at τ = k·step, k = 0 … n − 1, where they are to be had cheaply. */
  samples?(step: number, n: number): Float64Array;
}

/** Losses × frequencies that one line may cost: about 20 ms. */
export const MAX_WORK = 6e6;

/** The law with P and Q exchanged and L negated: M(1 − z). */
export function exchanged(law: SpectralLaw): SpectralLaw {
  return {
    logMassP: law.logMassQ,
    logMassQ: law.logMassP,
    cumulant: (c, count) => {
      const mirror = law.cumulant(1 - c, count);
      return { ...mirror, mean: -mirror.mean };
    },
    line: (kernel, c, dTau, n, count, first) => {
      const mirror = law.line(kernel, 1 - c, dTau, n, count, first);
      return mirror && { ...mirror, phase: mirror.phase.map((x) => -x) };
    },
    decay: (c) => law.decay(1 - c),
  };
}
