import { checkWeights, type SuffixSums } from './arguments.js';
import { added, even, type Loop, results, rowsIn, type Work } from './call.js';
import { CHARACTERISTIC_BLOCK } from './constants.js';
import {
  type ContourNodes,
  type ContourWeights,
  CUMULANT_ROWS,
  CUMULANT_SUMS,
  checkRange,
  eachOf,
  FUNCTIONALS,
  KernelTable,
  MODULUS_ROWS,
  meshOutput,
  nodesOf,
  PANEL_ROWS,
  PATH_BLOCK,
  PATH_ROWS,
  panelShape,
  pathLength,
  pathTerms,
  rowLength,
  sumsOutput,
  UNIFORM_ROWS,
} from './kernel-table.js';

/**
 * The seam: the one interface between the numeric engines below and the privacy mathematics above.
 *
 * Two engines implement it: the text of `assembly/`, compiled to WebAssembly (f64x2 SIMD) and to JavaScript.
 * They agree bit for bit (`===`, and NaN with NaN).
 *
 * Arrays are `Float64Array`s owned by the caller. Every element-wise method takes an optional `out`
 * of the same length (which may be the input itself) and returns it; without it a new array is made.
 * Nothing returned aliases engine memory. Lengths that do not match throw a RangeError. "Error found" is the largest that
 * searches found, no proven maximum: `ELEMENTWISE`.
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
   * The outputs of panels under one rule, with what sums over them need: eight rows of m·size numbers, panel after panel. Output x; weight w of the rule over √2π; bound of the
   * error of y; w e^{−x²/2}; y and y − (u − 1) as `lossMesh` has them; bound of the relative error of that product; and |y| times the bound of its own.
   *
   * @param panels m pairs: left end, half the length.
   * @param rule Three rows of `size` (even) numbers: nodes on [0, 1], what they lack to 1, weights.
   */
  panelMesh(mu: number, q: number, panels: Float64Array, rule: Float64Array): Float64Array;
  /**
   * The weights of nodes c + iτ_k, τ_k = k·dTau, in the trapezoidal sums (1/π)∫ of e^{logModulus + i·phase} r(z) e^{…x}, r(z) = 1/(z(z − 1)), 1/(z − 1) and 1/z; the last two are
   * means over thresholds in a window of the given width (0 for none), and gain sinh(w)/w, w = (z − a)·window/2.
   *
   * @param line Rows of n numbers each: logModulus, phase, and the errors of either from rounding and from quadrature, in logarithms, the former ∞ where |φ| is only bounded.
   * @returns The weights for `contourSumsUniform`, rows filled up with zeros to a multiple of 4; and for each functional three bounds: sums at x, |x| ≤ 0.1/(6u n dTau), u = 2⁻⁵³, are
   *   within first + |x|·second of those of the φ given by rounding (their own and what `error` says), and within the third by `quadrature`.
   */
  contourWeights(line: ContourNodes, dTau: number, c: number, window: number): ContourWeights;
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
 * The docstrings above quote the errors; the tests hold both engines to them, at the goldens and at the hardest points found.
 */
export const ELEMENTWISE = {
  exp: { price: 6, error: 0.76 },
  log: { price: 6, error: 0.67 },
  expm1: { price: 6, error: 2.12 },
  log1p: { price: 6, error: 0.67 },
  sinPi: { price: 6, error: 1.61 },
  cosPi: { price: 6, error: 1.61 },
  erfc: { price: 6, error: 1.97 },
  erfcx: { price: 6, error: 3.87 },
  logErfc: { price: 6, error: 2.04 },
  inverfc: { price: 6, error: 6.43 },
  normalCdf: { price: 6, error: 2 },
  logNormalCdf: { price: 33, error: 1.97 },
  normalQuantile: { price: 6, error: 6.45 },
  normalQuantileUpper: { price: 6, error: 6.45 },
  normalQuantileLog: { price: 6, error: 7.67 },
};

export type ElementwiseName = keyof typeof ELEMENTWISE;
export type ElementwiseKernel = Pick<Kernel, ElementwiseName>;

/** Methods of several calls, or in blocks: `bindings/gdp.ts` and `bindings/transforms.ts` make them. */
export type ComposedName =
  | 'deltaGdp'
  | 'logDeltaGdp'
  | 'oneMinusDeltaGdp'
  | 'muGdpLog'
  | 'normalIntervals'
  | 'realFft'
  | 'inverseRealFft'
  | 'convolve'
  | 'composeCyclic'
  | 'logMgf'
  | 'tilt'
  | 'suffixScan';

const transform = (n: number): number => n * Math.max(4, 31 - Math.clz32(n));

/** Their work: elements of a profile, points of a transform by the logarithm of its length, points of a grid. */
export const COMPOSED: { readonly [K in ComposedName]: Work<Kernel[K]> } = {
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

/** A method that is one call of the function of its name in `assembly/`. */
export type LoopName = Exclude<keyof Kernel, 'name' | ElementwiseName | ComposedName>;

/** The methods that are one call each. */
export const LOOPS: { readonly [K in LoopName]: Loop<Kernel[K]> } = {
  characteristicLine: {
    price: 1.7,
    terms: (loss, _weight, _dTau, n) => loss.length * n,
    call(loss, weight, dTau, n, first = 0) {
      checkWeights(loss, weight);
      const room = CHARACTERISTIC_BLOCK * Math.ceil(n / CHARACTERISTIC_BLOCK);
      const [re, im] = [new Float64Array(n), new Float64Array(n)];
      const sums = [added(re, room), added(im, room), room];
      return { with: [loss, weight, loss.length, dTau, first, ...sums], gives: () => ({ re, im }) };
    },
  },
  pathLine: {
    price: 1.3,
    terms: pathTerms,
    call(path, dTau, n, first, floor) {
      const m = pathLength(path);
      const room = PATH_BLOCK * Math.ceil(n / PATH_BLOCK);
      const [re, im, wrong] = [new Float64Array(n), new Float64Array(n), new Float64Array(room / PATH_BLOCK)];
      const sums = [added(re, room), added(im, room), added(wrong, wrong.length), room];
      return {
        with: [rowsIn(path, PATH_ROWS), even(m), m, dTau, first, floor, ...sums],
        gives: () => ({ re, im, wrong: eachOf(wrong, n) }),
      };
    },
  },
  lossMesh: {
    price: 50,
    terms: (_mu, _q, x) => x.length,
    call(mu, q, x, out) {
      const rows = meshOutput(x, out);
      return { with: [mu, q, x, even(x.length), results(rows, 4)], gives: () => rows };
    },
  },
  panelMesh: {
    price: 50,
    terms: (_mu, _q, panels, rule) => (panels.length * rule.length) / 6,
    call(mu, q, panels, rule) {
      const [m, size] = panelShape(panels, rule);
      const rows = new Float64Array(PANEL_ROWS * m * size);
      return { with: [mu, q, panels, m, rule, size, results(rows)], gives: () => rows };
    },
  },
  contourWeights: {
    price: 60,
    terms: ({ phase }) => phase.length,
    call(line, dTau, c, window) {
      const { logModulus, phase, error, quadrature } = line;
      const n = nodesOf(line);
      const room = n + (-n & 3);
      const [rows, bounds] = [new Float64Array(UNIFORM_ROWS * room), new Float64Array(3 * FUNCTIONALS)];
      return {
        with: [
          logModulus,
          phase,
          error,
          quadrature,
          n,
          dTau,
          c,
          window,
          results(rows),
          room,
          results(bounds),
        ],
        gives: () => ({ table: new KernelTable(rows), bounds }),
      };
    },
  },
  contourSumsUniform: {
    price: 3.6,
    terms: (_, { values }, xs) => (values.length / UNIFORM_ROWS) * xs.length,
    call(dTau, weights, xs, out) {
      const n = rowLength('weights', weights, UNIFORM_ROWS, 4);
      const sums = sumsOutput(FUNCTIONALS * xs.length, out);
      return { with: [dTau, weights, n, xs, xs.length, results(sums)], gives: () => sums };
    },
  },
  cumulantSums: {
    price: 9.6,
    terms: (_, from, to, tilts) => (to - from) * tilts.length,
    call(mesh, from, to, tilts, out) {
      const stride = rowLength('mesh', mesh, CUMULANT_ROWS, 2);
      checkRange(from, to, stride);
      const sums = sumsOutput(CUMULANT_SUMS * tilts.length, out);
      return { with: [mesh, stride, from, to, tilts, tilts.length, results(sums)], gives: () => sums };
    },
  },
  modulusSums: {
    price: 3.6,
    terms: ({ values }, taus) => (values.length / MODULUS_ROWS) * taus.length,
    call(moduli, taus, floor, out) {
      const n = rowLength('moduli', moduli, MODULUS_ROWS, 2);
      const sums = sumsOutput(taus.length, out);
      return { with: [moduli, n, taus, taus.length, floor, results(sums)], gives: () => sums };
    },
  },
};
