/**
 * Convolution, and cyclic composition by FFT: the inverse transform of ∏_j FFT(p_j)^{T_j}, with a bound of its rounding error. n points; u = 2⁻⁵³. A hat
 * marks a computed number.
 *
 * FFT. In one radix-4 pass a number meets at most one product by a twiddle factor r, s or c = r·s, and two sums. A sum adds u, a product √5·u
 * (Brent, Percival & Zimmermann 2007), a table twiddle 2u. The product c has another √5·u + 2u: 10.5u per pass, 5.25u per binary level. The
 * outermost pass costs less. So the complex transform of N = n/2 points has |Ẑ_k − Z_k| ≤ g·Σ|z_j| with g = 5.25·log₂N·u. The transform of reals
 * averages two such outputs twice (2g) and rounds by at most 6.3u more: |X̂_k − X_k| ≤ e₁‖x‖₁. The inverse, run the other way, has |x̂_j − x_j| ≤
 * e₁·(1/n)Σ_k|X_k| with those 6.3u doubled. Both hold for
 *   e₁ = (10.5·log₂n + 4)·u      (2g + 12.6u = (10.5·log₂n + 2.1)u; the rest covers O(u²)).
 *
 * Powers. Let F_j = FFT(p_j), η_j = e₁‖p_j‖₁ and r_jk = |F̂_jk| + η_j, which is at least |F_jk| and |F̂_jk|. With P_k = ∏_j r_jk^{T_j}, telescoping
 * the product gives |∏F̂^T − ∏F^T| ≤ P_k·Σ_j T_jη_j/r_jk. Squaring and multiplying to Ĝ_k ≈ ∏F̂^T rounds ΣT − 1 times by √5·u: a relative error of
 * R = e^{√5u(ΣT−1)} − 1. Neither Ĝ_k nor G_k = ∏F^T exceeds (1 + R)·P_k; so |Ĝ_k − G_k| ≤ E_k = P_k·(min(Σ_j T_jη_j/r_jk, 2) + R).
 *
 * Result. Each entry errs by at most (1/n)Σ_k E_k + e₁·(1/n)Σ_k|Ĝ_k|. The computed r and P_k are themselves low by at most 4u·ΣT relative, and the
 * sums by 1e-9: a factor above 1 covers both. Where a factor r^T or P_k comes below TINY, Ĝ_k is 0, P_k counts as TINY and the sum as 2: |G_k| ≤
 * P_k. Underflow of a product costs less than 1e-300 per frequency. A modulus whose squares underflow is at most 1e-153 too low; SQUARE_UNDERFLOW
 * is added to η and to the mean of |Ĝ_k|.
 *
 * An "open" spectrum is a packed spectrum of N = n/2 positions in which position 0 is (X_0, 0). Position N, (X_N, 0), is appended with three zeros: n
 * + 8 numbers, the same arithmetic for each.
 */
import { U } from '../../src/kernel/constants.js';
import { expm1Of, expOf } from '../functions/scalar.js';
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

/** A factor whose bound r^T is below this counts as 0, with this as its error bound. */
const TINY: f64 = 1e-300;
/** A number below log TINY. */
const LOG_TINY: f64 = -690.8;
/** Upper bound of what a modulus √(x² + y²) can lose to underflow of x² and y². */
const SQUARE_UNDERFLOW: f64 = 1e-153;

/** e₁(n) with |X̂_k − X_k| ≤ e₁·Σ|x_j| for the FFT X̂ of n reals. Ensures: no less than the error. */
export function fftErrorBound(n: usize): f64 {
  let levels: f64 = 0;
  for (let m = n; m > 1; m >>= 1) levels++;
  return (10.5 * levels + 4) * U;
}

/** Makes an open spectrum of a packed one, which has (X_0, X_N) at position 0; room for n + 8 numbers. */
function openSpectrum(data: usize, n: usize): void {
  requireBlock(data, n + 8);
  const end = data + (n << 3);
  storeF64(end, loadF64(data, WIDTH));
  for (let p = end + 8; p < end + 64; p += 8) storeF64(p, 0);
  storeF64(data, 0.0, WIDTH);
}

/** Inverse of `openSpectrum`. */
function closeSpectrum(data: usize, n: usize): void {
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
function norm1(x: usize, n: usize): f64 {
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

/** Addresses of the rows `mag` and `ratio` (see `powerPart`) behind the spectrum of a composition: n/2 + 4 numbers each. */
/* @inline */ function magOf(acc: usize, n: usize): usize {
  return acc + ((n + 8) << 3);
}
/* @inline */ function ratioOf(acc: usize, n: usize): usize {
  return magOf(acc, n) + (((n >> 1) + 4) << 3);
}

/**
 * Takes one more part, n masses at `part` with room for n + 8 numbers, into the composition at `acc` of 2n + 16 numbers; the first part is at `acc`
 * itself. `closeComposition` makes the masses of it. Ensures: the sums at `acc` bound the errors of the product, up to rounding.
 * @param count How often the part counts, a whole number in [1, 2⁵³).
 */
export function composePart(table: usize, part: usize, acc: usize, n: usize, count: f64): void {
  const eta = fftErrorBound(n) * norm1(part, n) * (1 + 1e-9) + SQUARE_UNDERFLOW;
  forwardFft(table, part, n);
  openSpectrum(part, n);
  powerPart(part, acc, n, count, eta);
}

/**
 * Makes the n composed masses of what `composePart` left at `acc`, in its place. Returns a bound of the error of each, (1/n)Σ_k E_k + e₁·(1/n)Σ_k|Ĝ_k|
 * rounded up. Ensures: no less than the error.
 * @param total Sum of the parts' counts.
 */
export function closeComposition(table: usize, acc: usize, n: usize, total: f64): f64 {
  const sums = borrow(16);
  sumBounds(acc, n, expm1Of(2.2361 * U * (total - 1)), sums);
  const errors = loadF64(sums);
  const sizes = loadF64(sums, 8);
  giveBack(sums);
  closeSpectrum(acc, n);
  inverseFft(table, acc, n);
  const size = <f64>n;
  const growth = expOf(4.1 * U * total);
  const bound = (errors / size + fftErrorBound(n) * (sizes / size + SQUARE_UNDERFLOW)) * growth * (1 + 1e-8);
  return bound < Infinity ? bound + 4 * TINY : Infinity;
}

/**
 * One part of a composition, on open spectra. F is the part's spectrum, and r = |F| + eta a bound of the exact modulus:
 *
 * acc ← acc·F^count; mag ← mag·r^count; ratio ← ratio + count·eta/r. The first part, for which `acc` is `spec`, starts from acc = mag = 1 and ratio =
 * 0.
 *
 * Where r^count < TINY the factor is taken as 0, bounded by TINY, and ratio grows by 2. This is also done where mag is already at most TINY and r ≤
 * 1. It saves time, as products that underflow take a hundred times as long as others. Powers are by squaring from the lowest bit: count − 1
 * roundings each of relative size √5·2⁻⁵³ (complex; Brent, Percival & Zimmermann 2007) and 2⁻⁵³ (real).
 */
function powerPart(spec: usize, acc: usize, n: usize, count: f64, eta: f64): void {
  const first = acc === spec;
  let mag = magOf(acc, n);
  let ratio = ratioOf(acc, n);
  requireBlock(spec, n + 8);
  requireBlock(acc, 2 * n + 16);
  const zero = all(0.0);
  const one = all(1.0);
  const two = all(2.0);
  const ETA = all(eta);
  const WEIGHT = all(count * eta);
  const SKIP = all(expOf(LOG_TINY / count) * (1 - 1e-12));
  const LEAST = all(TINY);
  const bits = borrow(256);
  const size = fillBits(count, bits);
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
    let smallA = or(lt(rA, SKIP), and(le(beforeA, LEAST), le(rA, one)));
    let smallB = or(lt(rB, SKIP), and(le(beforeB, LEAST), le(rB, one)));
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
    smallA = or(smallA, le(mA, LEAST));
    smallB = or(smallB, le(mB, LEAST));
    mA = select(mul(LEAST, pmax(one, beforeA)), mA, smallA);
    mB = select(mul(LEAST, pmax(one, beforeB)), mB, smallB);
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
 * The sums of the rounding error's bound over all n frequencies, conjugates included. out[0] = Σ mag·(min(ratio, 2) + relative), out[1] = Σ|acc|. Two
 * partial sums, of even and odd positions, over positions 2…N−1; then 0, 1 and N.
 */
function sumBounds(acc: usize, n: usize, relative: f64, out: usize): void {
  requireBlock(acc, 2 * n + 16);
  const mag = magOf(acc, n);
  const ratio = ratioOf(acc, n);
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
