/** Tensors of a single number: a history has one where the noise multiplier was a tensor. */

import { type Opaque, STORAGE } from './opaque.js';
import { READERS } from './pickle-objects.js';

/** The codes of `READERS`, by PyTorch's names of storages. */
const CODES: Readonly<Record<string, string>> = {
  DoubleStorage: 'f8',
  FloatStorage: 'f4',
  LongStorage: 'i8',
  IntStorage: 'i4',
};

/**
 * The number of a tensor without dimensions that `torch.save` wrote; undefined for anything else.
 *
 * @param storage The bytes of a storage by its key, lowest byte first; undefined if there are none, or more than 8.
 */
export function tensorNumber(
  { name, parts }: Opaque,
  storage: (key: string) => Uint8Array | undefined,
): number | undefined {
  const [stored, offset, size] = parts;
  if (name !== 'torch._utils._rebuild_tensor_v2' || offset !== 0) return undefined;
  if (!Array.isArray(size) || size.length > 0) return undefined;
  const [, type, key] = (stored as Opaque | undefined)?.name === STORAGE ? (stored as Opaque).parts : [];
  const code = CODES[String((type as Opaque | undefined)?.name).replace(/^torch /, '')];
  const bytes = code === undefined ? undefined : storage(String(key));
  if (code === undefined || bytes?.length !== Number(code.slice(1))) return undefined;
  return READERS[code](new DataView(bytes.buffer, bytes.byteOffset), true);
}
