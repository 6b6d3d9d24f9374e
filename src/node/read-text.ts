import type { Stats } from 'node:fs';
import { access, constants, type FileHandle, open, stat } from 'node:fs/promises';
import { UnreadableInput } from '../errors.js';
import { MAX_INPUT_BYTES, readText, tooLarge } from '../text/stream.js';

/**
 * The text of a UTF-8 file, read no further than `maxBytes`.
 *
 * @throws UnreadableInput if it is missing, a directory, not permitted, too large or not UTF-8.
 */
export async function readTextFile(path: string, maxBytes: number = MAX_INPUT_BYTES): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const { size } = await file.stat();
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    return await readText(file.createReadStream({ autoClose: false }), path, maxBytes);
  } catch (error) {
    throw error instanceof UnreadableInput ? error : unreadable(path, error);
  } finally {
    await file?.close();
  }
}

/**
 * The status of a file that is to be read.
 * @throws UnreadableInput if it is missing, a directory or not permitted.
 */
export async function readableStat(path: string): Promise<Stats> {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (!found.isDirectory()) return found;
  } catch (error) {
    throw unreadable(path, error);
  }
  throw unreadable(path, { code: 'EISDIR' });
}

/** Reasons why a file cannot be read or written, by the code of the system's error. */
export const REFUSALS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory, not a file',
  ENOTDIR: 'a part of the path is not a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/** The error for a file that could not be read, with the reason in one sentence. */
export function unreadable(path: string, error: unknown): UnreadableInput {
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? '';
  return new UnreadableInput(`${path}: ${REFUSALS[code] ?? `it cannot be read (${code || String(error)})`}`);
}
