import type { Kernel } from '../../../kernel/kernel.js';
import {
  CELLS_AT,
  type KernelTable,
  PANEL_ROWS,
  PARTS_AT,
  TILTED_NUMBERS,
  TILTED_ROWS,
} from '../../../kernel/kernel-table.js';
import type { WeightedLaw } from '../../../kernel/loops.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { exp } from '../../../numeric/scalar.js';
import { bigShare } from './off-axis.js';
import type { OutputPanels, Tops } from './output-panels.js';
import type { Cumulant, Decay } from './spectral-law.js';
import { CellDecay } from './weighted-losses.js';

/** The panels 0 … `last` that sums are taken over; log of the largest value on each and of all, and of a bound of the integral over all other outputs. */
export interface Cover {
  readonly last: number;
  readonly tops: Tops;
  readonly top: number;
  readonly logOutside: number;
}

/** φu^c at panels of outputs, in units of e^{top}: rows and numbers of the kernel's `tiltedPanels`. */
export class TiltedPanels {
  private constructor(
    private readonly table: KernelTable,
    private readonly n: number,
    private readonly rows: Float64Array,
  ) {}

  /** Its sums: of the weights, times the loss, times its square, and times what weights err by; and how many nodes they are of. */
  static sums(
    kernel: Kernel,
    layout: OutputPanels,
    { last, top }: Cover,
    c: number,
  ): { sums: Float64Array; n: number } {
    const tilt = layout.tiltAt(c, top, { steepness: 0, unit: 0, wanted: 'sums' });
    const sums = kernel.tiltedPanels(layout.through(last), layout.size, last + 1, c, tilt);
    return { sums, n: layout.size * (last + 1) };
  }

  /** With cells and parts. @param logM log M(c) of one step. */
  static whole(
    kernel: Kernel,
    layout: OutputPanels,
    { last, top }: Cover,
    c: number,
    { value, error }: Pick<Cumulant, 'value' | 'error'>,
  ): TiltedPanels {
    const mass = exp(value - top) / INVERSE_SQRT_2PI;
    const doubt = error + 1e-9;
    const tilt = layout.tiltAt(c, top, {
      steepness: (4 * (1 + 1e-8)) / (layout.mu * mass * (1 - doubt)),
      unit: (1 - 1e-9) / (mass * (1 + doubt)),
      wanted: 'cells',
    });
    const table = layout.through(last);
    const rows = kernel.tiltedPanels(table, layout.size, last + 1, c, tilt);
    return new TiltedPanels(table, layout.size * (last + 1), rows);
  }

  /** The weights alone, on all panels of a table. */
  static on(kernel: Kernel, layout: OutputPanels, table: KernelTable, c: number, top: number): TiltedPanels {
    const n = table.values.length / PANEL_ROWS;
    const tilt = layout.tiltAt(c, top, { steepness: 0, unit: 0, wanted: 'weights' });
    return new TiltedPanels(table, n, kernel.tiltedPanels(table, layout.size, n / layout.size, c, tilt));
  }

  /** Bounds of |φ| by cells and parts. @param left The first output of the panels: before it the density of the loss is to fall to the left. */
  decay({ mu, q }: OutputPanels, c: number, left: number, far: Decay['far']): Decay {
    const { rows, n } = this;
    const parts = rows.slice(PARTS_AT, PARTS_AT + 2 * rows[CELLS_AT + 1]);
    if (!(-left - mu + Math.min(0, c) * mu * bigShare(mu, q, left) > 0)) parts[1] = Infinity;
    const cells = rows.subarray(TILTED_NUMBERS + TILTED_ROWS * n);
    return new CellDecay(cells, rows[CELLS_AT], parts, far);
  }

  /** The weights as a law. @param outside What the nodes leave out. */
  law(outside: number): WeightedLaw {
    const { rows, n } = this;
    const { values } = this.table;
    const stride = values.length / PANEL_ROWS;
    const [mass, , , size, sizeError, massError, shift] = rows;
    const loss = values.subarray(stride, stride + n);
    const weight = rows.subarray(TILTED_NUMBERS, TILTED_NUMBERS + n);
    // two chains of sums
    const adding = (n / 2 + 1) * U;
    return { loss, weight, mass, size, sizeError, massError, shift, adding, missing: (2.1 * outside) / mass };
  }
}
