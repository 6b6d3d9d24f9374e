import { floats } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { Grown, KEPT_PATHS, MARGIN, type Rows } from './grown.js';
import { EVERYTHING, type OutputWindow, windowAt, windowBounds } from './output-window.js';

/** Outputs on the axis that are kept. Speed alone hangs on it. */
const KEPT_AXES = 16;

/** The line of outputs x + ia, x = h·j, and whether the window is replaced by its bound. */
export interface Path {
  readonly a: number;
  readonly h: number;
  readonly bounding: boolean;
}

/** Outputs h·first, … on the axis with log φW√2π, its error, and φW√2π. */
interface AxisHeights {
  readonly height: Float64Array;
  readonly heightError: Float64Array;
  readonly weight: Float64Array;
}

/** A window on outputs, and what it and the normal density come to on the axis and along paths. */
export class WindowHeights {
  private readonly axes = new Recent<string, AxisHeights>(KEPT_AXES);
  private readonly paths = new Recent<string, Grown>(KEPT_PATHS);

  constructor(
    private readonly kernel: Kernel,
    readonly window: OutputWindow,
  ) {}

  /** On the axis. @param x The outputs h·first, h·(first + 1), … */
  onAxis(h: number, first: number, x: Float64Array): AxisHeights {
    return this.axes.of(`${h}/${first}/${x.length}`, () => {
      const { kernel, window } = this;
      const [passed, , blur] = windowAt(kernel, x, 0, window);
      const height = floats(x.length);
      const heightError = floats(x.length);
      for (let j = 0; j < x.length; j++) {
        height[j] = passed[j] - (x[j] * x[j]) / 2;
        heightError[j] = U * (8 + x[j] * x[j] + 2 * Math.abs(passed[j])) + blur[j];
      }
      return { height, heightError, weight: kernel.exp(height) };
    });
  }

  /** log|e^{−x²/2}W|, the phase and the relative error of the window at the outputs j = first … last of a path; a bound of W has the first alone. */
  along(path: Path, first: number, last: number): Rows {
    const { a, h, bounding } = path;
    const grown = this.paths.of(`${a}/${h}/${bounding}`, () => new Grown(h, (at) => this.rows(at, path)));
    return grown.through(bounding ? [0] : [0, 1, 2], first, last, Math.ceil(MARGIN / h));
  }

  private rows(x: Float64Array, { a, bounding }: Path): Rows {
    const { kernel, window } = this;
    const withDensity = (own: Float64Array): Float64Array => own.map((log, j) => log - (x[j] * x[j]) / 2);
    if (window === EVERYTHING) {
      const none = floats(x.length);
      return [withDensity(none), none, none];
    }
    if (bounding) return [withDensity(windowBounds(kernel, x, a, window))];
    const [height, turn, error] = windowAt(kernel, x, a, window);
    // of the logarithm and of the phase
    return [withDensity(height), turn, error.map((own) => 2 * own)];
  }
}
