import { readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { UnreadableInput } from '../errors.js';
import { recognise } from '../read/recognise.js';
import type { ReadOptions, RecognisedRun } from '../read/recognised.js';
import { readBytes } from '../text/stream.js';
import { unreadable } from './read-text.js';

/**
 * Recognises the run in a file. Of a checkpoint, whatever its size, only the parts that are needed are read.
 *
 * @throws UnreadableInput if it cannot be read; else as `recognise`.
 */
export async function recogniseFile(path: string, options: ReadOptions = {}): Promise<RecognisedRun> {
  const file = await open(path, 'r').catch((error) => {
    throw unreadable(path, error);
  });
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw unreadable(path, { code: 'EISDIR' });
    // a pipe cannot be read at a position
    if (!stat.isFile())
      return recognise(await readBytes(file.createReadStream({ autoClose: false }), path), options);
    const { fd } = file;
    return recognise(
      { size: stat.size, read: (offset, length) => readAt(fd, path, offset, length) },
      options,
    );
  } finally {
    await file.close();
  }
}

function readAt(fd: number, path: string, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) throw new UnreadableInput(`${path}: it became shorter while it was read`);
    done += count;
  }
  return bytes;
}
