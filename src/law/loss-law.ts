import type { Kernel } from '../kernel/kernel.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import type { DirectedRun } from '../run/directed-run.js';

/** One step of a run in one adjacency direction, as the composition methods need it. */
export interface LossLaw {
  readonly direction: DirectedRun['direction'];
  /** The single step as a run. */
  readonly single: DirectedRun;
  /** The step is μ-GDP for this μ; ∞ where there is none. */
  readonly gdpMu: number;
  /** Bracket of the essential supremum of the finite losses; ∞ if unbounded. */
  readonly largest: Bracket;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  /** Number of lattice cells that `discretise` would need. */
  cells(step: number, logTail: number): number;
  /** Lattice measures whose δ curves enclose the step's own; losses beyond the tail are moved to ±∞. */
  discretise(kernel: Kernel, step: number, logTail: number): Discretisation;
  nodes(): LossNodes;
}

/** Lattice measures whose δ curves enclose that of a law. */
export interface Discretisation {
  readonly upper: LatticeMeasure;
  readonly lower: LatticeMeasure;
  /** They enclose the law with its losses moved by at most this (atoms are rounded to the lattice). */
  readonly displacement: number;
  /**
   * `lower` has at least this fraction of the finite masses of `upper`. Set if the losses lie on the lattice, so that both differ by rounding only.
   */
  readonly share?: number;
}

/** A few hundred points that represent the law in planning: losses, log Q-weights, and log of the tail at each. */
export interface LossNodes {
  readonly loss: Float64Array;
  readonly logWeight: Float64Array;
  readonly logTail: Float64Array;
}

export interface CountedLaw {
  readonly law: LossLaw;
  readonly count: number;
}

/**
 * Bracket of the largest finite loss of a composition: largest losses add up.
 *
 * Ensures: the sum of the largest losses lies in the bracket.
 */
export function largestOf(laws: readonly CountedLaw[]): Bracket {
  let [lower, upper] = [0, 0];
  let size = 0;
  for (const { law, count } of laws) {
    lower += count * law.largest.lower;
    upper += count * law.largest.upper;
    if (law.largest.upper < Infinity) size += count * Math.abs(law.largest.upper);
  }
  const slack = U * (1 + laws.length) * size;
  return bracket(lower - slack, upper + slack);
}

/** The direction of a composition: that of its steps, where the directions differ. */
export function directionOf(laws: readonly CountedLaw[]): DirectedRun['direction'] {
  return laws.find(({ law }) => law.direction !== 'both')?.law.direction ?? 'both';
}

/**
 * A finite measure on the lattice {step·i}: `mass[k]` at loss step·(first + k), and `infinity` at +∞.
 *
 * Read as the Q-law of a privacy loss random variable: δ(ε) = infinity + Σ mass (1 − e^{ε−x})⁺. Such a curve need not come from a
 * pair of probabilities. If δ_A ≤ δ_B at every real ε then δ_{A⊗C} ≤ δ_{B⊗C}, because δ_{A⊗C}(ε) = E_{w∼C}[δ_A(ε − w)]. So
 * raising a mass keeps an upper bound an upper bound through every composition. Lowering a mass keeps a lower bound a lower
 * bound. Rounding errors are covered so.
 */
export interface LatticeMeasure {
  readonly step: number;
  readonly first: number;
  readonly mass: Float64Array;
  readonly infinity: number;
}
