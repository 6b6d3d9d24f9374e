/** Loops over a sampled step under a tilt as methods, in JavaScript (step-windows.ts). */
import { checkLength, outputOf } from '../../src/kernel/arguments.js';
import { CHARACTERISTIC_BLOCK } from '../../src/kernel/constants.js';
import {
  added,
  calling,
  even,
  giving,
  type Loop,
  Rows,
  results,
  scratch,
  Table,
  tableLength,
} from './loops.js';
import { MESH_ROWS, making, type Outputs, type SampledStep } from './step-windows.js';
import { CELL_ROWS } from './weighted-laws.js';

const MODULUS_ROWS = 2;
const PATH_ROWS = 6;
const TILTED_SUMS = 8;
const CUMULANT_SUMS = 6;

/** Frequencies of a path's line that share one anchor, and nodes summed before they join the total. */
export const PATH_BLOCK = 32;

/** The terms of a path's line: of each node, the frequencies of the blocks that begin where it is above the floor. */
export function termsOfPath(path: Float64Array, dTau: number, n: number, floor: number): number {
  const m = path.length / PATH_ROWS;
  const blocks = Math.ceil(n / PATH_BLOCK);
  let terms = 0;
  for (let j = 0; j < m; j++) {
    const last = (path[2 * m + j] - floor) / (path[m + j] * dTau);
    const above = Math.ceil(last / PATH_BLOCK);
    terms += PATH_BLOCK * (above < blocks ? Math.max(0, above) : blocks);
  }
  return terms;
}

/** The number of its block, for each of n frequencies. */
export function eachOf(blocks: Float64Array, n: number): Float64Array {
  const each = new Float64Array(n);
  for (let b = 0; b < blocks.length; b++) each.fill(blocks[b], PATH_BLOCK * b, PATH_BLOCK * (b + 1));
  return each;
}

/** A law under a tilt. */
export interface TiltedLaw {
  readonly weight: Float64Array;
  readonly weightError: Float64Array;
  /** top, and the seven sums. */
  readonly sums: Float64Array;
}

/** Outputs x + ia of a step on a path: tables of `turnedLosses`, and of `windowRows`, or of `windowBounds` for bounds. */
export interface PathOutputs {
  readonly at: Outputs;
  readonly losses: Table;
  readonly heights: Table;
}

/** A path's tilt c, how far it lies off the axis, and a logarithm that is added to that of each term. */
export interface PathTilt {
  readonly c: number;
  readonly a: number;
  readonly unit: number;
}

/** The methods on a law under a tilt c: what lies between the outputs of a mesh, beside them, and on paths. */
export interface TiltKernel {
  /** Cells of losses for `decayBounds`, two in each gap of a mesh, and how many there are. @param logM log M(c), and a bound of its error. */
  tiltedCells(
    mesh: Table,
    step: SampledStep,
    at: Outputs,
    c: number,
    logM: { readonly log: number; readonly error: number },
  ): { table: Table; n: number };
  /**
   * Of log g, g = φWu^c/y′·√2π, at the outputs of a mesh: the first, the last but one and the last; the largest; the sum over gaps of max g·(|Δ log g| + bend + 4e-6) in
   * units of the largest g; and a bound of what logarithms are off by.
   */
  densityVariation(mesh: Table, step: SampledStep, at: Outputs, c: number, bend: number): Float64Array;
  /** Terms of a bound of |φ| along a path, for `modulusSums`. */
  pathModuli(path: PathOutputs, tilt: PathTilt): Table;
  /**
   * Terms of φ along a path that are not below `floor` at either end, for `pathLine`.
   *
   * @param common Relative error of all.
   * @returns Six rows, and how many terms they have.
   */
  pathTerms(
    path: PathOutputs,
    tilt: PathTilt,
    common: number,
    floor: number,
  ): { rows: Float64Array; m: number };
}

/** Sums over the outputs of a step. */
export interface SumKernel {
  /**
   * Σ_j w_j (e^{ik·dTau·y_j} − 1) for k = 0 … n − 1, as real and imaginary parts. For a weighted set of losses (w_j ≥ 0) it is the
   * characteristic function less its value at 0, relatively exact where small.
   */
  characteristicLine(
    loss: Float64Array,
    weight: Float64Array,
    dTau: number,
    n: number,
  ): { re: Float64Array; im: Float64Array };
  /**
   * Σ_j e^{size_j − τα_j + i(turn_j + τy_j)} at τ = k·dTau, k = 0 … n − 1. It is the characteristic function as a sum along outputs off the real
   * axis. Terms of size_j − τα_j ≤ floor, taken every 32 frequencies, are left out.
   *
   * @param path Six rows of m numbers: y, α ≥ 0, size, turn, e and e′. Term j has the relative error e_j + τe′_j.
   * @returns The sums and, for every 32 of them, a bound of their errors. It is Σ_j e^{size_j − τα_j}(e_j + τ′e′_j + u(216 + m/32 + |size_j| + 3|turn_j|)); τ and τ′ are
   *   the ends of the 32, u = 2⁻⁵³, and each e′_j is at least 4u(|y_j| + α_j).
   */
  pathLine(
    path: Float64Array,
    dTau: number,
    n: number,
    floor: number,
  ): { re: Float64Array; im: Float64Array; wrong: Float64Array };
  /**
   * The law of a mesh under a tilt c, from its rows y, r, height h and error d of y (the sixth and seventh). Weights are e^{cy + h − top} with the largest exponent top. Their
   * relative errors are r + |c|d + u(3|cy| + |top| − 12), u = 2⁻⁵³; 16u of r are those of the exponential p.
   *
   * @returns Sums of the weights times 1, y, y², their errors, |y|, |y| times their errors, and d. A term has a relative error of at most u(24 + m/32), m the number of outputs.
   */
  tiltedLaw(mesh: Table, c: number): TiltedLaw;
  /**
   * Σ_j e^{size_j − τ·slope_j} for each τ, without the terms whose exponent is at most `floor` (−600 … 600).
   *
   * @param moduli Two rows of n numbers, n even: size, slope.
   * @returns A term has a relative error of at most u(20 + n/32 + |size_j| + 2|τ·slope_j|), u = 2⁻⁵³.
   */
  modulusSums(moduli: Table, taus: Float64Array, floor: number, out?: Float64Array): Float64Array;
  /**
   * Six sums for each tilt c over the outputs j = from … to − 1 (both even) of a mesh. Five rows of `axisMesh` count: weight p ≥ 0, loss y, bend b, and two errors r, s.
   * Σ pe^{cy}, Σ pe^{cy}y, Σ pe^{cy}y², Σ p(e^{cy} − 1 − cy + cb), Σ pr(e^{cy} − 1 − cy + |cb|), Σ pe^{cy}s.
   *
   * With b = y − (u − 1), u = e^y, the fourth is ∫ u^c − 1 − c(u − 1) without cancellation. The last two carry the mesh's errors: s = |y|·(error of y), and r is the
   * relative error of p.
   *
   * @returns For each c in turn. Let m = to − from, u = 2⁻⁵³. The rounding error of the fourth is within u Σ p[(48 + m/32)(e^{cy} − 1 − cy + |cb|) + |cy(e^{cy} − 1)|].
   *   In the others a term has a relative error of at most u(24 + m/32 + |cy|).
   */
  cumulantSums(mesh: Table, from: number, to: number, tilts: Float64Array): Float64Array;
}

const sumsOutput = (length: number, out?: Float64Array): Float64Array =>
  out === undefined ? new Float64Array(length) : outputOf(length, out);

export const SUMS: { readonly [K in keyof SumKernel]: Loop<SumKernel[K]> } = {
  characteristicLine: {
    call(loss, weight, dTau, n) {
      checkLength('weight', weight, loss.length, ', like "loss"');
      const room = CHARACTERISTIC_BLOCK * Math.ceil(n / CHARACTERISTIC_BLOCK);
      const [re, im] = [new Float64Array(n), new Float64Array(n)];
      const sums = [added(re, room), added(im, room), room];
      const operands = [loss, weight, loss.length, dTau, ...sums];
      return calling({ re, im }, operands);
    },
  },
  pathLine: {
    call(path, dTau, n, floor) {
      const m = tableLength('path', new Table(path), PATH_ROWS, 1);
      const room = PATH_BLOCK * Math.ceil(n / PATH_BLOCK);
      const [rows, wrong] = [new Float64Array(2 * n), new Float64Array(room / PATH_BLOCK)];
      const sums = [added(rows, room, 2), added(wrong, wrong.length), room];
      const operands = [new Rows(PATH_ROWS, even(m), path), m, dTau, floor, ...sums];
      const gives = () => ({ re: rows.subarray(0, n), im: rows.subarray(n), wrong: eachOf(wrong, n) });
      return calling(gives, operands);
    },
  },
  tiltedLaw: {
    call(mesh, c) {
      const stride = tableLength('mesh', mesh, MESH_ROWS, 2);
      const [weight, weightError, sums] = [
        new Float64Array(stride),
        new Float64Array(stride),
        new Float64Array(TILTED_SUMS),
      ];
      const operands = [mesh, stride, c, results(weight), results(weightError), results(sums)];
      return calling({ weight, weightError, sums }, operands);
    },
  },
  modulusSums: {
    call(moduli, taus, floor, out) {
      const n = tableLength('moduli', moduli, MODULUS_ROWS, 2);
      return giving(sumsOutput(taus.length, out), moduli, n, taus, taus.length, floor);
    },
  },
  cumulantSums: {
    call(mesh, from, to, tilts) {
      const stride = tableLength('mesh', mesh, MESH_ROWS, 2);
      return giving(
        new Float64Array(CUMULANT_SUMS * tilts.length),
        mesh,
        stride,
        from,
        to,
        tilts,
        tilts.length,
      );
    },
  },
};

export const TILTS: { readonly [K in keyof TiltKernel]: Loop<TiltKernel[K]> } = {
  tiltedCells: {
    call(mesh, { mu }, { h, n }, c, { log, error }) {
      const stride = tableLength('mesh', mesh, MESH_ROWS, 2);
      const rows = new Float64Array(2 * CELL_ROWS * stride);
      const tilt = Float64Array.of(c, mu, h, log, error);
      const operands = [mesh, stride, n, tilt, scratch(2 * stride + 8), results(rows)];
      return calling((count) => ({ table: new Table(rows), n: count }), operands);
    },
  },
  densityVariation: {
    call(mesh, { mu, q }, { h, first, n }, c, bend) {
      const stride = tableLength('mesh', mesh, MESH_ROWS, 2);
      const tilt = Float64Array.of(c, mu, q, h, first, bend);
      return giving(new Float64Array(6), mesh, stride, n, tilt, scratch(stride));
    },
  },
  pathModuli: {
    call({ at: { n }, losses, heights }, { c, unit }) {
      return making(new Float64Array(MODULUS_ROWS * even(n)), losses, heights, c, unit, n);
    },
  },
  pathTerms: {
    call({ at, losses, heights }, { c, a, unit }, common, floor) {
      const { h, first, n } = at;
      const rows = new Float64Array(PATH_ROWS * even(n));
      const room = [scratch(even(n)), results(rows)];
      const operands = [losses, heights, n, Float64Array.of(c, unit, h, first, a), common, floor, ...room];
      return calling((m) => ({ rows: rows.subarray(0, PATH_ROWS * even(m)), m }), operands);
    },
  },
};
