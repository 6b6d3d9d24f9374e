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
import { load, loadF64, memory, store, storeF64 } from './memory.js';

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
    if (out === data) inPlace(data, size, table, 0.0);
    else eachLine(data, size, table, out, 0.0);
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
  if (!tiled(size)) scatter(data, size, spectrum, true);
  else if (spectrum === data) inPlace(data, size, table, scale);
  else eachLine(data, size, table, spectrum, scale);
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
      moveLines(p, q, table + ((p - data) >> 1), natural, k, g, most, size << 2, size, scale);
    }
  }
}

/** The lines at (0, m', a'), k = m', of last bits g, and their partners, from or to positions from p on and from q on downwards. */
/* @inline */ function moveLines(
  p: usize,
  q: usize,
  w: usize,
  natural: usize,
  k: usize,
  g: usize,
  most: usize,
  four: usize,
  size: usize,
  scale: f64,
): void {
  const line = natural + (k << 8) + (g << 7);
  const partner = natural + 15 * size + ((most - k) << 8) + 192 - (g << 7);
  if (scale === 0.0) unpackLines(p, q, w, line, partner, four, size);
  else packLines(p, q, w, line, partner, four, size, scale);
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
    const other = m < most - m ? m : most - m;
    if (other < k) continue;
    if (scale === 0.0) {
      moveTiles(data, size, k, most, false, TILES);
      if (other > k) moveTiles(data, size, other, most, false, TILES + 8192);
    }
    tileLines(data, size, table, k, m, most, scale, TILES);
    if (other > k) {
      tileLines(data, size, table, other, other === m ? k : most - k, most, scale, TILES + 8192);
    }
    if (scale !== 0.0) {
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
      const first = load(from + at);
      const second = load(from + at, 16);
      store(to + at, first);
      store(to + at, second, 16);
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
    moveLines(p, q, w, data, kk, g, most, 1024, size, scale);
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
  if (natural === data) return exchange(data, size);
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

/** Between both orders in place, with one lane. */
function exchange(data: usize, size: usize): void {
  let k: usize = 0;
  for (let p: usize = 0; p < size; p++) {
    if (k > p) {
      const a = data + (p << 4);
      const b = data + (k << 4);
      const re = loadF64(a);
      const im = loadF64(a, 8);
      storeF64(a, loadF64(b));
      storeF64(a, loadF64(b, 8), 8);
      storeF64(b, re);
      storeF64(b, im, 8);
    }
    k = nextReversed(k, size >> 1);
  }
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
    const p2 = p + (four << 1);
    const q2 = q + (four << 1);
    packPair(p + four, q + four, w + (size << 1), from, odd, fromPartner, oddPartner, 32, 32, scale);
    packPair(p2, q2 + four, w + (size << 2), from, odd, fromPartner, oddPartner, 16, 48, scale);
    packPair(p2 + four, q2, w + 6 * size, from, odd, fromPartner, oddPartner, 48, 16, scale);
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
