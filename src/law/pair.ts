import type { Kernel } from '../kernel/kernel.js';
import type { IntervalMasses } from '../kernel/masses.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { LossLaw } from './loss-law.js';
import type { Side } from './mixture-side.js';

/**
 * One release before sampling: its dominating pair (P₀, Q₀), seen through the law of the loss y = log(dQ₀/dP₀) under both.
 * Methods tell pairs apart by their family alone; whatever made the pair is forgotten.
 */
export type Pair = GaussianPair | ExponentialPair | AtomicPair | MixturePair | AllocationPair | BranchedPair;

/** N(0, 1) against N(μ, 1). */
export interface GaussianPair extends PairBase {
  readonly family: 'gaussian';
  readonly mu: number;
}

/** Densities w e^{∓y/2} of the loss between two atoms. */
export interface ExponentialPair extends PairBase {
  readonly family: 'exponential';
  readonly shape: Shape;
}

/** Two mixtures of Gaussians on one line: Σ r_j N(−b_j, 1) of `minus` against Σ p_i N(a_i, 1) of `plus`. */
export interface MixturePair extends PairBase {
  readonly family: 'mixture';
  readonly plus: Side;
  readonly minus: Side;
}

/** N(0, 1)ᵗ against the mean over i ≤ t of N(μe_i, I), of which the first `visited` coordinates are seen. */
export interface AllocationPair extends PairBase {
  readonly family: 'allocation';
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /** Set where δ of one epoch has a formula (`twoBinsRun`). */
  readonly closed?: true;
}

/** A mixture of pairs: one is drawn with the given weights, independently of the data, and published. */
export interface BranchedPair extends PairBase {
  readonly family: 'branched';
  readonly branches: readonly Branch[];
  /** Relative error of the weights. */
  readonly relative: number;
  /** One release in one direction. */
  law(direction: 'remove' | 'add'): LossLaw;
}

export interface Branch {
  readonly weight: number;
  law(direction: 'remove' | 'add'): LossLaw;
  /** The branch as a Poisson sample of a pair, if it is one; transforms of runs need that. */
  readonly sample?: { readonly pair: GaussianPair | MixturePair; readonly rate: number };
}

export interface AtomicPair extends PairBase {
  readonly family: 'atoms';
  /** The losses one by one: an interval of mass 0 is then empty, rather than underflowed. */
  readonly atoms: Atoms;
  /** About how many losses there are, where they are listed on first use. */
  readonly losses?: number;
}

/** What every pair provides. */
export interface PairBase {
  /** The pair (P₀, Q₀) as a run, and the exchanged pair. */
  readonly forward: DirectedRun;
  readonly backward: DirectedRun;
  /** Whether the exchanged pair differs. */
  readonly asymmetric?: boolean;
  /** The step is μ-GDP for this μ; ∞ where there is none. */
  readonly gdpMu: number;
  /** μ_t: lower bound of μ as α → 0 (IAM §3). */
  readonly tailMu: number;
  /** Smallest and largest finite loss, rounded outwards; ±∞ if unbounded. */
  readonly smallest: number;
  readonly largest: number;
  /** Q₀-mass of outputs that P₀ never gives (loss +∞). */
  readonly infinity: number;
  /** Whether the mass in `beyond` may have the loss +∞. */
  readonly beyondInfinity?: boolean;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  /** An interval of losses outside of which either law has mass of at most e^{logTail} on either side. */
  range(logTail: number): [number, number];
  /** Masses of the loss intervals [edges[k], edges[k+1]) under P₀ and Q₀; edges ascend, ±∞ allowed. */
  intervals(kernel: Kernel, edges: Float64Array): IntervalMasses;
  /** A few hundred losses with log P₀-weights that represent the law in planning. */
  nodes(): { loss: Float64Array; logWeight: Float64Array };
}

/**
 * Laplace noise and bounded-range mechanisms. On (−ε₀, ε₀) the loss y has the densities w e^{−y/2} under P and w e^{y/2} under Q, and an atom at
 * either end. `atom` is the mass at −ε₀ under P and at +ε₀ under Q; the other two are atom·e^{−ε₀}. Total masses are 1, and the pair is symmetric.
 */
export interface Shape {
  readonly range: number;
  /** w, and the mass of the loss +ε₀ under Q. */
  readonly weight: number;
  readonly atom: number;
  /** log δ(ε) = power·log(1 − e^{(ε−ε₀)/2}) − logScale for −ε₀ < ε < ε₀. */
  readonly power: 1 | 2;
  readonly logScale: number;
  readonly gdpMu: number;
}

export interface Atoms {
  /** Finite losses, ascending, and the masses of each under P₀ and Q₀: q = p e^loss up to `error`. */
  readonly loss: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  /** Relative error of the masses, or of the δ curve they give, in either role; default 4e-14. */
  readonly relative?: number;
  /** If set, masses are differences: `relative` is the error of the curve, and single masses may be less accurate. */
  readonly differences?: true;
  /** Absolute error of the masses beyond the relative one; default 0. */
  readonly error?: Float64Array;
  /** Absolute error of the losses beyond a few units in the last place; default 0. */
  readonly lossError?: number;
  /** Whether the losses are exact numbers, not rounded. */
  readonly exactLoss?: boolean;
  /** Q₀-mass of outputs P₀ never gives, and the reverse. */
  readonly infinity: number;
  readonly minusInfinity: number;
  /** Whether `infinity` and `minusInfinity` are exact, not rounded. */
  readonly exactInfinity?: boolean;
  /** How much rounding may have raised `infinity`, beyond a few units in the last place; default 0. */
  readonly infinityError?: number;
  /** Bound on the mass, under either, of losses beyond those listed; default 0. */
  readonly beyond?: number;
  /** Whether some of the losses not listed may be infinite. */
  readonly beyondInfinity?: boolean;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  readonly gdpMu: number;
  readonly tailMu: number;
}

/** Atoms without a mass at ∞ or −∞. */
export const ALL_FINITE: Pick<Atoms, 'infinity' | 'minusInfinity'> = { infinity: 0, minusInfinity: 0 };

/** A pair of every finite loss. */
export const ALL_LOSSES: Pick<PairBase, 'smallest' | 'largest' | 'infinity'> = {
  smallest: -Infinity,
  largest: Infinity,
  infinity: 0,
};

/** The listed losses of a pair that has finitely many. */
export function atomsOf(pair: PairBase): Atoms | undefined {
  return 'atoms' in pair ? (pair as AtomicPair).atoms : undefined;
}

/** About how many losses a pair has, without listing them; 0 if they are in a continuum. */
export function lossesOf(pair: Pair): number {
  return pair.family === 'atoms' ? (pair.losses ?? pair.atoms.loss.length) : 0;
}
