import { checkFftLength, checkLength, isFftLength, outputOf } from './arguments.js';
import { calling, changed, even, giving, type Loop, Rows, results, Twiddles } from './call.js';

/** Fourier transforms of real sequences, and convolution by them. */
export interface TransformKernel {
  /**
   * Unnormalised forward transform of n = 2⁴…2²² reals. X_k = Σ x_j e^{−2πijk/n}, k = 0…n/2, are
   * n + 2 numbers (re, im interleaved, natural order).
   */
  realFft(x: Float64Array, out?: Float64Array): Float64Array;
  /** Inverse of `realFft`, normalised by 1/n: n + 2 numbers in, n reals out. */
  inverseRealFft(spectrum: Float64Array, out?: Float64Array): Float64Array;
  /** Linear convolution of two sequences, of length a.length + b.length − 1; of length 0 if either is empty. */
  convolve(a: Float64Array, b: Float64Array, out?: Float64Array): Float64Array;
}

/** Sums over lattice measures. */
export interface LatticeKernel {
  /** log Σ_i p_i e^{λ·step·(first+i)}, the log moment generating function of a lattice measure at λ; −∞ if it is empty. */
  logMgf(p: Float64Array, first: number, step: number, lambda: number): number;
  /** Exponential tilting of a lattice measure: out[i] = p_i · e^{θ·step·(first+i) − shift}. */
  tilt(
    p: Float64Array,
    first: number,
    step: number,
    theta: number,
    shift: number,
    out?: Float64Array,
  ): Float64Array;
  /**
   * Suffix sums of a tilted lattice measure, every term non-negative. Let x_j = step·j and p̃_j = p_j e^{θ x_j}. For each j:
   *   tail[j]  = Σ_{i≥j} p̃_i e^{−(1+θ)(x_i−x_j)};
   *   delta[j] = Σ_{i>j} p̃_i e^{−θ(x_i−x_j)} (1 − e^{−(x_i−x_j)}).
   * If p is the law of the loss under Q, e^{−θx_j}·delta[j] is the hockey-stick divergence δ(x_j), and e^{−(1+θ)x_j}·tail[j] is Pr_P[L ≥ x_j].
   * Negative p̃ (rounding errors) count as 0.
   *
   * @param out Two arrays of the same length to write to, in place of new ones.
   */
  suffixScan(tilted: Float64Array, theta: number, step: number, out?: SuffixSums): SuffixSums;
}

interface SuffixSums {
  readonly delta: Float64Array;
  readonly tail: Float64Array;
}

/** n·log₂ n, proportional to the work of a transform of length n; log₂ n counts as 4 at least. */
export const pointsOf = (n: number): number => n * Math.max(4, 31 - Math.clz32(n));
/** Units of work (docs/effort.md) for each of `pointsOf`. */
export const POINT = 0.6;

/** The length n of the reals whose spectrum has `length` = n + 2 numbers. */
function checkSpectrumLength(length: number): number {
  if (isFftLength(length - 2)) return length - 2;
  throw new RangeError(
    `"spectrum" must hold n + 2 numbers, n a power of two from 2^4 to 2^22; got ${length}`,
  );
}

/** The least FFT length that holds the `length` values of the convolution of a and b. */
function convolutionPoints(length: number, a: Float64Array, b: Float64Array): number {
  let n = 16;
  while (n < length) n *= 2;
  if (isFftLength(n)) return n;
  throw new RangeError(`"a" and "b" must convolve to at most 2^22 values; got ${a.length} and ${b.length}`);
}

export const TRANSFORMS: {
  readonly [K in keyof (TransformKernel & LatticeKernel)]: Loop<(TransformKernel & LatticeKernel)[K]>;
} = {
  realFft: {
    price: POINT,
    terms: (x) => pointsOf(x.length),
    call(x, out) {
      const n = x.length;
      checkFftLength('x', n);
      return giving(outputOf(n + 2, out), new Twiddles(n), x, n);
    },
  },
  inverseRealFft: {
    price: POINT,
    terms: (spectrum) => pointsOf(spectrum.length),
    call(spectrum, out) {
      const n = checkSpectrumLength(spectrum.length);
      return giving(outputOf(n, out), new Twiddles(n), spectrum, n);
    },
  },
  convolve: {
    price: POINT,
    terms: (a, b) => 3 * pointsOf(a.length + b.length),
    call(a, b, out) {
      const length = a.length === 0 || b.length === 0 ? 0 : a.length + b.length - 1;
      const n = convolutionPoints(length, a, b);
      const result = outputOf(length, out);
      // if a sequence is empty, the empty result is passed in place of both operands
      const y = length === 0 ? result : b;
      const operands = [
        new Twiddles(n),
        changed(length === 0 ? result : a, result, 1, n),
        new Rows(1, n, y),
        n,
      ];
      return calling(result, operands);
    },
  },
  logMgf: {
    price: 3,
    terms: (p) => p.length,
    call: (p, first, step, lambda) => calling((log) => log, [p, even(p.length), first, step, lambda]),
  },
  tilt: {
    price: 10,
    terms: (p) => p.length,
    call(p, ...[first, step, theta, shift, out]) {
      const result = outputOf(p.length, out, ', like "p"');
      const operands = [changed(p, result), even(p.length), first, step, theta, shift];
      return calling(result, operands);
    },
  },
  suffixScan: {
    price: 11,
    terms: (tilted) => tilted.length,
    call(tilted, theta, step, out) {
      const n = tilted.length;
      const sums = out ?? { delta: new Float64Array(n), tail: new Float64Array(n) };
      checkLength('out.delta', sums.delta, n);
      checkLength('out.tail', sums.tail, n);
      const operands = [changed(tilted, sums.tail), n, results(sums.delta), theta, step];
      return calling(sums, operands);
    },
  },
};
