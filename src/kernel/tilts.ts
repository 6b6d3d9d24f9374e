import { calling, even, giving, type Loop, making, results, scratch } from './call.js';
import { floats } from './floats.js';
import {
  CELL_ROWS,
  KernelTable,
  MESH_ROWS,
  MODULUS_ROWS,
  PATH_ROWS,
  TILTED_SUMS,
  tableLength,
} from './kernel-table.js';
import type { Outputs, SampledStep, WindowEdges } from './windows.js';

/** Outputs x + ia of a step on a path: tables of `turnedLosses`, and of `windowRows`, or of `windowBounds` for bounds. */
export interface PathOutputs {
  readonly at: Outputs;
  readonly losses: KernelTable;
  readonly heights: KernelTable;
}

/** A path's tilt c, how far it lies off the axis, and a logarithm that is added to that of each term. */
export interface PathTilt {
  readonly c: number;
  readonly a: number;
  readonly unit: number;
}

/** By what angle losses are turned, its sine, cosine and sin² of its half (rounded up), and how often the argument of u counts. */
export interface Turn {
  readonly angle: number;
  readonly sine: number;
  readonly cosine: number;
  readonly dip: number;
  readonly tau: number;
}

/** Cells of outputs: bounds of logarithms over each, before them and behind them, and what roundings come to; and shares of B. */
export interface StripCells {
  readonly table: KernelTable;
  readonly n: number;
}

/** The methods on a law under a tilt c: what lies between the outputs of a mesh, beside them, and on paths. */
export interface TiltKernel {
  /** Cells of losses for `decayBounds`, two in each gap of a mesh, and how many there are. @param logM log M(c), and a bound of its error. */
  tiltedCells(
    mesh: KernelTable,
    step: SampledStep,
    at: Outputs,
    c: number,
    logM: { readonly log: number; readonly error: number },
  ): { table: KernelTable; n: number };
  /**
   * Of log g, g = φWu^c/y′·√2π, at the outputs of a mesh: the first, the last but one and the last; the largest; the sum over gaps of max g·(|Δ log g| + bend + 4e-6) in
   * units of the largest g; and a bound of what logarithms are off by.
   */
  densityVariation(mesh: KernelTable, step: SampledStep, at: Outputs, c: number, bend: number): Float64Array;
  /** Bounds of the logarithms of ∫φWu^c over cells between outputs, and before and behind them. In the place of W stands e^{level − d²/2w²}, d the distance to the window's stretch. */
  stripCells(
    step: SampledStep,
    c: number,
    at: Outputs,
    window: WindowEdges & { readonly end: number },
    level: number,
  ): StripCells;
  /** The largest logarithm over cells with what each gains at an angle, and the sum of all their exponentials over that. They may be no numbers. */
  stripSum(cells: StripCells, c: number, turn: Turn): Float64Array;
  /** Terms of a bound of |φ| along a path, for `modulusSums`. */
  pathModuli(path: PathOutputs, tilt: PathTilt): KernelTable;
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

export const TILTS: { readonly [K in keyof TiltKernel]: Loop<TiltKernel[K]> } = {
  tiltedCells: {
    price: 21,
    terms: (_mesh, _step, { n }) => n,
    call(mesh, { mu }, { h, n }, c, { log, error }) {
      const stride = tableLength('mesh', mesh, MESH_ROWS, 2);
      const rows = floats(2 * CELL_ROWS * stride);
      const room = [scratch(stride), scratch(stride), scratch(TILTED_SUMS)];
      const operands = [mesh, stride, n, c, mu, h, log, error, ...room, results(rows)];
      return calling((count) => ({ table: new KernelTable(rows), n: count }), operands);
    },
  },
  densityVariation: {
    price: 43,
    terms: (_mesh, _step, { n }) => n,
    call(mesh, { mu, q }, { h, first, n }, c, bend) {
      const stride = tableLength('mesh', mesh, MESH_ROWS, 2);
      return giving(floats(6), mesh, stride, n, c, mu, q, h, first, bend, scratch(stride));
    },
  },
  stripCells: {
    price: 30,
    terms: (_step, _c, { n }) => n,
    call({ mu, q }, c, { h, first, n }, { from, to, width, end }, level) {
      const room = even(n + 3);
      const rows = floats(2 * room);
      const operands = [mu, q, c, h, first, n, from, to, width, end, level, scratch(room), results(rows)];
      return calling({ table: new KernelTable(rows), n }, operands);
    },
  },
  stripSum: {
    price: 15,
    terms: ({ n }) => n,
    call({ table, n }, c, { angle, sine, cosine, dip, tau }) {
      return giving(floats(2), table, n, c, dip, tau, angle, sine, cosine, scratch(n + 4));
    },
  },
  pathModuli: {
    price: 7,
    terms: ({ at }) => at.n,
    call({ at: { n }, losses, heights }, { c, unit }) {
      return making(floats(MODULUS_ROWS * even(n)), losses, heights, c, unit, n);
    },
  },
  pathTerms: {
    price: 16,
    terms: ({ at }) => at.n,
    call({ at, losses, heights }, { c, a, unit }, common, floor) {
      const { h, first, n } = at;
      const rows = floats(PATH_ROWS * even(n));
      const room = [scratch(even(n)), results(rows)];
      const operands = [losses, heights, c, unit, h, first, n, a, common, floor, ...room];
      return calling((m) => ({ rows: rows.subarray(0, PATH_ROWS * even(m)), m }), operands);
    },
  },
};
