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

import { repack, storePair, unpack } from './fft-real.js';
import { add, all, evens, LANES, mul, neg, odds, quarterTurn, reversed, sub, WIDTH } from './lanes.js';
import { load, loadF64, store, storeF64 } from './memory.js';

/** The next position in bit-reversed counting: adds 1 at the top bit of `bits` and carries downward. */
/* @inline */ function nextReversed(k: usize, top: usize): usize {
  while (k & top) {
    k ^= top;
    top >>= 1;
  }
  return k | top;
}

/** For c = 0, 2, … 14 half of c with its 4 bits reversed, four bits each: from the lowest on. */
/* @inline */ const ROWS: u32 = 0x73516240;

/** Whether whole lines are moved: with two lanes, from 256 numbers on. */
/* @inline */ function tiled(size: usize): bool {
  return LANES === 2 && size >= 256;
}

/** Z at `data` (N = `size` numbers), which is overwritten, to X_0…X_N at `out`: n + 2 numbers. */
export function unpackSpectrum(data: usize, size: usize, table: usize, out: usize): void {
  if (tiled(size)) {
    unpack(data, size >> 2, table);
    eachLine(data, size, table, out, 0.0);
  } else {
    unpack(data, size, table);
    scatter(data, size, out, false);
  }
  storeF64(out + (size << 4), loadF64(out, 8));
  storeF64(out + (size << 4), 0.0, 8);
  storeF64(out, 0.0, 8);
}

/** Inverse of `unpackSpectrum`, times 1/N; the imaginary parts of X_0 and X_N are ignored. */
export function packSpectrum(spectrum: usize, size: usize, table: usize, data: usize): void {
  const scale: f64 = 0.5 / <f64>size;
  if (tiled(size)) eachLine(data, size, table, spectrum, scale);
  else scatter(data, size, spectrum, true);
  storeF64(data, loadF64(spectrum + (size << 4)), WIDTH);
  repack(data, tiled(size) ? size >> 2 : size, table, scale);
}

/** Lines of the positions at `data` to those at `natural` where scale = 0, packed from there otherwise. */
function eachLine(data: usize, size: usize, table: usize, natural: usize, scale: f64): void {
  const most = (size >> 8) - 1;
  for (let k: usize = 0, m: usize = 0; k <= most; k++, m = nextReversed(m, (most + 1) >> 1)) {
    for (let g: usize = 0; g < 2; g++) {
      const p = data + g * size + (m << 8);
      const q = data + (3 - g) * size + ((most - m) << 8) + 224;
      const w = table + ((p - data) >> 1);
      const line = natural + (k << 8) + (g << 7);
      const partner = natural + 15 * size + ((most - k) << 8) + 192 - (g << 7);
      if (scale === 0.0) unpackLines(p, q, w, line, partner, size);
      else packLines(p, q, w, line, partner, size, scale);
    }
  }
}

/**
 * The numbers of lines at (0, m', a') from positions p = (g, m, 0) on, and of their partners from q on downwards.
 */
function unpackLines(p: usize, q: usize, w: usize, line: usize, partner: usize, size: usize): void {
  for (let c: u32 = 0; c < 32; c += 4, p += 32, q -= 32, w += 16) {
    const row = <usize>((ROWS >> c) & 7) * size;
    const to = line + row;
    const odd = to + (size << 3);
    const toPartner = partner - row;
    const oddPartner = toPartner - (size << 3);
    let re = load(p);
    let im = load(p, 16);
    store(to, evens(re, im));
    store(odd, odds(re, im));
    re = load(q);
    im = load(q, 16);
    store(oddPartner, evens(re, im));
    store(toPartner, odds(re, im));
    const p1 = p + (size << 2);
    const q1 = q + (size << 2);
    const p2 = p + (size << 3);
    const q2 = q + (size << 3);
    const p3 = p1 + (size << 3);
    const q3 = q1 + (size << 3);
    unpackPair(p1, q1, w + (size << 1), to, odd, toPartner, oddPartner, 32, 32);
    unpackPair(p2, q3, w + (size << 2), to, odd, toPartner, oddPartner, 16, 48);
    unpackPair(p3, q2, w + 6 * size, to, odd, toPartner, oddPartner, 48, 16);
  }
}

/* @inline */ function unpackPair(
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
  const half = all(0.5);
  const WR = load(w);
  const WI = quarterTurn(w);
  const ar = load(p);
  const ai = load(p, 16);
  let br = load(q);
  let bi = load(q, 16);
  br = reversed(br);
  bi = reversed(bi);
  const er = mul(add(ar, br), half);
  const ei = mul(sub(ai, bi), half);
  const dr = mul(sub(ar, br), half);
  const di = mul(add(ai, bi), half);
  const a = sub(mul(dr, WR), mul(di, WI));
  const b = add(mul(dr, WI), mul(di, WR));
  let re = add(er, b);
  let im = sub(ei, a);
  store(to + slot, evens(re, im));
  store(odd + slot, odds(re, im));
  re = sub(er, b);
  im = neg(add(ei, a));
  store(toPartner + slotPartner, evens(re, im));
  store(oddPartner + slotPartner, odds(re, im));
}

/** Where the real part of position p is. */
/* @inline */ function place(data: usize, p: usize): usize {
  return LANES === 2 ? data + ((p >> 1) << 5) + ((p & 1) << 3) : data + (p << 4);
}

/** From Z's order to the natural one, or back. */
function scatter(data: usize, size: usize, natural: usize, back: bool): void {
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

/** Inverse of `unpackLines`. */
function packLines(p: usize, q: usize, w: usize, line: usize, partner: usize, size: usize, scale: f64): void {
  for (let c: u32 = 0; c < 32; c += 4, p += 32, q -= 32, w += 16) {
    const row = <usize>((ROWS >> c) & 7) * size;
    const from = line + row;
    const odd = from + (size << 3);
    const fromPartner = partner - row;
    const oddPartner = fromPartner - (size << 3);
    let even = load(from);
    let next = load(odd);
    store(p, evens(even, next));
    store(p, odds(even, next), 16);
    even = load(oddPartner);
    next = load(fromPartner);
    store(q, evens(even, next));
    store(q, odds(even, next), 16);
    const p1 = p + (size << 2);
    const q1 = q + (size << 2);
    const p2 = p + (size << 3);
    const q2 = q + (size << 3);
    const p3 = p1 + (size << 3);
    const q3 = q1 + (size << 3);
    packPair(p1, q1, w + (size << 1), from, odd, fromPartner, oddPartner, 32, 32, scale);
    packPair(p2, q3, w + (size << 2), from, odd, fromPartner, oddPartner, 16, 48, scale);
    packPair(p3, q2, w + 6 * size, from, odd, fromPartner, oddPartner, 48, 16, scale);
  }
}

/* @inline */ function packPair(
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
  let even = load(from + slot);
  let next = load(odd + slot);
  const ar = evens(even, next);
  const ai = odds(even, next);
  even = load(fromPartner + slotPartner);
  next = load(oddPartner + slotPartner);
  const br = evens(even, next);
  const bi = odds(even, next);
  storePair(true, p, q, ar, ai, br, bi, load(w), quarterTurn(w), all(scale));
}
