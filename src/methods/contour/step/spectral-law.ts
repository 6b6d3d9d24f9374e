import type { Kernel } from '../../../kernel/kernel.js';
import { exp, log1p } from '../../../numeric/scalar.js';

/**
 * The law of one step's privacy loss L = log(dQ/dP), through its moment generating function M(z) = E_P[e^{zL}; L finite]. `count` is how often the
 * step is composed: it multiplies log M and changes no cost.
 */
export interface SpectralLaw {
  /** count·log M(c) at a real tilt c, with mean and variance of the tilted loss. Ensures: `value` is within `error`. */
  cumulant(c: number, count: number): Cumulant;
  /**
   * Heuristic: cumulants at several tilts to a few digits, for the choice of contours; they enter no bound. Absent where those with error bounds cost
   * no more.
   */
  near?(tilts: Float64Array, count: number): readonly ApproximateCumulant[];
  /** count·(log M(c + iτ) − log M(c)) at the nodes of a contour; undefined where that would cost too much. Ensures: within the errors stated. */
  line(kernel: Kernel, nodes: LineNodes, count: number): LogPhiLine | undefined;
  /** Upper bounds of |φ(τ)| for one step, φ(τ) = M(c + iτ)/M(c). Ensures: no less than |φ|. */
  decay(c: number): Decay;
  /** log of the P-mass and of the Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** Absolute error of `logMassP` and of `logMassQ` besides rounding; 0 if absent. */
  readonly massError?: number;
  /** Whether (Q, P) has the law of (P, Q). */
  readonly isSymmetric?: boolean;
  /**
   * The law truncated by its largest outputs, where they are unbounded. The masses removed from P and Q are about e^{logMass} at most, and are
   * stated with the result. Undefined where the whole law serves as well.
   *
   * @param depth −log of the relative error of integrals over outputs.
   * @param logFew Replaces `logMass` where large losses are not rare.
   * @param width Width of the truncation's smooth edge: narrow ones allow larger tilts.
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

/** A truncated law, and upper bounds of the logs of the masses of P and of Q that truncation removes. */
export interface TruncatedLaw {
  readonly law: SpectralLaw;
  readonly logLostP: number;
  readonly logLostQ: number;
  /** The largest tilt at which M is known, and the largest at which contours are computed; ∞ if absent. */
  readonly largest?: number;
  readonly steepest?: number;
  /** The smallest tilt at which M is known. */
  readonly smallest?: number;
}

/** Approximate count·log M(c), and count times mean and variance of the loss under the exponential tilting e^{cL}/M(c) of P. */
export interface ApproximateCumulant {
  readonly value: number;
  readonly mean: number;
  readonly variance: number;
}

export interface Cumulant extends ApproximateCumulant {
  /** Bound of the error of `value`; ∞ where nothing is known. */
  readonly error: number;
}

/** The cumulant at a tilt where nothing is known of M. */
export const UNKNOWN: Cumulant = { value: Infinity, error: Infinity, mean: NaN, variance: NaN };

/** count·log φ(τ) at the nodes of a contour, φ(τ) = M(c + iτ)/M(c). For a composition, values and error bounds add up node by node. */
export interface LogPhiLine {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  /** Bound of the rounding error of log|φ| + i·arg φ, times count; ∞ where only the upper bound |φ|^count ≤ e^{logModulus} is known. */
  readonly error: Float64Array;
  /** Bound of the quadrature and truncation errors of integrals over outputs, times count. */
  readonly quadrature: Float64Array;
}

/** Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| at ascending frequencies τ: each holds at its frequency and at all larger ones. */
export type FarBounds = (taus: Float64Array) => Float64Array;

export interface Decay {
  /**
   * Upper bounds of log|φ(τ)| = log|M(c + iτ)/M(c)| between consecutive frequencies of an ascending list. A bound below `enough` need not be
   * improved.
   */
  bounds(kernel: Kernel, taus: Float64Array, enough: number): Float64Array;
  /** Tighter bounds of log|φ|, at a higher cost. */
  readonly far?: FarBounds | undefined;
  /** The `log` and `power` with log|φ(τ)| ≤ log − power·log(τ/from) for every τ ≥ from. */
  beyond(from: number): { readonly log: number; readonly power: number };
}

/** The bound |φ(τ)| = |M(c + iτ)|/M(c) ≤ 1, of a law whose |φ| may not decay. */
export const NO_DECAY: Decay = {
  bounds: (_kernel, taus) => new Float64Array(taus.length - 1),
  beyond: () => ({ log: 0, power: 0 }),
};

/** Bounds between consecutive frequencies from bounds that hold at a frequency and all larger ones. */
export function eachStretch(far: FarBounds): Decay['bounds'] {
  return (_kernel, taus) => far(taus.subarray(0, taus.length - 1));
}

/** Least log of a removed mass: smaller ones may have underflowed, and are rounded up to it. */
const LEAST_LOST = -690;

/** log(1 − e^{logLost}), the log of the mass that remains when at most e^{logLost} is removed. Ensures: no more than it. */
export function logMassLeft(logLost: number): number {
  return log1p(-exp(Math.max(logLost, LEAST_LOST)));
}

/** For a smaller `logMass` the exchanged law is not truncated. Only speed and width depend on it. */
const DEEPEST_MIRRORED = -100_000;

/**
 * The law of (Q, P), whose loss is −L. Its moment generating function is M(1 − z), so log φ along a contour is the complex conjugate of that at 1 −
 * c. Ensures: errors and bounds are those of the law.
 */
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
        // here the largest outputs have the smallest losses, so no deep truncation is needed
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
