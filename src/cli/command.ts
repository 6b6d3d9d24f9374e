import type { Args } from './args.js';
import type { Flags } from './flags.js';

/** What a command touches of the world beside its options. */
export interface Context {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether standard input is a pipe or a file, which is read where nothing else says what was run. */
  readonly piped?: boolean;
  /** Says something beside the result, on standard error. */
  readonly note: (message: string) => void;
  /** Says there that a file was written; left out where whoever asked needs no telling. */
  readonly wrote?: (path: string) => void;
  /** Writes to standard output before the command is over; resolves when more can be taken. */
  readonly write?: (text: string) => Promise<void>;
  /** Told how far the command is, in [0, 1], where it can tell; without it, a line on standard error says so. */
  readonly progress?: (fraction: number) => void;
}

/** What belongs on standard output; with exit code 1 where the answer is "no" (a finding, a bound not met), 130 where it was interrupted. */
export type Output = string | { readonly text: string; readonly exitCode: 0 | 1 | 130 };

/** A subcommand of `gdp`. */
export interface Command {
  readonly name: string;
  /** What follows `gdp NAME ` in the help: operands and options that matter most. */
  readonly usage: string;
  /** One line: what it answers. */
  readonly summary: string;
  /** Its own options; `COMMON_FLAGS` come on top. */
  readonly flags: Flags;
  /** What else the long help explains. */
  readonly more?: string;
  /** What FILE is, in the help; none if it takes no operand. */
  readonly operand?: string;
  /** @throws UsageError for wrong usage or input. */
  run(args: Args, context: Context): Promise<Output>;
}
