import type { Bracket } from './bracket.js';
import type { Mechanism } from './mechanism/mechanism.js';
import type { CompleteDetails } from './report/details.js';

/** How a number was obtained. */
export type Method = 'closed-form' | 'grid' | 'spectral';

/** Bounds of the error of one δ, by where it comes from, each relative to δ. */
export interface ErrorBudget {
  /** Excess of the trapezoidal sum: δ at ε ± 2π/Δ, ± 4π/Δ, … */
  readonly aliasing: number;
  /** What the end of the contour leaves out. */
  readonly truncation: number;
  /** Integration over the outputs of one step, and their cut tails. */
  readonly quadrature: number;
  readonly roundOff: number;
  /** What smoothing by a further mechanism costs where |M| does not decay; 0 where there is none. */
  readonly ghost: number;
  /** Samples of the contour. */
  readonly nodes: number;
}

/** Which neighbouring data sets the guarantee is about. */
export type Adjacency = 'add-remove' | 'replace-one';

/** Result of `measure`: the Gaussian-DP summary of a run and the window it holds on. */
export interface Measurement {
  /** Smallest μ with f(α) ≥ G_μ(α) wherever min(α, f(α)) ≥ alphaMin (REP §4). */
  readonly mu: Bracket;
  /** Δ-divergence between the run and its μ-GDP summary `mu.upper` (REP §4): how far the summary is from the run. */
  readonly regret: Bracket;
  /** Smallest false positive or false negative rate the summary speaks of. */
  readonly alphaMin: number;
  /** Its natural logarithm, which also tells windows below the smallest double apart. */
  readonly logAlphaMin: number;
  /** ε at which the supporting line of the window's edge touches: the head ε_h of IAM's (ε_h, μ)-head GDP. */
  readonly epsilonHead: number;
  /** μ_t, the floor of μ as the window opens to α → 0 (IAM §3). */
  readonly tailMu: Bracket;
  /** 'I': regret < 0.01 certified, publish μ; 'II': regret ≥ 0.01 certified, publish the curve; else undecided. */
  readonly tier: 'I' | 'II' | 'undecided';
  readonly method: Method;
}

/** How the records a run's steps see are drawn. */
export type RunSampling = 'none' | 'poisson' | 'without-replacement' | 'mixed';

/** How the numbers would change if one thing about the run were different. */
export interface Alternative {
  readonly change: 'shuffled-batches' | 'no-sampling' | 'other-adjacency' | 'twice-the-steps';
  readonly title: string;
  /** What exactly was computed, and by which theorem; or why nothing was. */
  readonly how: string;
  /** Brackets of the changed run, or nothing where no theorem here covers it. A lower end of 0 says that only an upper bound is known. */
  readonly numbers: {
    readonly epsilonAtDelta: readonly { readonly delta: number; readonly epsilon: Bracket }[];
    readonly advantage: Bracket;
    /** Smallest μ on the report's window; `null` where the bound says nothing of it. */
    readonly mu: Bracket | null;
  } | null;
}

/** Result of `report`: everything a run's guarantee is published with. Plain data. */
export interface Report extends Measurement {
  /** Name and version of this shape: schema/report.schema.json describes it. */
  readonly format: 'gdp-kernel-report/1';
  readonly title: string;
  readonly version: string;
  readonly engine: 'wasm' | 'reference';
  readonly adjacency: Adjacency;
  readonly sampling: RunSampling;
  readonly mechanism: Mechanism;
  readonly tolerance: number;
  readonly epsilonAtDelta: readonly { readonly delta: number; readonly epsilon: Bracket }[];
  readonly advantage: Bracket;
  readonly truePositiveRate: readonly {
    readonly falsePositiveRate: number;
    readonly truePositiveRate: Bracket;
  }[];
  readonly tradeoff: readonly { readonly alpha: number; readonly beta: Bracket }[];
  /** α* = f(α*), where 1 − α − f(α) is largest: the last row of REP's Tier II table. */
  readonly fixedPoint: Bracket;
  readonly details: CompleteDetails;
  readonly alternatives: readonly Alternative[];
}
