import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { unpacked } from '../../src/page/lzma.js';
import { seeded } from '../helpers/random.js';

const { compress } = createRequire(import.meta.url)('lzma') as {
  compress(bytes: readonly number[], mode: number): number[];
};

const random = seeded(32);
const byte = () => Math.floor(256 * random());
const noise = (length: number) => Array.from({ length }, byte);
const text = (length: number) => Array.from({ length }, () => 97 + Math.floor(26 * random() ** 4));

/** Pieces of what came before, from any distance, with single bytes changed: every kind of match and of literal after one. */
function repeating(length: number): number[] {
  const bytes = text(64);
  while (bytes.length < length) {
    const far = Math.ceil(bytes.length ** random());
    const from = bytes.length - far;
    bytes.push(...bytes.slice(from, from + 2 + Math.floor(400 * random() ** 3)));
    if (random() < 0.5) bytes.push(byte());
  }
  return bytes;
}

describe('unpacked', () => {
  it.each([
    ['one byte', [7]],
    ['one byte many times', Array.from({ length: 5000 }, () => 0)],
    ['two bytes in turn', Array.from({ length: 999 }, (_, i) => i % 2)],
    ['noise', noise(20_000)],
    ['letters', text(20_000)],
    ['repeats', repeating(60_000)],
    ['repeats after noise', [...noise(70_000), ...repeating(1000), ...noise(10)]],
  ])('gives back %s', (_, bytes) => {
    const packed = Uint8Array.from(compress(bytes, 4));
    expect(Buffer.compare(unpacked(packed), Uint8Array.from(bytes))).toBe(0);
  });
});
