import { even } from '../../../kernel/call.js';
import { floats, joined, rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { CELL_ROWS, KernelTable, LOG_PHI_ROWS } from '../../../kernel/kernel-table.js';
import type { TiltedDensity } from '../../../kernel/loops.js';
import { LONG_SUM } from '../../../numeric/rounding.js';
import { log } from '../../../numeric/scalar.js';
import type { Decay, LogPhiLine } from './spectral-law.js';

/** φ − 1 = re + i·im at some frequencies, with rounding errors ≤ `rounding`, and quadrature and truncation errors ≤ `truncation`. */
export interface PathSums {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly rounding: Float64Array;
  readonly truncation: number;
}

/** count·log φ from φ − 1 = re + i·im, with rounding errors ≤ `rounding` and quadrature and truncation errors ≤ `truncation`. */
export function logarithms(
  kernel: Kernel,
  { re, im, rounding, truncation }: PathSums,
  count: number,
): LogPhiLine {
  const rows = joined([re, im, rounding, floats(re.length).fill(truncation)]);
  return logPhiRows(kernel.logarithms(rows, count, 0));
}

/** log φ from the kernel's four rows: log|φ|, arg φ, and bounds of the rounding and quadrature errors of either. */
export function logPhiRows(rows: Float64Array): LogPhiLine {
  const [logModulus, phase, error, quadrature] = rowsOf(rows, LOG_PHI_ROWS);
  return { logModulus, phase, error, quadrature };
}

/** Intervals of losses with masses, in the rows of `CellDecay`; a mass may lie anywhere in its interval. */
export class LossCells {
  private readonly rows: Float64Array;
  private readonly room: number;
  private n = 0;

  /** @param most Number of intervals at most. */
  constructor(most: number) {
    this.room = even(most);
    this.rows = floats(CELL_ROWS * this.room);
  }

  /** Adds an interval [low, high] of losses with a lower bound of its mass, whose mean loss is within `off` of `mean`. */
  add(low: number, high: number, mass: number, mean = (low + high) / 2, off = (high - low) / 2): void {
    const { rows, room, n } = this;
    rows[n] = low;
    rows[room + n] = high;
    rows[2 * room + n] = mass;
    rows[3 * room + n] = mean;
    rows[4 * room + n] = off;
    this.n++;
  }

  decay(density: TiltedDensity, far?: Decay['far']): Decay {
    return new CellDecay(new KernelTable(this.rows), this.n, density, far);
  }
}

/** Upper bounds of |φ| from masses on intervals, by the kernel's `decayBounds`. */
class CellDecay implements Decay {
  /** @param cells Rows of the intervals; the first n of each count. */
  constructor(
    private readonly cells: KernelTable,
    private readonly n: number,
    private readonly density: TiltedDensity,
    readonly far: Decay['far'],
  ) {}

  bounds(kernel: Kernel, taus: Float64Array, enough: number): Float64Array {
    return kernel.decayBounds(this.cells, this.n, this.density, taus, enough);
  }

  beyond(from: number): { readonly log: number; readonly power: number } {
    const { atoms, variation } = this.density;
    return atoms + variation / from < 1
      ? { log: Math.min(0, log(atoms + variation / from)) + LONG_SUM, power: atoms > 0 ? 0 : 1 }
      : { log: 0, power: 0 };
  }
}
