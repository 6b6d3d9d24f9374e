import type { KernelTable } from './kernel-table.js';

/**
 * The seam: the one interface between the numeric engines below and the privacy mathematics above.
 *
 * Two engines implement it: the text of `assembly/`, compiled to WebAssembly (f64x2 SIMD) and to JavaScript.
 * They agree bit for bit (`===`, and NaN with NaN).
 *
 * Arrays are `Float64Array`s owned by the caller. Every element-wise method takes an optional `out`
 * of the same length (which may be the input itself) and returns it; without it a new array is made.
 * Nothing returned aliases engine memory. Lengths that do not match throw a RangeError. "Error found" is the largest that
 * searches found, no proven maximum: `accuracy.ts`.
 */
export interface Kernel {
  /** Which engine this is. */
  readonly name: 'wasm' | 'reference';

  // Elementary functions, element by element ---------------------------------------------------
  /** Error found: 0.76 ulp. */
  exp(x: Float64Array, out?: Float64Array): Float64Array;
  /** Error found: 0.67 ulp. */
  log(x: Float64Array, out?: Float64Array): Float64Array;
  /** Error found: 2.12 ulp. */
  expm1(x: Float64Array, out?: Float64Array): Float64Array;
  /** Error found: 0.67 ulp. */
  log1p(x: Float64Array, out?: Float64Array): Float64Array;
  /** sin(πx) and cos(πx): exact argument reduction for every double. Error found: 1.61 ulp. */
  sinPi(x: Float64Array, out?: Float64Array): Float64Array;
  /** Error found: 1.61 ulp. */
  cosPi(x: Float64Array, out?: Float64Array): Float64Array;

  // Error function family ----------------------------------------------------------------------
  /** erfc(x) = 2/√π ∫ₓ^∞ e^{−t²} dt, subnormal results included. Error found: 1.97 ulp. */
  erfc(x: Float64Array, out?: Float64Array): Float64Array;
  /** erfcx(x) = e^{x²} erfc(x); +∞ where it overflows (x < −26.6…). Error found: 3.87 ulp. */
  erfcx(x: Float64Array, out?: Float64Array): Float64Array;
  /** log erfc(x), finite for every finite x up to about 1.3e154. Error found: 2.04 ulp. */
  logErfc(x: Float64Array, out?: Float64Array): Float64Array;
  /** The x with erfc(x) = p, p ∈ [0, 2]. Error found: 6.43 ulp. */
  inverfc(p: Float64Array, out?: Float64Array): Float64Array;

  // Standard normal ----------------------------------------------------------------------------
  /** Φ(x), lower tail. Use `normalCdf(−x)` for the upper tail. Error found: 2 ulp. */
  normalCdf(x: Float64Array, out?: Float64Array): Float64Array;
  /** Error found: 1.97 ulp. */
  logNormalCdf(x: Float64Array, out?: Float64Array): Float64Array;
  /** z with Φ(z) = p, p ∈ [0, 1]. Error found: 6.45 ulp. */
  normalQuantile(p: Float64Array, out?: Float64Array): Float64Array;
  /** z with 1 − Φ(z) = p: the upper-tail quantile, with no 1 − p formed. Error found: 6.45 ulp. */
  normalQuantileUpper(p: Float64Array, out?: Float64Array): Float64Array;
  /** z with log Φ(z) = logP, logP ∈ [−∞, 0]. Error found: 7.67 ulp. */
  normalQuantileLog(logP: Float64Array, out?: Float64Array): Float64Array;
  /**
   * Masses Φ(z[i+1]) − Φ(z[i]) of the n intervals between n+1 ascending edges (±∞ allowed), each
   * with full relative accuracy in both tails.
   */
  normalIntervals(edges: Float64Array, out?: Float64Array): Float64Array;

  // Gaussian privacy profile (IAM eq. 1) -------------------------------------------------------
  /** δ_μ(ε). `mu` is one value for all ε, or one per ε. μ ≥ 0, any real ε. */
  deltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** log δ_μ(ε). */
  logDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** 1 − δ_μ(ε), with relative accuracy when δ is near 1. */
  oneMinusDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** The μ with log δ_μ(ε) = logDelta, ε ≥ 0. */
  muGdpLog(epsilon: Float64Array, logDelta: Float64Array, out?: Float64Array): Float64Array;

  // Real FFT -----------------------------------------------------------------------------------
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

  // Sums over a grid ---------------------------------------------------------------------------
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

  // Sums over a contour ------------------------------------------------------------------------
  /**
   * Σ_j w_j (e^{i(first + k)·dTau·y_j} − 1) for k = 0 … n − 1, as real and imaginary parts: what the characteristic
   * function of a weighted set of losses (w_j ≥ 0) differs from its value at 0 by, relatively exact where small.
   */
  characteristicLine(
    loss: Float64Array,
    weight: Float64Array,
    dTau: number,
    n: number,
    first?: number,
  ): { re: Float64Array; im: Float64Array };
  /**
   * Σ_j e^{size_j − τα_j + i(turn_j + τy_j)} at τ = (first + k)·dTau, k = 0 … n − 1: the characteristic function as a sum along outputs off the real
   * axis. Terms of size_j − τα_j ≤ floor, taken every 32 frequencies, are left out.
   *
   * @param path Six rows of m numbers: y, α ≥ 0, size, turn, and the relative errors e and e′ that term j is known with: e_j + τe′_j.
   * @returns The sums and, for every 32 of them, Σ_j e^{size_j − τα_j}(e_j + τ′e′_j), τ and τ′ the ends of the 32. In addition, with u = 2⁻⁵³, a term
   *   has a relative error of at most u(216 + m/32 + |size_j| + 3|turn_j| + 4τ(|y_j| + α_j)).
   */
  pathLine(
    path: Float64Array,
    dTau: number,
    n: number,
    first: number,
    floor: number,
  ): { re: Float64Array; im: Float64Array; wrong: Float64Array };
  /**
   * The loss y = log u, u = 1 − q + q e^s, s = μx − μ²/2, of a Poisson-subsampled Gaussian step at outputs x, element by element: four rows, e^{−x²/2}, y,
   * y − (u − 1), and q e^s/u. 0 < q ≤ 1; s below 700.
   *
   * With u = 2⁻⁵³ and s as rounded, each is within 12u of itself, but for an error of 4u(|s| + |log q|) of y, and e^y times that of y − (u − 1), where s > 30;
   * the share loses 3uq/(q e^s) more where e^s is small, and the density u·x²/2.
   */
  lossMesh(mu: number, q: number, x: Float64Array, out?: Float64Array): Float64Array;
  /**
   * Σ_k re_k cos τ_k x + im_k sin τ_k x for three functionals at τ_k = k·dTau, by rotation: three numbers for each x.
   *
   * @param weights Six rows of n numbers, n a multiple of 4: re and im of each functional.
   * @returns Each within u Σ_k |w_k|(56 + n/32 + 4|τ_k x|) of the sum of the numbers given, |w| = √(re² + im²), u = 2⁻⁵³.
   */
  contourSumsUniform(dTau: number, weights: KernelTable, xs: Float64Array, out?: Float64Array): Float64Array;
  /**
   * Six sums for each tilt c over the outputs j = from … to − 1 (both even) of a mesh of five rows: weight p ≥ 0, loss y, bend b, and two errors r, s:
   * Σ pe^{cy}, Σ pe^{cy}y, Σ pe^{cy}y², Σ p(e^{cy} − 1 − cy + cb), Σ pr(e^{cy} − 1 − cy + |cb|), Σ pe^{cy}s.
   *
   * With b = y − (u − 1), u = e^y, the fourth is ∫ u^c − 1 − c(u − 1) without cancellation; with s = |y|·(error of y) and r the relative error of p the last
   * two carry the mesh's errors.
   *
   * @returns For each c in turn. With m = to − from, u = 2⁻⁵³, the fourth is within u Σ p[(48 + m/32)(e^{cy} − 1 − cy + |cb|) + |cy(e^{cy} − 1)|] of the sum of the
   *   numbers given; in the others a term has a relative error of at most u(24 + m/32 + |cy|).
   */
  cumulantSums(
    mesh: KernelTable,
    from: number,
    to: number,
    tilts: Float64Array,
    out?: Float64Array,
  ): Float64Array;
  /**
   * Σ_j e^{size_j − τ·slope_j} for each τ, without the terms whose exponent is at most `floor` (−600 … 600).
   *
   * @param moduli Two rows of n numbers, n even: size, slope.
   * @returns A term has a relative error of at most u(20 + n/32 + |size_j| + 2|τ·slope_j|), u = 2⁻⁵³.
   */
  modulusSums(moduli: KernelTable, taus: Float64Array, floor: number, out?: Float64Array): Float64Array;
}

/** What `suffixScan` returns. */
export interface SuffixSums {
  readonly delta: Float64Array;
  readonly tail: Float64Array;
}

/** One factor of a cyclic composition. */
export interface CyclicPart {
  /** Masses on a cycle whose length is a power of two. */
  readonly pmf: Float64Array;
  /** How often it is composed, a whole number ≥ 0. */
  readonly count: number;
}

/** The methods of Kernel that take one array and work on each element alone. */
export type ElementwiseName =
  | 'exp'
  | 'log'
  | 'expm1'
  | 'log1p'
  | 'sinPi'
  | 'cosPi'
  | 'erfc'
  | 'erfcx'
  | 'logErfc'
  | 'inverfc'
  | 'normalCdf'
  | 'logNormalCdf'
  | 'normalQuantile'
  | 'normalQuantileUpper'
  | 'normalQuantileLog';

export type ElementwiseKernel = Pick<Kernel, ElementwiseName>;

/** The methods of Kernel that belong to the Gaussian privacy profile. */
export type GdpKernel = Pick<
  Kernel,
  'deltaGdp' | 'logDeltaGdp' | 'oneMinusDeltaGdp' | 'muGdpLog' | 'normalIntervals'
>;

export type ProfileMethod = GdpKernel['deltaGdp'];
