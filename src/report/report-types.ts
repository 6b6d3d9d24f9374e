import type { Audit } from '../audit/audit.js';
import { wrongType } from '../errors.js';
import type { Measurement } from '../measure/measurement.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import type { Drawing } from '../mechanism/theorems.js';
import type { Bracket } from '../numeric/bracket.js';
import type { CompleteDetails } from './details.js';
import type { LoaderTable } from './loaders.js';

/** How the records that each step of a run uses are drawn. */
export type RunSampling = Exclude<Drawing, 'all'> | 'none' | 'mixture' | 'mixed';

/** How the numbers would change if one thing about the run were different. */
export interface Alternative {
  /** What is different. */
  readonly change: 'one-try' | 'shuffled-batches' | 'no-sampling' | 'other-adjacency' | 'twice-the-steps';
  /** The change in words. */
  readonly title: string;
  /** What exactly was computed, and by which theorem; or why nothing was. */
  readonly how: string;
  /** Brackets of the changed run; null where no theorem here covers it. A lower end of 0 says that only an upper bound is known. */
  readonly numbers: {
    readonly epsilonAtDelta: readonly { readonly delta: number; readonly epsilon: Bracket }[];
    readonly advantage: Bracket;
    /** Smallest μ for error rates down to the report's `alphaMin`; `null` where the bound says nothing of it. */
    readonly mu: Bracket | null;
  } | null;
}

/** Result of `report`: everything a run's guarantee is published with. Plain data. */
export interface Report extends Measurement {
  /** Name and version of this shape: schema/report.schema.json describes it. */
  readonly format: 'gdp-kernel-report/1';
  /** Heading. */
  readonly title: string;
  /** Version of the library. */
  readonly version: string;
  /** Engine that computed the numbers; null for a curve that was given. */
  readonly engine: 'wasm' | 'reference' | null;
  /** Which data sets count as neighbours. */
  readonly adjacency: Adjacency | 'unstated';
  /** How batches were drawn, as the mechanism states it. */
  readonly sampling: RunSampling | 'unstated';
  /** What was run; null for a profile or a trade-off function, of which `curve` is the name. */
  readonly mechanism: Mechanism | null;
  /** The name of the curve, if it is not that of a mechanism. */
  readonly curve?: string;
  /** Relative width that was aimed at. */
  readonly tolerance: number;
  /** Number of groups of near-equal phases, if there were too many phases to compose one by one. */
  readonly groups?: number;
  /** ε, in nats, at each δ asked for. */
  readonly epsilonAtDelta: readonly { readonly delta: number; readonly epsilon: Bracket }[];
  /** Largest true minus false positive rate of an attack. */
  readonly advantage: Bracket;
  /** Records that the best attack finds at small false positive rates. */
  readonly truePositiveRate: readonly {
    readonly falsePositiveRate: number;
    readonly truePositiveRate: Bracket;
  }[];
  /** Least false negative rate at each false positive rate listed. */
  readonly tradeoff: readonly { readonly alpha: number; readonly beta: Bracket }[];
  /** α* = f(α*), where the advantage 1 − α − f(α) is largest. */
  readonly fixedPoint: Bracket;
  /** Stated details of the release; null for each that was not stated. */
  readonly details: CompleteDetails;
  /** Alternatives: the run with one thing changed. Empty unless given. */
  readonly alternatives: readonly Alternative[];
  /** ε for the same noise under every loader, and for people with several records. */
  readonly sameNoise?: LoaderTable;
  /** What the counts or scores of an attack on the release prove, and whether they refute the guarantee. */
  readonly audit?: Audit;
  /** What the run was read from. */
  readonly input?: ReportInput;
  /** When the report was made, and by what command, if that was stated. */
  readonly made?: ReportMade;
}

/** The file that a run was read from: its name without its folder, and the SHA-256 of its bytes in hexadecimal. */
export interface ReportInput {
  /** The file's name; 'standard input' for what was read from there. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** When and by what command a report was made, as its maker states it. */
export interface ReportMade {
  /** A day, as YYYY-MM-DD on the command line. */
  readonly date: string;
  /** The command line. */
  readonly command: string;
}

/** @throws TypeError if it is not what `report` makes. */
export function requireReport(report: unknown): void {
  if ((report as Report | null | undefined)?.format !== 'gdp-kernel-report/1')
    throw wrongType('report', 'a result of report', report);
}
