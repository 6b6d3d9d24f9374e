import type { Kernel } from '../../../kernel/kernel.js';
import { FUNCTIONALS, KernelTable, UNIFORM_ROWS } from '../../../kernel/kernel-table.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { cosPi, exp, sinPi } from '../../../numeric/scalar.js';
import type { LogPhiLine } from '../step/spectral-law.js';
import type { Functional, LineTable } from './line-table.js';

/** What sums by rotation add to the rounding, of the weights' moduli. */
const ROTATION_ERROR = 100 * U;

/** The functionals in the order of their sums. */
const ORDER: readonly Functional[] = ['delta', 'power', 'falsePositive'];

/** The trapezoidal sum Δ/2π Σ_k M(z_k) r(z_k) e^{−(z_k − a)x}, divided by M(c) e^{−(c−a)x}. */
interface LineSum {
  readonly sum: number;
  /** Bounds on its error from rounding and from quadrature over outputs. */
  readonly roundOff: number;
  readonly quadrature: number;
}

/** Complex weights of nodes for the three functionals, and what bounds their errors: fixed + |x|·sliding. */
export interface NodeWeights {
  /** Rows of a line's length: real and imaginary parts of each functional. */
  readonly rows: Float64Array;
  /** One number a functional each. */
  readonly fixed: Float64Array;
  readonly sliding: Float64Array;
  readonly quadrature: Float64Array;
}

/** The weights of a line's equal steps. */
export interface PreparedLine extends NodeWeights {
  readonly dTau: number;
  /** The rows, filled up to a multiple of four. */
  readonly table: KernelTable;
  /** Largest |x| the bounds hold for. */
  readonly reach: number;
}

/** sinh x to a few ulp. */
function hyperbolicSine(x: number): number {
  if (Math.abs(x) > 0.2) return (exp(x) - exp(-x)) / 2;
  const z = x * x;
  return x * (1 + (z / 6) * (1 + (z / 20) * (1 + (z / 42) * (1 + (z / 72) * (1 + z / 110)))));
}

/**
 * r(z) = 1/(z(z − 1)), 1/(z − 1), 1/z as conj(d)/|d|² with d = (re, im); over a window of width h it gains sinh(w)/w, w = (z − a)h/2.
 *
 * @returns Real and imaginary part of the conjugate of the numerator, and a bound of its size, all over |d|².
 */
function kernelAt(functional: Functional, c: number, tau: number, window: number): [number, number, number] {
  const s = c - 1;
  let re = functional === 'delta' ? c * s - tau * tau : functional === 'power' ? s : c;
  let im = functional === 'delta' ? tau * (c + s) : tau;
  const norm = 1 / (re * re + im * im);
  let size = norm * Math.sqrt(re * re + im * im);
  if (window > 0 && functional !== 'delta') {
    const half = window / 2;
    const across = (functional === 'falsePositive' ? c : s) * half;
    const along = tau * half;
    const sinh = hyperbolicSine(across);
    const cosh = (exp(across) + exp(-across)) / 2;
    // sinh(w)/w with 1/w = conj(w)/|w|²
    const square = across * across + along * along;
    const cos = cosPi(along * INVERSE_PI);
    const sin = sinPi(along * INVERSE_PI);
    const meanRe = (sinh * cos * across + cosh * sin * along) / square;
    const meanIm = (cosh * sin * across - sinh * cos * along) / square;
    [re, im] = [re * meanRe + im * meanIm, im * meanRe - re * meanIm];
    size *= cosh * Math.min(1, 1 / Math.sqrt(square));
  }
  return [norm * re, norm * im, size];
}

/**
 * The weights of nodes at τ_k, the integral's weight there given.
 *
 * @param window Width of the interval that thresholds of tests are drawn from.
 */
function nodeWeights(
  { logModulus, phase, error, quadrature }: LogPhiLine,
  c: number,
  nodes: { readonly tau: Float64Array; readonly unit: Float64Array },
  window = 0,
): NodeWeights {
  const n = logModulus.length;
  const rows = new Float64Array(2 * FUNCTIONALS * n);
  const fixed = new Float64Array(FUNCTIONALS);
  const sliding = new Float64Array(FUNCTIONALS);
  const integration = new Float64Array(FUNCTIONALS);
  for (let k = 0; k < n; k++) {
    const tau = nodes.tau[k];
    const amplitude = nodes.unit[k] * exp(logModulus[k]);
    if (amplitude === 0) continue;
    const cos = cosPi(phase[k] * INVERSE_PI);
    const sin = sinPi(phase[k] * INVERSE_PI);
    const own =
      error[k] +
      U * (60 + Math.abs(logModulus[k]) + 3 * Math.abs(phase[k])) +
      (window > 0 ? U * (24 + 4 * tau * window) : 0);
    // e^x − 1 ≤ 1.3x for x ≤ ½, of which x itself may take a tenth
    const sound = own + quadrature[k] < 0.4;
    const doubt = sound ? 1.3 * own : own < Infinity ? 1 + exp(own + quadrature[k]) : 2.1;
    for (let f = 0; f < FUNCTIONALS; f++) {
      const [re, im, size] = kernelAt(ORDER[f], c, tau, window);
      rows[2 * f * n + k] = amplitude * (re * cos + im * sin);
      rows[(2 * f + 1) * n + k] = amplitude * (re * sin - im * cos);
      const magnitude = amplitude * size;
      fixed[f] += magnitude * (doubt + ROTATION_ERROR + (n + 8) * U);
      sliding[f] += magnitude * 8 * U * tau;
      if (sound) integration[f] += magnitude * 1.3 * quadrature[k];
    }
  }
  return { rows, fixed, sliding, quadrature: integration };
}

function prepare(table: LineTable, window: number): PreparedLine {
  const { c, dTau, logModulus } = table;
  const n = logModulus.length;
  const unit = new Float64Array(n).fill(dTau * INVERSE_PI);
  if (n > 0) unit[0] /= 2;
  const tau = unit.map((_, k) => k * dTau);
  const weights = nodeWeights(table, c, { tau, unit }, window);
  const room = n + (-n & 3);
  const rows = new Float64Array(UNIFORM_ROWS * room);
  for (let i = 0; i < UNIFORM_ROWS; i++) rows.set(weights.rows.subarray(i * n, (i + 1) * n), i * room);
  return { ...weights, rows, table: new KernelTable(rows), dTau, reach: 0.1 / (6 * U * n * dTau) };
}

const prepared = new WeakMap<LineTable, Recent<number, PreparedLine>>();

/** The weights of a table, worked out once; `window` is the width of the interval that thresholds of tests are drawn from. */
export function preparedLine(table: LineTable, window: number): PreparedLine {
  let known = prepared.get(table);
  if (known === undefined) {
    known = new Recent(Infinity);
    prepared.set(table, known);
  }
  return known.of(window, () => prepare(table, window));
}

/** The sums of one functional from those of all three at x. */
export function sumOf(line: PreparedLine, functional: Functional, x: number, sums: Float64Array): LineSum {
  const f = ORDER.indexOf(functional);
  const far = Math.abs(x) > line.reach;
  return {
    sum: sums[f],
    roundOff: far ? Infinity : line.fixed[f] + Math.abs(x) * line.sliding[f],
    quadrature: line.quadrature[f],
  };
}

/** The three sums at each x. */
export function sumsAt(kernel: Kernel, { dTau, table }: PreparedLine, xs: Float64Array): Float64Array {
  return kernel.contourSumsUniform(dTau, table, xs);
}
