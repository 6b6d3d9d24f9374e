/** Bytes with random access: a file that need not be read whole, or an array. */
export interface ByteSource {
  /** Number of bytes. */
  readonly size: number;
  /** The `length` bytes from `offset`; both lie within `size`. */
  read(offset: number, length: number): Uint8Array;
}

export function bytesInMemory(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}
