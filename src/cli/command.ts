import { TOLERANCE } from '../account/options.js';
import type { LedgerLog } from '../budget/ledger-log.js';
import type { Stamp } from '../budget/ledger-record.js';
import type { Engine, PrivacyBudget } from '../index.js';
import type { ReadOptions, RecognisedRun } from '../read/index.js';
import type { Args, Flag, Flags } from './args.js';

export type { Flag, Flags };

/** The answer to a command line. */
export interface CommandAnswer {
  /** The text for standard output. */
  readonly text: string;
  readonly exitCode: number;
  /** The reason why there is no answer, in one sentence. */
  readonly failure?: string;
  /** The files that it wrote, by name, if the host has no file system. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Access to files, if the host has any. Readers throw UnreadableInput, writers UnwritableOutput. */
export interface Files {
  /** The text of a UTF-8 file of at most `maxBytes`. */
  text(path: string, maxBytes?: number): Promise<string>;
  bytes(path: string): AsyncIterable<Uint8Array>;
  /** The size of a file in bytes; 0 for a pipe. */
  size(path: string): Promise<number>;
  /** The run in a file, of which only the necessary part is read. */
  recognise(path: string, options: ReadOptions): Promise<RecognisedRun>;
  /** Checks, before any work, that a file can be written and is not one of `inputs`; 0 is standard input. */
  requireWritable(path: string, inputs: readonly (string | 0)[]): Promise<void>;
  /** Writes a text. The file appears under its name when it is complete. */
  write(path: string, text: string): Promise<void>;
  /**
   * Creates a ledger.
   * @throws UnwritableOutput if the file exists.
   */
  createLedger(path: string, budget: PrivacyBudget, stamp: Partial<Stamp>, perRecord: boolean): LedgerLog;
  /**
   * Opens a ledger to read, or with `stamp` to pay from.
   * @throws SyntaxError if it is none or damaged.
   */
  openLedger(path: string, stamp?: Partial<Stamp>): LedgerLog;
  /** The @font-face rules of the page, for reports set in its typeface; undefined without a page. */
  fontFaces(): Promise<string | undefined>;
}

/** The environment in which `gdp` runs. */
export interface Host {
  /** The commands by purpose, in the order of the help. */
  readonly tasks: readonly (readonly [task: string, commands: readonly Command[]])[];
  readonly files: Files;
  /** The engine of a kind; one is shared by all callers. */
  readonly engine: (kernel: 'auto' | 'wasm' | 'reference') => Promise<Engine>;
}

/** What a command can access beside its options. */
export interface Context extends Host {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether standard input is a pipe or a file; it is then read if no FILE or phase is given. */
  readonly piped?: boolean;
  /** Prints a message on standard error. */
  readonly note: (message: string) => void;
  /** Whether messages on written files are suppressed. */
  readonly quiet?: boolean;
  /** Writes to standard output before the command ends; resolves when more can be written. */
  readonly write?: (text: string) => Promise<void>;
  /** Called with the progress of the command, in [0, 1]; without it, progress is printed on standard error. */
  readonly progress?: (fraction: number) => void;
}

/** Text for standard output. Exit code 1 means "no" (a finding, an unmet bound), and 130 an interrupt. */
export type Output = string | { readonly text: string; readonly exitCode: 0 | 1 | 130 };

export interface Command {
  readonly name: string;
  /** The part after `gdp NAME ` in the help: operands and the most important options. */
  readonly usage: string;
  /** One line on the question that it answers. */
  readonly summary: string;
  /** Commands to try first, with files of examples/; the help shows them before the options. */
  readonly examples: readonly string[];
  /** Its own options; `COMMON_FLAGS` are added. */
  readonly flags: Flags;
  /** More text for the long help. */
  readonly more?: string;
  /** The meaning of FILE, for the help; absent if there is no operand. */
  readonly operand?: string;
  /** @param all Every command. @throws UsageError for wrong usage or input. */
  run(args: Args, context: Context, all: readonly Command[]): Promise<Output>;
}

/** An option with a value: its placeholder in the help, its help, and the allowed numbers in words. */
export function value(shown: string, help: string, expected = 'a finite number'): Flag {
  return { type: 'string', value: shown, help, expected };
}

/** An option that may be repeated, or hold several values. */
export function list(...of: Parameters<typeof value>): Flag {
  return { ...value(...of), multiple: true };
}

/** An option with one number; given a list, the command is run for each. */
export function each(...of: Parameters<typeof value>): Flag {
  return { ...value(...of), each: true };
}

/** An option that names a file to read. */
export function input(shown: string, help: string): Flag {
  return { ...value(shown, help), file: 'read' };
}

/** An option that names a file to write. */
export function output(shown: string, help: string): Flag {
  return { ...value(shown, help), file: 'written' };
}

/** An option without a value. */
export function toggle(help: string): Flag {
  return { type: 'boolean', help };
}

export const COMMON_FLAGS: Flags = {
  tolerance: value('R', 'relative width of brackets to aim at (default 1e-6)', TOLERANCE),
  engine: value('E', 'auto (default), wasm or reference'),
  json: toggle('full-precision JSON instead of text'),
  help: { type: 'boolean', short: 'h', help: 'this text' },
  version: { type: 'boolean', short: 'V', help: 'the version of gdp-kernel' },
};
