/**
 * Cyclic composition on n points and linear convolution: the mirror of assembly/compose.ts (same
 * operations, same order: results are equal bit for bit). Spectra are packed as in `fft.ts`; an open
 * spectrum has (X_0, 0) at position 0 and (X_N, 0) appended at position N = n/2.
 */

import { exp, expm1, log } from '../../assembly/elementary.js';
import { convolutionLength, convolutionOutput } from '../kernel/arguments.js';
import { type CompositionBound, planComposition, TINY } from '../kernel/compose-bound.js';
import type { CyclicPart } from '../kernel/kernel.js';
import { forwardFft, inverseFft } from './fft.js';

/** Σ|x_i|, eight sums (of i mod 8), n a multiple of 8. */
function norm1(x: Float64Array): number {
  const sums = new Float64Array(8);
  for (let i = 0; i < x.length; i += 8) for (let k = 0; k < 8; k++) sums[k] += Math.abs(x[i + k]);
  const [a, b, c, d, e, f, g, h] = sums;
  return a + c + (e + g) + (b + d + (f + h));
}

/** See `powerPart` in assembly/compose.ts. */
function powerPart(
  spec: Float64Array,
  acc: Float64Array,
  mag: Float64Array,
  ratio: Float64Array,
  count: number,
  bound: CompositionBound,
  first: boolean,
): void {
  const { eta, weight, skip } = bound;
  for (let p = 0; p < mag.length; p++) {
    let zr = spec[2 * p];
    let zi = spec[2 * p + 1];
    let r = Math.sqrt(zr * zr + zi * zi) + eta;
    let q = weight / r;
    let yr = 0;
    let yi = 0;
    let m = 1;
    const before = first ? 1 : mag[p];
    const small = r < skip || (before <= TINY && r <= 1);
    if (!small) {
      let t = count;
      while (t % 2 === 0) {
        const cross = zr * zi;
        zr = zr * zr - zi * zi;
        zi = cross + cross;
        r *= r;
        t /= 2;
      }
      yr = zr;
      yi = zi;
      m = r;
      t = (t - 1) / 2;
      while (t !== 0) {
        const cross = zr * zi;
        zr = zr * zr - zi * zi;
        zi = cross + cross;
        r *= r;
        const odd = t % 2;
        if (odd === 1) {
          const im = yr * zi + yi * zr;
          yr = yr * zr - yi * zi;
          yi = im;
          m *= r;
        }
        t = (t - odd) / 2;
      }
    }
    m *= before;
    if (small || m <= TINY) {
      m = TINY * Math.max(1, before);
      q += 2;
      yr = 0;
      yi = 0;
    }
    if (!first) {
      const ar = acc[2 * p];
      const ai = acc[2 * p + 1];
      const im = ar * yi + ai * yr;
      yr = ar * yr - ai * yi;
      yi = im;
      q = ratio[p] + q;
    }
    acc[2 * p] = yr;
    acc[2 * p + 1] = yi;
    mag[p] = m;
    ratio[p] = q;
  }
}

/** See `sumBounds` in assembly/compose.ts. */
function sumBounds(
  acc: Float64Array,
  mag: Float64Array,
  ratio: Float64Array,
  relative: number,
): [number, number] {
  const size = mag.length - 1;
  const boundAt = (p: number): number => mag[p] * (Math.min(ratio[p], 2) + relative);
  const modulus = (p: number): number => Math.sqrt(acc[2 * p] * acc[2 * p] + acc[2 * p + 1] * acc[2 * p + 1]);
  let e0 = 0;
  let e1 = 0;
  let s0 = 0;
  let s1 = 0;
  for (let p = 2; p < size; p += 2) {
    e0 += boundAt(p);
    e1 += boundAt(p + 1);
    s0 += modulus(p);
    s1 += modulus(p + 1);
  }
  const errors = e0 + e1 + boundAt(1);
  const sizes = s0 + s1 + modulus(1);
  return [2 * errors + boundAt(0) + boundAt(size), 2 * sizes + Math.abs(acc[0]) + Math.abs(acc[2 * size])];
}

/** Inverse transform of ∏_j FFT(p_j)^{count_j}, with the round-off bound of kernel/compose-bound.ts. */
export function composeCyclic(parts: readonly CyclicPart[]): {
  composed: Float64Array;
  perEntryError: number;
} {
  const plan = planComposition(parts, { exp, expm1, log });
  const n = plan.length;
  if (plan.parts.length === 0) {
    const composed = new Float64Array(n);
    composed[0] = 1;
    return { composed, perEntryError: 0 };
  }
  const acc = new Float64Array(n + 2);
  const mag = new Float64Array(n / 2 + 1);
  const ratio = new Float64Array(n / 2 + 1);
  const other = plan.parts.length > 1 ? new Float64Array(n + 2) : acc;
  plan.parts.forEach(({ pmf, count }, index) => {
    const spec = index === 0 ? acc : other;
    const bound = plan.bound(index, norm1(pmf));
    spec.set(pmf);
    forwardFft(spec, n);
    spec[n] = spec[1];
    spec[n + 1] = 0;
    spec[1] = 0;
    powerPart(spec, acc, mag, ratio, count, bound, index === 0);
  });
  const [errors, sizes] = sumBounds(acc, mag, ratio, plan.relative);
  acc[1] = acc[n];
  inverseFft(acc, n);
  return { composed: acc.slice(0, n), perEntryError: plan.perEntry(errors, sizes) };
}

/** Linear convolution; absolute error of each entry ≤ 4·e₁(n)·‖a‖₁‖b‖₁ (to first order 3·e₁). */
export function convolve(a: Float64Array, b: Float64Array, out?: Float64Array): Float64Array {
  const n = convolutionLength(a, b);
  const result = convolutionOutput(a, b, out);
  if (result.length === 0) return result;
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  x.set(a);
  y.set(b);
  forwardFft(x, n);
  forwardFft(y, n);
  const x0 = x[0] * y[0];
  const xn = x[1] * y[1];
  for (let i = 0; i < n; i += 2) {
    const re = x[i] * y[i] - x[i + 1] * y[i + 1];
    x[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
    x[i] = re;
  }
  x[0] = x0;
  x[1] = xn;
  inverseFft(x, n);
  result.set(x.subarray(0, result.length));
  return result;
}
