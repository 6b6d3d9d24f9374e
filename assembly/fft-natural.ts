/**
 * Between Z in bit-reversed order (`fft-real.ts`) and the spectrum X of the reals in natural order, (re, im)
 * interleaved: unpacking and the change of order in one pass.
 *
 * Position p = (a, m, c), with a and c its first and last 4 bits, goes to k = (c', m', a'), primes reversing bits, and
 * where a ≥ 4 its partner N − k comes from (a~, not m, not c), a~ that of the unpacking. The four a of equal last bits
 * g fill a cache line of X, and their partners, of last bits 3 − g, another. Each is written or read whole: single
 * numbers scattered at powers of two would load and lose their lines again and again. Positions with a < 4 are
 * unpacked in place.
 */

import { evens, FLIP, odds } from './fft-passes.js';
import { repack, unpack } from './fft-real.js';

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

/** For c = 0, 2, … 14 half of c with its 4 bits reversed. */
const ROWS: usize = memory.data<u8>([0, 4, 2, 6, 1, 5, 3, 7]);

/** Z at `data` (N = `size` numbers), which is overwritten, to X_0…X_N at `out`: n + 2 numbers. */
export function unpackSpectrum(data: usize, size: usize, table: usize, out: usize): void {
  if (size < 256) {
    unpack(data, size, table);
    scatterToNatural(data, size, out);
  } else if (out == data) {
    unpack(data, size >> 2, table);
    inPlace(data, size, table, 0.0);
  } else {
    unpack(data, size >> 2, table);
    const most = (size >> 8) - 1;
    for (let k: usize = 0, m: usize = 0; k <= most; k++, m = nextReversed(m, (most + 1) >> 1)) {
      for (let g: usize = 0; g < 2; g++) {
        const p = data + g * size + (m << 8);
        const q = data + (3 - g) * size + ((most - m) << 8) + 224;
        const line = out + (k << 8) + (g << 7);
        const partner = out + 15 * size + ((most - k) << 8) + 192 - (g << 7);
        unpackLines(p, q, table + ((p - data) >> 1), line, partner, size << 2, size);
      }
    }
  }
  store<f64>(out + (size << 4), load<f64>(out, 8));
  store<f64>(out + (size << 4), 0.0, 8);
  store<f64>(out, 0.0, 8);
}

/**
 * The numbers of lines at (0, m', a') from positions p = (g, m, 0) on, and of their partners from q on downwards;
 * `four` bytes lie between positions whose a differ by 4.
 * V8 computes whatever is the same for all c again for each: the caller does it.
 */
function unpackLines(
  p: usize,
  q: usize,
  w: usize,
  line: usize,
  partner: usize,
  four: usize,
  size: usize,
): void {
  for (let r = ROWS; r < ROWS + 8; r++, p += 32, q -= 32, w += 16) {
    const row = <usize>load<u8>(r) * size;
    const to = line + row;
    const odd = to + (size << 3);
    const toPartner = partner - row;
    const oddPartner = toPartner - (size << 3);
    let re = v128.load(p);
    let im = v128.load(p, 16);
    v128.store(to, evens(re, im));
    v128.store(odd, odds(re, im));
    re = v128.load(q);
    im = v128.load(q, 16);
    v128.store(oddPartner, evens(re, im));
    v128.store(toPartner, odds(re, im));
    const p2 = p + (four << 1);
    const q2 = q + (four << 1);
    unpackPair(p + four, q + four, w + (size << 1), to, odd, toPartner, oddPartner, 32, 32);
    unpackPair(p2, q2 + four, w + (size << 2), to, odd, toPartner, oddPartner, 16, 48);
    unpackPair(p2 + four, q2, w + 6 * size, to, odd, toPartner, oddPartner, 48, 16);
  }
}

/** Two pairs of tiles m and not m: 16 runs of 16 numbers each. */
const TILES: usize = memory.data(16384, 64);

/**
 * The same where X takes the place of Z: the lines of tiles m and not m go to tiles m' and not m', those of these to
 * m and not m, and meanwhile one or both pairs wait in TILES. Unpacks where scale = 0, packs otherwise.
 */
function inPlace(data: usize, size: usize, table: usize, scale: f64): void {
  const most = (size >> 8) - 1;
  for (let k: usize = 0, m: usize = 0; k <= most >> 1; k++, m = nextReversed(m, (most + 1) >> 1)) {
    const other = min(m, most - m);
    if (other < k) continue;
    if (scale == 0.0) {
      moveTiles(data, size, k, most, false, TILES);
      if (other > k) moveTiles(data, size, other, most, false, TILES + 8192);
    }
    tileLines(data, size, table, k, m, most, scale, TILES);
    if (other > k) {
      tileLines(data, size, table, other, other == m ? k : most - k, most, scale, TILES + 8192);
    }
    if (scale != 0.0) {
      moveTiles(data, size, k, most, true, TILES);
      if (other > k) moveTiles(data, size, other, most, true, TILES + 8192);
    }
  }
}

/** Tiles m and not m of `data` to `tiles`, or back. */
function moveTiles(data: usize, size: usize, m: usize, most: usize, back: bool, tiles: usize): void {
  for (let row: usize = 0; row < 32; row++) {
    const run = data + (row & 15) * size + ((row < 16 ? m : most - m) << 8);
    const tile = tiles + (row << 8);
    const from = back ? tile : run;
    const to = back ? run : tile;
    for (let at: usize = 0; at < 256; at += 32) {
      const first = v128.load(from + at);
      const second = v128.load(from + at, 16);
      v128.store(to + at, first);
      v128.store(to + at, second, 16);
    }
  }
}

/** The lines of tiles m and not m, at `tiles`, whose reverse is k. */
function tileLines(
  data: usize,
  size: usize,
  table: usize,
  m: usize,
  k: usize,
  most: usize,
  scale: f64,
  tiles: usize,
): void {
  for (let half: usize = 0; half < 4; half++) {
    const g = half & 1;
    const far = half & 2 ? 4096 : 0;
    const p = tiles + far + (g << 8);
    const q = tiles + (far ^ 4096) + ((3 - g) << 8) + 224;
    const mm = half & 2 ? most - m : m;
    const kk = half & 2 ? most - k : k;
    const w = table + ((g * size + (mm << 8)) >> 1);
    const line = data + (kk << 8) + (g << 7);
    const partner = data + 15 * size + ((most - kk) << 8) + 192 - (g << 7);
    if (scale == 0.0) unpackLines(p, q, w, line, partner, 1024, size);
    else packLines(p, q, w, line, partner, 1024, size, scale);
  }
}

// @ts-expect-error: decorator
@inline
function unpackPair(
  p: usize,
  q: usize,
  w: usize,
  to: usize,
  odd: usize,
  toPartner: usize,
  oddPartner: usize,
  slot: usize,
  slotPartner: usize,
): void {
  const half = f64x2.splat(0.5);
  const WR = v128.load(w);
  const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), v128.load(FLIP));
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
  let re = f64x2.add(er, b);
  let im = f64x2.sub(ei, a);
  v128.store(to + slot, evens(re, im));
  v128.store(odd + slot, odds(re, im));
  re = f64x2.sub(er, b);
  im = f64x2.neg(f64x2.add(ei, a));
  v128.store(toPartner + slotPartner, evens(re, im));
  v128.store(oddPartner + slotPartner, odds(re, im));
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

/** Inverse of `unpackSpectrum`, times 1/N; the imaginary parts of X_0 and X_N are ignored. */
export function packSpectrum(spectrum: usize, size: usize, table: usize, data: usize): void {
  const scale: f64 = 0.5 / <f64>size;
  if (size < 256) scatterFromNatural(spectrum, size, data);
  else if (spectrum == data) inPlace(data, size, table, scale);
  else {
    const most = (size >> 8) - 1;
    for (let k: usize = 0, m: usize = 0; k <= most; k++, m = nextReversed(m, (most + 1) >> 1)) {
      for (let g: usize = 0; g < 2; g++) {
        const p = data + g * size + (m << 8);
        const q = data + (3 - g) * size + ((most - m) << 8) + 224;
        const line = spectrum + (k << 8) + (g << 7);
        const partner = spectrum + 15 * size + ((most - k) << 8) + 192 - (g << 7);
        packLines(p, q, table + ((p - data) >> 1), line, partner, size << 2, size, scale);
      }
    }
  }
  store<f64>(data, load<f64>(spectrum + (size << 4)), 16);
  repack(data, size < 256 ? size : size >> 2, table, scale);
}

/** Inverse of `unpackLines`. */
function packLines(
  p: usize,
  q: usize,
  w: usize,
  line: usize,
  partner: usize,
  four: usize,
  size: usize,
  scale: f64,
): void {
  for (let r = ROWS; r < ROWS + 8; r++, p += 32, q -= 32, w += 16) {
    const row = <usize>load<u8>(r) * size;
    const from = line + row;
    const odd = from + (size << 3);
    const fromPartner = partner - row;
    const oddPartner = fromPartner - (size << 3);
    let even = v128.load(from);
    let next = v128.load(odd);
    v128.store(p, evens(even, next));
    v128.store(p, odds(even, next), 16);
    even = v128.load(oddPartner);
    next = v128.load(fromPartner);
    v128.store(q, evens(even, next));
    v128.store(q, odds(even, next), 16);
    const p2 = p + (four << 1);
    const q2 = q + (four << 1);
    packPair(p + four, q + four, w + (size << 1), from, odd, fromPartner, oddPartner, 32, 32, scale);
    packPair(p2, q2 + four, w + (size << 2), from, odd, fromPartner, oddPartner, 16, 48, scale);
    packPair(p2 + four, q2, w + 6 * size, from, odd, fromPartner, oddPartner, 48, 16, scale);
  }
}

// @ts-expect-error: decorator
@inline
function packPair(
  p: usize,
  q: usize,
  w: usize,
  from: usize,
  odd: usize,
  fromPartner: usize,
  oddPartner: usize,
  slot: usize,
  slotPartner: usize,
  scale: f64,
): void {
  const S = f64x2.splat(scale);
  const WR = v128.load(w);
  const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), v128.load(FLIP));
  let even = v128.load(from + slot);
  let next = v128.load(odd + slot);
  const ar = evens(even, next);
  const ai = odds(even, next);
  even = v128.load(fromPartner + slotPartner);
  next = v128.load(oddPartner + slotPartner);
  const br = evens(even, next);
  const bi = odds(even, next);
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

function scatterFromNatural(spectrum: usize, size: usize, data: usize): void {
  let k: usize = 0;
  for (let p: usize = 0; p < size; p++) {
    const to = data + ((p >> 1) << 5) + ((p & 1) << 3);
    store<f64>(to, load<f64>(spectrum + (k << 4)));
    store<f64>(to, load<f64>(spectrum + (k << 4), 8), 16);
    k = nextReversed(k, size >> 1);
  }
}
