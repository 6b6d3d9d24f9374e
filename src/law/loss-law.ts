import type { Kernel } from '../kernel/kernel.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import type { DirectedRun } from '../run/directed-run.js';

/** The privacy loss law of one step, in one direction of adjacency, as the composition methods need it. */
export interface LossLaw {
  readonly direction: DirectedRun['direction'];
  /** δ and tests of the step alone. */
  readonly single: DirectedRun;
  /** The step is μ-GDP for this μ; ∞ if no such μ is known. */
  readonly gdpMu: number;
  /** Bracket of the essential supremum of the finite losses; ∞ if unbounded. */
  readonly largest: Bracket;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  /** Number of cells of width `step` that `discretise` would make for the same arguments. */
  cells(step: number, logTail: number): number;
  /** Two lattice measures of spacing `step` whose δ curves enclose the step's. Losses in tails of mass e^{logTail} are moved to ±∞. */
  discretise(kernel: Kernel, step: number, logTail: number): Discretisation;
  nodes(): LossNodes;
}

/** Two lattice measures, whose δ curves are an upper and a lower bound of that of a law. */
export interface Discretisation {
  readonly upper: LatticeMeasure;
  readonly lower: LatticeMeasure;
  /** The measures enclose the law after its losses are moved by at most this, as losses are rounded to multiples of `step`. */
  readonly displacement: number;
  /**
   * Each finite mass of `lower` is at least this fraction of that of `upper`. Set if the losses lie on the lattice, where only roundings differ.
   */
  readonly share?: number;
}

/**
 * Heuristic: a coarse quadrature rule for the law, losses with log Q-weights. `logTail` is the log of the smaller of the masses below the loss under
 * P and above it under Q. It chooses grids and methods; it enters no bound.
 */
export interface LossNodes {
  readonly loss: Float64Array;
  readonly logWeight: Float64Array;
  readonly logTail: Float64Array;
}

/** `count` independent steps of one law. */
export interface CountedLaw {
  readonly law: LossLaw;
  readonly count: number;
}

/**
 * Bracket of the largest finite loss of a composition: the sum of count·(largest loss) over its laws.
 *
 * Ensures: that sum lies in the bracket, which is widened by the rounding error of the additions.
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

/** The direction of a composition: 'both' if every step is symmetric, else that of its asymmetric steps. */
export function directionOf(laws: readonly CountedLaw[]): DirectedRun['direction'] {
  return laws.find(({ law }) => law.direction !== 'both')?.law.direction ?? 'both';
}

/**
 * A finite measure on the lattice {step·i}: `mass[k]` at loss step·(first + k), and `infinity` at +∞.
 *
 * It stands for the law under Q of a privacy loss random variable x: δ(ε) = infinity + Σ mass (1 − e^{ε−x})⁺. Its masses need not add up to 1.
 * If δ_A ≤ δ_B at every real ε then δ_{A⊗C} ≤ δ_{B⊗C}, because δ_{A⊗C}(ε) = E_{w∼C}[δ_A(ε − w)]. So an upper bound whose masses are raised
 * remains an upper bound under every composition. A lower bound whose masses are lowered remains a lower bound. Rounding errors are covered that way.
 */
export interface LatticeMeasure {
  readonly step: number;
  readonly first: number;
  readonly mass: Float64Array;
  readonly infinity: number;
}
