import { HeldLedger } from '../budget/held-ledger.js';
import { UnreadableInput } from '../errors.js';
import { recognise } from '../read/recognise.js';
import { readText } from '../text/stream.js';
import type { CommandLine } from './apart.js';
import type { Host } from './command.js';

/**
 * A host without a file system. It reads the given files, and returns the written ones by name.
 *
 * @param given Contents of files, by name.
 */
export function withoutFiles(given: NonNullable<CommandLine['files']> = {}): {
  readonly files: Host['files'];
  readonly written: Record<string, string>;
} {
  const written: Record<string, string> = {};
  const held = (path: string): Uint8Array => {
    if (Object.hasOwn(given, path)) return given[path];
    throw new UnreadableInput(
      `${path}: files are not read here: give what the file holds, as "input", "inputBase64" or in "files"`,
    );
  };
  async function* bytes(path: string) {
    yield held(path);
  }
  const files: Host['files'] = {
    text: (path, maxBytes) => readText(bytes(path), path, maxBytes),
    bytes,
    size: async (path) => held(path).length,
    recognise: async (path, options) => recognise(held(path), options),
    requireWritable: async () => {},
    fontFaces: async () => undefined,
    write: async (path, text) => {
      written[path] = text;
    },
    createLedger(path, budget, stamp, perRecord) {
      written[path] = HeldLedger.opening(budget, stamp, perRecord);
      return HeldLedger.of(path, written[path]);
    },
    openLedger(path, stamp) {
      const append = (line: string) => {
        written[path] = line;
      };
      return HeldLedger.of(path, latin1(held(path)), stamp && { stamp, append });
    },
  };
  return { files, written };
}

/** A text with one character per byte. */
function latin1(bytes: Uint8Array): string {
  const pieces = [];
  for (let i = 0; i < bytes.length; i += 2 ** 13)
    pieces.push(String.fromCharCode(...bytes.subarray(i, i + 2 ** 13)));
  return pieces.join('');
}
