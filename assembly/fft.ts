/**
 * Real FFT of n = 2⁴…2²² doubles, in place; no bit-reversal pass. See `fft-passes.ts` for the
 * complex core on N = n/2 numbers z_j = x_{2j} + i·x_{2j+1}.
 *
 * Packed spectrum: position p holds X_k at k = N·ρ(p) (bit reversal), pair split; position 0 holds
 * (X_0, X_N), both real. The frequency N − k lies at 3·2^j − 1 − p for p in [2^j, 2^{j+1}).
 *
 * Error: |X̂_k − X_k| ≤ e₁(n)·Σ|x_j|, e₁ as derived in src/reference/compose-bound.ts.
 */

import { closeEight, closeFour, closeTwo, openEight, openFour, openTwo } from './fft-edges';
import { evens, joinBlock, joinQuads, odds, splitBlock, splitQuads } from './fft-passes';

/** Complex numbers a leaf may have: 2¹⁰·16 bytes stay in the first-level cache. */
// @ts-expect-error: decorator
@inline const LEAF: usize = 1024;

/** Splits `count` neighbouring blocks of `size` numbers, from block b on, level by level. */
function splitLevels(base: usize, size: usize, count: usize, b: usize, table: usize): void {
  while (size > 4) {
    const bytes = size << 4;
    for (let k: usize = 0; k < count; k++) splitBlock(base + k * bytes, bytes >> 2, b + k, table);
    size >>= 2;
    count <<= 2;
    b <<= 2;
  }
  splitQuads(base, count, b, table);
}

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
    const bytes = l << 4;
    for (let k: usize = 0; k < count; k++) joinBlock(base + k * bytes, bytes >> 2, b + k, table);
  }
}

/** Depth first: every sub-block is finished while it is in cache. */
function splitTree(base: usize, size: usize, b: usize, table: usize): void {
  if (size <= LEAF) {
    splitLevels(base, size, 1, b, table);
    return;
  }
  const quarter = size << 2;
  splitBlock(base, quarter, b, table);
  for (let k: usize = 0; k < 4; k++) splitTree(base + k * quarter, size >> 2, (b << 2) + k, table);
}

function joinTree(base: usize, size: usize, b: usize, table: usize): void {
  if (size <= LEAF) {
    joinLevels(base, size, 1, b, table);
    return;
  }
  const quarter = size << 2;
  for (let k: usize = 0; k < 4; k++) joinTree(base + k * quarter, size >> 2, (b << 2) + k, table);
  joinBlock(base, quarter, b, table);
}

/** Parts the outermost pass makes: 2, 4 or 8. */
// @ts-expect-error: decorator
@inline
function outerParts(size: usize): usize {
  return size == 8 ? 2 : ctz(size) & 1 ? 8 : 4;
}

/** n plain reals at `data` to the packed spectrum, in place. */
export function forwardFft(data: usize, n: usize, table: usize): void {
  const size = n >> 1;
  const parts = outerParts(size);
  const part = size / parts;
  if (parts == 8) openEight(data, part << 4);
  else if (parts == 4) openFour(data, part << 4);
  else openTwo(data, part << 4);
  if (part <= LEAF) splitLevels(data, part, parts, 0, table);
  else for (let k: usize = 0; k < parts; k++) splitTree(data + k * (part << 4), part, k, table);
  unpack(data, size, table);
}

/** Packed spectrum to n plain reals, in place; normalised by 1/n. */
export function inverseFft(data: usize, n: usize, table: usize): void {
  const size = n >> 1;
  const parts = outerParts(size);
  const part = size / parts;
  repack(data, size, table);
  if (part <= LEAF) joinLevels(data, part, parts, 0, table);
  else for (let k: usize = 0; k < parts; k++) joinTree(data + k * (part << 4), part, k, table);
  if (parts == 8) closeEight(data, part << 4);
  else if (parts == 4) closeFour(data, part << 4);
  else closeTwo(data, part << 4);
}

/** Spectrum Z of the packed complex sequence to the spectrum X of the reals. */
function unpack(data: usize, size: usize, table: usize): void {
  const z0 = load<f64>(data);
  const z0i = load<f64>(data, 16);
  store<f64>(data, z0 + z0i);
  store<f64>(data, z0 - z0i, 16);
  store<f64>(data, -load<f64>(data, 24), 24);
  // Positions 2 and 3 are each other's conjugate and share one pair.
  {
    const wr = load<f64>(table, 16);
    const wi = load<f64>(table, 24);
    const ar = load<f64>(data, 32);
    const br = load<f64>(data, 40);
    const ai = load<f64>(data, 48);
    const bi = load<f64>(data, 56);
    const er = (ar + br) * 0.5;
    const ei = (ai - bi) * 0.5;
    const dr = (ar - br) * 0.5;
    const di = (ai + bi) * 0.5;
    const a = dr * wr - di * wi;
    const b = dr * wi + di * wr;
    store<f64>(data, er + b, 32);
    store<f64>(data, er - b, 40);
    store<f64>(data, ei - a, 48);
    store<f64>(data, -(ei + a), 56);
  }
  const half = f64x2.splat(0.5);
  const flip = f64x2(0.0, -0.0);
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 32;
    let w = table + (group << 3);
    for (; p < q; p += 32, q -= 32, w += 16) {
      const WR = v128.load(w);
      const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), flip);
      const ar = v128.load(p);
      const ai = v128.load(p, 16);
      let br = v128.load(q);
      let bi = v128.load(q, 16);
      br = v128.shuffle<f64>(br, br, 1, 0);
      bi = v128.shuffle<f64>(bi, bi, 1, 0);
      const er = f64x2.mul(f64x2.add(ar, br), half);
      const ei = f64x2.mul(f64x2.sub(ai, bi), half);
      const dr = f64x2.mul(f64x2.sub(ar, br), half);
      const di = f64x2.mul(f64x2.add(ai, bi), half);
      const a = f64x2.sub(f64x2.mul(dr, WR), f64x2.mul(di, WI));
      const b = f64x2.add(f64x2.mul(dr, WI), f64x2.mul(di, WR));
      v128.store(p, f64x2.add(er, b));
      v128.store(p, f64x2.sub(ei, a), 16);
      const yr = f64x2.sub(er, b);
      const yi = f64x2.neg(f64x2.add(ei, a));
      v128.store(q, v128.shuffle<f64>(yr, yr, 1, 0));
      v128.store(q, v128.shuffle<f64>(yi, yi, 1, 0), 16);
    }
  }
}

/** Inverse of `unpack`, times 1/size: scaled by the exact power of two 1/n. */
function repack(data: usize, size: usize, table: usize): void {
  const scale: f64 = 0.5 / <f64>size;
  const x0 = load<f64>(data);
  const xn = load<f64>(data, 16);
  store<f64>(data, (x0 + xn) * scale);
  store<f64>(data, (x0 - xn) * scale, 16);
  store<f64>(data, load<f64>(data, 8) * (2.0 * scale), 8);
  store<f64>(data, load<f64>(data, 24) * (-2.0 * scale), 24);
  {
    const wr = load<f64>(table, 16);
    const wi = load<f64>(table, 24);
    const ar = load<f64>(data, 32);
    const br = load<f64>(data, 40);
    const ai = load<f64>(data, 48);
    const bi = load<f64>(data, 56);
    const er = (ar + br) * scale;
    const ei = (ai - bi) * scale;
    const dr = (ar - br) * scale;
    const di = (ai + bi) * scale;
    const a = dr * wr + di * wi;
    const b = di * wr - dr * wi;
    store<f64>(data, er - b, 32);
    store<f64>(data, er + b, 40);
    store<f64>(data, ei + a, 48);
    store<f64>(data, a - ei, 56);
  }
  const S = f64x2.splat(scale);
  const flip = f64x2(0.0, -0.0);
  for (let group: usize = 4; group < size; group <<= 1) {
    let p = data + (group << 4);
    let q = p + (group << 4) - 32;
    let w = table + (group << 3);
    for (; p < q; p += 32, q -= 32, w += 16) {
      const WR = v128.load(w);
      const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), flip);
      const ar = v128.load(p);
      const ai = v128.load(p, 16);
      let br = v128.load(q);
      let bi = v128.load(q, 16);
      br = v128.shuffle<f64>(br, br, 1, 0);
      bi = v128.shuffle<f64>(bi, bi, 1, 0);
      const er = f64x2.mul(f64x2.add(ar, br), S);
      const ei = f64x2.mul(f64x2.sub(ai, bi), S);
      const dr = f64x2.mul(f64x2.sub(ar, br), S);
      const di = f64x2.mul(f64x2.add(ai, bi), S);
      const a = f64x2.add(f64x2.mul(dr, WR), f64x2.mul(di, WI));
      const b = f64x2.sub(f64x2.mul(di, WR), f64x2.mul(dr, WI));
      v128.store(p, f64x2.sub(er, b));
      v128.store(p, f64x2.add(ei, a), 16);
      const yr = f64x2.add(er, b);
      const yi = f64x2.sub(a, ei);
      v128.store(q, v128.shuffle<f64>(yr, yr, 1, 0));
      v128.store(q, v128.shuffle<f64>(yi, yi, 1, 0), 16);
    }
  }
}

/** The next position in bit-reversed counting: adds 1 at the top bit of `bits` and carries downward. */
// @ts-expect-error: decorator
@inline
function nextReversed(k: usize, top: usize): usize {
  while (k & top) {
    k ^= top;
    top >>= 1;
  }
  return k | top;
}

/** A square of 16 × 16 complex numbers, by which bit reversal is done. */
const TILE: usize = memory.data(4096, 16);

// @ts-expect-error: decorator
@inline
function reversed4(k: usize): usize {
  return ((k & 1) << 3) | ((k & 2) << 1) | ((k & 4) >> 1) | (k >> 3);
}

/** Copies 16 complex numbers: memory.copy is a call out of the module, too dear for so few. */
// @ts-expect-error: decorator
@inline
function copyRun(to: usize, from: usize): void {
  for (let at: usize = 0; at < 256; at += 32) {
    const first = v128.load(from + at);
    const second = v128.load(from + at, 16);
    v128.store(to + at, first);
    v128.store(to + at, second, 16);
  }
}

/**
 * Packed spectrum to X_0…X_{n/2} in natural order, (re, im) interleaved: n + 2 numbers.
 *
 * Position p = (a, m, c), with a and c its first and last 4 bits, goes to (c', m', a'), primes reversing bits.
 * For each m the 16 runs of 16 numbers that differ in a and c are read whole into a tile and written whole from it:
 * single numbers scattered at powers of two would each load a cache line of their own, in the same few sets.
 */
export function spectrumToNatural(data: usize, n: usize, out: usize): void {
  const size = n >> 1;
  if (size < 256) scatterToNatural(data, size, out);
  else tilesToNatural(data, size, out);
  store<f64>(out + (size << 4), load<f64>(out, 8));
  store<f64>(out + (size << 4), 0.0, 8);
  store<f64>(out, 0.0, 8);
}

function scatterToNatural(data: usize, size: usize, out: usize): void {
  let k: usize = 0;
  for (let p: usize = 0; p < size; p++) {
    const from = data + ((p >> 1) << 5) + ((p & 1) << 3);
    store<f64>(out + (k << 4), load<f64>(from));
    store<f64>(out + (k << 4), load<f64>(from, 16), 8);
    k = nextReversed(k, size >> 1);
  }
}

function tilesToNatural(data: usize, size: usize, out: usize): void {
  const middles = size >> 8;
  /** Bytes between runs. */
  const stride = size;
  let reversed: usize = 0;
  for (let m: usize = 0; m < middles; m++) {
    for (let a: usize = 0; a < 16; a++) {
      const from = data + a * stride + (m << 8);
      const to = TILE + (reversed4(a) << 4);
      for (let c: usize = 0; c < 16; c += 2) {
        const re = v128.load(from + (c << 4));
        const im = v128.load(from + (c << 4), 16);
        v128.store(to + (reversed4(c) << 8), evens(re, im));
        v128.store(to + (reversed4(c + 1) << 8), odds(re, im));
      }
    }
    for (let c: usize = 0; c < 16; c++) copyRun(out + c * stride + (reversed << 8), TILE + (c << 8));
    if (middles > 1) reversed = nextReversed(reversed, middles >> 1);
  }
}

/** Inverse of `spectrumToNatural`; the imaginary parts of X_0 and X_{n/2} are ignored. */
export function spectrumFromNatural(spectrum: usize, n: usize, data: usize): void {
  const size = n >> 1;
  if (size < 256) scatterFromNatural(spectrum, size, data);
  else tilesFromNatural(spectrum, size, data);
  store<f64>(data, load<f64>(spectrum + (size << 4)), 16);
}

function scatterFromNatural(spectrum: usize, size: usize, data: usize): void {
  let k: usize = 0;
  for (let p: usize = 0; p < size; p++) {
    const to = data + ((p >> 1) << 5) + ((p & 1) << 3);
    store<f64>(to, load<f64>(spectrum + (k << 4)));
    store<f64>(to, load<f64>(spectrum + (k << 4), 8), 16);
    k = nextReversed(k, size >> 1);
  }
}

function tilesFromNatural(spectrum: usize, size: usize, data: usize): void {
  const middles = size >> 8;
  const stride = size;
  let reversed: usize = 0;
  for (let m: usize = 0; m < middles; m++) {
    for (let c: usize = 0; c < 16; c++) copyRun(TILE + (c << 8), spectrum + c * stride + (reversed << 8));
    for (let a: usize = 0; a < 16; a++) {
      const to = data + a * stride + (m << 8);
      const from = TILE + (reversed4(a) << 4);
      for (let c: usize = 0; c < 16; c += 2) {
        const even = v128.load(from + (reversed4(c) << 8));
        const odd = v128.load(from + (reversed4(c + 1) << 8));
        v128.store(to + (c << 4), evens(even, odd));
        v128.store(to + (c << 4), odds(even, odd), 16);
      }
    }
    if (middles > 1) reversed = nextReversed(reversed, middles >> 1);
  }
}
