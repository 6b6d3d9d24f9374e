/**
 * Loops over the outputs of a sampled step as methods, in JavaScript: in WebAssembly they are parts of one call (assembly/law). What each errs by is said here, and the tests of these loops hold it.
 */
import { massBeyond as ofWindow } from '../../assembly/law/beyond.js';
import { Window } from '../../assembly/law/window.js';
import { type Call, even, giving, type Loop, type OfNumbers, type Operand, Table } from './loops.js';

const OUTPUT_ROWS = 3;
/** Rows of a mesh. */
export const MESH_ROWS = 8;

/** A call whose result is a table. */
export function making(into: Float64Array, ...operands: readonly Operand[]): Call<Table> {
  return { with: operands, gives: new Table(into), into };
}

/** A smooth window W(x) = Φ((x − from)/width) − Φ((x − to)/width) on outputs, of which an end may be infinite. */
export interface WindowEdges {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** A window that may end at an output, however little it passes there. */
export interface EndedWindow extends WindowEdges {
  /** ∞ where nothing is said. */
  readonly end?: number;
}

/** Nodes of step h, and the largest angle μ·Im x at which |u| is looked at. */
export interface NodeRange {
  readonly first: number;
  readonly last: number;
  readonly h: number;
  readonly angle: number;
}

/** Outputs x = h·first, h·(first + 1), …, n of them. */
export interface Outputs {
  readonly h: number;
  readonly first: number;
  readonly n: number;
}

/** One step of a Poisson-subsampled Gaussian: μ = sensitivity/σ, and the rate. */
export interface SampledStep {
  readonly mu: number;
  readonly q: number;
}

/**
 * The methods that make rows of outputs, which are even in length: the last number of a row may be one of no output. u = e^y = 1 − q + q e^s, s = μx − μ²/2, and W is a window.
 */
export interface WindowKernel {
  /**
   * Eight rows on the real axis for `cumulantSums` and `tiltedLaw`, from `windowRows` there. They are weights hφW; y; y − (u − 1); the error of log φW and 16u; e|y|;
   * log φW√2π; the absolute error e of y; and w = q e^s/u. 0 < q ≤ 1; s is at most 690 for the third row.
   *
   * With u = 2⁻⁵³ and s as rounded, y, y − (u − 1) and w are within 12u of themselves; w loses 3uq/(q e^s) more where e^s is small. e is that of y, and w times the error
   * u(3|μx| + 2μ²) of the place of x.
   */
  axisMesh(step: SampledStep, at: Outputs, heights: Table): Table;
  /** Three rows: log|u| and α = arg u at x + ia, 0 ≤ μa < π, and the absolute error of either. */
  turnedLosses(step: SampledStep, at: Outputs, a: number): Table;
  /** Three rows: log|e^{−x²/2}W(x + ia)|, where W is less than its absolute error with that in its place; the phase of W; and a bound of what W is off by in either: roundings of x² and of the first come on top. */
  windowRows(at: Outputs, a: number, window: WindowEdges): Table;
  /** One row: upper bounds of log|e^{−x²/2}W(x + ia)|. */
  windowBounds(at: Outputs, a: number, window: WindowEdges): Table;
  /** From where to where outputs matter to φu^c, within `reach` of its peaks: for c < 0 where it has fallen by e^{−depth}. For plans. */
  tiltedRange(step: SampledStep, c: number, depth: number, reach: number): Float64Array;
  /** log of what |u|^c gains off the axis at most at angles up to one below π, at outputs from a to b. */
  offAxisGrowth(step: SampledStep, c: number, angle: number, a: number, b: number): number;
}

const rowsOf = (count: number, { n }: Outputs): Float64Array => new Float64Array(count * even(n));

/** Bound of what φW|u|^c sums to before and behind some nodes, up to a window's end, over e^{logNorm}. */
export function massBeyond(
  { mu, q }: SampledStep,
  c: number,
  nodes: NodeRange,
  { from, to, width, end = Infinity }: EndedWindow,
  logNorm: number,
): number {
  const window = new Window(to, width, from, to, end, -Infinity, -Infinity);
  return ofWindow(mu, q, window, c, nodes, logNorm);
}

export const WINDOWS: {
  readonly [K in keyof WindowKernel]: WindowKernel[K] extends (...given: never) => number
    ? OfNumbers<WindowKernel[K]>
    : Loop<WindowKernel[K]>;
} = {
  axisMesh: {
    call: ({ mu, q }, at, heights) => making(rowsOf(MESH_ROWS, at), heights, mu, q, at.h, at.first, at.n),
  },
  turnedLosses: {
    call: ({ mu, q }, at, a) => making(rowsOf(OUTPUT_ROWS, at), mu, q, at.h, at.first, at.n, a),
  },
  windowRows: {
    call: (at, a, { from, to, width }) =>
      making(rowsOf(OUTPUT_ROWS, at), at.h, at.first, at.n, a, from, to, width),
  },
  windowBounds: {
    call: (at, a, { from, to, width }) => making(rowsOf(1, at), at.h, at.first, at.n, a, from, to, width),
  },
  tiltedRange: {
    call: ({ mu, q }, c, depth, reach) => giving(new Float64Array(2), mu, q, c, depth, reach),
  },
  offAxisGrowth: {
    numbers: ({ mu, q }, c, angle, a, b) => [mu, q, c, angle, a, b],
  },
};
