import { TOLERANCE } from '../account/options.js';
import type { LedgerLog } from '../budget/ledger-log.js';
import type { Stamp } from '../budget/ledger-record.js';
import type { Engine, PrivacyBudget } from '../index.js';
import type { ReadOptions, RecognisedRun } from '../read/index.js';
import type { Args, Flag, Flags } from './args.js';

export type { Flag, Flags };

/** What a command line is answered with. */
export interface CommandAnswer {
  /** What belongs on standard output. */
  readonly text: string;
  readonly exitCode: number;
  /** Why it was not answered: one sentence. */
  readonly failure?: string;
  /** What it wrote, by name, where there are no files. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The files that a command line names, where there are any. Each reader throws UnreadableInput, each writer UnwritableOutput. */
export interface Files {
  /** The text of a UTF-8 file of at most `maxBytes`. */
  text(path: string, maxBytes?: number): Promise<string>;
  bytes(path: string): AsyncIterable<Uint8Array>;
  /** Bytes of a file, 0 of what has no size, such as a pipe. */
  size(path: string): Promise<number>;
  /** The run in a file, of which no more is read than is needed. */
  recognise(path: string, options: ReadOptions): Promise<RecognisedRun>;
  /** Looks, before any work, whether a file can be written and is none of `inputs`, of which 0 is standard input. */
  requireWritable(path: string, inputs: readonly (string | 0)[]): Promise<void>;
  /** Writes a text, which appears under the name once it is whole. */
  write(path: string, text: string): Promise<void>;
  /** Makes a ledger. @throws UnwritableOutput if there is one already. */
  createLedger(path: string, budget: PrivacyBudget, stamp: Partial<Stamp>, perRecord: boolean): LedgerLog;
  /** A ledger to read, or with `stamp` to pay from. @throws SyntaxError if it is none or damaged. */
  openLedger(path: string, stamp?: Partial<Stamp>): LedgerLog;
  /** The rules of the page's type, for a report that is set in it; nothing where there is no page. */
  fontFaces(): Promise<string | undefined>;
}

/** What `gdp` runs on. */
export interface Host {
  /** Its commands by what they are for, in the order of the help. */
  readonly tasks: readonly (readonly [task: string, commands: readonly Command[]])[];
  readonly files: Files;
  /** An engine of that name, the same for all who ask. */
  readonly engine: (kernel: 'auto' | 'wasm' | 'reference') => Promise<Engine>;
}

/** What a command touches of the world beside its options. */
export interface Context extends Host {
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether standard input is a pipe or a file, which is read where nothing else says what was run. */
  readonly piped?: boolean;
  /** Says something beside the result, on standard error. */
  readonly note: (message: string) => void;
  /** Whether whoever asked needs no telling that a file was written. */
  readonly quiet?: boolean;
  /** Writes to standard output before the command is over; resolves when more can be taken. */
  readonly write?: (text: string) => Promise<void>;
  /** Told how far the command is, in [0, 1], where it can tell; without it, a line on standard error says so. */
  readonly progress?: (fraction: number) => void;
}

/** What belongs on standard output; with exit code 1 where the answer is "no" (a finding, a bound not met), 130 where it was interrupted. */
export type Output = string | { readonly text: string; readonly exitCode: 0 | 1 | 130 };

export interface Command {
  readonly name: string;
  /** What follows `gdp NAME ` in the help: operands and options that matter most. */
  readonly usage: string;
  /** One line: what it answers. */
  readonly summary: string;
  /** What to type first, with files of examples/; the help shows it before the options. */
  readonly examples: readonly string[];
  /** Its own options; `COMMON_FLAGS` come on top. */
  readonly flags: Flags;
  /** What else the long help explains. */
  readonly more?: string;
  /** What FILE is, in the help; none if it takes no operand. */
  readonly operand?: string;
  /** @param all Every command. @throws UsageError for wrong usage or input. */
  run(args: Args, context: Context, all: readonly Command[]): Promise<Output>;
}

/** An option that takes a value, which stands for itself in the help; `expected`: numbers it may be. */
export function value(shown: string, help: string, expected = 'a finite number'): Flag {
  return { type: 'string', value: shown, help, expected };
}

/** An option that may be given several times, or hold several values. */
export function list(...of: Parameters<typeof value>): Flag {
  return { ...value(...of), multiple: true };
}

/** An option of one number; the command is asked for each number of a list. */
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

/** An option that is given or not. */
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
