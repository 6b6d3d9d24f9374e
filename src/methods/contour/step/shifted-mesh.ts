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

/** Outputs of a path, and what sums over them share whatever their tilt. */
export interface ShiftedMesh {
  readonly x: Float64Array;
  /** log|u| and α = arg u; the absolute error of either. */
  readonly loss: Float64Array;
  readonly lossError: Float64Array;
  readonly angle: Float64Array;
  /** log|e^{−x²/2}W|, the phase and the relative error of the window. */
  readonly height: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
}

const ROWS = ['x', 'loss', 'lossError', 'angle', 'height', 'turn', 'blur'] as const;

/** Nodes that grow at both ends: those made stay as they are. */
class Grown {
  private first = 0;
  private rows: ShiftedMesh = meshOf(() => new Float64Array(0));

  constructor(private readonly place: (mesh: ShiftedMesh, at: number, j: number) => void) {}

  /** The nodes first … last, made if need be. */
  through(first: number, last: number, margin: number): ShiftedMesh {
    const known = this.rows.x.length;
    const end = this.first + known;
    if (known === 0 || first < this.first || last >= end) {
      const low = known === 0 ? first : Math.min(this.first, first - margin);
      const high = known === 0 ? last : Math.max(end - 1, last + margin);
      const wider = meshOf(() => new Float64Array(high - low + 1));
      for (const row of ROWS) wider[row].set(this.rows[row], known === 0 ? 0 : this.first - low);
      // the sums over them cost more
      free(() => {
        for (let j = low; j <= high; j++) if (j < this.first || j >= end) this.place(wider, j - low, j);
      });
      [this.rows, this.first] = [wider, low];
    }
    const from = first - this.first;
    return meshOf((row) => this.rows[row].subarray(from, from + last - first + 1));
  }
}

function meshOf(rowFor: (row: (typeof ROWS)[number]) => Float64Array): ShiftedMesh {
  return {
    x: rowFor('x'),
    loss: rowFor('loss'),
    lossError: rowFor('lossError'),
    angle: rowFor('angle'),
    height: rowFor('height'),
    turn: rowFor('turn'),
    blur: rowFor('blur'),
  };
}

/** A Poisson-subsampled Gaussian step, with a window on outputs, and its outputs off the real axis. */
export class ShiftedOutputs {
  private readonly paths = new Recent<string, Grown>(KEPT);

  constructor(
    readonly mu: number,
    readonly q: number,
    readonly window: OutputWindow = EVERYTHING,
  ) {}

  /** The outputs j = first … last of a path. */
  on(path: Path, first: number, last: number): ShiftedMesh {
    const { a, h, bounding } = path;
    return this.paths
      .of(`${a}/${h}/${bounding}`, () => new Grown(this.placing(path)))
      .through(first, last, Math.ceil(MARGIN / h));
  }

  private placing({ a, h, bounding }: Path): (mesh: ShiftedMesh, at: number, j: number) => void {
    const { mu, q, window } = this;
    const turned = turnOf(mu * a);
    return ({ x, loss, lossError, angle, height, turn, blur }, at, j) => {
      const output = h * j;
      const own = turnedLoss(mu * output - (mu * mu) / 2, q, turned);
      [x[at], loss[at], angle[at]] = [output, own.loss, own.angle];
      const moved = 3 * Math.abs(mu * output) + 2 * mu * mu + 8 + 8 / own.size;
      lossError[at] = U * (own.share * moved + 4 * Math.abs(loss[at]) + 4 * angle[at]);
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
