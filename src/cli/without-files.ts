import { UnreadableInput } from '../errors.js';
import { recognise } from '../read/recognise.js';
import { readText } from '../text/stream.js';
import type { CommandLine } from './apart.js';
import type { Host } from './command.js';

/**
 * A host without files of a machine: it reads those that are given, and what is written comes back by name.
 *
 * @param given What files hold, by name.
 */
export function withoutFiles(given: NonNullable<CommandLine['files']> = {}): {
  readonly files: Host['files'];
  readonly written: Record<string, string>;
} {
  const written: Record<string, string> = {};
  const held = (path: string): Uint8Array => {
    if (Object.hasOwn(given, path)) return given[path];
    throw new UnreadableInput(
      `${path}: files are not read here: give what the file holds, as "input" or "inputBase64"`,
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
  };
  return { files, written };
}
