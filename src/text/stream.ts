import { UnreadableInput } from '../errors.js';
import { decodeText } from './decode.js';

/** Greatest size of an input, in bytes. */
export const MAX_INPUT_BYTES: number = 64 * 1024 * 1024;

/**
 * The text of a stream, of which at most `maxBytes` are read; `name` is for messages.
 *
 * @throws UnreadableInput if it is longer, or not UTF-8.
 */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number = MAX_INPUT_BYTES,
): Promise<string> {
  const bytes = await readBytes(chunks, name, maxBytes);
  try {
    return decodeText(bytes);
  } catch {
    throw new UnreadableInput(`${name}: it is not UTF-8 text`);
  }
}

/** A stream of bytes, read no further than `maxBytes`. @throws UnreadableInput if it is longer. */
export async function readBytes(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number = MAX_INPUT_BYTES,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(name, maxBytes);
    parts.push(chunk);
  }
  if (parts.length === 1) return parts[0];
  const bytes = new Uint8Array(length);
  let start = 0;
  for (const part of parts) {
    bytes.set(part, start);
    start += part.length;
  }
  return bytes;
}

export function tooLarge(name: string, maxBytes: number): UnreadableInput {
  return new UnreadableInput(
    `${name}: it is larger than ${maxBytes / 1024 / 1024} MiB, too large for what a run leaves behind`,
  );
}
