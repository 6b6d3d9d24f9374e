import type { Work } from './call.js';
import type { LoopKernel } from './loops.js';
import type { RunQuestions } from './questions.js';
import type { Scalars } from './scalars.js';
import { POINT, pointsOf } from './transforms.js';

/**
 * The interface of the numeric engines, through which all other code calls them.
 *
 * Two engines implement it: the text of `assembly/`, compiled to WebAssembly (f64x2 SIMD) and to JavaScript. They agree bit for bit (`===`, and NaN
 * with NaN).
 *
 * Arrays are `Float64Array`s owned by the caller. Every element-wise method takes an optional `out` of the same length (which may be the input
 * itself) and returns it; without it a new array is made. Nothing returned aliases engine memory. Lengths that do not match throw a RangeError.
 */
export interface Kernel extends ElementwiseKernel, LoopKernel {
  /** Which engine computes: WebAssembly, or JavaScript ('reference'). */
  readonly name: 'wasm' | 'reference';
  /** Functions of one or two numbers, with the bits of the functions of arrays. */
  readonly scalars: Scalars;
  /** Questions about whole runs; undefined in a bundle that leaves them out. */
  readonly questions: RunQuestions | undefined;
  /**
   * Cyclic composition on n points: the inverse FFT of ∏_j FFT(p_j)^{count_j}.
   *
   * @param parts Non-negative sequences of length n (power of two) and whole counts in [0, 2⁵³).
   * @returns The composed sequence, and a bound `perEntryError` of the rounding error of each of its entries (formula and proof at the head of
   * `compose-bound.ts`).
   */
  composeCyclic(parts: readonly CyclicPart[]): { composed: Float64Array; perEntryError: number };
}

/** One factor of a cyclic composition. */
export interface CyclicPart {
  /** Masses on a cycle whose length is a power of two. */
  readonly pmf: Float64Array;
  /** How often the factor is composed with itself, a whole number ≥ 0. */
  readonly count: number;
}

/**
 * The methods that map each element of one array. `price` is the units of work of an element (docs/effort.md), `error` the largest error found,
 * rounded up. Errors are in ulp of the exact value: the distance of doubles in its binade, 2⁻¹⁰⁷⁴ at least.
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

/** The work of `composeCyclic`, the only method that makes several calls of the kernel. */
export const COMPOSITION: Work<Kernel['composeCyclic']> = {
  price: POINT,
  terms: (parts) => (parts.length + 1) * pointsOf(parts[0]?.pmf.length ?? 0),
};
