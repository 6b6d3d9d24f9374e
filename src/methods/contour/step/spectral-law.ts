import type { Kernel } from '../../../kernel/kernel.js';

/**
 * One step of a run through M(z) = E_P[e^{zL}; L finite], L = log(dQ/dP): everything the contour sums need.
 * `count` is how often the step is composed; counts multiply log M and change no cost.
 */
export interface SpectralLaw {
  /** count·log M(c), real c. */
  cumulant(c: number, count: number): Cumulant;
  /** Approximate cumulants at several tilts, to a few digits and without bounds of the error, where that is cheaper: for plans. */
  near?(tilts: Float64Array, count: number): readonly ApproximateCumulant[];
  /** Tilts between which `near` is cheap; all where nothing is said. */
  readonly cheap?: readonly [number, number];
  /** count·(log M(c + iτ) − log M(c)) at the nodes; undefined where that would cost more than `MAX_WORK` rotations. */
  line(kernel: Kernel, nodes: LineNodes, count: number): LogPhiLine | undefined;
  /** Bounds of φ(τ) = M(c + iτ)/M(c) for one step. */
  decay(c: number): Decay;
  /** log of the P- and Q-mass of finite losses. */
  readonly logMassP: number;
  readonly logMassQ: number;
  /** What either may be off by beside roundings of itself; 0 where nothing is said. */
  readonly massError?: number;
  /** Whether it is its own exchanged law. */
  readonly isSymmetric?: boolean;
  /**
   * The law without its largest outputs, where they have no end: what is cut has at most e^{logMass} of P and of Q. Undefined where the whole law
   * serves as well.
   *
   * @param depth Integrals over outputs are to be good to about e^{−depth}.
   * @param logFew In place of `logMass` where large losses are not rare.
   * @param width Of the edge that takes them away: narrow ones serve larger tilts.
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

/** A law without some of its outputs, and log of what they have of P and Q, at most. */
export interface TruncatedLaw {
  readonly law: SpectralLaw;
  readonly logLostP: number;
  readonly logLostQ: number;
  /** The largest tilt at which M is known, and lines are; ∞ where nothing is said. */
  readonly largest?: number;
  readonly steepest?: number;
  /** The smallest tilt at which M is known. */
  readonly smallest?: number;
}

/** count·log M(c), and mean and variance of the loss under the tilted law, count times: guides, not certified. */
export interface ApproximateCumulant {
  readonly value: number;
  readonly mean: number;
  readonly variance: number;
}

export interface Cumulant extends ApproximateCumulant {
  /** Bound on the error of `value`. */
  readonly error: number;
}

/** Of a cumulant nothing is known. */
export const UNKNOWN: Cumulant = { value: Infinity, error: Infinity, mean: NaN, variance: NaN };

/** log φ^count on a line. Lines on the same nodes add up entry by entry, and so do their errors. */
export interface LogPhiLine {
  readonly logModulus: Float64Array;
  readonly phase: Float64Array;
  /** Bound on |error| of logModulus + i·phase from rounding; ∞ where only |φ|^count ≤ e^{logModulus} is known. */
  readonly error: Float64Array;
  /** Bounds of the errors from quadrature over outputs and from their truncated tails. */
  readonly quadrature: Float64Array;
}

/** Upper bounds of log|φ| at each of ascending frequencies and beyond it. */
export type FarBounds = (taus: Float64Array) => Float64Array;

export interface Decay {
  /** Upper bounds of log|φ(τ)| on each of the stretches between ascending frequencies; those of `enough` need be no lower. */
  bounds(kernel: Kernel, taus: Float64Array, enough: number): Float64Array;
  /** Sharper, and dearer. */
  readonly far?: FarBounds | undefined;
  /** log|φ(τ)| ≤ log − power·log(τ/from) for every τ ≥ from. */
  beyond(from: number): { readonly log: number; readonly power: number };
}

/** Of a law whose |φ| may not fall. */
export const NO_DECAY: Decay = {
  bounds: (_kernel, taus) => new Float64Array(taus.length - 1),
  beyond: () => ({ log: 0, power: 0 }),
};

/** Bounds on stretches from those at their lower ends and beyond. */
export function eachStretch(far: FarBounds): Decay['bounds'] {
  return (_kernel, taus) => far(taus.subarray(0, taus.length - 1));
}

/** Losses × frequencies that one line may cost: about 20 ms. */
export const MAX_WORK = 6e6;

/** Mass (a logarithm) below which the exchanged law is not cut. */
const DEEPEST_MIRRORED = -100_000;

/** The law with P and Q exchanged and L negated: M(1 − z). */
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
    ...(law.cheap && { cheap: [1 - law.cheap[1], 1 - law.cheap[0]] as const }),
    ...(law.cut && {
      cut: (kernel, logMass, depth, _logFew, width) => {
        // the largest outputs have the smallest losses now: no deep cut is needed to keep them small
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
