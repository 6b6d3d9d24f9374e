import type { Kernel } from '../../../kernel/kernel.js';
import { Recent } from '../../../numeric/recent.js';
import { EVERYTHING, type OutputWindow, windowAt, windowBounds } from './output-window.js';
import { Grown, KEPT_PATHS, type Losses, MARGIN, type Rows, type TurnedLosses } from './sampled-losses.js';
import { Strips } from './strips.js';

/** The line of outputs x + ia, x = h·j, and whether the window is replaced by its bound. */
interface Path {
  readonly a: number;
  readonly h: number;
  readonly bounding: boolean;
}

/** Outputs of a path, and what sums over them share whatever their tilt. */
export interface ShiftedMesh extends Losses {
  /** log|e^{−x²/2}W|, the phase and the relative error of the window; a bound of W has the first alone. */
  readonly height: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
}

const NONE = new Float64Array(0);

/** A step with a window on outputs, and its outputs off the real axis. */
export class ShiftedOutputs {
  private readonly paths = new Recent<string, Grown>(KEPT_PATHS);
  readonly mu: number;
  readonly q: number;
  /** Where the window ends. */
  readonly end: number;

  readonly kernel: Kernel;

  constructor(
    private readonly losses: TurnedLosses,
    readonly window: OutputWindow = EVERYTHING,
    readonly strips: Strips = new Strips(losses, window),
  ) {
    this.kernel = losses.kernel;
    this.mu = losses.mu;
    this.q = losses.q;
    this.end = window.end ?? Infinity;
  }

  /** The outputs j = first … last of a path. */
  on(path: Path, first: number, last: number): ShiftedMesh {
    const { a, h, bounding } = path;
    const { x, loss, lossError, angle } = this.losses.on(path, first, last);
    const grown = this.paths.of(`${a}/${h}/${bounding}`, () => new Grown(h, (at) => this.heights(at, path)));
    const [height, turn = NONE, blur = NONE] = grown.through(first, last, Math.ceil(MARGIN / h));
    return { x, loss, lossError, angle, height, turn, blur };
  }

  private heights(x: Float64Array, { a, bounding }: Path): Rows {
    const { kernel, window } = this;
    const withDensity = (own: Float64Array): Float64Array => own.map((log, j) => log - (x[j] * x[j]) / 2);
    if (window === EVERYTHING) {
      const none = new Float64Array(x.length);
      return [withDensity(none), none, none];
    }
    if (bounding) return [withDensity(windowBounds(kernel, x, a, window))];
    const [height, turn, error] = windowAt(kernel, x, a, window);
    // of the logarithm and of the phase
    return [withDensity(height), turn, error.map((own) => 2 * own)];
  }
}
