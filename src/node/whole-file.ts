import { fstatSync, type Stats } from 'node:fs';
import { access, chmod, constants, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type UnreadableInput, UnwritableOutput } from '../errors.js';
import { REFUSALS, unreadable } from './read-text.js';

/** A message that a thread's incomplete file was made or is gone; whoever ends the thread removes files that are there. */
export interface Unfinished {
  readonly unfinished: string;
  readonly there: boolean;
}

let tell: (told: Unfinished) => void = () => {};

/** Registers the listener for messages on incomplete files, and on the claim files of `claimFile`. */
export function onUnfinished(listener: (told: Unfinished) => void): void {
  tell = listener;
}

export function tellUnfinished(path: string, there: boolean): void {
  tell({ unfinished: path, there });
}

const REASONS: Readonly<Record<string, string>> = {
  ...REFUSALS,
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'its links lead in a circle',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'no space is left on the device',
  EROFS: 'the file system is read-only',
};

/** The error for a file that could not be written, with the reason in one sentence. */
export function unwritable(path: string, error: unknown): UnwritableOutput {
  if (error instanceof UnwritableOutput) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  const reason = REASONS[code ?? ''];
  const because = reason === undefined ? '' : `: ${reason}`;
  return new UnwritableOutput(`${path}: it cannot be written${because} (${code ?? String(error)})`);
}

/** The error for a file that could not be opened to read and write. On a read-only file system it is about writing, else about reading. */
export function openingFault(path: string, error: unknown): UnreadableInput | UnwritableOutput {
  const readOnly = (error as NodeJS.ErrnoException | undefined)?.code === 'EROFS';
  return readOnly ? unwritable(path, error) : unreadable(path, error);
}

/**
 * Checks, before any work, that a file can be written, and that it is none of the inputs under another name. Two names
 * are one file if device and inode agree.
 *
 * @param inputs Files that are read; 0 for standard input.
 * @throws UnwritableOutput if not.
 */
export async function requireWritable(path: string, inputs: readonly (string | 0)[]): Promise<void> {
  const found = await statOrNone(path);
  if (found === undefined) {
    for (const folder of [dirname(path), dirname(await targetOf(path))]) {
      const above = await statOrNone(folder);
      if (above === undefined)
        throw new UnwritableOutput(`${path}: it cannot be written: there is no folder "${folder}" (ENOENT)`);
      await requireAccess(path, folder);
    }
    return;
  }
  if (found.isDirectory()) throw unwritable(path, { code: 'EISDIR' });
  for (const input of inputs) {
    const other = input === 0 ? fstatSync(0) : await statOrNone(input);
    if (other === undefined || other.dev !== found.dev || other.ino !== found.ino || !found.isFile())
      continue;
    const name = input === 0 ? 'standard input' : `"${input}"`;
    throw new UnwritableOutput(`${path}: it is the same file as the input ${name}, which would be lost`);
  }
  await requireAccess(path, path);
  if (found.isFile()) await requireAccess(path, dirname(await targetOf(path)));
}

/** Greatest length of a chain of links, as in Linux. */
const MOST_LINKS = 40;

/** The name that links lead to, whether there is a file of that name or not yet. @throws UnwritableOutput */
export async function targetOf(path: string): Promise<string> {
  let name = path;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const folder = await realpath(dirname(name)).catch(() => resolve(dirname(name)));
    const here = join(folder, basename(name));
    const to = await readlink(here).catch(() => undefined);
    if (to === undefined) return here;
    name = resolve(folder, to);
  }
  throw unwritable(path, { code: 'ELOOP' });
}

async function statOrNone(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unwritable(path, error);
  }
}

async function requireAccess(path: string, place: string): Promise<void> {
  await access(place, constants.W_OK).catch((error) => {
    throw unwritable(path, error);
  });
}

/**
 * Writes a file beside its place and moves it there once it is whole. So the name holds either the former content or all that was
 * written. Links are followed and permissions kept; a device or a pipe is written as it is.
 *
 * @param write Writes the file whose name it is given.
 * @throws UnwritableOutput for what the file system refuses; else whatever `write` throws.
 */
export async function writeWhole(path: string, write: (file: string) => Promise<void>): Promise<void> {
  const found = await statOrNone(path);
  if (found !== undefined && !found.isFile()) return asOutput(path, () => write(path));
  const target = await targetOf(path);
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.partial`);
  tellUnfinished(beside, true);
  try {
    await asOutput(path, async () => {
      await write(beside);
      if (found !== undefined) await chmod(beside, found.mode & 0o7777);
      const file = await open(beside, 'r+');
      await file.datasync().finally(() => file.close());
      await rename(beside, target);
    });
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  } finally {
    tellUnfinished(beside, false);
  }
}

/** Runs `work`; refusals of the file system become one sentence on the output. */
export async function asOutput<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw (error as NodeJS.ErrnoException)?.syscall === undefined ? error : unwritable(path, error);
  }
}
