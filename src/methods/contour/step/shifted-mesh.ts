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
  /** All steps: the largest of them say where outputs lie. */
  readonly shared: SampledSteps;
  /** Where the window ends. */
  readonly end: number;
  private readonly heights: WindowHeights;
  private found: Strips | undefined;

  /** @param k The place of the step among those that have outputs in common. */
  constructor(
    private readonly all: SampledSteps,
    readonly window: OutputWindow = EVERYTHING,
    private readonly k = 0,
  ) {
    this.kernel = all.kernel;
    ({ mu: this.mu, q: this.q } = all.steps[k]);
    this.shared = all;
    this.heights = all.under(window);
    this.end = window.end ?? Infinity;
  }

  /** log of a bound of ∫φW̄|u(x + iy)|^c over e^{logM}, that at the tilt on the axis, W̄ a bound of W on Im x = a. @param a Other than 0 at steep negative tilts alone. */
  grown(c: number, y: number, logM: number, a = 0): number {
    if (c >= 0) return 0;
    if (this.shared.isSimple(c)) return wholeGrowth(c, this.mu * y);
    return this.strips.logMass(c, y, a) - logM;
  }

  get strips(): Strips {
    this.found ??= new Strips(this.all.alone(this.k), this.window);
    return this.found;
  }

  /** The outputs j = first … last of a path. */
  on(path: Path, first: number, last: number): ShiftedMesh {
    const { x, loss, lossError, angle } = this.all.on(this.k, path, first, last);
    const [height, turn = NONE, blur = NONE] = this.heights.along(path, first, last);
    return { x, loss, lossError, angle, height, turn, blur };
  }
}
