import type { Kernel } from '../../../kernel/kernel.js';
import type { KernelTable } from '../../../kernel/kernel-table.js';
import type { Outputs } from '../../../kernel/windows.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import type { OutputWindow } from './output-window.js';

/** Stretches of outputs that are kept, on the axis and on paths. Speed alone hangs on it. */
const KEPT = 48;

/** A window on outputs, and what it and the normal density come to on the axis and along paths. */
export class LogWindowDensity {
  private readonly paths = new LruCache<string, KernelTable>(KEPT);

  constructor(
    private readonly kernel: Kernel,
    readonly window: OutputWindow,
  ) {}

  /** Those of `Kernel.windowRows` at x + ia, or of `windowBounds`. */
  along(a: number, at: Outputs, bounding: boolean): KernelTable {
    const { kernel, window } = this;
    return this.paths.of(`${a}/${at.h}/${at.first}/${at.n}/${bounding}`, () =>
      bounding ? kernel.windowBounds(at, a, window) : kernel.windowRows(at, a, window),
    );
  }
}
