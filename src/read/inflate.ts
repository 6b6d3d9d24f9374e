import { inflateSync } from 'fflate/browser';
import { InputSyntaxError } from '../errors.js';

const BROKEN = 'it is a zip archive, but its compressed data is broken';

/**
 * Undoes DEFLATE (RFC 1951), into a buffer whose size is known beforehand: nothing can grow.
 *
 * @param size Bytes that come out, as the archive states it.
 * @throws SyntaxError if the data is broken or yields more or fewer bytes.
 */
export function inflate(data: Uint8Array, size: number): Uint8Array {
  if (data.length === 0) throw new InputSyntaxError(`${BROKEN}: it ends too early`);
  let content: Uint8Array;
  try {
    // fflate drops what does not fit, so that one byte of room tells too much from enough
    content = inflateSync(data, { out: new Uint8Array(size + 1) });
  } catch (error) {
    throw new InputSyntaxError(`${BROKEN}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (content.length > size)
    throw new InputSyntaxError(`it is a zip archive that unpacks to more than the ${size} bytes it states`);
  if (content.length < size)
    throw new InputSyntaxError(
      `it is a zip archive, but ${content.length} bytes are in it where it states ${size}`,
    );
  return content;
}
