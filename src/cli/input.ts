import { readText, readTextFile } from '../node/read-text.js';
import type { Args } from './args.js';
import type { Context } from './command.js';
import { UsageError } from './errors.js';

export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** The text of FILE or of standard input. @throws UnreadableInput as `readTextFile`. */
export function textOf(file: string, { stdin }: Context, maxBytes?: number): Promise<string> {
  return file === '-' ? readText(stdin, nameOf(file), maxBytes) : readTextFile(file, maxBytes);
}

/** The operand without which a command has nothing to do. @throws UsageError where it is left out. */
export function neededFile(args: Args, what = 'a FILE (- for standard input)'): string {
  const file = args.file();
  if (file === undefined) throw new UsageError(`gdp ${args.name} needs ${what}`);
  return file;
}

/** @throws UsageError where two inputs of a command, each by what messages call it, are both standard input. */
export function requireOneStdin(first: string | undefined, second: string | undefined, names: string): void {
  if (first === '-' && second === '-') throw new UsageError(`only one of ${names} can be -`);
}
