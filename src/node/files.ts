import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { LedgerLog } from '../budget/ledger-log.js';
import type { Stamp } from '../budget/ledger-record.js';
import { InputRangeError } from '../errors.js';
import { LedgerFile, type PrivacyBudget } from './ledger-file.js';
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

  /** Size of a file in bytes; 0 for anything without a size, such as a pipe. @throws UnreadableInput as `readableStat`. */
  async size(path: string): Promise<number> {
    const stat = await readableStat(path);
    return stat.isFile() ? stat.size : 0;
  },

  bytes: (path: string): AsyncIterable<Uint8Array> => createReadStream(path),

  /** @throws InputRangeError for a stamp: a file of this machine is stamped when it is written. */
  createLedger(path: string, budget: PrivacyBudget, stamp: Partial<Stamp>, perRecord: boolean): LedgerLog {
    refuseStamp(stamp);
    return LedgerFile.create(path, budget, { perRecord });
  },

  /** @throws InputRangeError for a stamp, as `createLedger`. */
  openLedger(path: string, stamp?: Partial<Stamp>): LedgerLog {
    if (stamp !== undefined) refuseStamp(stamp);
    return LedgerFile.open(path, { readOnly: stamp === undefined });
  },

  /** Writes a text, which appears under the name once it is whole. @throws UnwritableOutput */
  write: (path: string, text: string): Promise<void> => writeWhole(path, (file) => writeFile(file, text)),
};

function refuseStamp(stamp: Partial<Stamp>): void {
  const [name] = Object.keys(stamp);
  if (name !== undefined)
    throw new InputRangeError(
      `"${name}" must be left out: a ledger in a file of this machine has a time and a nonce of its own`,
    );
}
