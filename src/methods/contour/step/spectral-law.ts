import type { Kernel } from '../../../kernel/kernel.js';
import { exp, log1p } from '../../../numeric/scalar.js';

/**
 * One step of a run through the moment generating function M(z) = E_P[e^{zL}; L finite] of its privacy loss random variable L = log(dQ/dP). `count`
 * is how often the step is composed; it multiplies log M and changes no cost.
 */
export interface SpectralLaw {
  /** count·log M(c), real c. */
  cumulant(c: number, count: number): Cumulant;
  /** Approximate cumulants at several tilts, to a few digits without error bounds, for plans. Absent where exact ones cost no more. */
  near?(tilts: Float64Array, count: number): readonly ApproximateCumulant[];
  /** count·(log M(c + iτ) − log M(c)) at the nodes of a contour; undefined where that would cost too much. */
  line(kernel: Kernel, nodes: LineNodes, count: number): LogPhiLine | undefined;
  /** Upper bounds of |φ(τ)| for one step, φ(τ) = M(c + iτ)/M(c). */
  decay(c: number): Decay;
  /** log of the P-mass and of the Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** Absolute error of `logMassP` and of `logMassQ`, besides their rounding; 0 if absent. */
  readonly massError?: number;
  /** Whether the law equals its exchanged law. */
  readonly isSymmetric?: boolean;
  /**
   * The law truncated by its largest outputs, where they are unbounded: truncation takes at most e^{logMass} of P and of Q. Undefined where the whole
   * law serves as well.
   *
   * @param depth −log of the relative accuracy of integrals over outputs.
   * @param logFew Replaces `logMass` where large losses are not rare.
   * @param width Width of the window's edge: narrow ones allow larger tilts.
   */
  cut?(
    kernel: Kernel,
    logMass: number,
    depth: number,
    logFew?: number,
    width?: number,
  ): TruncatedLaw | undefined;
}

/** The points c + iτ, τ = k·dTau, k = 0 … n − 1. */
export interface LineNodes {
  readonly c: number;
  readonly dTau: number;
  readonly n: number;
}

/** A truncated law, and upper bounds of the log masses of P and Q that truncation takes. */
export interface TruncatedLaw {
  readonly law: SpectralLaw;
  readonly logLostP: number;
  readonly logLostQ: number;
  /** The largest tilt at which M is known, and at which contours are; ∞ if absent. */
  readonly largest?: number;
  readonly steepest?: number;
  /** The smallest tilt at which M is known. */
  readonly smallest?: number;
}

/** Approximate count·log M(c), and mean and variance of the tilted loss times count. */
export interface ApproximateCumulant {
  readonly value: number;
  readonly mean: number;
  readonly variance: number;
}

export interface Cumulant extends ApproximateCumulant {
  /** Bound on the error of `value`. */
  readonly error: number;
}

/** A cumulant of which nothing is known. */
export const UNKNOWN: Cumulant = { value: Infinity, error: Infinity, mean: NaN, variance: NaN };

/** count·log φ along a contour. Those on the same nodes add up entry by entry, and so do their error bounds. */
export interface LogPhiLine {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  /** Bound of the rounding error of logModulus + i·phase; ∞ where only |φ|^count ≤ e^{logModulus} is known. */
  readonly error: Float64Array;
  /** Bound of the quadrature and truncation errors of integrals over outputs. */
  readonly quadrature: Float64Array;
}

/** Upper bounds of log|φ| at each of ascending frequencies and beyond it. */
export type FarBounds = (taus: Float64Array) => Float64Array;

export interface Decay {
  /** Upper bounds of log|φ(τ)| between consecutive ascending frequencies; those below `enough` need not be improved. */
  bounds(kernel: Kernel, taus: Float64Array, enough: number): Float64Array;
  /** Tighter and slower bounds. */
  readonly far?: FarBounds | undefined;
  /** log|φ(τ)| ≤ log − power·log(τ/from) for every τ ≥ from. */
  beyond(from: number): { readonly log: number; readonly power: number };
}

/** Bounds of a law whose |φ| may not decay. */
export const NO_DECAY: Decay = {
  bounds: (_kernel, taus) => new Float64Array(taus.length - 1),
  beyond: () => ({ log: 0, power: 0 }),
};

/** Bounds between frequencies from bounds that hold at a frequency and beyond. */
export function eachStretch(far: FarBounds): Decay['bounds'] {
  return (_kernel, taus) => far(taus.subarray(0, taus.length - 1));
}

/** Least log of a lost mass: smaller ones may have underflowed, and are rounded up to it. */
const LEAST_LOST = -690;

/** log of the mass that remains when at most e^{logLost} is lost. Ensures: no more than it. */
export function logMassLeft(logLost: number): number {
  return log1p(-exp(Math.max(logLost, LEAST_LOST)));
}

/** log mass below which the exchanged law is not truncated. */
const DEEPEST_MIRRORED = -100_000;

/** The law with P and Q exchanged and L negated: M(1 − z). Ensures: the errors and bounds are those of the law. */
export function exchanged(law: SpectralLaw): SpectralLaw {
  if (law.isSymmetric) return law;
  return {
    logMassP: law.logMassQ,
    logMassQ: law.logMassP,
    massError: law.massError ?? 0,
    cumulant: (c, count) => {
      const mirror = law.cumulant(1 - c, count);
      return { ...mirror, mean: -mirror.mean };
    },
    line: (kernel, nodes, count) => conjugate(law.line(kernel, { ...nodes, c: 1 - nodes.c }, count)),
    decay: (c) => law.decay(1 - c),
    ...(law.near && {
      near: (tilts, count) => {
        const mirrored = new Float64Array(tilts.length);
        for (let i = 0; i < tilts.length; i++) mirrored[i] = 1 - tilts[i];
        const mirror = (law.near as NonNullable<SpectralLaw['near']>)(mirrored, count);
        return mirror.map(({ value, mean, variance }) => ({ value, mean: -mean, variance }));
      },
    }),
    ...(law.cut && {
      cut: (kernel, logMass, depth, _logFew, width) => {
        // after the exchange the largest outputs have the smallest losses: no deep truncation is needed
        if (logMass < DEEPEST_MIRRORED) return undefined;
        const mirror = (law.cut as NonNullable<SpectralLaw['cut']>)(kernel, logMass, depth, logMass, width);
        if (mirror === undefined) return undefined;
        const { logLostP, logLostQ, largest = Infinity } = mirror;
        return { law: exchanged(mirror.law), logLostP: logLostQ, logLostQ: logLostP, smallest: 1 - largest };
      },
    }),
  };
}

function conjugate(line: LogPhiLine | undefined): LogPhiLine | undefined {
  return line && { ...line, phase: line.phase.map((x) => -x) };
}
