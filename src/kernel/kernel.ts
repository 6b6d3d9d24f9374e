import type { SuffixSums } from './arguments.js';
import type { Work } from './call.js';
import type { LoopKernel } from './loops.js';
import type { Scalars } from './scalars.js';

/**
 * The seam: the one interface between the numeric engines below and the privacy mathematics above.
 *
 * Two engines implement it: the text of `assembly/`, compiled to WebAssembly (f64x2 SIMD) and to JavaScript.
 * They agree bit for bit (`===`, and NaN with NaN).
 *
 * Arrays are `Float64Array`s owned by the caller. Every element-wise method takes an optional `out`
 * of the same length (which may be the input itself) and returns it; without it a new array is made.
 * Nothing returned aliases engine memory. Lengths that do not match throw a RangeError.
 */
export interface Kernel extends ElementwiseKernel, GdpKernel, TransformKernel, LatticeKernel, LoopKernel {
  /** Which engine this is. */
  readonly name: 'wasm' | 'reference';
  /** The functions of one number that plans ask most, with the bits of the element-wise methods. */
  readonly scalars: Scalars;
}

/** The Gaussian privacy profile (IAM eq. 1) and masses of a Gaussian: `bindings/gdp.ts`. */
export interface GdpKernel {
  /**
   * Masses Φ(z[i+1]) − Φ(z[i]) of the n intervals between n+1 ascending edges (±∞ allowed), each
   * with full relative accuracy in both tails.
   */
  normalIntervals(edges: Float64Array, out?: Float64Array): Float64Array;

  /** δ_μ(ε). `mu` is one value for all ε, or one per ε. μ ≥ 0, any real ε. */
  deltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** log δ_μ(ε). */
  logDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** 1 − δ_μ(ε), with relative accuracy when δ is near 1. */
  oneMinusDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** The μ with log δ_μ(ε) = logDelta, ε ≥ 0. */
  muGdpLog(epsilon: Float64Array, logDelta: Float64Array, out?: Float64Array): Float64Array;
}

/** Real FFT: `bindings/transforms.ts`. */
export interface TransformKernel {
  /**
   * Unnormalised forward transform of n = 2⁴…2²² reals: X_k = Σ x_j e^{−2πijk/n}, k = 0…n/2, as
   * n + 2 numbers (re, im interleaved, natural order).
   */
  realFft(x: Float64Array, out?: Float64Array): Float64Array;
  /** Inverse of `realFft`, normalised by 1/n: n + 2 numbers in, n reals out. */
  inverseRealFft(spectrum: Float64Array, out?: Float64Array): Float64Array;
  /** Linear convolution of two sequences (length a + b − 1; 0 if either is empty). */
  convolve(a: Float64Array, b: Float64Array, out?: Float64Array): Float64Array;
  /**
   * Cyclic composition on n points: the inverse transform of ∏_j FFT(p_j)^{count_j}.
   *
   * @param parts Non-negative sequences of length n (power of two) and whole counts in [0, 2⁵³).
   * @returns The composed sequence and the round-off bound of every one of its entries:
   *   |computed − exact| ≤ `perEntryError`, from the path bound of the FFT
   *   |F̂_k − F_k| ≤ e₁‖p‖₁ carried through the powers with the magnitudes actually computed.
   */
  composeCyclic(parts: readonly CyclicPart[]): { composed: Float64Array; perEntryError: number };
}

/** Sums over a grid: `bindings/transforms.ts`. */
export interface LatticeKernel {
  /** log Σ_i p_i e^{λ·step·(first+i)}: the cumulant function of a lattice measure; −∞ if it is empty. */
  logMgf(p: Float64Array, first: number, step: number, lambda: number): number;
  /**
   * Tilts a lattice measure: out[i] = p_i · e^{θ·step·(first+i) − shift}.
   */
  tilt(
    p: Float64Array,
    first: number,
    step: number,
    theta: number,
    shift: number,
    out?: Float64Array,
  ): Float64Array;
  /**
   * Suffix sums of a tilted lattice measure, every term non-negative. With x_j = step·j and weights
   * p̃_j = p_j e^{θ x_j}, for each j:
   *   tail[j]  = Σ_{i≥j} p̃_i e^{−(1+θ)(x_i−x_j)}
   *   delta[j] = Σ_{i>j} p̃_i e^{−θ(x_i−x_j)} (1 − e^{−(x_i−x_j)})
   * so that e^{−θx_j}·delta[j] is the hockey-stick divergence at ε = x_j and
   * e^{−(1+θ)x_j}·tail[j] is the P-law's Pr[X ≥ x_j]. Negative p̃ (round-off) count as 0.
   *
   * @param out Two arrays of the same length to write to, in place of new ones.
   */
  suffixScan(tilted: Float64Array, theta: number, step: number, out?: SuffixSums): SuffixSums;
}

/** One factor of a cyclic composition. */
export interface CyclicPart {
  /** Masses on a cycle whose length is a power of two. */
  readonly pmf: Float64Array;
  /** How often it is composed, a whole number ≥ 0. */
  readonly count: number;
}

/**
 * The methods that take one array and work on each element alone: the price of an element (docs/effort.md), and the largest error found, in ulp of the exact
 * value (the distance of doubles in its binade, 2⁻¹⁰⁷⁴ at least), rounded up.
 *
 * Searches for errors: 10⁷ points each (inverfc and the quantiles 1.2 to 1.5·10⁷), random over the domain and every binade, then
 * twice in the few hundred cells where errors had been largest, against 113-bit values. They are not proven maxima; two
 * searches from other points agreed within 0.07. An ulp is at most 2u of the value, u = 2⁻⁵³: brackets leave room for more than that.
 * The tests hold both engines to them, at the goldens and at the hardest points found.
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

const transform = (n: number): number => n * Math.max(4, 31 - Math.clz32(n));

/** The work of methods of several calls, or in blocks: elements of a profile, points of a transform by the logarithm of its length, points of a grid. */
export const COMPOSED: {
  readonly [K in keyof (GdpKernel & TransformKernel & LatticeKernel)]: Work<Kernel[K]>;
} = {
  deltaGdp: { price: 33, terms: (_, epsilon) => epsilon.length },
  logDeltaGdp: { price: 33, terms: (_, epsilon) => epsilon.length },
  oneMinusDeltaGdp: { price: 33, terms: (_, epsilon) => epsilon.length },
  muGdpLog: { price: 130, terms: (epsilon) => epsilon.length },
  normalIntervals: { price: 33, terms: (edges) => edges.length },
  realFft: { price: 0.6, terms: (x) => transform(x.length) },
  inverseRealFft: { price: 0.6, terms: (spectrum) => transform(spectrum.length) },
  convolve: { price: 0.6, terms: (a, b) => 3 * transform(a.length + b.length) },
  composeCyclic: {
    price: 0.6,
    terms: (parts) => (parts.length + 1) * transform(parts[0]?.pmf.length ?? 0),
  },
  logMgf: { price: 3, terms: (p) => p.length },
  tilt: { price: 10, terms: (p) => p.length },
  suffixScan: { price: 11, terms: (tilted) => tilted.length },
};
