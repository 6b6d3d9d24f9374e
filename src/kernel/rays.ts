import { type Call, calling, even, type Loop, results, rowsIn, scratch } from './call.js';
import { floats, joined } from './floats.js';
import { KernelTable, UNIFORM_ROWS } from './kernel-table.js';

/** One of t bins of an epoch: its likelihood ratio X = e^Y, Y ~ N(−μ²/2, μ²), enters the mean as X/t. */
export interface Bin {
  readonly mu: number;
  readonly bins: number;
}

/** Nodes u = e^{v − iθ}, v = h·first, h·(first + 1), …, n of them, a multiple of 4. */
export interface Ray {
  readonly theta: number;
  readonly h: number;
  readonly first: number;
  readonly n: number;
}

/** The trapezoidal rule of φ_0 … φ_last, φ_k(u) = E[(X/t)^k e^{−uX/t}]. */
export interface InnerRule {
  /** The rule runs along Im y = s, with n nodes from `first` on. Its spacing is `stride` times that of the ray. */
  readonly s: number;
  readonly stride: number;
  readonly first: number;
  readonly n: number;
  /** Factors T of modulus below e^{−depth−2} are taken as 0. */
  readonly depth: number;
  readonly last: number;
  /**
   * If above 0, φ_k(u_j) = E[(X/t)^k]φ_0(u_{j + k·shift}), and φ_0 is summed at `places` points, beyond the ray's nodes. If 0, each φ_k is summed at
   * the nodes.
   */
  readonly shift: number;
  readonly places: number;
}

/** φ_k at the nodes of a ray, and the relative rounding of each against the sum of its terms' moduli. */
export interface InnerSums {
  readonly table: KernelTable;
  readonly rounding: number;
}

/**
 * Factors of G(u) = E[s^m e^{−us}], a coefficient of a product of t′ = `visited` bins. At Re w = ρ, G is multiplied by e^{wv + unit}.
 */
export interface RayTerms {
  readonly rho: number;
  readonly unit: number;
  readonly visited: number;
  /** E[(X/t)^k], k = 0 … m. */
  readonly moments: Float64Array;
}

/** Bounds of the errors of φ_k, see `rayValues` in assembly/ray-values.ts. */
export interface RayErrors {
  /** Bound of the error of φ_0 − 1, for each unit of |u| up to |u| = `longest`. */
  readonly slack: number;
  readonly longest: number;
  /** Largest exponent in the inner sums; `bulk`·|u| bounds those of the terms that matter. */
  readonly most: number;
  readonly bulk: number;
  /** Truncation and quadrature error of the inner rule. It is at most `share` of the majorants, to which `floor`·E[(X/t)^k] is added. */
  readonly truncationError: number;
  readonly share: number;
  readonly floor: number;
}

/** Values on a ray from its last node to the first: rows Re, −Im, Im, Re, majorants and errors, for `contourSumsUniform`; sums of the last two, and of majorants times their place. */
export interface RayValues {
  readonly table: KernelTable;
  readonly gross: number;
  readonly errorSum: number;
  readonly length: number;
}

/** Sums over one step of balls-and-bins sampling: docs/proofs/balls-and-bins.md. */
export interface RayKernel {
  /** A sum's rounding error is that of its weights, and (16 + n/16)u of adding 16 at a time. `rounding` is more than both, relative to the sum of moduli. */
  innerSums(bin: Bin, rule: InnerRule, ray: Ray): InnerSums;
  /** Values hG(u)e^{wv} of the integrand at the nodes of a ray. Ensures: each is within its error of the value with exact φ_k. */
  rayValues(
    inner: InnerSums & { readonly rule: InnerRule },
    bin: Bin,
    ray: Ray,
    terms: RayTerms,
    errors: RayErrors,
  ): RayValues;
  /**
   * Coefficients of e^{ah}(1 + Σ r_k h^k)^n, and of its majorant. Three rows, re, im and majorants of |r_k|, as given; the first entry of each is not read, as it is 1. All terms of a majorant
   * have one sign.
   */
  seriesPower(series: readonly Float64Array[], n: number, a: number): Float64Array;
}

/** How many doubles a coefficient of a power series has in memory. */
const COEFFICIENT = 6;

/** Number of terms, for the price, of the n-th power of a series with m coefficients, by recurrence or by squares and products. */
function powerTerms(m: number, n: number): number {
  return ((m * (m + 1)) / 2) * (m <= n + 1 ? 1 : Math.max(1, 2 * (31 - Math.clz32(n))));
}

/** Number of terms, for the price, of the inner sums at the nodes of a ray, their tables included. */
export function innerTerms({ n, last, places, stride }: InnerRule, nodes: number): number {
  return n * (nodes + places * (last + 1)) + 15 * (places + stride * n + n * (last + 1));
}

export const RAYS: { readonly [K in keyof RayKernel]: Loop<RayKernel[K]> } = {
  innerSums: {
    price: 0.5,
    terms: (_bin, rule, { n }) => innerTerms(rule, n),
    call({ mu, bins }, { s, stride, first: low, n, last, depth, places }, ray) {
      const rows = floats((5 + 3 * last) * even(places));
      const turn = (ray.theta - s) / Math.PI;
      const room = [scratch(4 * even(n)), scratch(4 * even(even(places) + stride * (n - 1)))];
      const rule = [mu, bins, s, stride, low, n, last, depth, turn];
      const operands = [...rule, ray.h, ray.first, ray.n, places, ...room, results(rows)];
      return calling((rounding) => ({ table: new KernelTable(rows), rounding }), operands);
    },
  },
  rayValues: {
    price: 3,
    terms: (_inner, _bin, { n }, { visited, moments }) => n * (100 + powerTerms(moments.length - 1, visited)),
    call({ table, rounding, rule }, { bins }, { theta, h, first, n }, terms, errors): Call<RayValues> {
      const { visited, moments, rho, unit } = terms;
      const { slack, longest, most, bulk, truncationError, share, floor } = errors;
      const values = floats(UNIFORM_ROWS * n + 3);
      const m = moments.length - 1;
      const sums = [table, rule.places, rule.shift, moments, m];
      const line = [bins, visited, h, first, n, rho, theta / Math.PI, unit];
      const off = [slack, longest, rounding, most, bulk, truncationError, share, floor];
      const operands = [...sums, ...line, ...off, scratch(2 * COEFFICIENT * (m + 1)), results(values)];
      return calling(() => {
        const [gross, errorSum, length] = values.subarray(UNIFORM_ROWS * n);
        return { table: new KernelTable(values.subarray(0, UNIFORM_ROWS * n)), gross, errorSum, length };
      }, operands);
    },
  },
  seriesPower: {
    price: 3,
    terms: ([{ length }], n) => powerTerms(length - 1, n) + 2 * length * length,
    call(series, n, a) {
      const [{ length }] = series;
      const made = floats(3 * length);
      const room = scratch(2 * COEFFICIENT * length);
      return calling(made, [
        rowsIn(joined(series), 3),
        even(length),
        length - 1,
        n,
        a,
        room,
        results(made, 3),
      ]);
    },
  },
};
