/**
 * Powers and products of packed spectra, with the magnitudes their round-off bound needs.
 *
 * "Open" spectrum: a packed spectrum of N = n/2 positions in which position 0 is (X_0, 0) and position
 * N, appended with a zero at N + 1, is (X_N, 0): n + 4 numbers, the same arithmetic for each.
 */

/** (X_0, X_N) at position 0 to an open spectrum; room for n + 4 numbers. */
export function openSpectrum(data: usize, n: usize): void {
  const end = data + (n << 3);
  store<f64>(end, load<f64>(data, 16));
  store<f64>(end, 0.0, 8);
  v128.store(end, f64x2.splat(0.0), 16);
  store<f64>(data, 0.0, 16);
}

/** Inverse of `openSpectrum`. */
export function closeSpectrum(data: usize, n: usize): void {
  store<f64>(data, load<f64>(data + (n << 3)), 16);
}

/** a ← a·b for packed (not open) spectra. */
export function multiplySpectra(a: usize, b: usize, n: usize): void {
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

/** Σ|x_i|, two lanes (even and odd i), n even. */
export function norm1(x: usize, n: usize): f64 {
  const end = x + (n << 3);
  let s = f64x2.splat(0.0);
  for (let p = x; p < end; p += 16) s = f64x2.add(s, f64x2.abs(v128.load(p)));
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
}

/**
 * One part of a composition, on open spectra: with F its spectrum and r = |F| + eta,
 *   acc ← acc·F^count,  mag ← mag·r^count,  ratio ← ratio + weight/r   (`first`: acc = mag = 1, ratio = 0).
 * Where r < skip the factor is taken as 0, bounded by `tiny`, and ratio grows by 2.
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
  const zero = f64x2.splat(0.0);
  const two = f64x2.splat(2.0);
  const ETA = f64x2.splat(eta);
  const WEIGHT = f64x2.splat(weight);
  const SKIP = f64x2.splat(skip);
  const TINY = f64x2.splat(tiny);
  const bits = <u64>count;
  const end = spec + (n << 3) + 32;
  for (; spec < end; spec += 32, acc += 32, mag += 16, ratio += 16) {
    let zr = v128.load(spec);
    let zi = v128.load(spec, 16);
    let r = f64x2.add(f64x2.sqrt(f64x2.add(f64x2.mul(zr, zr), f64x2.mul(zi, zi))), ETA);
    const small = f64x2.lt(r, SKIP);
    let q = f64x2.add(f64x2.div(WEIGHT, r), v128.and(small, two));
    let yr = zero;
    let yi = zero;
    let m = TINY;
    if (!i64x2.all_true(small)) {
      let t = bits;
      while ((t & 1) == 0) {
        const cross = f64x2.mul(zr, zi);
        zr = f64x2.sub(f64x2.mul(zr, zr), f64x2.mul(zi, zi));
        zi = f64x2.add(cross, cross);
        r = f64x2.mul(r, r);
        t >>= 1;
      }
      yr = zr;
      yi = zi;
      m = r;
      t >>= 1;
      while (t != 0) {
        const cross = f64x2.mul(zr, zi);
        zr = f64x2.sub(f64x2.mul(zr, zr), f64x2.mul(zi, zi));
        zi = f64x2.add(cross, cross);
        r = f64x2.mul(r, r);
        if (t & 1) {
          const yi0 = yi;
          yi = f64x2.add(f64x2.mul(yr, zi), f64x2.mul(yi, zr));
          yr = f64x2.sub(f64x2.mul(yr, zr), f64x2.mul(yi0, zi));
          m = f64x2.mul(m, r);
        }
        t >>= 1;
      }
      yr = v128.andnot(yr, small);
      yi = v128.andnot(yi, small);
      m = v128.bitselect(TINY, m, small);
    }
    if (!first) {
      const ar = v128.load(acc);
      const ai = v128.load(acc, 16);
      const yi0 = yi;
      yi = f64x2.add(f64x2.mul(ar, yi), f64x2.mul(ai, yr));
      yr = f64x2.sub(f64x2.mul(ar, yr), f64x2.mul(ai, yi0));
      m = f64x2.mul(v128.load(mag), m);
      q = f64x2.add(v128.load(ratio), q);
    }
    v128.store(acc, yr);
    v128.store(acc, yi, 16);
    v128.store(mag, m);
    v128.store(ratio, q);
  }
}

/**
 * Sums over all n frequencies (conjugates counted): out[0] = Σ mag·(min(ratio, 2) + relative),
 * out[1] = Σ|acc|. Two lanes (even and odd positions) over positions 2…N−1, then 0, 1 and N.
 */
export function sumBounds(acc: usize, mag: usize, ratio: usize, n: usize, relative: f64, out: usize): void {
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
