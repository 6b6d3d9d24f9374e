/** For each byte, its contribution to a 32-bit CRC with polynomial 0x04c11db7, bits reflected. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** The CRC-32 of zip and PNG, computed incrementally. */
export class Crc32 {
  #crc = -1;

  add(bytes: Uint8Array): void {
    let crc = this.#crc;
    for (const byte of bytes) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 255];
    this.#crc = crc;
  }

  /** 0 … 2³² − 1. */
  get value(): number {
    return ~this.#crc >>> 0;
  }
}

/** The CRC-32 of zip and PNG, 0 … 2³² − 1. */
export function crc32(bytes: Uint8Array): number {
  const crc = new Crc32();
  crc.add(bytes);
  return crc.value;
}
