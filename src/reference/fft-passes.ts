/**
 * Butterfly passes of the complex FFT, in place, natural order in, bit-reversed order out: the same
 * operations in the same order as assembly/fft-passes.ts and assembly/fft-edges.ts, on interleaved
 * (re, im) numbers. Indices and sizes count Float64Array elements, two per complex number.
 *
 * Method: reduction of z(t) = Σ z_j t^j modulo t^L − e^{−2πiρ(b)} (b: number of the block at its level,
 * ρ: van der Corput map); a block splits in four with the one root r = T[b], r² = (−i)^{b&1}·T[b>>1].
 */

/** Splits block `b` of 4·quarter elements into four. */
export function splitBlock(z: Float64Array, base: number, quarter: number, b: number, T: Float64Array): void {
  const rr = T[2 * b];
  const ri = T[2 * b + 1];
  const tr = T[2 * (b >> 1)];
  const ti = T[2 * (b >> 1) + 1];
  const odd = (b & 1) !== 0;
  const sr = odd ? ti : tr;
  const si = odd ? -tr : ti;
  const cr = rr * sr - ri * si;
  const ci = rr * si + ri * sr;
  for (let p0 = base; p0 < base + quarter; p0 += 2) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    const x2r = z[p2] * sr - z[p2 + 1] * si;
    const x2i = z[p2] * si + z[p2 + 1] * sr;
    const t0r = z[p0] + x2r;
    const t0i = z[p0 + 1] + x2i;
    const t1r = z[p0] - x2r;
    const t1i = z[p0 + 1] - x2i;
    const x1r = z[p1] * rr - z[p1 + 1] * ri;
    const x1i = z[p1] * ri + z[p1 + 1] * rr;
    const x3r = z[p3] * cr - z[p3 + 1] * ci;
    const x3i = z[p3] * ci + z[p3 + 1] * cr;
    const ur = x1r + x3r;
    const ui = x1i + x3i;
    const vr = x1r - x3r;
    const vi = x1i - x3i;
    z[p0] = t0r + ur;
    z[p0 + 1] = t0i + ui;
    z[p1] = t0r - ur;
    z[p1 + 1] = t0i - ui;
    z[p2] = t1r + vi;
    z[p2 + 1] = t1i - vr;
    z[p3] = t1r - vi;
    z[p3 + 1] = t1i + vr;
  }
}

/** Inverse of `splitBlock`, times 4. */
export function joinBlock(z: Float64Array, base: number, quarter: number, b: number, T: Float64Array): void {
  const rr = T[2 * b];
  const ri = T[2 * b + 1];
  const tr = T[2 * (b >> 1)];
  const ti = T[2 * (b >> 1) + 1];
  const odd = (b & 1) !== 0;
  const sr = odd ? ti : tr;
  const si = odd ? -tr : ti;
  const cr = rr * sr - ri * si;
  const ci = rr * si + ri * sr;
  for (let p0 = base; p0 < base + quarter; p0 += 2) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    const t0r = z[p0] + z[p1];
    const t0i = z[p0 + 1] + z[p1 + 1];
    const ur = z[p0] - z[p1];
    const ui = z[p0 + 1] - z[p1 + 1];
    const t1r = z[p2] + z[p3];
    const t1i = z[p2 + 1] + z[p3 + 1];
    const vr = z[p3 + 1] - z[p2 + 1];
    const vi = z[p2] - z[p3];
    z[p0] = t0r + t1r;
    z[p0 + 1] = t0i + t1i;
    let wr = ur + vr;
    let wi = ui + vi;
    z[p1] = wr * rr + wi * ri;
    z[p1 + 1] = wi * rr - wr * ri;
    wr = t0r - t1r;
    wi = t0i - t1i;
    z[p2] = wr * sr + wi * si;
    z[p2 + 1] = wi * sr - wr * si;
    wr = ur - vr;
    wi = ui - vi;
    z[p3] = wr * cr + wi * ci;
    z[p3 + 1] = wi * cr - wr * ci;
  }
}

/** Outermost split in 2 (N = 8 only). */
export function openTwo(z: Float64Array, half: number): void {
  for (let p0 = 0; p0 < half; p0++) {
    const a = z[p0];
    const b = z[p0 + half];
    z[p0] = a + b;
    z[p0 + half] = a - b;
  }
}

/** Inverse of `openTwo`, times 2: the same operation. */
export const closeTwo = openTwo;

/** Outermost split in 4, without twiddles. */
export function openFour(z: Float64Array, base: number, quarter: number): void {
  for (let p0 = base; p0 < base + quarter; p0 += 2) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    const t0r = z[p0] + z[p2];
    const t0i = z[p0 + 1] + z[p2 + 1];
    const t1r = z[p0] - z[p2];
    const t1i = z[p0 + 1] - z[p2 + 1];
    const ur = z[p1] + z[p3];
    const ui = z[p1 + 1] + z[p3 + 1];
    const vr = z[p1] - z[p3];
    const vi = z[p1 + 1] - z[p3 + 1];
    z[p0] = t0r + ur;
    z[p0 + 1] = t0i + ui;
    z[p1] = t0r - ur;
    z[p1 + 1] = t0i - ui;
    z[p2] = t1r + vi;
    z[p2 + 1] = t1i - vr;
    z[p3] = t1r - vi;
    z[p3 + 1] = t1i + vr;
  }
}

/** Inverse of `openFour`, times 4. */
export function closeFour(z: Float64Array, base: number, quarter: number): void {
  for (let p0 = base; p0 < base + quarter; p0 += 2) {
    const p1 = p0 + quarter;
    const p2 = p1 + quarter;
    const p3 = p2 + quarter;
    const t0r = z[p0] + z[p1];
    const t0i = z[p0 + 1] + z[p1 + 1];
    const ur = z[p0] - z[p1];
    const ui = z[p0 + 1] - z[p1 + 1];
    const t1r = z[p2] + z[p3];
    const t1i = z[p2 + 1] + z[p3 + 1];
    const vr = z[p3 + 1] - z[p2 + 1];
    const vi = z[p2] - z[p3];
    z[p0] = t0r + t1r;
    z[p0 + 1] = t0i + t1i;
    z[p1] = ur + vr;
    z[p1 + 1] = ui + vi;
    z[p2] = t0r - t1r;
    z[p2 + 1] = t0i - t1i;
    z[p3] = ur - vr;
    z[p3 + 1] = ui - vi;
  }
}

/** Outermost split in 8: in 2, then block 0 in 4 with root 1 and block 1 in 4 with root e^{−iπ/4}. */
export function openEight(z: Float64Array, eighth: number): void {
  const half = 4 * eighth;
  openTwo(z, half);
  openFour(z, 0, eighth);
  for (let p0 = half; p0 < half + eighth; p0 += 2) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const x1r = Math.SQRT1_2 * (z[p1] + z[p1 + 1]);
    const x1i = Math.SQRT1_2 * (z[p1 + 1] - z[p1]);
    const x3r = Math.SQRT1_2 * (z[p3 + 1] - z[p3]);
    const x3i = -Math.SQRT1_2 * (z[p3] + z[p3 + 1]);
    const t0r = z[p0] + z[p2 + 1];
    const t0i = z[p0 + 1] - z[p2];
    const t1r = z[p0] - z[p2 + 1];
    const t1i = z[p0 + 1] + z[p2];
    const ur = x1r + x3r;
    const ui = x1i + x3i;
    const vr = x1r - x3r;
    const vi = x1i - x3i;
    z[p0] = t0r + ur;
    z[p0 + 1] = t0i + ui;
    z[p1] = t0r - ur;
    z[p1 + 1] = t0i - ui;
    z[p2] = t1r + vi;
    z[p2 + 1] = t1i - vr;
    z[p3] = t1r - vi;
    z[p3 + 1] = t1i + vr;
  }
}

/** Inverse of `openEight`, times 8. */
export function closeEight(z: Float64Array, eighth: number): void {
  const half = 4 * eighth;
  closeFour(z, 0, eighth);
  for (let p0 = half; p0 < half + eighth; p0 += 2) {
    const p1 = p0 + eighth;
    const p2 = p1 + eighth;
    const p3 = p2 + eighth;
    const t0r = z[p0] + z[p1];
    const t0i = z[p0 + 1] + z[p1 + 1];
    const ur = z[p0] - z[p1];
    const ui = z[p0 + 1] - z[p1 + 1];
    const t1r = z[p2] + z[p3];
    const t1i = z[p2 + 1] + z[p3 + 1];
    const vr = z[p3 + 1] - z[p2 + 1];
    const vi = z[p2] - z[p3];
    z[p0] = t0r + t1r;
    z[p0 + 1] = t0i + t1i;
    z[p2] = t1i - t0i;
    z[p2 + 1] = t0r - t1r;
    let wr = ur + vr;
    let wi = ui + vi;
    z[p1] = Math.SQRT1_2 * (wr - wi);
    z[p1 + 1] = Math.SQRT1_2 * (wr + wi);
    wr = ur - vr;
    wi = ui - vi;
    z[p3] = -Math.SQRT1_2 * (wr + wi);
    z[p3 + 1] = Math.SQRT1_2 * (wr - wi);
  }
  closeTwo(z, half);
}
