import { readText } from '../text/stream.js';
import { type Args, UsageError } from './args.js';
import type { Context, Flags } from './command.js';

export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** The text of FILE or of standard input. @throws UnreadableInput */
export function textOf(file: string, { stdin, files }: Context, maxBytes?: number): Promise<string> {
  return file === '-' ? readText(stdin, nameOf(file), maxBytes) : files.text(file, maxBytes);
}

/**
 * The operand of a command that needs one.
 * @throws UsageError if it is missing.
 */
export function neededFile(args: Args, what = 'a FILE (- for standard input)'): string {
  const file = args.file();
  if (file === undefined) throw new UsageError(`gdp ${args.name} needs ${what}`);
  return file;
}

/** @throws UsageError if two inputs of a command are both standard input; each has its name for the message. */
export function requireOneStdin(first: string | undefined, second: string | undefined, names: string): void {
  if (first === '-' && second === '-') throw new UsageError(`only one of ${names} can be -`);
}

/**
 * Checks all output files of a command before any work.
 *
 * @param flags The options of the command, which tell input files from output files.
 * @throws UnwritableOutput if one cannot be written, or is an input of the command.
 */
export async function requireOutputs(args: Args, flags: Flags, { files }: Context): Promise<void> {
  const named = (file: 'read' | 'written') => Object.keys(flags).filter((name) => flags[name].file === file);
  const inputs = [...args.operands, ...named('read').flatMap((flag) => args.texts(flag))];
  for (const flag of named('written')) {
    const path = args.text(flag) ?? '-';
    if (path !== '-')
      await files.requireWritable(
        path,
        inputs.map((input) => (input === '-' ? 0 : input)),
      );
    else if (flag === 'svg' && args.has(flag))
      throw new UsageError('"--svg" needs a file: standard output has the numbers');
  }
}

/**
 * Writes a text to the file of `--out` and reports that. Without it, or for -, the command prints the text.
 * @throws UnwritableOutput
 */
export async function writtenOut(args: Args, context: Context, text: string): Promise<string> {
  const path = args.text('out');
  if (path === undefined || path === '-') return text;
  await writeAndSay(context, path, text);
  return '';
}

export async function writeAndSay(
  { files, note, quiet }: Context,
  path: string,
  text: string,
): Promise<void> {
  await files.write(path, text);
  if (!quiet) note(`wrote ${path}`);
}
