import { writeFile } from 'node:fs/promises';
import { requireWritable, writeWhole } from '../node/whole-file.js';
import type { Args } from './args.js';
import { UsageError } from './errors.js';

/** Options that name a file to read. */
const INPUT_FLAGS = ['about', 'claim'];

/**
 * The file that an option tells a command to write, looked at before any work.
 *
 * @throws UnwritableOutput if it cannot be written, or is one of the command's inputs.
 */
export async function outputOf(args: Args, flag: 'out' | 'svg'): Promise<string | undefined> {
  const path = args.text(flag);
  if (path === undefined) return undefined;
  if (path === '-') {
    if (flag === 'svg') throw new UsageError('"--svg" needs a file: standard output has the numbers');
    return path;
  }
  const inputs = [...args.operands, ...INPUT_FLAGS.flatMap((each) => args.texts(each))];
  await requireWritable(
    path,
    inputs.map((input) => (input === '-' ? 0 : input)),
  );
  return path;
}

/** Writes a text, which appears under the name once it is whole. @throws UnwritableOutput */
export function writeOutput(path: string, text: string): Promise<void> {
  return writeWhole(path, (file) => writeFile(file, text));
}
