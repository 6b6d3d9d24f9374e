import { U } from '../../../numeric/constants.js';
import { free } from '../../../numeric/meter.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { EVERYTHING, type OutputWindow, windowAt, windowBound } from '../split/output-window.js';
import { turnedLoss, turnOf } from './off-axis.js';

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

type Rows = readonly Float64Array[];
/** Makes node j, to the rows' places `at`. */
type Place = (rows: Rows, at: number, j: number) => void;

/** Nodes that grow at both ends: those made stay as they are. */
class Grown {
  private first = 0;
  private rows: Rows;

  constructor(
    private readonly count: number,
    private readonly place: Place,
  ) {
    this.rows = this.roomFor(0);
  }

  private roomFor(n: number): Rows {
    return Array.from({ length: this.count }, () => new Float64Array(n));
  }

  /** The rows of the nodes first … last, made if need be. */
  through(first: number, last: number, margin: number): Rows {
    const known = this.rows[0].length;
    const end = this.first + known;
    if (known === 0 || first < this.first || last >= end) {
      const low = known === 0 ? first : Math.min(this.first, first - margin);
      const high = known === 0 ? last : Math.max(end - 1, last + margin);
      const wider = this.roomFor(high - low + 1);
      for (const [i, row] of wider.entries()) row.set(this.rows[i], known === 0 ? 0 : this.first - low);
      // the sums over them cost more
      free(() => {
        for (let j = low; j <= high; j++) if (j < this.first || j >= end) this.place(wider, j - low, j);
      });
      [this.rows, this.first] = [wider, low];
    }
    const from = first - this.first;
    return this.rows.map((row) => row.subarray(from, from + last - first + 1));
  }
}

/** The losses of a Poisson-subsampled Gaussian step along paths, which all windows on its outputs share. */
export class TurnedLosses {
  private readonly paths = new Recent<string, Grown>(KEPT);

  constructor(
    readonly mu: number,
    readonly q: number,
  ) {}

  on({ a, h }: Pick<Path, 'a' | 'h'>, first: number, last: number): Losses {
    const grown = this.paths.of(`${a}/${h}`, () => new Grown(4, this.placing(a, h)));
    const [x, loss, lossError, angle] = grown.through(first, last, Math.ceil(MARGIN / h));
    return { x, loss, lossError, angle };
  }

  private placing(a: number, h: number): Place {
    const { mu, q } = this;
    const turned = turnOf(mu * a);
    return ([x, loss, lossError, angle], at, j) => {
      const output = h * j;
      const own = turnedLoss(mu * output - (mu * mu) / 2, q, turned);
      x[at] = output;
      loss[at] = own.loss;
      angle[at] = own.angle;
      const moved = 3 * Math.abs(mu * output) + 2 * mu * mu + 8 + 8 / own.size;
      lossError[at] = U * (own.share * moved + 4 * Math.abs(own.loss) + 4 * own.angle);
    };
  }
}

const NONE = new Float64Array(0);

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
    const grown = this.paths.of(
      `${a}/${h}/${bounding}`,
      () => new Grown(bounding ? 1 : 3, this.placing(path)),
    );
    const [height, turn = NONE, blur = NONE] = grown.through(first, last, Math.ceil(MARGIN / h));
    return { x, loss, lossError, angle, height, turn, blur };
  }

  private placing({ a, h, bounding }: Path): Place {
    const { window } = this;
    return ([height, turn, blur], at, j) => {
      const output = h * j;
      height[at] = -(output * output) / 2;
      if (window === EVERYTHING) return;
      if (bounding) {
        height[at] += windowBound(window, output, a);
        return;
      }
      const passed = windowAt(window, output, a);
      const least = Math.max(passed.log, log(passed.error));
      height[at] += least;
      turn[at] = passed.angle;
      blur[at] = 2 * passed.error * exp(-Math.max(least, -700));
    };
  }
}
