/**
 * Changes between Z in bit-reversed order (`fft-real.ts`) and the spectrum X of the reals in natural order, (re, im) interleaved. One pass unpacks
 * and changes the order.
 *
 * Position p = (a, m, c) goes to k = (c', m', a'). Here a and c are the first and last 4 bits of p, m those between, and primes reverse bits. Where a
 * ≥ 4, the partner N − k of k comes from the position (a~, not m, not c). Here a~ is the partner of a (`fft-real.ts`), and `not` inverts each bit.
 * The four a whose last 2 bits are g fill a cache line of X; their partners, of last bits 3 − g, fill another. Each line is written or read whole.
 * Single numbers scattered at powers of two would load and lose their lines again and again. Positions with a < 4 are unpacked in place.
 */

import { repack, storeOwn, storePartner, turnedIm, turnedRe, unpack } from './fft-real.js';
import { add, all, evens, LANES, mul, odds, quarterTurn, reversed, sub, WIDTH } from '../lane/lanes.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';

/** The next position in bit-reversed counting: adds 1 at the highest of the bits and carries downward. */
/* @inline */ function nextReversed(k: usize, top: usize): usize {
  while (k & top) {
    k ^= top;
    top >>= 1;
  }
  return k | top;
}

/** For c = 0, 2, … 14: half of c with its four bits reversed, packed as 4-bit numbers from the lowest on. */
/* @inline */ const ROWS: u32 = 0x73516240;

/** Whether whole cache lines are moved: with two lanes, from 256 numbers on. */
/* @inline */ function tiled(size: usize): bool {
  return LANES === 2 && size >= 256;
}

/** Spectrum Z at `data` (N = `size` numbers, overwritten) to X_0…X_N at `out`, n + 2 numbers. Rounding errors: those of `turnedRe`. */
export function unpackSpectrum(data: usize, size: usize, table: usize, out: usize): void {
  if (tiled(size)) {
    unpack(data, size >> 2, table);
    eachLine(false, data, size, table, out, all(0.5));
  } else {
    unpack(data, size, table);
    scatter(false, data, size, out);
  }
  storeF64(out + (size << 4), loadF64(out, 8));
  storeF64(out + (size << 4), 0.0, 8);
  storeF64(out, 0.0, 8);
}

/** Inverse of `unpackSpectrum`, times 1/N; the imaginary parts of X_0 and X_N are ignored. */
export function packSpectrum(spectrum: usize, size: usize, table: usize, data: usize): void {
  const scale: f64 = 0.5 / <f64>size;
  if (tiled(size)) eachLine(true, data, size, table, spectrum, all(scale));
  else scatter(true, data, size, spectrum);
  storeF64(data, loadF64(spectrum + (size << 4)), WIDTH);
  repack(data, tiled(size) ? size >> 2 : size, table, scale);
}

/**
 * Moves cache lines between the positions at `data` and the natural order at `natural`, and unpacks them, with the rounding errors of `turnedRe`;
 * `back` reverses the direction.
 */
/* @inline */ function eachLine(
  back: bool,
  data: usize,
  size: usize,
  table: usize,
  natural: usize,
  scale: v128,
): void {
  const most = (size >> 8) - 1;
  for (let k: usize = 0, m: usize = 0; k <= most; k++, m = nextReversed(m, (most + 1) >> 1)) {
    for (let g: usize = 0; g < 2; g++) {
      const p = data + g * size + (m << 8);
      const q = data + (3 - g) * size + ((most - m) << 8) + 224;
      const line = natural + (k << 8) + (g << 7);
      const partner = natural + 15 * size + ((most - k) << 8) + 192 - (g << 7);
      moveLines(back, p, q, table + ((p - data) >> 1), line, partner, size, scale);
    }
  }
}

/**
 * Moves whole lines for all 16 values of the last bits c of a position. In each step four positions with first bits g, g + 4, g + 8 and g + 12 go to
 * one line of X. Their partners go to another line. p rises over c, and q falls over the partners; w is the address of the roots of unity at p. The
 * rounding errors are those of `turnedRe`.
 */
/* @inline */ function moveLines(
  back: bool,
  p: usize,
  q: usize,
  w: usize,
  line: usize,
  partner: usize,
  size: usize,
  scale: v128,
): void {
  for (let c: u32 = 0; c < 32; c += 4, p += 32, q -= 32, w += 16) {
    const row = <usize>((ROWS >> c) & 7) * size;
    const to = line + row;
    const apart = size << 3;
    const toPartner = partner - row;
    const p1 = p + (size << 2);
    const q1 = q + (size << 2);
    const p2 = p + (size << 3);
    const q2 = q + (size << 3);
    const p3 = p1 + (size << 3);
    const q3 = q1 + (size << 3);
    move(back, p, to, to + apart);
    move(back, q, toPartner - apart, toPartner);
    movePair(back, p1, q1, w + (size << 1), to + 32, toPartner + 32, apart, scale);
    movePair(back, p2, q3, w + (size << 2), to + 16, toPartner + 48, apart, scale);
    movePair(back, p3, q2, w + 6 * size, to + 48, toPartner + 16, apart, scale);
  }
}

/** Moves two adjacent positions: first halves to one pair of numbers in natural order, second halves to another; `back` reverses the direction. */
/* @inline */ function move(back: bool, p: usize, even: usize, odd: usize): void {
  const first = load(back ? even : p);
  const second = load(back ? odd : p + 16);
  store(back ? p : even, evens(first, second));
  store(back ? p + 16 : odd, odds(first, second));
}

/**
 * Moves the two adjacent positions at p and their partners at q. Unpacks them, or packs them if `back`, with the rounding errors of `turnedRe`.
 * In natural order the second position lies `apart` bytes after the first; that of the partners lies before.
 */
/* @inline */ function movePair(
  back: bool,
  p: usize,
  q: usize,
  w: usize,
  even: usize,
  evenPartner: usize,
  apart: usize,
  scale: v128,
): void {
  const odd = even + apart;
  const oddPartner = evenPartner - apart;
  const first = load(back ? even : p);
  const second = load(back ? odd : p + 16);
  const third = load(back ? evenPartner : q);
  const fourth = load(back ? oddPartner : q + 16);
  const ar = back ? evens(first, second) : first;
  const ai = back ? odds(first, second) : second;
  const br = back ? evens(third, fourth) : reversed(third);
  const bi = back ? odds(third, fourth) : reversed(fourth);
  const wr = load(w);
  const wi = quarterTurn(w);
  const er = mul(add(ar, br), scale);
  const ei = mul(sub(ai, bi), scale);
  const dr = mul(sub(ar, br), scale);
  const di = mul(add(ai, bi), scale);
  const a = turnedRe(back, dr, di, wr, wi);
  const b = turnedIm(back, dr, di, wr, wi);
  storeOwn(back, !back, back ? p : even, back ? p + 16 : odd, er, ei, a, b);
  storePartner(back, !back, back ? q : evenPartner, back ? q + 16 : oddPartner, er, ei, a, b);
}

/** Address of the real part of position p. */
/* @inline */ function place(data: usize, p: usize): usize {
  return LANES === 2 ? data + ((p >> 1) << 5) + ((p & 1) << 3) : data + (p << 4);
}

/** Permutes N = `size` complex numbers from Z's bit-reversed order to natural order, or `back`. Exact. */
function scatter(back: bool, data: usize, size: usize, natural: usize): void {
  let k: usize = 0;
  for (let p: usize = 0; p < size; p++) {
    const at = place(data, p);
    const other = natural + (k << 4);
    if (back) {
      storeF64(at, loadF64(other));
      storeF64(at, loadF64(other, 8), WIDTH);
    } else {
      storeF64(other, loadF64(at));
      storeF64(other, loadF64(at, WIDTH), 8);
    }
    k = nextReversed(k, size >> 1);
  }
}
