/** DEFLATE (RFC 1951), decoded into a buffer whose size is known beforehand: nothing can grow. */

import { InputSyntaxError } from '../errors.js';

const BROKEN = 'it is a zip archive, but its compressed data is broken';

/** Code lengths' own code lengths stand in this order (RFC 1951 §3.2.7). */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_BITS = 15;

/** A canonical Huffman code: how many codes there are of each length, and the symbols in order of their codes. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/**
 * @param size Bytes that come out, as the archive states it.
 * @throws SyntaxError if the data is broken or yields more or fewer bytes.
 */
export function inflate(data: Uint8Array, size: number): Uint8Array {
  const input = new BitReader(data);
  const output = new Uint8Array(size);
  let at = 0;
  for (let last = false; !last; ) {
    last = input.bits(1) === 1;
    switch (input.bits(2)) {
      case 0:
        at = copyStored(input, output, at);
        break;
      case 1:
        at = decodeBlock(input, output, at, FIXED_LITERALS, FIXED_DISTANCES);
        break;
      case 2: {
        const [literals, distances] = readCodes(input);
        at = decodeBlock(input, output, at, literals, distances);
        break;
      }
      default:
        throw new InputSyntaxError(BROKEN);
    }
  }
  if (at !== size)
    throw new InputSyntaxError(`it is a zip archive, but ${at} bytes are in it where it states ${size}`);
  return output;
}

class BitReader {
  private at = 0;
  private held = 0;
  private count = 0;

  constructor(private readonly data: Uint8Array) {}

  /** The next `n` ≤ 16 bits, lowest first. */
  bits(n: number): number {
    while (this.count < n) {
      if (this.at >= this.data.length) throw new InputSyntaxError(`${BROKEN}: it ends too early`);
      this.held |= this.data[this.at++] << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << n) - 1);
    this.held >>>= n;
    this.count -= n;
    return value;
  }

  /** The next `n` whole bytes, past what is left of the current one. */
  bytes(n: number): Uint8Array {
    if (this.at + n > this.data.length) throw new InputSyntaxError(`${BROKEN}: it ends too early`);
    this.at += n;
    return this.data.subarray(this.at - n, this.at);
  }

  alignToByte(): void {
    this.held = 0;
    this.count = 0;
  }

  symbol({ counts, symbols }: Code): number {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= MAX_BITS; length++) {
      code |= this.bits(1);
      const count = counts[length];
      if (code - first < count) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new InputSyntaxError(BROKEN);
  }
}

function codeOf(lengths: ArrayLike<number>): Code {
  const counts = new Uint16Array(MAX_BITS + 1);
  for (let i = 0; i < lengths.length; i++) counts[lengths[i]]++;
  counts[0] = 0;
  let free = 1;
  const next = new Uint16Array(MAX_BITS + 2);
  for (let length = 1; length <= MAX_BITS; length++) {
    free = free * 2 - counts[length];
    if (free < 0) throw new InputSyntaxError(BROKEN);
    next[length + 1] = next[length] + counts[length];
  }
  const symbols = new Uint16Array(lengths.length);
  for (let i = 0; i < lengths.length; i++) if (lengths[i] > 0) symbols[next[lengths[i]]++] = i;
  return { counts, symbols };
}

const FIXED_LITERALS = codeOf(
  Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
);
const FIXED_DISTANCES = codeOf(new Array(30).fill(5));

function readCodes(input: BitReader): [Code, Code] {
  const literals = input.bits(5) + 257;
  const distances = input.bits(5) + 1;
  const given = input.bits(4) + 4;
  if (literals > 286 || distances > 30) throw new InputSyntaxError(BROKEN);
  const own = new Uint8Array(19);
  for (let i = 0; i < given; i++) own[LENGTH_ORDER[i]] = input.bits(3);
  const code = codeOf(own);
  const lengths = new Uint8Array(literals + distances);
  for (let i = 0; i < lengths.length; ) {
    const symbol = input.symbol(code);
    if (symbol < 16) {
      lengths[i++] = symbol;
      continue;
    }
    if (symbol === 16 && i === 0) throw new InputSyntaxError(BROKEN);
    const value = symbol === 16 ? lengths[i - 1] : 0;
    const times = symbol === 16 ? 3 + input.bits(2) : symbol === 17 ? 3 + input.bits(3) : 11 + input.bits(7);
    if (i + times > lengths.length) throw new InputSyntaxError(BROKEN);
    lengths.fill(value, i, i + times);
    i += times;
  }
  return [codeOf(lengths.subarray(0, literals)), codeOf(lengths.subarray(literals))];
}

function copyStored(input: BitReader, output: Uint8Array, at: number): number {
  input.alignToByte();
  const [a, b, c, d] = input.bytes(4);
  const length = a | (b << 8);
  if (length !== ((c | (d << 8)) ^ 0xffff)) throw new InputSyntaxError(BROKEN);
  requireRoom(output, at + length);
  output.set(input.bytes(length), at);
  return at + length;
}

function decodeBlock(
  input: BitReader,
  output: Uint8Array,
  start: number,
  literals: Code,
  distances: Code,
): number {
  let at = start;
  for (;;) {
    const symbol = input.symbol(literals);
    if (symbol === 256) return at;
    if (symbol < 256) {
      requireRoom(output, at + 1);
      output[at++] = symbol;
      continue;
    }
    const length = runLength(input, symbol);
    const distance = runDistance(input, input.symbol(distances));
    if (distance > at) throw new InputSyntaxError(BROKEN);
    requireRoom(output, at + length);
    for (let i = 0; i < length; i++, at++) output[at] = output[at - distance];
  }
}

/** Lengths 3 … 10 singly, then four to each number of extra bits; 285 is 258. */
function runLength(input: BitReader, symbol: number): number {
  const i = symbol - 257;
  if (i < 8) return 3 + i;
  if (i === 28) return 258;
  if (i > 28) throw new InputSyntaxError(BROKEN);
  const extra = (i >> 2) - 1;
  return 3 + ((4 + (i & 3)) << extra) + input.bits(extra);
}

/** Distances 1 … 4 singly, then two to each number of extra bits. */
function runDistance(input: BitReader, symbol: number): number {
  if (symbol < 4) return 1 + symbol;
  if (symbol > 29) throw new InputSyntaxError(BROKEN);
  const extra = (symbol >> 1) - 1;
  return 1 + ((2 + (symbol & 1)) << extra) + input.bits(extra);
}

function requireRoom(output: Uint8Array, end: number): void {
  if (end > output.length) {
    throw new InputSyntaxError(
      `it is a zip archive that unpacks to more than the ${output.length} bytes it states`,
    );
  }
}
