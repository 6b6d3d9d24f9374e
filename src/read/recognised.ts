import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';

/** What a file was recognised as. */
export type RunFormat =
  | 'opacus-state'
  | 'opacus-checkpoint'
  | 'dp-event'
  | 'tf-privacy-flags'
  | 'tf-privacy-statement'
  | 'pld-proto'
  | 'report'
  | 'certificate'
  | 'answer'
  | 'mechanism';

/** What a file says of its run beside the mechanism; only what it states is there. */
export interface RunFacts {
  /** How batches were drawn, as the file has it or, where it is silent, as its accountant assumes. */
  readonly sampling?: 'poisson' | 'without-replacement' | 'all';
  /** Expected batch, in records. */
  readonly batchSize?: number;
  /** Records in the data set. */
  readonly datasetSize?: number;
  /** What sums were divided by, where the program that writes such files has it: Opacus' int(q·n). */
  readonly divisor?: 'expected-whole';
  /** Passes over the data set. */
  readonly epochs?: number;
  /** δ at which the file states an ε. */
  readonly delta?: number;
  /** Stated, or the only one under which there is a theorem for the sampling. */
  readonly adjacency?: Adjacency;
  /** The accountant the file was made by, such as 'rdp'. */
  readonly accountant?: string;
  /** Most records of one person. */
  readonly maxExamplesPerUser?: number;
  /** ε as the file prints it, beside `delta`. */
  readonly statedEpsilon?: number;
}

/** What is allowed in reading a run. */
export interface ReadOptions {
  /** Whether a history without a phase is a run that released nothing. By default it is refused: some accountants lose theirs. */
  readonly allowEmptyHistory?: boolean;
}

export const READ_OPTIONS: readonly (keyof ReadOptions)[] = ['allowEmptyHistory'];

/** A run as read from a file. */
export interface RecognisedRun {
  /** What the file was recognised as. */
  readonly format: RunFormat;
  /** What was run. */
  readonly mechanism: Mechanism;
  /** What the file says beside it. */
  readonly facts: RunFacts;
  /** The whole of an answer of this library about the mechanism, to be compared with. */
  readonly answered?: Readonly<Record<string, unknown>>;
  /** What was assumed or left out in reading, a sentence each. */
  readonly notes: readonly string[];
}
