/**
 * Powers and products of packed spectra, with the magnitudes their round-off bound needs.
 *
 * "Open" spectrum: a packed spectrum of N = n/2 positions in which position 0 is (X_0, 0) and position
 * N, appended with three zeros, is (X_N, 0): n + 8 numbers, the same arithmetic for each.
 */
import { requireBlock } from './checks.js';

/** (X_0, X_N) at position 0 to an open spectrum; room for n + 8 numbers. */
export function openSpectrum(data: usize, n: usize): void {
  requireBlock(data, n + 8);
  const end = data + (n << 3);
  store<f64>(end, load<f64>(data, 16));
  store<f64>(end, 0.0, 8);
  v128.store(end, f64x2.splat(0.0), 16);
  v128.store(end, f64x2.splat(0.0), 32);
  v128.store(end, f64x2.splat(0.0), 48);
  store<f64>(data, 0.0, 16);
}

/** Inverse of `openSpectrum`. */
export function closeSpectrum(data: usize, n: usize): void {
  requireBlock(data, n + 8);
  store<f64>(data, load<f64>(data + (n << 3)), 16);
}

/** a ← a·b for packed (not open) spectra. */
export function multiplySpectra(a: usize, b: usize, n: usize): void {
  requireBlock(a, n);
  requireBlock(b, n);
  const x0 = load<f64>(a) * load<f64>(b);
  const xn = load<f64>(a, 16) * load<f64>(b, 16);
  const end = a + (n << 3);
  for (let p = a, q = b; p < end; p += 32, q += 32) {
    const ar = v128.load(p);
    const ai = v128.load(p, 16);
    const br = v128.load(q);
    const bi = v128.load(q, 16);
    v128.store(p, f64x2.sub(f64x2.mul(ar, br), f64x2.mul(ai, bi)));
    v128.store(p, f64x2.add(f64x2.mul(ar, bi), f64x2.mul(ai, br)), 16);
  }
  store<f64>(a, x0);
  store<f64>(a, xn, 16);
}

/** Σ|x_i|, eight sums (of i mod 8), n a multiple of 8. */
export function norm1(x: usize, n: usize): f64 {
  requireBlock(x, n);
  const end = x + (n << 3);
  let s = f64x2.splat(0.0);
  let t = s;
  let u = s;
  let v = s;
  for (let p = x; p < end; p += 64) {
    s = f64x2.add(s, f64x2.abs(v128.load(p)));
    t = f64x2.add(t, f64x2.abs(v128.load(p, 16)));
    u = f64x2.add(u, f64x2.abs(v128.load(p, 32)));
    v = f64x2.add(v, f64x2.abs(v128.load(p, 48)));
  }
  s = f64x2.add(f64x2.add(s, t), f64x2.add(u, v));
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}

/**
 * One part of a composition, on open spectra: with F its spectrum and r = |F| + eta,
 *   acc ← acc·F^count,  mag ← mag·r^count,  ratio ← ratio + weight/r   (`first`: acc = mag = 1, ratio = 0).
 * Where r < skip the factor is taken as 0, bounded by `tiny`, and ratio grows by 2; likewise acc where mag comes down to `tiny`, and
 * stays there as long as r ≤ 1: products that underflow take a hundred times as long as others.
 * Powers go by squaring from the lowest bit: count − 1 roundings each of relative size √5·2⁻⁵³ (complex;
 * Brent, Percival & Zimmermann 2007) and 2⁻⁵³ (real). `acc` may be `spec` when `first`.
 */
export function powerPart(
  spec: usize,
  acc: usize,
  mag: usize,
  ratio: usize,
  n: usize,
  count: f64,
  eta: f64,
  weight: f64,
  skip: f64,
  tiny: f64,
  first: bool,
): void {
  requireBlock(spec, n + 8);
  requireBlock(acc, n + 8);
  requireBlock(mag, (n >> 1) + 4);
  requireBlock(ratio, (n >> 1) + 4);
  const zero = f64x2.splat(0.0);
  const one = f64x2.splat(1.0);
  const two = f64x2.splat(2.0);
  const ETA = f64x2.splat(eta);
  const WEIGHT = f64x2.splat(weight);
  const SKIP = f64x2.splat(skip);
  const TINY = f64x2.splat(tiny);
  const bits = <u64>count;
  const end = spec + (n << 3) + 64;
  for (; spec < end; spec += 64, acc += 64, mag += 32, ratio += 32) {
    let zrA = v128.load(spec);
    let ziA = v128.load(spec, 16);
    let zrB = v128.load(spec, 32);
    let ziB = v128.load(spec, 48);
    let rA = f64x2.add(f64x2.sqrt(f64x2.add(f64x2.mul(zrA, zrA), f64x2.mul(ziA, ziA))), ETA);
    let rB = f64x2.add(f64x2.sqrt(f64x2.add(f64x2.mul(zrB, zrB), f64x2.mul(ziB, ziB))), ETA);
    const beforeA = first ? one : v128.load(mag);
    const beforeB = first ? one : v128.load(mag, 16);
    let smallA = v128.or(f64x2.lt(rA, SKIP), v128.and(f64x2.le(beforeA, TINY), f64x2.le(rA, one)));
    let smallB = v128.or(f64x2.lt(rB, SKIP), v128.and(f64x2.le(beforeB, TINY), f64x2.le(rB, one)));
    let qA = f64x2.div(WEIGHT, rA);
    let qB = f64x2.div(WEIGHT, rB);
    let yrA = zero;
    let yiA = zero;
    let mA = one;
    let yrB = zero;
    let yiB = zero;
    let mB = one;
    if (!i64x2.all_true(v128.and(smallA, smallB))) {
      let t = bits;
      while ((t & 1) == 0) {
        const crossA = f64x2.mul(zrA, ziA);
        const crossB = f64x2.mul(zrB, ziB);
        zrA = f64x2.sub(f64x2.mul(zrA, zrA), f64x2.mul(ziA, ziA));
        zrB = f64x2.sub(f64x2.mul(zrB, zrB), f64x2.mul(ziB, ziB));
        ziA = f64x2.add(crossA, crossA);
        ziB = f64x2.add(crossB, crossB);
        rA = f64x2.mul(rA, rA);
        rB = f64x2.mul(rB, rB);
        t >>= 1;
      }
      yrA = zrA;
      yiA = ziA;
      mA = rA;
      yrB = zrB;
      yiB = ziB;
      mB = rB;
      t >>= 1;
      while (t != 0) {
        const crossA = f64x2.mul(zrA, ziA);
        const crossB = f64x2.mul(zrB, ziB);
        zrA = f64x2.sub(f64x2.mul(zrA, zrA), f64x2.mul(ziA, ziA));
        zrB = f64x2.sub(f64x2.mul(zrB, zrB), f64x2.mul(ziB, ziB));
        ziA = f64x2.add(crossA, crossA);
        ziB = f64x2.add(crossB, crossB);
        rA = f64x2.mul(rA, rA);
        rB = f64x2.mul(rB, rB);
        if (t & 1) {
          const imA = f64x2.add(f64x2.mul(yrA, ziA), f64x2.mul(yiA, zrA));
          const imB = f64x2.add(f64x2.mul(yrB, ziB), f64x2.mul(yiB, zrB));
          yrA = f64x2.sub(f64x2.mul(yrA, zrA), f64x2.mul(yiA, ziA));
          yrB = f64x2.sub(f64x2.mul(yrB, zrB), f64x2.mul(yiB, ziB));
          yiA = imA;
          yiB = imB;
          mA = f64x2.mul(mA, rA);
          mB = f64x2.mul(mB, rB);
        }
        t >>= 1;
      }
    }
    mA = f64x2.mul(beforeA, v128.bitselect(one, mA, smallA));
    mB = f64x2.mul(beforeB, v128.bitselect(one, mB, smallB));
    smallA = v128.or(smallA, f64x2.le(mA, TINY));
    smallB = v128.or(smallB, f64x2.le(mB, TINY));
    mA = v128.bitselect(f64x2.mul(TINY, f64x2.pmax(one, beforeA)), mA, smallA);
    mB = v128.bitselect(f64x2.mul(TINY, f64x2.pmax(one, beforeB)), mB, smallB);
    qA = f64x2.add(qA, v128.and(smallA, two));
    qB = f64x2.add(qB, v128.and(smallB, two));
    yrA = v128.andnot(yrA, smallA);
    yiA = v128.andnot(yiA, smallA);
    yrB = v128.andnot(yrB, smallB);
    yiB = v128.andnot(yiB, smallB);
    if (!first) {
      let ar = v128.load(acc);
      let ai = v128.load(acc, 16);
      const imA = f64x2.add(f64x2.mul(ar, yiA), f64x2.mul(ai, yrA));
      yrA = f64x2.sub(f64x2.mul(ar, yrA), f64x2.mul(ai, yiA));
      yiA = imA;
      ar = v128.load(acc, 32);
      ai = v128.load(acc, 48);
      const imB = f64x2.add(f64x2.mul(ar, yiB), f64x2.mul(ai, yrB));
      yrB = f64x2.sub(f64x2.mul(ar, yrB), f64x2.mul(ai, yiB));
      yiB = imB;
      qA = f64x2.add(v128.load(ratio), qA);
      qB = f64x2.add(v128.load(ratio, 16), qB);
    }
    v128.store(acc, yrA);
    v128.store(acc, yiA, 16);
    v128.store(acc, yrB, 32);
    v128.store(acc, yiB, 48);
    v128.store(mag, mA);
    v128.store(mag, mB, 16);
    v128.store(ratio, qA);
    v128.store(ratio, qB, 16);
  }
}

/**
 * Sums over all n frequencies (conjugates counted): out[0] = Σ mag·(min(ratio, 2) + relative),
 * out[1] = Σ|acc|. Two lanes (even and odd positions) over positions 2…N−1, then 0, 1 and N.
 */
export function sumBounds(acc: usize, mag: usize, ratio: usize, n: usize, relative: f64, out: usize): void {
  requireBlock(acc, n + 8);
  requireBlock(mag, (n >> 1) + 4);
  requireBlock(ratio, (n >> 1) + 4);
  requireBlock(out, 2);
  const two = f64x2.splat(2.0);
  const REL = f64x2.splat(relative);
  const size = n >> 1;
  let e = f64x2.splat(0.0);
  let s = f64x2.splat(0.0);
  for (let p: usize = 2; p < size; p += 2) {
    const m = v128.load(mag + (p << 3));
    const q = v128.load(ratio + (p << 3));
    e = f64x2.add(e, f64x2.mul(m, f64x2.add(f64x2.pmin(two, q), REL)));
    const ar = v128.load(acc + (p << 4));
    const ai = v128.load(acc + (p << 4), 16);
    s = f64x2.add(s, f64x2.sqrt(f64x2.add(f64x2.mul(ar, ar), f64x2.mul(ai, ai))));
  }
  let errors = f64x2.extract_lane(e, 0) + f64x2.extract_lane(e, 1);
  let sizes = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
  errors += boundAt(mag, ratio, 1, relative);
  sizes += modulus(load<f64>(acc, 8), load<f64>(acc, 24));
  errors = 2.0 * errors + boundAt(mag, ratio, 0, relative);
  sizes = 2.0 * sizes + abs(load<f64>(acc));
  store<f64>(out, errors + boundAt(mag, ratio, size, relative));
  store<f64>(out, sizes + abs(load<f64>(acc + (size << 4))), 8);
}

// @ts-expect-error: decorator
@inline
function modulus(re: f64, im: f64): f64 {
  return sqrt(re * re + im * im);
}

// @ts-expect-error: decorator
@inline
function boundAt(mag: usize, ratio: usize, p: usize, relative: f64): f64 {
  const q = load<f64>(ratio + (p << 3));
  return load<f64>(mag + (p << 3)) * ((q < 2.0 ? q : 2.0) + relative);
}
