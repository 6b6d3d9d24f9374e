import { rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { free } from '../../../numeric/meter.js';
import { Recent } from '../../../numeric/recent.js';
import { log } from '../../../numeric/scalar.js';

/** Paths whose outputs are kept, of some 30 kB each as a rule: those of the bounds of |φ|, and of lines. Speed and memory hang on it. */
export const KEPT_PATHS = 32;
/** A path that is asked for more grows by this many outputs beyond it. */
export const MARGIN = 1;

/** Outputs x of a path with log|u| and α = arg u there, and the absolute error of either. */
export interface Losses {
  readonly x: Float64Array;
  readonly loss: Float64Array;
  readonly lossError: Float64Array;
  readonly angle: Float64Array;
}

const NONE = new Float64Array(0);

/** Rows of numbers, one for each node. */
export type Rows = readonly Float64Array[];

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

/** Outputs of the real axis with log u and log u − (u − 1), the absolute error of the first, and the share of B in u = A + B. */
interface AxisLosses {
  readonly x: Float64Array;
  readonly loss: Float64Array;
  readonly bend: Float64Array;
  readonly lossError: Float64Array;
  readonly share: Float64Array;
}

/** Bounds of the errors of losses at outputs. @param mesh Of `lossMesh`. */
export function lossErrors(mu: number, q: number, x: Float64Array, mesh: Float64Array): Float64Array {
  const m = mesh.length / 4;
  const logRate = Math.abs(log(q));
  return x.map((at, j) => {
    const s = mu * at - (mu * mu) / 2;
    const rounding = s > 30 ? 4 * (Math.abs(s) + logRate) : 0;
    const moved = mesh[3 * m + j] * (3 * Math.abs(mu * at) + 2 * mu * mu);
    return U * (moved + rounding + 12 * Math.abs(mesh[m + j]));
  });
}

function axisRows(kernel: Kernel, mu: number, q: number, x: Float64Array): Float64Array[] {
  const n = x.length;
  const m = n + (n & 1);
  const even = new Float64Array(m);
  even.set(x);
  const rows = kernel.lossMesh(mu, q, even);
  const error = lossErrors(mu, q, x, rows);
  return [x, rows.slice(m, m + n), rows.slice(2 * m, 2 * m + n), error, rows.slice(3 * m, 3 * m + n)];
}

/** The losses of a Poisson-subsampled Gaussian step along paths, which all windows on its outputs share. */
export class TurnedLosses {
  private readonly paths = new Recent<string, Grown>(KEPT_PATHS);
  private readonly axes = new Recent<number, Grown>(KEPT_PATHS);

  constructor(
    readonly kernel: Kernel,
    readonly mu: number,
    readonly q: number,
  ) {}

  /** Losses on the real axis, with y − (u − 1) (`Kernel.lossMesh`). */
  onAxis(h: number, first: number, last: number): AxisLosses {
    const { kernel, mu, q } = this;
    const make = (x: Float64Array): Rows => axisRows(kernel, mu, q, x);
    const grown = this.axes.of(h, () => new Grown(h, make));
    const [x, loss, bend, lossError, share] = grown.through(first, last, 0);
    return { x, loss, bend, lossError, share };
  }

  on({ a, h }: { readonly a: number; readonly h: number }, first: number, last: number): Losses {
    const { kernel, mu, q } = this;
    const make = (x: Float64Array): Rows => [x, ...turnedRows(kernel, mu, q, x, a)];
    const grown = this.paths.of(`${a}/${h}`, () => new Grown(h, make));
    const [x, loss, angle, lossError] = grown.through(first, last, Math.ceil(MARGIN / h));
    return { x, loss, lossError, angle };
  }
}
