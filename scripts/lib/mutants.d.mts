/** The file of a test and its title, as written there. */
export type NamedTest = readonly [file: string, title: string];

/** A bound with one term taken out. */
export interface Mutant {
  /** What is taken out, in words; names are unique. */
  readonly term: string;
  /** The statement it belongs to: a file of docs/proofs and a number. */
  readonly proof?: string;
  readonly file: string;
  /** Text that the file has exactly once, and what stands there instead. */
  readonly find: string;
  readonly put: string;
  /** Each of these has to fail. */
  readonly tests: readonly NamedTest[];
}

export function mutatedSource(mutant: Mutant): string;
export function titlePattern(title: string): string;
export function freshCopy(): void;
export function failingNow(tests: readonly NamedTest[]): NamedTest[];
export function blindTests(mutant: Mutant): { file: string; title: string; how: string }[];
