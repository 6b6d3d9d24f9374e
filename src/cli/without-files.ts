import { UnreadableInput } from '../errors.js';
import type { Host } from './command.js';

/** A host without files: none is read, and what is written comes back by name. */
export function withoutFiles(): { readonly files: Host['files']; readonly written: Record<string, string> } {
  const written: Record<string, string> = {};
  const files: Host['files'] = {
    text: async (path) => noFile(path),
    bytes: noFile,
    size: async (path) => noFile(path),
    recognise: async (path) => noFile(path),
    requireWritable: async () => {},
    fontFaces: async () => undefined,
    write: async (path, text) => {
      written[path] = text;
    },
  };
  return { files, written };
}

function noFile(path: string): never {
  throw new UnreadableInput(
    `${path}: files are not read here: give what the file holds, as "input" or "inputBase64"`,
  );
}
