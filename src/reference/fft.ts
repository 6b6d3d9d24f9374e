/**
 * Real FFT of n = 2⁴…2²² doubles, in place, without a bit-reversal pass: the mirror of
 * assembly/fft.ts (same operations, same order: results are equal bit for bit).
 *
 * Packed spectrum: position p holds X_k at k = N·ρ(p) (bit reversal, N = n/2) as (re, im);
 * position 0 holds (X_0, X_N), both real. N − k lies at 3·2^j − 1 − p for p in [2^j, 2^{j+1}).
 */
import { checkFftLength, checkSpectrumLength, fftOutput, twiddlesNeeded } from '../kernel/arguments.js';
import {
  closeEight,
  closeFour,
  closeTwo,
  joinBlock,
  openEight,
  openFour,
  openTwo,
  splitBlock,
} from './fft-passes.js';
import { twiddles } from './twiddles.js';

/** Complex numbers of a leaf: 2¹⁰·16 bytes stay in the first-level cache. */
const LEAF = 1024;

function splitLevels(
  z: Float64Array,
  base: number,
  size: number,
  count: number,
  b: number,
  T: Float64Array,
): void {
  for (let length = size; length >= 4; length >>= 2) {
    for (let k = 0; k < count; k++) splitBlock(z, base + 2 * k * length, length >> 1, b + k, T);
    count <<= 2;
    b <<= 2;
  }
}

function joinLevels(
  z: Float64Array,
  base: number,
  size: number,
  count: number,
  b: number,
  T: Float64Array,
): void {
  for (let length = 16; length <= size; length <<= 2) {
    count <<= 2;
    b <<= 2;
  }
  for (let length = 4; length <= size; length <<= 2) {
    for (let k = 0; k < count; k++) joinBlock(z, base + 2 * k * length, length >> 1, b + k, T);
    count >>= 2;
    b >>= 2;
  }
}

/** Depth first: every sub-block is finished while it is in cache. */
function splitTree(z: Float64Array, base: number, size: number, b: number, T: Float64Array): void {
  if (size <= LEAF) {
    splitLevels(z, base, size, 1, b, T);
    return;
  }
  splitBlock(z, base, size >> 1, b, T);
  for (let k = 0; k < 4; k++) splitTree(z, base + k * (size >> 1), size >> 2, 4 * b + k, T);
}

function joinTree(z: Float64Array, base: number, size: number, b: number, T: Float64Array): void {
  if (size <= LEAF) {
    joinLevels(z, base, size, 1, b, T);
    return;
  }
  for (let k = 0; k < 4; k++) joinTree(z, base + k * (size >> 1), size >> 2, 4 * b + k, T);
  joinBlock(z, base, size >> 1, b, T);
}

/** Parts the outermost pass makes, so that what remains is a power of four. */
function outerParts(size: number): number {
  if (size === 8) return 2;
  return (31 - Math.clz32(size)) & 1 ? 8 : 4;
}

/** n reals to the packed spectrum, in place; `z` may be longer than n. */
export function forwardFft(z: Float64Array, n: number): void {
  const T = twiddles(twiddlesNeeded(n));
  const size = n / 2;
  const parts = outerParts(size);
  const part = size / parts;
  if (parts === 8) openEight(z, 2 * part);
  else if (parts === 4) openFour(z, 0, 2 * part);
  else openTwo(z, 2 * part);
  for (let k = 0; k < parts; k++) splitTree(z, 2 * k * part, part, k, T);
  unpack(z, size, T);
}

/** Packed spectrum to n reals, in place; normalised by 1/n. */
export function inverseFft(z: Float64Array, n: number): void {
  const T = twiddles(twiddlesNeeded(n));
  const size = n / 2;
  const parts = outerParts(size);
  const part = size / parts;
  repack(z, size, T);
  for (let k = 0; k < parts; k++) joinTree(z, 2 * k * part, part, k, T);
  if (parts === 8) closeEight(z, 2 * part);
  else if (parts === 4) closeFour(z, 0, 2 * part);
  else closeTwo(z, 2 * part);
}

/** Spectrum Z of the packed complex sequence to the spectrum X of the reals. */
function unpack(z: Float64Array, size: number, T: Float64Array): void {
  const z0 = z[0];
  z[0] = z0 + z[1];
  z[1] = z0 - z[1];
  z[3] = -z[3];
  for (let group = 2; group < size; group *= 2) {
    for (let p = group, q = 2 * group - 1; p < q; p++, q--) {
      const wr = T[p];
      const wi = p & 1 ? -T[p - 1] : T[p + 1];
      const er = (z[2 * p] + z[2 * q]) * 0.5;
      const ei = (z[2 * p + 1] - z[2 * q + 1]) * 0.5;
      const dr = (z[2 * p] - z[2 * q]) * 0.5;
      const di = (z[2 * p + 1] + z[2 * q + 1]) * 0.5;
      const a = dr * wr - di * wi;
      const b = dr * wi + di * wr;
      z[2 * p] = er + b;
      z[2 * p + 1] = ei - a;
      z[2 * q] = er - b;
      z[2 * q + 1] = -(ei + a);
    }
  }
}

/** Inverse of `unpack`, times 1/size: scaled by the exact power of two 1/n. */
function repack(z: Float64Array, size: number, T: Float64Array): void {
  const scale = 0.5 / size;
  const x0 = z[0];
  z[0] = (x0 + z[1]) * scale;
  z[1] = (x0 - z[1]) * scale;
  z[2] *= 2 * scale;
  z[3] *= -2 * scale;
  for (let group = 2; group < size; group *= 2) {
    for (let p = group, q = 2 * group - 1; p < q; p++, q--) {
      const wr = T[p];
      const wi = p & 1 ? -T[p - 1] : T[p + 1];
      const er = (z[2 * p] + z[2 * q]) * scale;
      const ei = (z[2 * p + 1] - z[2 * q + 1]) * scale;
      const dr = (z[2 * p] - z[2 * q]) * scale;
      const di = (z[2 * p + 1] + z[2 * q + 1]) * scale;
      const a = dr * wr + di * wi;
      const b = di * wr - dr * wi;
      z[2 * p] = er - b;
      z[2 * p + 1] = ei + a;
      z[2 * q] = er + b;
      z[2 * q + 1] = a - ei;
    }
  }
}

/** The next position in bit-reversed counting: adds 1 at bit `top` and carries downward. */
function nextReversed(k: number, top: number): number {
  while (k & top) {
    k ^= top;
    top >>= 1;
  }
  return k | top;
}

/** X_k = Σ x_j e^{−2πijk/n}, k = 0…n/2, natural order, (re, im) interleaved. */
export function realFft(x: Float64Array, out?: Float64Array): Float64Array {
  const n = x.length;
  checkFftLength('x', n);
  const spectrum = fftOutput(n + 2, out);
  const z = x.slice();
  forwardFft(z, n);
  for (let p = 0, k = 0; p < n / 2; p++, k = nextReversed(k, n / 4)) {
    spectrum[2 * k] = z[2 * p];
    spectrum[2 * k + 1] = z[2 * p + 1];
  }
  spectrum[n] = spectrum[1];
  spectrum[1] = 0;
  return spectrum;
}

/** Inverse of `realFft`; the imaginary parts of X_0 and X_{n/2} are ignored. */
export function inverseRealFft(spectrum: Float64Array, out?: Float64Array): Float64Array {
  const n = checkSpectrumLength(spectrum.length);
  const result = fftOutput(n, out);
  const z = out === undefined ? result : new Float64Array(n);
  for (let p = 0, k = 0; p < n / 2; p++, k = nextReversed(k, n / 4)) {
    z[2 * p] = spectrum[2 * k];
    z[2 * p + 1] = spectrum[2 * k + 1];
  }
  z[1] = spectrum[n];
  inverseFft(z, n);
  if (z !== result) result.set(z);
  return result;
}
