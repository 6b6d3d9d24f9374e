import type { MassKernel } from './masses.js';
import type { RunQuestions } from './questions.js';

/**
 * The interface of the numeric engines, through which all other code calls them.
 *
 * Two engines implement it: the text of `assembly/`, compiled to WebAssembly (f64x2 SIMD) and to JavaScript. They agree bit for bit (`===`, and NaN
 * with NaN).
 *
 * Arrays are `Float64Array`s owned by the caller. Every element-wise method takes an optional `out` of the same length (which may be the input
 * itself) and returns it; without it a new array is made. Nothing returned aliases engine memory. Lengths that do not match throw a RangeError.
 */
export interface Kernel extends ElementwiseKernel, GdpKernel, TransformKernel, LatticeKernel, MassKernel {
  /** Which engine computes: WebAssembly, or JavaScript ('reference'). */
  readonly name: 'wasm' | 'reference';
  /** Questions about whole runs; undefined in a bundle that leaves them out. */
  readonly questions: RunQuestions | undefined;
}

/** One factor of a cyclic composition. */
export interface CyclicPart {
  /** Masses on a cycle whose length is a power of two. */
  readonly pmf: Float64Array;
  /** How often the factor is composed with itself, a whole number ≥ 0. */
  readonly count: number;
}

/**
 * The methods that map each element of one array, in the order by which the kernel numbers them (`elementwise`). `price` is the units of work of an
 * element (docs/effort.md), `error` the largest error found, rounded up. Errors are in ulp of the exact value: the distance of doubles in its binade,
 * 2⁻¹⁰⁷⁴ at least.
 *
 * Errors were searched at 10⁷ points for each function (1.2 to 1.5·10⁷ for inverfc and the quantiles), random over the domain and every binade. A
 * second search covered the few hundred cells with the largest errors, against 113-bit values. They are not proven maxima; two searches from other
 * points agreed within 0.07. An ulp is at most 2u of the value, u = 2⁻⁵³: brackets allow for more than that. The tests hold both engines to these
 * errors, at stored values from mpmath and at the worst points found.
 */
export const ELEMENTWISE = {
  exp: { price: 6, error: 0.76 },
  log: { price: 6, error: 0.67 },
  expm1: { price: 6, error: 2.12 },
  log1p: { price: 6, error: 0.67 },
  /** sin(πx) and cos(πx): exact argument reduction for every double. */
  sinPi: { price: 6, error: 1.61 },
  cosPi: { price: 6, error: 1.61 },
  /** erfc(x) = 2/√π ∫ₓ^∞ e^{−t²} dt, subnormal results included. */
  erfc: { price: 6, error: 1.97 },
  /** erfcx(x) = e^{x²} erfc(x); +∞ where it overflows (x < −26.6…). */
  erfcx: { price: 6, error: 3.87 },
  /** log erfc(x), finite for every finite x up to about 1.3e154. */
  logErfc: { price: 6, error: 2.04 },
  /** The x with erfc(x) = p, p ∈ [0, 2]. */
  inverfc: { price: 6, error: 6.43 },
  /** Φ(x), lower tail. Use `normalCdf(−x)` for the upper tail. */
  normalCdf: { price: 6, error: 2 },
  logNormalCdf: { price: 33, error: 1.97 },
  /** z with Φ(z) = p, p ∈ [0, 1]. */
  normalQuantile: { price: 6, error: 6.45 },
  /** z with 1 − Φ(z) = p: the upper-tail quantile, with no 1 − p formed. */
  normalQuantileUpper: { price: 6, error: 6.45 },
  /** z with log Φ(z) = logP, logP ∈ [−∞, 0]. */
  normalQuantileLog: { price: 6, error: 7.67 },
};

export type ElementwiseName = keyof typeof ELEMENTWISE;
export type ElementwiseKernel = {
  [Name in ElementwiseName]: (x: Float64Array, out?: Float64Array) => Float64Array;
};

/** The privacy profile δ_μ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) of N(0, 1) against N(μ, 1) (IAM eq. 1), and masses of N(0, 1). */
export interface GdpKernel {
  /** The masses Φ(z[i+1]) − Φ(z[i]) of the n intervals between n+1 ascending edges z (±∞ allowed). The error is relative in both tails. */
  normalIntervals(edges: Float64Array, out?: Float64Array): Float64Array;

  /** δ_μ(ε), the profile of N(0, 1) against N(μ, 1). `mu` is one value for all ε, or one per ε. μ ≥ 0, any real ε. */
  deltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** log δ_μ(ε), the logarithm of `deltaGdp`. */
  logDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** 1 minus `deltaGdp`, 1 − δ_μ(ε), accurate relative to itself where δ_μ is near 1. */
  oneMinusDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** The μ for which N(0, 1) against N(μ, 1) has log δ_μ(ε) = logDelta, ε ≥ 0. */
  muGdpLog(epsilon: Float64Array, logDelta: Float64Array, out?: Float64Array): Float64Array;
}

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
  /**
   * Cyclic composition on n points: the inverse FFT of ∏_j FFT(p_j)^{count_j}.
   *
   * @param parts Non-negative sequences of length n (power of two) and whole counts in [0, 2⁵³).
   * @returns The composed sequence, and a bound `perEntryError` of the rounding error of each of its entries (formula and proof at the head of
   * assembly/fft/compose.ts).
   */
  composeCyclic(parts: readonly CyclicPart[]): { composed: Float64Array; perEntryError: number };
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
