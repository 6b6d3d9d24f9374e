import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fontFaces } from './page-file.js';
import { readableStat, readTextFile } from './read-text.js';
import { recogniseFile } from './run-file.js';
import { requireWritable, writeWhole } from './whole-file.js';

/** The files of this machine, as a command line reads and writes them. */
export const nodeFiles = {
  text: readTextFile,
  recognise: recogniseFile,
  requireWritable,
  fontFaces,

  /** Bytes of a file, 0 of what has no size, such as a pipe. @throws UnreadableInput as `readableStat`. */
  async size(path: string): Promise<number> {
    const stat = await readableStat(path);
    return stat.isFile() ? stat.size : 0;
  },

  bytes: (path: string): AsyncIterable<Uint8Array> => createReadStream(path),

  /** Writes a text, which appears under the name once it is whole. @throws UnwritableOutput */
  write: (path: string, text: string): Promise<void> => writeWhole(path, (file) => writeFile(file, text)),
};
