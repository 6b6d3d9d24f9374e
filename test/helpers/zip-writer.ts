import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string;
  readonly content: Uint8Array;
  readonly deflate?: boolean;
  /** What the archive states in place of the truth. */
  readonly stated?: {
    readonly size?: number;
    readonly packed?: number;
    readonly crc?: number;
    readonly method?: number;
    readonly flags?: number;
  };
}

/** A zip archive, possibly a lying one. */
export function zip(parts: readonly ZipPart[]): Uint8Array {
  const bodies: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, content, deflate = false, stated = {} } of parts) {
    const nameBytes = new TextEncoder().encode(name);
    const packed = deflate ? deflateRawSync(content) : content;
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true);
    common.setUint16(2, stated.flags ?? 0, true);
    common.setUint16(4, stated.method ?? (deflate ? 8 : 0), true);
    common.setUint32(10, stated.crc ?? crcOf(content), true);
    common.setUint32(14, stated.packed ?? packed.length, true);
    common.setUint32(18, stated.size ?? content.length, true);
    common.setUint16(22, nameBytes.length, true);
    const fields = new Uint8Array(common.buffer);
    bodies.push(concat([le32(0x04034b50), fields, nameBytes, packed]));
    directory.push(
      concat([le32(0x02014b50), Uint8Array.of(20, 0), fields, new Uint8Array(10), le32(offset), nameBytes]),
    );
    offset += bodies.at(-1)!.length;
  }
  const listed = concat(directory);
  const end = concat([
    le32(0x06054b50),
    new Uint8Array(4),
    le16(parts.length),
    le16(parts.length),
    le32(listed.length),
    le32(offset),
    le16(0),
  ]);
  return concat([...bodies, listed, end]);
}

function crcOf(bytes: Uint8Array): number {
  if (typeof crc32 === 'function') return crc32(bytes);
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

function le16(x: number): Uint8Array {
  return Uint8Array.of(x & 255, x >>> 8);
}

function le32(x: number): Uint8Array {
  return Uint8Array.of(x & 255, (x >>> 8) & 255, (x >>> 16) & 255, x >>> 24);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
