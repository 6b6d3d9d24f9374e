import type { Kernel } from '../kernel.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { Atoms } from './atomic-law.js';

/**
 * One step of a mechanism before subsampling: its dominating pair (P₀, Q₀), seen through the law of the
 * loss y = log(dQ₀/dP₀) under both.
 */
export interface InnerLaw {
  /** The pair as a run, exact: (P₀, Q₀), and exchanged. */
  readonly forward: DirectedRun;
  readonly backward: DirectedRun;
  /** The step is μ-GDP for this μ; ∞ where it is for none. */
  readonly gdpMu: number;
  /** μ_t: what μ cannot fall below as α → 0 (IAM §3). */
  readonly tailMu: number;
  /** Smallest and largest finite loss, rounded outwards; ±∞ if unbounded. */
  readonly smallest: number;
  readonly largest: number;
  /** Q₀-mass of outputs that P₀ never gives (loss +∞). */
  readonly infinity: number;
  /** The losses one by one, where they are finitely many: an interval of mass 0 is then empty, not underflowed. */
  readonly atoms?: Atoms;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  /** Losses that leave at most e^{logTail} of either law on either side. */
  range(logTail: number): [number, number];
  /** Masses of the loss intervals [edges[k], edges[k+1]) under P₀ and Q₀; edges ascend, ±∞ allowed. */
  intervals(kernel: Kernel, edges: Float64Array): IntervalMasses;
  /** A few hundred losses with log P₀-weights that stand for the law in planning. */
  nodes(): { loss: Float64Array; logWeight: Float64Array };
}

export interface IntervalMasses {
  readonly p: Float64Array;
  readonly q: Float64Array;
  /**
   * Bound on the probability by which `p` and `q` of an interval may speak of differently cut intervals,
   * beyond a relative error of 1e-15.
   */
  readonly cut: Float64Array;
}
