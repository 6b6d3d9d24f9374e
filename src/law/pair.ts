import type { Kernel } from '../kernel/kernel.js';
import type { IntervalMasses } from '../kernel/masses.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { LossLaw } from './loss-law.js';
import type { Side } from './mixture-side.js';

/**
 * One release before sampling: its dominating pair (P₀, Q₀), given by the law of the privacy loss y = log(dQ₀/dP₀) under P₀ and under Q₀. The
 * accounting methods depend on the `family` of a pair, not on the mechanism that it comes from.
 * Tests decide whether the record is in the data: P₀(y > ω) is a false positive rate and Q₀(y > ω) a power.
 */
export type Pair = GaussianPair | ExponentialPair | AtomicPair | MixturePair | AllocationPair | BranchedPair;

/** N(0, 1) against N(μ, 1). */
export interface GaussianPair extends PairBase {
  readonly family: 'gaussian';
  readonly mu: number;
}

/** A loss y with the densities w e^{−y/2} under P₀ and w e^{y/2} under Q₀ on an interval, and an atom at either end (`Shape`). */
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

/**
 * Balls and bins: N(0, I) in t = `bins` dimensions against the mixture of N(μe_i, I), i uniform from 1 to t. Only the first `visited` coordinates
 * are observed.
 */
export interface AllocationPair extends PairBase {
  readonly family: 'allocation';
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /** Set if δ of one epoch is computed by the integral of `twoBinsRun`. */
  readonly closed?: true;
}

/** A mixture of pairs: a branch is drawn with its weight, independently of the data. Its index is published with its output. */
export interface BranchedPair extends PairBase {
  readonly family: 'branched';
  readonly branches: readonly Branch[];
  /** Bound of the relative error of the weights. */
  readonly relative: number;
  /** The law of one release, in one direction of adjacency. */
  law(direction: 'remove' | 'add'): LossLaw;
}

export interface Branch {
  readonly weight: number;
  law(direction: 'remove' | 'add'): LossLaw;
  /** The pair and rate, if the branch is a Poisson sample of a pair. The contour method needs them for the branch's transform. */
  readonly sample?: { readonly pair: GaussianPair | MixturePair; readonly rate: number };
}

export interface AtomicPair extends PairBase {
  readonly family: 'atoms';
  /** All finite losses with their masses. So an interval of mass 0 contains no loss; its mass has not underflowed. */
  readonly atoms: Atoms;
  /** About how many losses there are, if the list is made on first use. */
  readonly losses?: number;
}

/** What every pair provides. */
export interface PairBase {
  /** δ and tests of the pair (P₀, Q₀), and of the exchanged pair (Q₀, P₀). */
  readonly forward: DirectedRun;
  readonly backward: DirectedRun;
  /** Whether the exchanged pair has another δ curve. */
  readonly asymmetric?: boolean;
  /** The pair is μ-GDP for this μ; ∞ if no such μ is known. */
  readonly gdpMu: number;
  /** μ_t: no smaller μ makes the pair μ-GDP, by its trade-off function at false positive rates α → 0 (IAM: Liu et al. 2022, §3). */
  readonly tailMu: number;
  /** Smallest and largest finite loss, rounded outwards; ±∞ if unbounded. */
  readonly smallest: number;
  readonly largest: number;
  /** Q₀-mass of outputs that P₀ never gives (loss +∞). */
  readonly infinity: number;
  /** Whether the mass of losses that are not listed may have the loss +∞. */
  readonly beyondInfinity?: boolean;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  /** An interval of losses: below it, and above it, P₀ and Q₀ each have mass of at most about e^{logTail}. */
  range(logTail: number): [number, number];
  /** Masses of the loss intervals [edges[k], edges[k+1]) under P₀ and Q₀; edges ascend, ±∞ allowed. */
  intervals(kernel: Kernel, edges: Float64Array): IntervalMasses;
  /** Heuristic: losses and log P₀-weights, a coarse quadrature rule for the law. It chooses grids and methods; it enters no bound. */
  nodes(): { loss: Float64Array; logWeight: Float64Array };
}

/**
 * Laplace noise and bounded-range mechanisms. On (−ε₀, ε₀) the loss y has the densities w e^{−y/2} under P and w e^{y/2} under Q, and an atom at
 * either end. `atom` is the mass at −ε₀ under P and at +ε₀ under Q. The mass at ε₀ under P, and at −ε₀ under Q, is atom·e^{−ε₀}.
 */
export interface Shape {
  /** ε₀, the largest loss. */
  readonly range: number;
  /** w, the factor of both densities. */
  readonly weight: number;
  /** The mass of the loss +ε₀ under Q. */
  readonly atom: number;
  /** log δ(ε) = power·log(1 − e^{(ε−ε₀)/2}) − logScale for −ε₀ < ε < ε₀. */
  readonly power: 1 | 2;
  readonly logScale: number;
  readonly gdpMu: number;
}

export interface Atoms {
  /** Finite losses, ascending, and their masses under P₀ and Q₀; q = p e^loss up to the errors stated. */
  readonly loss: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  /** Bound of the relative error of every mass; default 4e-14. If `differences` is set, of δ of the pair and of the exchanged pair. */
  readonly relative?: number;
  /** Set if masses are differences of δ curves: then single masses may have a larger error than `relative`. */
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
  /** By how much `infinity` may exceed its exact value, beyond a few units in the last place; default 0. */
  readonly infinityError?: number;
  /** Bound of the mass, under P₀ and under Q₀, of losses that are not listed; default 0. */
  readonly beyond?: number;
  /** Whether some of the losses not listed may be infinite. */
  readonly beyondInfinity?: boolean;
  /** If all finite losses are whole multiples of one number, that number. */
  readonly lattice?: number;
  readonly gdpMu: number;
  readonly tailMu: number;
}

/** Field values of atoms that have no mass at ∞ or −∞. */
export const ALL_FINITE: Pick<Atoms, 'infinity' | 'minusInfinity'> = { infinity: 0, minusInfinity: 0 };

/** Field values of a pair whose losses are finite and unbounded in both directions. */
export const ALL_LOSSES: Pick<PairBase, 'smallest' | 'largest' | 'infinity'> = {
  smallest: -Infinity,
  largest: Infinity,
  infinity: 0,
};

/** The atoms of a pair that has finitely many losses; undefined for others. */
export function atomsOf(pair: PairBase): Atoms | undefined {
  return 'atoms' in pair ? (pair as AtomicPair).atoms : undefined;
}

/** About how many losses a pair has; 0 if their law is not a list of atoms. The list is made only if the pair does not state the number. */
export function lossesOf(pair: Pair): number {
  return pair.family === 'atoms' ? (pair.losses ?? pair.atoms.loss.length) : 0;
}
