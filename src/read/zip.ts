import { inflateSync } from 'fflate/browser';
import { InputSyntaxError, quotable } from '../errors.js';
import { crc32 } from '../numeric/crc32.js';
import type { ByteSource } from './byte-source.js';

/** Greatest size in bytes of a central directory that is read; those of checkpoints are smaller. */
const MAX_DIRECTORY_BYTES = 32 * 1024 * 1024;
/** Length in bytes of the end record with the longest comment: the record is searched in so many bytes at the end. */
const END_SEARCH = 22 + 0xffff;

/** Signatures of records (APPNOTE.TXT, 4.3). */
const END = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/**
 * Lists a zip archive (APPNOTE 6.3, zip64 included) from its central directory alone.
 *
 * @throws SyntaxError if the archive is cut or broken, or its directory is larger than 32 MiB.
 */
export function zipEntries(source: ByteSource): ZipEntry[] {
  const { offset, size } = directoryOf(source);
  if (size > MAX_DIRECTORY_BYTES) {
    throw new InputSyntaxError(
      `it is a zip archive whose directory has ${size} bytes, more than any checkpoint's`,
    );
  }
  const view = viewOf(source, offset, size);
  const entries: ZipEntry[] = [];
  for (let at = 0; at < size; ) {
    if (at + 46 > size || view.getUint32(at, true) !== ENTRY) throw broken('its directory is broken');
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const end = at + 46 + nameLength + extraLength + view.getUint16(at + 32, true);
    if (end > size) throw broken('its directory is broken');
    entries.push(entryAt(view, at, nameLength, extraLength));
    at = end;
  }
  return entries;
}

/**
 * The content of one entry.
 *
 * @throws SyntaxError if it is larger than `maxBytes` (stated or real), encrypted, broken, or packed by
 * anything but deflate.
 */
export function readZipEntry(source: ByteSource, entry: ZipEntry, maxBytes: number): Uint8Array {
  const { method, packed, size, offset } = entry;
  const name = quotable(entry.name);
  if (entry.encrypted) throw broken(`${name} in it is encrypted`);
  if (size > maxBytes || packed > maxBytes) {
    throw broken(`${name} in it states ${Math.max(size, packed)} bytes, more than the ${maxBytes} allowed`);
  }
  const header = viewOf(source, offset, 30);
  if (header.getUint32(0, true) !== LOCAL) throw broken(`${name} in it is not where its directory says`);
  const start = offset + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const data = slice(source, start, packed);
  if (method !== 0 && method !== 8) throw broken(`${name} in it is packed by method ${method}, not deflate`);
  if (method === 0 && packed !== size) throw broken(`${name} in it has two different sizes`);
  const content = method === 0 ? data : inflate(data, size);
  if (crc32(content) !== entry.crc) throw broken(`${name} in it does not match its checksum`);
  return content;
}

function broken(what: string): SyntaxError {
  return new InputSyntaxError(`it is a zip archive, but ${what}`);
}

function slice(source: ByteSource, offset: number, length: number): Uint8Array {
  if (!(offset >= 0 && length >= 0 && offset + length <= source.size)) throw broken('it is cut or broken');
  return source.read(offset, length);
}

function viewOf(source: ByteSource, offset: number, length: number): DataView {
  const bytes = slice(source, offset, length);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function directoryOf(source: ByteSource): { offset: number; size: number } {
  const length = Math.min(source.size, END_SEARCH);
  const base = source.size - length;
  const tail = viewOf(source, base, length);
  for (let at = length - 22; at >= 0; at--) {
    if (tail.getUint32(at, true) !== END) continue;
    const size = tail.getUint32(at + 12, true);
    const offset = tail.getUint32(at + 16, true);
    const locator = at - 20;
    if (locator >= 0 && tail.getUint32(locator, true) === END64_LOCATOR) {
      const end64 = viewOf(source, uint64(tail, locator + 8), 56);
      if (end64.getUint32(0, true) !== END64) throw broken('it is cut or broken');
      return { size: uint64(end64, 40), offset: uint64(end64, 48) };
    }
    return { size, offset };
  }
  throw broken('it has no directory at its end; is it truncated?');
}

function entryAt(view: DataView, at: number, nameLength: number, extraLength: number): ZipEntry {
  const nameBytes = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength);
  const extra = new DataView(view.buffer, view.byteOffset + at + 46 + nameLength, extraLength);
  const wide = wideFields(extra);
  // Sizes and offsets that do not fit 32 bits are in the zip64 extra field. Their order there is that of the calls below.
  const field = (narrow: number): number => {
    if (narrow !== 0xffffffff) return narrow;
    const value = wide.shift();
    if (value === undefined) throw broken('its directory is broken');
    return value;
  };
  const size = field(view.getUint32(at + 24, true));
  const packed = field(view.getUint32(at + 20, true));
  return {
    name: new TextDecoder().decode(nameBytes),
    method: view.getUint16(at + 10, true),
    encrypted: (view.getUint16(at + 8, true) & 1) === 1,
    crc: view.getUint32(at + 16, true),
    packed,
    size,
    offset: field(view.getUint32(at + 42, true)),
  };
}

/** The 64-bit numbers of the zip64 extra field. */
function wideFields(extra: DataView): number[] {
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const length = extra.getUint16(at + 2, true);
    if (extra.getUint16(at, true) === 1 && at + 4 + length <= extra.byteLength) {
      return Array.from({ length: Math.min(3, Math.floor(length / 8)) }, (_, i) =>
        uint64(extra, at + 4 + 8 * i),
      );
    }
    at += 4 + length;
  }
  return [];
}

/** Above 2⁵³ the number is rounded, but no file is that large. */
function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

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
    // fflate drops what does not fit: one byte more than expected shows that the data are too long
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
