/**
 * Powers and products of packed spectra, with the sums of moduli that bound their rounding error (src/kernel/compose-bound.ts).
 *
 * An "open" spectrum is a packed spectrum of N = n/2 positions in which position 0 is (X_0, 0). Position N, (X_N, 0), is appended with three zeros: n
 * + 8 numbers, the same arithmetic for each.
 */

import { forwardFft, inverseFft } from './fft.js';
import { NEXT } from './fft-real.js';
import {
  abs,
  add,
  all,
  allTrue,
  and,
  div,
  drop,
  fold,
  keep,
  LANES,
  le,
  lt,
  mul,
  or,
  pmax,
  pmin,
  requireBlock,
  select,
  sqrt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadF64, loadU32, store, storeF64, storeU32 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** Makes an open spectrum of a packed one, which has (X_0, X_N) at position 0; room for n + 8 numbers. */
export function openSpectrum(data: usize, n: usize): void {
  requireBlock(data, n + 8);
  const end = data + (n << 3);
  storeF64(end, loadF64(data, WIDTH));
  for (let p = end + 8; p < end + 64; p += 8) storeF64(p, 0);
  storeF64(data, 0.0, WIDTH);
}

/** Inverse of `openSpectrum`. */
export function closeSpectrum(data: usize, n: usize): void {
  requireBlock(data, n + 8);
  storeF64(data, loadF64(data + (n << 3)), WIDTH);
}

/** Cyclic convolution of two real sequences of length n, in place of x; y is overwritten by its spectrum. */
export function convolve(table: usize, x: usize, y: usize, n: usize): void {
  forwardFft(table, x, n);
  forwardFft(table, y, n);
  multiplySpectra(x, y, n);
  inverseFft(table, x, n);
}

/** a ← a·b for packed (not open) spectra, a complex product with rounding errors of √5·2⁻⁵³ each. Positions 0 and N are real. */
function multiplySpectra(a: usize, b: usize, n: usize): void {
  const x0 = loadF64(a) * loadF64(b);
  const xn = loadF64(a, WIDTH) * loadF64(b, WIDTH);
  const end = a + (n << 3);
  for (let p = a, q = b; p < end; p += 2 * WIDTH, q += 2 * WIDTH) {
    const ar = load(p);
    const ai = load(p, WIDTH);
    const br = load(q);
    const bi = load(q, WIDTH);
    store(p, sub(mul(ar, br), mul(ai, bi)));
    store(p, add(mul(ar, bi), mul(ai, br)), WIDTH);
  }
  storeF64(a, x0);
  storeF64(a, xn, WIDTH);
}

/** The 1-norm Σ|x_i|, n a multiple of 8: eight partial sums over i mod 8. Relative rounding error: (n/8 + 7)·2⁻⁵³. */
export function norm1(x: usize, n: usize): f64 {
  requireBlock(x, n);
  const end = x + (n << 3);
  let total: f64 = 0;
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let s = all(0);
    let t = s;
    let u = s;
    let v = s;
    for (let p = x + lane; p < end; p += 64) {
      s = add(s, abs(load(p)));
      t = add(t, abs(load(p, 16)));
      u = add(u, abs(load(p, 32)));
      v = add(v, abs(load(p, 48)));
    }
    total = fold(total, add(add(s, t), add(u, v)));
  }
  return total;
}

/** Writes the binary digits of a whole number ≥ 1 below 2⁵³ to `bits`, one u32 for each, the lowest first; returns how many there are. Exact. */
function fillBits(count: f64, bits: usize): usize {
  let size: usize = 0;
  for (let rest = count; rest > 0;) {
    const half = Math.floor(0.5 * rest);
    storeU32(bits + (size << 2), rest > 2 * half ? 1 : 0);
    rest = half;
    size++;
  }
  return size;
}

/**
 * One part of a composition, on open spectra. F is the part's spectrum, and r = |F| + eta a bound of the exact modulus:
 *
 * acc ← acc·F^count; mag ← mag·r^count; ratio ← ratio + weight/r. `first` starts from acc = mag = 1 and ratio = 0.
 *
 * Where r < skip the factor is taken as 0, bounded by `tiny`, and ratio grows by 2. So it is where mag has come down to `tiny`, as long as r ≤ 1.
 * Products that underflow take a hundred times as long as others. Powers are by squaring from the lowest bit: count − 1 roundings each of relative
 * size √5·2⁻⁵³ (complex; Brent, Percival & Zimmermann 2007) and 2⁻⁵³ (real). `acc` may be `spec` when `first`.
 * @param part Five numbers: count, eta, weight, skip and tiny.
 */
export function powerPart(
  spec: usize,
  acc: usize,
  mag: usize,
  ratio: usize,
  n: usize,
  part: usize,
  first: bool,
): void {
  requireBlock(spec, n + 8);
  requireBlock(acc, n + 8);
  requireBlock(mag, (n >> 1) + 4);
  requireBlock(ratio, (n >> 1) + 4);
  const zero = all(0.0);
  const one = all(1.0);
  const two = all(2.0);
  const ETA = all(loadF64(part, 8));
  const WEIGHT = all(loadF64(part, 16));
  const SKIP = all(loadF64(part, 24));
  const TINY = all(loadF64(part, 32));
  const bits = borrow(256);
  const size = fillBits(loadF64(part), bits);
  let lowest: usize = 0;
  while (loadU32(bits + (lowest << 2)) === 0) lowest++;
  const end = spec + (n << 3) + 64;
  for (; spec < end; spec += 4 * WIDTH, acc += 4 * WIDTH, mag += 2 * WIDTH, ratio += 2 * WIDTH) {
    let zrA = load(spec);
    let ziA = load(spec, WIDTH);
    let zrB = load(spec, 2 * WIDTH);
    let ziB = load(spec, 3 * WIDTH);
    let rA = add(sqrt(add(mul(zrA, zrA), mul(ziA, ziA))), ETA);
    let rB = add(sqrt(add(mul(zrB, zrB), mul(ziB, ziB))), ETA);
    const beforeA = first ? one : load(mag);
    const beforeB = first ? one : load(mag, WIDTH);
    let smallA = or(lt(rA, SKIP), and(le(beforeA, TINY), le(rA, one)));
    let smallB = or(lt(rB, SKIP), and(le(beforeB, TINY), le(rB, one)));
    let qA = div(WEIGHT, rA);
    let qB = div(WEIGHT, rB);
    let yrA = zero;
    let yiA = zero;
    let mA = one;
    let yrB = zero;
    let yiB = zero;
    let mB = one;
    if (!allTrue(and(smallA, smallB))) {
      for (let k: usize = 0; k < lowest; k++) {
        const crossA = mul(zrA, ziA);
        const crossB = mul(zrB, ziB);
        zrA = sub(mul(zrA, zrA), mul(ziA, ziA));
        zrB = sub(mul(zrB, zrB), mul(ziB, ziB));
        ziA = add(crossA, crossA);
        ziB = add(crossB, crossB);
        rA = mul(rA, rA);
        rB = mul(rB, rB);
      }
      yrA = zrA;
      yiA = ziA;
      mA = rA;
      yrB = zrB;
      yiB = ziB;
      mB = rB;
      for (let k = lowest + 1; k < size; k++) {
        const crossA = mul(zrA, ziA);
        const crossB = mul(zrB, ziB);
        zrA = sub(mul(zrA, zrA), mul(ziA, ziA));
        zrB = sub(mul(zrB, zrB), mul(ziB, ziB));
        ziA = add(crossA, crossA);
        ziB = add(crossB, crossB);
        rA = mul(rA, rA);
        rB = mul(rB, rB);
        if (loadU32(bits + (k << 2)) !== 0) {
          const imA = add(mul(yrA, ziA), mul(yiA, zrA));
          const imB = add(mul(yrB, ziB), mul(yiB, zrB));
          yrA = sub(mul(yrA, zrA), mul(yiA, ziA));
          yrB = sub(mul(yrB, zrB), mul(yiB, ziB));
          yiA = imA;
          yiB = imB;
          mA = mul(mA, rA);
          mB = mul(mB, rB);
        }
      }
    }
    mA = mul(beforeA, select(one, mA, smallA));
    mB = mul(beforeB, select(one, mB, smallB));
    smallA = or(smallA, le(mA, TINY));
    smallB = or(smallB, le(mB, TINY));
    mA = select(mul(TINY, pmax(one, beforeA)), mA, smallA);
    mB = select(mul(TINY, pmax(one, beforeB)), mB, smallB);
    qA = add(qA, keep(two, smallA));
    qB = add(qB, keep(two, smallB));
    yrA = drop(yrA, smallA);
    yiA = drop(yiA, smallA);
    yrB = drop(yrB, smallB);
    yiB = drop(yiB, smallB);
    if (!first) {
      let ar = load(acc);
      let ai = load(acc, WIDTH);
      const imA = add(mul(ar, yiA), mul(ai, yrA));
      yrA = sub(mul(ar, yrA), mul(ai, yiA));
      yiA = imA;
      ar = load(acc, 2 * WIDTH);
      ai = load(acc, 3 * WIDTH);
      const imB = add(mul(ar, yiB), mul(ai, yrB));
      yrB = sub(mul(ar, yrB), mul(ai, yiB));
      yiB = imB;
      qA = add(load(ratio), qA);
      qB = add(load(ratio, WIDTH), qB);
    }
    store(acc, yrA);
    store(acc, yiA, WIDTH);
    store(acc, yrB, 2 * WIDTH);
    store(acc, yiB, 3 * WIDTH);
    store(mag, mA);
    store(mag, mB, WIDTH);
    store(ratio, qA);
    store(ratio, qB, WIDTH);
  }
  giveBack(bits);
}

/**
 * The sums of the rounding error's bound over all n frequencies, conjugates included. out[0] = Σ mag·(min(ratio, 2) + relative), out[1] = Σ|acc|
 * (src/kernel/compose-bound.ts). Two partial sums, of even and odd positions, over positions 2…N−1; then 0, 1 and N.
 */
export function sumBounds(acc: usize, mag: usize, ratio: usize, n: usize, relative: f64, out: usize): void {
  requireBlock(acc, n + 8);
  requireBlock(mag, (n >> 1) + 4);
  requireBlock(ratio, (n >> 1) + 4);
  requireBlock(out, 2);
  const two = all(2.0);
  const REL = all(relative);
  const size = n >> 1;
  let errors: f64 = 0;
  let sizes: f64 = 0;
  for (let lane: usize = 0; lane < 16; lane += WIDTH) {
    let e = all(0);
    let s = all(0);
    for (let p: usize = 2; p < size; p += 2) {
      const m = load(mag + lane + (p << 3));
      const q = load(ratio + lane + (p << 3));
      e = add(e, mul(m, add(pmin(two, q), REL)));
      // layout: with two lanes the real parts are adjacent, with one they alternate with the imaginary parts
      const at = acc + (p << 4) + lane * (2 / LANES);
      const ar = load(at);
      const ai = load(at, WIDTH);
      s = add(s, sqrt(add(mul(ar, ar), mul(ai, ai))));
    }
    errors = fold(errors, e);
    sizes = fold(sizes, s);
  }
  errors += boundAt(mag, ratio, 1, relative);
  sizes += modulus(loadF64(acc, NEXT), loadF64(acc, NEXT + WIDTH));
  errors = 2.0 * errors + boundAt(mag, ratio, 0, relative);
  sizes = 2.0 * sizes + Math.abs(loadF64(acc));
  storeF64(out, errors + boundAt(mag, ratio, size, relative));
  storeF64(out, sizes + Math.abs(loadF64(acc + (size << 4))), 8);
}

/* @inline */ function modulus(re: f64, im: f64): f64 {
  return Math.sqrt(re * re + im * im);
}

/* @inline */ function boundAt(mag: usize, ratio: usize, p: usize, relative: f64): f64 {
  const q = loadF64(ratio + (p << 3));
  return loadF64(mag + (p << 3)) * ((q < 2.0 ? q : 2.0) + relative);
}
