import type { Kernel } from '../../../kernel/kernel.js';
import { CELL_ROWS, LOG_PHI_ROWS } from '../../../kernel/kernel-table.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { cosPi, log, sinPi } from '../../../numeric/scalar.js';
import type { PathSums } from './path-sums.js';
import type { Decay, LineNodes, LogPhiLine } from './spectral-law.js';

/** The tilted law of one step as weights on losses, and what is uncertain about them. */
export interface WeightedLosses {
  readonly loss: Float64Array;
  /** Probabilities; they sum to 1 up to rounding. */
  readonly weight: Float64Array;
  /** Relative error of each weight. */
  readonly weightError: Float64Array;
  /** Absolute error of each loss. */
  readonly lossError: Float64Array;
  /** Bound on |Σ w e^{iτy} − φ(τ)| from what the nodes leave out: quadrature and cut tails. */
  readonly missing: number;
}

/** count·log φ at τ = (first + k)·dTau, k = 0 … n − 1, from the weighted losses. */
export function logPhiLine(
  kernel: Kernel,
  { loss, weight, weightError, lossError, missing }: WeightedLosses,
  { dTau, n, first = 0 }: Omit<LineNodes, 'c'>,
  count: number,
): LogPhiLine {
  let [size, sizeError, massError, shift] = [0, 0, 0, 0];
  for (let j = 0; j < loss.length; j++) {
    size += weight[j] * Math.abs(loss[j]);
    sizeError += weight[j] * weightError[j] * Math.abs(loss[j]);
    massError += weight[j] * weightError[j];
    shift += weight[j] * lossError[j];
  }
  const adding = loss.length * U;
  const law = { loss, weight, mass: 1, size, sizeError, massError, shift, adding, missing };
  return logPhiRows(kernel.logPhi(law, { dTau, n, first }, count));
}

/** count·log φ from φ − 1 = re + i·im, |errors| ≤ `wrong` (rounding) and `missing` (the rest). */
export function logarithms(kernel: Kernel, { re, im, wrong, missing }: PathSums, count: number): LogPhiLine {
  const n = re.length;
  const rows = new Float64Array(LOG_PHI_ROWS * n).fill(missing);
  for (const [i, row] of [re, im, wrong].entries()) rows.set(row, i * n);
  return logPhiRows(kernel.logarithms(rows, count, 0));
}

/** The four rows that the kernel makes. */
export function logPhiRows(rows: Float64Array): LogPhiLine {
  const n = rows.length / LOG_PHI_ROWS;
  const row = (i: number): Float64Array => rows.subarray(i * n, (i + 1) * n);
  return { logModulus: row(0), phase: row(1), error: row(2), quadrature: row(3) };
}

/** Rows of `room` intervals for `CellDecay`, and where masses may lie anywhere in theirs. */
export class LossCells {
  readonly rows: Float64Array;
  n = 0;

  constructor(private readonly room: number) {
    this.rows = new Float64Array(CELL_ROWS * room);
  }

  /** The next interval. */
  add(low: number, high: number, mass: number): void {
    const { rows, room } = this;
    for (const [i, value] of [low, high, mass, (low + high) / 2, (high - low) / 2].entries())
      rows[i * room + this.n] = value;
    this.n++;
  }

  decay(parts: Float64Array, far?: Decay['far']): Decay {
    return new CellDecay(this.rows, this.n, parts, far);
  }
}

/** Bounds of |φ| by the kernel's `decayBounds`. */
export class CellDecay implements Decay {
  /**
   * @param cells Masses on intervals of losses, rows as there; the first n of each count.
   * @param parts Of parts B of the law 1 − P_B and V_B: first what atoms have, at most, and the variation of all other density.
   */
  constructor(
    private readonly cells: Float64Array,
    private readonly n: number,
    private readonly parts: Float64Array,
    readonly far: Decay['far'],
  ) {}

  bounds(kernel: Kernel, taus: Float64Array, enough: number): Float64Array {
    return kernel.decayBounds(this.cells, this.n, this.parts, taus, enough);
  }

  samples(step: number, count: number): Float64Array {
    return samples(this.cells, this.n, step, count);
  }

  beyond(from: number): { readonly log: number; readonly power: number } {
    const [atoms, variation] = this.parts;
    return atoms + variation / from < 1
      ? { log: Math.min(0, log(atoms + variation / from)) + 1e-12, power: atoms > 0 ? 0 : 1 }
      : { log: 0, power: 0 };
  }
}

/** Cells of less mass count as missing. */
const NEGLIGIBLE_CELL = 1e-9;

/** |φ(τ)| ≤ |Σ m e^{iτy}| + τ Σ m r + (1 − Σ m), y the middles and r the half widths of the cells. */
function samples(cells: Float64Array, count: number, step: number, n: number): Float64Array {
  const stride = cells.length / CELL_ROWS;
  const [low, high, mass] = [0, 1, 2].map((i) => cells.subarray(i * stride, i * stride + count));
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  let [total, blur] = [0, 0];
  for (let j = 0; j < mass.length; j++) {
    if (mass[j] < NEGLIGIBLE_CELL) continue;
    total += mass[j];
    blur += (mass[j] * (high[j] - low[j])) / 2;
    const turn = ((step * (low[j] + high[j])) / 2) * INVERSE_PI;
    const c = cosPi(turn);
    const s = sinPi(turn);
    let x = mass[j];
    let y = 0;
    for (let k = 0; k < n; k++) {
      re[k] += x;
      im[k] += y;
      const next = x * c - y * s;
      y = x * s + y * c;
      x = next;
    }
  }
  const missing = Math.max(0, 1 - total) + 1e-12;
  // n rotations lose at most n·4u of the mass
  return re.map((x, k) => Math.min(1, Math.sqrt(x * x + im[k] * im[k]) + k * step * blur + missing));
}
