/** Methods of the kernel for the masses of one step's outputs: under mixtures of Gaussians, and on a lattice of losses. */
export interface MassKernel {
  /**
   * The outputs x at which the loss y(x) = log u₊(x) − log u₋(−x) has given ascending values. u₊ and u₋ are Σ w e^{a(x − a/2)} for the mixtures
   * `plus` and `minus`. x is ∓∞ where a loss is not between the two losses of `ends`, and else between the two outputs there.
   *
   * @returns The outputs x, and bounds `off` of the error of y there.
   */
  mixtureOutputs(
    losses: Float64Array,
    plus: NormalMixture,
    minus: NormalMixture,
    ends: OutputEnds,
  ): { x: Float64Array; off: Float64Array };
  /**
   * The masses of two mixtures Σ w N(sign·a, 1) between consecutive outputs x, at which the loss may have errors `off`. The error bounds cover cuts
   * at rounded outputs, errors of losses, and roundings of the sums.
   */
  mixtureMasses(
    found: { readonly x: Float64Array; readonly off: Float64Array },
    base: SignedMixture,
    other: SignedMixture,
  ): IntervalMasses;
  /**
   * Two lattice measures from a step's masses between given losses. Ensures: the δ of `upper` is at least the step's at every ε, that of `lower` at
   * most.
   */
  latticeMeasures(step: CutStep, window: LatticeWindow): { upper: Float64Array; lower: Float64Array };
}

/** A mixture of Gaussians with its shifts multiplied by a sign, 1 or −1. */
export type SignedMixture = readonly [parts: NormalMixture, sign: 1 | -1];

/** Masses of intervals of losses under the two laws P₀ (the base) and Q₀ of an unsampled step, with error bounds. */
export interface IntervalMasses {
  readonly p: Float64Array;
  readonly q: Float64Array;
  /**
   * Upper bound of the Q₀-mass that lies between the stated and the actual ends of each interval, as ends are rounded. `p` and `q` also have a
   * relative error of 1e-15.
   */
  readonly cut: Float64Array;
  /** An upper bound of the P₀-mass that lies between the stated and the actual ends of each interval; 0 where absent. */
  readonly cutBase?: Float64Array;
}

/** Lattice points `first` to `last`, `step` apart. */
export interface LatticeWindow {
  readonly step: number;
  readonly first: number;
  readonly last: number;
}

/**
 * A step on a Poisson sample. It is given by unsampled masses in both halves of each lattice cell, and beyond the cells
 * (assembly/sums/lattice-cells.ts).
 */
export interface CutStep {
  readonly masses: IntervalMasses;
  /** The ends of the masses' intervals: ascending losses of the unsampled step, from −∞ to ∞. */
  readonly edges: Float64Array;
  readonly rate: number;
  /** Whether P and Q of the sampled step are exchanged, for addition of a record. */
  readonly adds: boolean;
  /** Relative error of masses that are sums over atoms; undefined for laws with densities. */
  readonly relative: number | undefined;
  /** Q-mass below the first cell. `certain` is the Q-mass that is known to have loss +∞. */
  readonly below: number;
  readonly certain: number;
}

/** Two outputs between which those to be found lie, and their losses. */
export interface OutputEnds {
  readonly outputs: readonly [low: number, high: number];
  readonly losses: readonly [low: number, high: number];
}

/** The mixture Σ w N(a, 1), shifts a ≥ 0 ascending. */
export interface NormalMixture {
  readonly shift: Float64Array;
  readonly weight: Float64Array;
}
