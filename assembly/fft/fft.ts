/**
 * Real FFT of n = 2⁴…2²² doubles, in place without a bit-reversal pass, or in natural order out of place (`fft-natural.ts`). `fft-passes.ts` has the
 * complex FFT of the N = n/2 numbers z_j = x_{2j} + i·x_{2j+1}.
 *
 * Packed spectrum: position p holds X_k at k = N·ρ(p), ρ the reversal of bits; position 0 holds (X_0, X_N), both real. The frequency N − k lies at
 * 3·2^j − 1 − p for p in [2^j, 2^{j+1}).
 *
 * Error: |X̂_k − X_k| ≤ e₁(n)·Σ|x_j|, e₁ as derived in compose.ts.
 */

import { closeEight, closeFour, closeTwo, openEight, openFour, openTwo } from './fft-edges.js';
import { packSpectrum, unpackSpectrum } from './fft-natural.js';
import { joinBlocks, joinQuads, splitBlocks, splitQuads } from './fft-passes.js';
import { repack, unpack } from './fft-real.js';
import { requireBlock } from '../lane/lanes.js';

/** Complex numbers of a leaf of the recursion: 2¹⁰·16 bytes stay in the first-level cache. */
/* @inline */ const LEAF: usize = 1024;

/**
 * All levels of the complex FFT of `count` neighbouring blocks of `size` complex numbers from block b on, the largest first. Errors: within e₁(n) of
 * compose.ts.
 */
function splitLevels(base: usize, size: usize, count: usize, b: usize, table: usize): void {
  while (size > 4) {
    splitBlocks(base, size << 2, count, b, table);
    size >>= 2;
    count <<= 2;
    b <<= 2;
  }
  splitQuads(base, count, b, table);
}

/**
 * The inverse of `splitLevels`, times `size`: all levels of `count` neighbouring blocks of `size` complex numbers from block b on, the smallest
 * first. Errors: within e₁(n) of compose.ts.
 */
function joinLevels(base: usize, size: usize, count: usize, b: usize, table: usize): void {
  let length: usize = 4;
  while (length < size) {
    length <<= 2;
    count <<= 2;
    b <<= 2;
  }
  joinQuads(base, count, b, table);
  for (let l: usize = 16; l <= size; l <<= 2) {
    count >>= 2;
    b >>= 2;
    joinBlocks(base, l << 2, count, b, table);
  }
}

/**
 * All radix-4 levels of an FFT of a block, or `back` those of the inverse. A depth-first recursion: each sub-block, or `count` neighbouring ones, is
 * finished while it is in cache. Errors: within e₁(n) of compose.ts.
 */
function tree(back: bool, base: usize, size: usize, count: usize, b: usize, table: usize): void {
  if (size <= LEAF) {
    if (back) joinLevels(base, size, count, b, table);
    else splitLevels(base, size, count, b, table);
    return;
  }
  const quarter = size << 2;
  if (!back) splitBlocks(base, quarter, 1, b, table);
  for (let k: usize = 0; k < 4; k++) tree(back, base + k * quarter, size >> 2, 1, (b << 2) + k, table);
  if (back) joinBlocks(base, quarter, 1, b, table);
}

/** Transforms all blocks that the outermost pass leaves, several of them together if they fit into the cache. Errors: e₁(n). */
function trees(back: bool, data: usize, part: usize, parts: usize, table: usize): void {
  const fitting = part < LEAF ? LEAF / part : 1;
  const run = fitting < parts ? fitting : parts;
  for (let k: usize = 0; k < parts; k += run) tree(back, data + k * (part << 4), part, run, k, table);
}

/** Radix of the outermost pass for so many complex numbers: 2, 4 or 8. */
/* @inline */ function outerParts(size: usize): usize {
  return size === 8 ? 2 : (size & 0x55555555) !== 0 ? 4 : 8;
}

/** Transforms n plain reals at `data`, as n/2 complex numbers, to their bit-reversed spectrum Z, in place. Errors: e₁(n). */
function splitAll(data: usize, n: usize, table: usize): void {
  const parts = outerParts(n >> 1);
  const part = (n >> 1) / parts;
  if (parts === 8) openEight(data, part << 4);
  else if (parts === 4) openFour(data, part << 4);
  else openTwo(data, part << 4);
  trees(false, data, part, parts, table);
}

/** Inverse of `splitAll`, times n/2. */
function joinAll(data: usize, n: usize, table: usize): void {
  const parts = outerParts(n >> 1);
  const part = (n >> 1) / parts;
  trees(true, data, part, parts, table);
  if (parts === 8) closeEight(data, part << 4);
  else if (parts === 4) closeFour(data, part << 4);
  else closeTwo(data, part << 4);
}

/** Transforms n plain reals at `data` to the packed spectrum, in place. */
export function forwardFft(table: usize, data: usize, n: usize): void {
  requireBlock(data, n);
  requireBlock(table, n >> 1);
  splitAll(data, n, table);
  unpack(data, n >> 1, table);
}

/** Transforms a packed spectrum to n plain reals, in place; normalised by 1/n. */
export function inverseFft(table: usize, data: usize, n: usize): void {
  requireBlock(data, n);
  requireBlock(table, n >> 1);
  repack(data, n >> 1, table, 1.0 / <f64>n);
  joinAll(data, n, table);
}

/**
 * Transforms n plain reals at `data`, which are overwritten, to X_0…X_{n/2} in natural order at `out`; or, if `isInverse`, these n + 2 numbers at `data`
 * to n plain reals at `out`, normalised by 1/n.
 */
export function transform(table: usize, data: usize, n: usize, out: usize, isInverse: bool): void {
  requireBlock(data, isInverse ? n + 2 : n);
  requireBlock(table, n >> 1);
  requireBlock(out, isInverse ? n : n + 2);
  if (isInverse) {
    packSpectrum(data, n >> 1, table, out);
    joinAll(out, n, table);
  } else {
    splitAll(data, n, table);
    unpackSpectrum(data, n >> 1, table, out);
  }
}
