import type { Kernel } from '../../../kernel/kernel.js';
import { wholeGrowth } from './off-axis.js';
import { EVERYTHING, type OutputWindow } from './output-window.js';
import type { Losses, SampledSteps } from './sampled-losses.js';
import { Strips } from './strips.js';
import type { Path, WindowHeights } from './window-heights.js';

/** Outputs of a path, and what sums over them share whatever their tilt. */
export interface ShiftedMesh extends Losses {
  /** log|e^{−x²/2}W|, the phase and the relative error of the window; a bound of W has the first alone. */
  readonly height: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
}

const NONE = new Float64Array(0);

/** One of some steps with a window on outputs, and its outputs off the real axis. */
export class ShiftedOutputs {
  readonly kernel: Kernel;
  readonly mu: number;
  readonly q: number;
  /** Where the window ends. */
  readonly end: number;
  /** What sums err by at steep negative tilts. */
  readonly strips: Strips;
  private readonly heights: WindowHeights;

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
    this.strips = new Strips(shared.each[k], window);
    this.heights = shared.under(window);
    this.end = window.end ?? Infinity;
  }

  /**
   * log of what ∫φW̄|u(x + iy)|^c is at most over e^{logM}, W̄ a bound of W on Im x = a and e^{logM} the integral at a = y = 0; at mild tilts over the integral at y = 0 with
   * the same W̄.
   */
  grown(c: number, y: number, logM: number, a = 0): number {
    if (c >= 0) return 0;
    if (this.shared.isSimple(c)) return wholeGrowth(c, this.mu * y);
    return this.strips.logMass(c, y, a) - logM;
  }

  /** The outputs j = first … last of a path. */
  on(path: Path, first: number, last: number): ShiftedMesh {
    const { x, loss, lossError, angle } = this.shared.on(this.k, path, first, last);
    const [height, turn = NONE, blur = NONE] = this.heights.along(path, first, last);
    return { x, loss, lossError, angle, height, turn, blur };
  }
}
