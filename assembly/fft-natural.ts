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

import { evens, odds } from './fft-passes';
import { repack, unpack } from './fft-real';

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

/** Z at `data` (N = `size` numbers), which is overwritten, to X_0…X_N at `out`: n + 2 numbers. */
export function unpackSpectrum(data: usize, size: usize, table: usize, out: usize): void {
  if (size < 256) {
    unpack(data, size, table);
    scatterToNatural(data, size, out);
  } else {
    unpack(data, size >> 2, table);
    const most = (size >> 8) - 1;
    for (let k: usize = 0, m: usize = 0; k <= most; k++, m = nextReversed(m, (most + 1) >> 1)) {
      for (let g: usize = 0; g < 2; g++) unpackLines(data, size, table, out, g, m << 8, k << 8, most << 8);
    }
  }
  store<f64>(out + (size << 4), load<f64>(out, 8));
  store<f64>(out + (size << 4), 0.0, 8);
  store<f64>(out, 0.0, 8);
}

/** The lines of positions (a, m, c) with a ≡ g mod 4 and of their partners; m and its reverse k times 256 bytes. */
function unpackLines(
  data: usize,
  size: usize,
  table: usize,
  out: usize,
  g: usize,
  m: usize,
  k: usize,
  most: usize,
): void {
  let p = data + g * size + m;
  let q = data + (3 - g) * size + most - m + 224;
  let w = table + ((g * size + m) >> 1);
  const line = out + k + (g << 7);
  const partner = out + 15 * size + most - k + 192 - (g << 7);
  const four = size << 2;
  const jump = size << 3;
  for (let c: usize = 0; c < 16; c += 2, p += 32, q -= 32, w += 16) {
    const row = reversed4(c) * size;
    const to = line + row;
    const toPartner = partner - row;
    storePair(to, jump, v128.load(p), v128.load(p, 16));
    storePair(toPartner - jump, jump, v128.load(q), v128.load(q, 16));
    unpackPair(p + four, q + four, w + (four >> 1), to + 32, toPartner + 32, jump);
    unpackPair(p + 2 * four, q + 3 * four, w + four, to + 16, toPartner + 48, jump);
    unpackPair(p + 3 * four, q + 2 * four, w + 3 * (four >> 1), to + 48, toPartner + 16, jump);
  }
}

// @ts-expect-error: decorator
@inline
function storePair(to: usize, jump: usize, re: v128, im: v128): void {
  v128.store(to, evens(re, im));
  v128.store(to + jump, odds(re, im));
}

// @ts-expect-error: decorator
@inline
function unpackPair(p: usize, q: usize, w: usize, to: usize, toPartner: usize, jump: usize): void {
  const half = f64x2.splat(0.5);
  const WR = v128.load(w);
  const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), f64x2(0.0, -0.0));
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
  storePair(to, jump, f64x2.add(er, b), f64x2.sub(ei, a));
  storePair(toPartner, -jump, f64x2.sub(er, b), f64x2.neg(f64x2.add(ei, a)));
}

// @ts-expect-error: decorator
@inline
function reversed4(k: usize): usize {
  return ((k & 1) << 3) | ((k & 2) << 1) | ((k & 4) >> 1) | (k >> 3);
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
  else {
    const most = (size >> 8) - 1;
    for (let k: usize = 0, m: usize = 0; k <= most; k++, m = nextReversed(m, (most + 1) >> 1)) {
      for (let g: usize = 0; g < 2; g++) {
        repackLines(spectrum, size, table, data, g, m << 8, k << 8, most << 8, scale);
      }
    }
  }
  store<f64>(data, load<f64>(spectrum + (size << 4)), 16);
  repack(data, size < 256 ? size : size >> 2, table, scale);
}

/** Inverse of `unpackLines`. */
function repackLines(
  spectrum: usize,
  size: usize,
  table: usize,
  data: usize,
  g: usize,
  m: usize,
  k: usize,
  most: usize,
  scale: f64,
): void {
  let p = data + g * size + m;
  let q = data + (3 - g) * size + most - m + 224;
  let w = table + ((g * size + m) >> 1);
  const line = spectrum + k + (g << 7);
  const partner = spectrum + 15 * size + most - k + 192 - (g << 7);
  const four = size << 2;
  const jump = size << 3;
  for (let c: usize = 0; c < 16; c += 2, p += 32, q -= 32, w += 16) {
    const row = reversed4(c) * size;
    const from = line + row;
    const fromPartner = partner - row;
    let even = v128.load(from);
    let odd = v128.load(from + jump);
    v128.store(p, evens(even, odd));
    v128.store(p, odds(even, odd), 16);
    even = v128.load(fromPartner - jump);
    odd = v128.load(fromPartner);
    v128.store(q, evens(even, odd));
    v128.store(q, odds(even, odd), 16);
    repackPair(p + four, q + four, w + (four >> 1), from + 32, fromPartner + 32, jump, scale);
    repackPair(p + 2 * four, q + 3 * four, w + four, from + 16, fromPartner + 48, jump, scale);
    repackPair(p + 3 * four, q + 2 * four, w + 3 * (four >> 1), from + 48, fromPartner + 16, jump, scale);
  }
}

// @ts-expect-error: decorator
@inline
function repackPair(
  p: usize,
  q: usize,
  w: usize,
  from: usize,
  fromPartner: usize,
  jump: usize,
  scale: f64,
): void {
  const S = f64x2.splat(scale);
  const WR = v128.load(w);
  const WI = v128.xor(v128.shuffle<f64>(WR, WR, 1, 0), f64x2(0.0, -0.0));
  let even = v128.load(from);
  let odd = v128.load(from + jump);
  const ar = evens(even, odd);
  const ai = odds(even, odd);
  even = v128.load(fromPartner);
  odd = v128.load(fromPartner - jump);
  const br = evens(even, odd);
  const bi = odds(even, odd);
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
