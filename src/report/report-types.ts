import type { Audit } from '../audit/audit.js';
import type { Measurement } from '../measure/measurement.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Bracket } from '../numeric/bracket.js';
import type { CompleteDetails } from './details.js';

/** How the records a run's steps see are drawn. */
export type RunSampling = 'none' | 'poisson' | 'without-replacement' | 'mixed';

/** How the numbers would change if one thing about the run were different. */
export interface Alternative {
  readonly change: 'one-try' | 'shuffled-batches' | 'no-sampling' | 'other-adjacency' | 'twice-the-steps';
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
  /** Engine of the account; of a curve that was given, not accounted, null. */
  readonly engine: 'wasm' | 'reference' | null;
  readonly adjacency: Adjacency | 'unstated';
  readonly sampling: RunSampling | 'unstated';
  /** What was run; null for a profile or a trade-off function, of which `curve` is the name. */
  readonly mechanism: Mechanism | null;
  readonly curve?: string;
  readonly tolerance: number;
  /** Groups that near-equal phases were taken together in, where there are too many to compose one by one. */
  readonly groups?: number;
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
  /** What the counts or scores of an attack on the release prove, held against its guarantee. */
  readonly audit?: Audit;
}
