import { rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { free } from '../../../numeric/meter.js';
import { Recent } from '../../../numeric/recent.js';
import { EVERYTHING, type OutputWindow, windowBounds } from './output-window.js';

/** Paths whose outputs are kept, of some 30 kB each as a rule: those of the bounds of |φ|, and of lines. Speed and memory hang on it. */
const KEPT = 32;
/** A path that is asked for more grows by this many outputs beyond it. */
const MARGIN = 1;

/** The line of outputs x + ia, x = h·j, and whether the window is replaced by its bound. */
interface Path {
  readonly a: number;
  readonly h: number;
  readonly bounding: boolean;
}

/** Outputs x of a path with log|u| and α = arg u there, and the absolute error of either. */
interface Losses {
  readonly x: Float64Array;
  readonly loss: Float64Array;
  readonly lossError: Float64Array;
  readonly angle: Float64Array;
}

/** Outputs of a path, and what sums over them share whatever their tilt. */
export interface ShiftedMesh extends Losses {
  /** log|e^{−x²/2}W|, the phase and the relative error of the window; a bound of W has the first alone. */
  readonly height: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
}

const NONE = new Float64Array(0);

/** Rows of numbers, one for each node. */
type Rows = readonly Float64Array[];

/** Nodes that grow at both ends: those made stay as they are. */
export class Grown {
  private first = 0;
  private rows: Rows = [];

  /** @param make The rows of nodes at outputs x. */
  constructor(
    private readonly h: number,
    private readonly make: (x: Float64Array) => Rows,
  ) {}

  /** The rows of the nodes first … last, made if need be. */
  through(first: number, last: number, margin: number): Rows {
    const known = this.rows.length > 0 ? this.rows[0].length : 0;
    const end = this.first + known;
    if (known === 0) [this.rows, this.first] = [this.between(first, last + 1), first];
    else if (first < this.first || last >= end) {
      const low = Math.min(this.first, first - margin);
      const [before, behind] = [
        this.between(low, this.first),
        this.between(end, Math.max(end, last + margin + 1)),
      ];
      this.rows = this.rows.map((row, i) => {
        const wider = new Float64Array(before[i].length + known + behind[i].length);
        wider.set(before[i]);
        wider.set(row, before[i].length);
        wider.set(behind[i], before[i].length + known);
        return wider;
      });
      this.first = low;
    }
    const from = first - this.first;
    return this.rows.map((row) => row.subarray(from, from + last - first + 1));
  }

  private between(from: number, to: number): Rows {
    if (to <= from) return this.rows.map(() => NONE);
    const x = Float64Array.from({ length: to - from }, (_, j) => this.h * (from + j));
    // the sums over them cost more
    return free(() => this.make(x));
  }
}

/** log|u|, arg u and the error of either along Im x = a, of a Poisson-subsampled Gaussian step. */
export function turnedRows(
  kernel: Kernel,
  mu: number,
  q: number,
  x: Float64Array,
  a: number,
): Float64Array[] {
  const placing = { slope: 3, slack: 2 * mu * mu + 8 };
  return rowsOf(kernel.turnedLosses(mu, q, x, new Float64Array(x.length).fill(a), placing), 3);
}

/** The losses of a Poisson-subsampled Gaussian step along paths, which all windows on its outputs share. */
export class TurnedLosses {
  private readonly paths = new Recent<string, Grown>(KEPT);

  constructor(
    readonly kernel: Kernel,
    readonly mu: number,
    readonly q: number,
  ) {}

  on({ a, h }: Pick<Path, 'a' | 'h'>, first: number, last: number): Losses {
    const { kernel, mu, q } = this;
    const make = (x: Float64Array): Rows => [x, ...turnedRows(kernel, mu, q, x, a)];
    const grown = this.paths.of(`${a}/${h}`, () => new Grown(h, make));
    const [x, loss, angle, lossError] = grown.through(first, last, Math.ceil(MARGIN / h));
    return { x, loss, lossError, angle };
  }
}

/** A step with a window on outputs, and its outputs off the real axis. */
export class ShiftedOutputs {
  private readonly paths = new Recent<string, Grown>(KEPT);
  readonly mu: number;
  readonly q: number;
  /** Where the window ends. */
  readonly end: number;

  constructor(
    private readonly losses: TurnedLosses,
    readonly window: OutputWindow = EVERYTHING,
  ) {
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
    const { window } = this;
    const { kernel } = this.losses;
    const withDensity = (own: Float64Array): Float64Array => own.map((log, j) => log - (x[j] * x[j]) / 2);
    if (window === EVERYTHING) {
      const none = new Float64Array(x.length);
      return [withDensity(none), none, none];
    }
    if (bounding) return [withDensity(windowBounds(kernel, x, a, window))];
    const [height, turn, error] = rowsOf(kernel.windowRows(x, a, window), 3);
    // of the logarithm and of the phase
    return [withDensity(height), turn, error.map((own) => 2 * own)];
  }
}
