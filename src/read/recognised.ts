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

/** Facts on a run beside its mechanism, from the file or from the program that writes such files. */
export interface RunFacts {
  /** How batches were drawn: as the file states, or else as its accountant assumes. */
  readonly sampling?: 'poisson' | 'without-replacement' | 'all';
  /** Expected number of records in a batch. */
  readonly batchSize?: number;
  /** Records in the data set. */
  readonly datasetSize?: number;
  /** The divisor of a batch's sum, where the program that writes such files has one: Opacus' int(q·n). */
  readonly divisor?: 'expected-whole';
  /** Passes over the data set. */
  readonly epochs?: number;
  /** δ at which the file states an ε. */
  readonly delta?: number;
  /** The adjacency: as stated, as the format implies, or one that has a theorem for the sampling. */
  readonly adjacency?: Adjacency;
  /** The accountant that the file comes from, such as 'rdp'. */
  readonly accountant?: string;
  /** Greatest number of records of one person. */
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
  /** Further facts on the run. */
  readonly facts: RunFacts;
  /** The parsed file if it is an answer of this library, for comparison with the new answer. */
  readonly answered?: Readonly<Record<string, unknown>>;
  /** Assumptions made in reading, and parts not read; a sentence each. */
  readonly notes: readonly string[];
}
