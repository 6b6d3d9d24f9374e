import type { Kernel } from '../../../kernel/kernel.js';
import type { PathOutputs } from '../../../kernel/tilts.js';
import type { Outputs } from '../../../kernel/windows.js';
import { wholeGrowth } from './off-axis.js';
import { EVERYTHING, type OutputWindow } from './output-window.js';
import type { SampledSteps } from './sampled-losses.js';
import { OffAxisGrowth } from './strips.js';
import type { LogWindowDensity } from './window-heights.js';

/** One of some steps with a window on outputs, and its outputs off the real axis. */
export class ShiftedOutputs {
  readonly kernel: Kernel;
  readonly mu: number;
  readonly q: number;
  /** Where the window ends. */
  readonly end: number;
  /** What sums err by at steep negative tilts. */
  readonly strips: OffAxisGrowth;
  private readonly heights: LogWindowDensity;

  /**
   * @param shared All steps that have their outputs in common: the largest of them say where these lie.
   * @param k The place of the step among them.
   */
  constructor(
    readonly shared: SampledSteps,
    readonly window: OutputWindow = EVERYTHING,
    private readonly k = 0,
  ) {
    this.kernel = shared.kernel;
    ({ mu: this.mu, q: this.q } = shared.steps[k]);
    this.strips = new OffAxisGrowth(shared.each[k], window);
    this.heights = shared.under(window);
    this.end = window.end ?? Infinity;
  }

  /**
   * Upper bound of log(∫φW̄|u(x + iy)|^c/e^{logM}). W̄ is a bound of W on Im x = a, and e^{logM} the integral at a = y = 0. At mild tilts it is over the integral at y = 0
   * with this W̄.
   */
  logGrowth(c: number, y: number, logM: number, a = 0): number {
    if (c >= 0) return 0;
    if (this.shared.isSimple(c)) return wholeGrowth(c, this.mu * y);
    return this.strips.logMass(c, y, a) - logM;
  }

  /** The outputs x + ia, with the window or its bound. */
  along(a: number, at: Outputs, bounding: boolean): PathOutputs {
    return { at, losses: this.shared.along(a, at)[this.k], heights: this.heights.along(a, at, bounding) };
  }
}
