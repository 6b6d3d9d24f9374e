import { floats, rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { log } from '../../../numeric/scalar.js';
import { Grown, KEPT_PATHS, MARGIN, type Rows } from './grown.js';
import { cutFor } from './lost-mass.js';
import { growthNear, isMild, largestOf, type SampledStep, wholeGrowth } from './off-axis.js';
import type { OutputWindow } from './output-window.js';
import { WindowHeights } from './window-heights.js';

/** Windows kept. Speed alone hangs on it. */
const KEPT_WINDOWS = 16;
/** Of many steps at least so many of what is kept are. Speed and memory hang on it. */
const FEWEST_KEPT = 8;

/** Outputs x of a path with log|u| and α = arg u there, and the absolute error of either. */
export interface Losses {
  readonly x: Float64Array;
  readonly loss: Float64Array;
  readonly lossError: Float64Array;
  readonly angle: Float64Array;
}

/** For each step log|u|, arg u and the error of either along Im x = a. */
function turnedRows(
  kernel: Kernel,
  steps: readonly SampledStep[],
  x: Float64Array,
  a: number,
): Float64Array[] {
  const shift = floats(x.length).fill(a);
  return steps.flatMap(({ mu, q }) =>
    rowsOf(kernel.turnedLosses(mu, q, x, shift, { slope: 3, slack: 2 * mu * mu + 8 }), 3),
  );
}

/** Outputs of the real axis with log u and log u − (u − 1), the absolute error of the first, and the share of B in u = A + B. */
interface AxisLosses {
  readonly x: Float64Array;
  readonly loss: Float64Array;
  readonly bend: Float64Array;
  readonly lossError: Float64Array;
  readonly share: Float64Array;
}

/** Puts bounds of the errors of losses at outputs in place of the first row of a mesh. @param mesh Of `lossMesh`. */
function putLossErrors({ mu, q }: SampledStep, x: Float64Array, mesh: Float64Array): void {
  const m = mesh.length / 4;
  const logRate = Math.abs(log(q));
  for (let j = 0; j < m; j++) {
    const turn = mu * x[j];
    const s = turn - (mu * mu) / 2;
    const rounding = s > 30 ? 4 * (Math.abs(s) + logRate) : 0;
    const moved = mesh[3 * m + j] * (3 * Math.abs(turn) + 2 * mu * mu);
    mesh[j] = U * (moved + rounding + 12 * Math.abs(mesh[m + j]));
  }
}

/** For each step its losses at outputs, with their errors, log u − (u − 1) and the share of B. */
function axisRows(kernel: Kernel, steps: readonly SampledStep[], x: Float64Array): Float64Array[] {
  const n = x.length;
  const m = n + (n & 1);
  const even = floats(m);
  even.set(x);
  const rows = new Float64Array(4 * m * steps.length);
  for (const [k, step] of steps.entries()) {
    const mesh = rows.subarray(4 * m * k, 4 * m * (k + 1));
    kernel.lossMesh(step.mu, step.q, even, mesh);
    putLossErrors(step, even, mesh);
  }
  return Array.from({ length: 4 * steps.length }, (_, i) => rows.subarray(m * i, m * i + n));
}

/** Poisson-subsampled Gaussian steps whose sums take the same outputs, so that a window on these is worked out once. */
export class SampledSteps implements SampledStep {
  /** The largest of the steps, which say where outputs lie. */
  readonly mu: number;
  readonly q: number;
  private readonly cuts = new Recent<number, number>(KEPT_WINDOWS);
  private readonly windows = new Recent<string, WindowHeights>(KEPT_WINDOWS);
  private readonly paths: Recent<string, Grown>;
  private readonly axes: Recent<number, Grown>;
  /** Each of the steps by itself. Made with the rest, so that what a cache is paid for does not hang on who asks first. */
  readonly each: readonly SampledSteps[];

  constructor(
    readonly kernel: Kernel,
    readonly steps: readonly SampledStep[],
  ) {
    ({ mu: this.mu, q: this.q } = largestOf(steps));
    this.each = this.single ? [this] : steps.map((step) => new SampledSteps(kernel, [step]));
    this.paths = new Recent(this.kept(KEPT_PATHS));
    this.axes = new Recent(this.kept(KEPT_PATHS));
  }

  get single(): boolean {
    return this.steps.length === 1;
  }

  /** Whether one factor for all outputs says what |u|^c gains off the axis: of many steps always. Speed and width hang on it. */
  isSimple(c: number): boolean {
    return !this.single || isMild(this.mu, c);
  }

  /** log of about what the largest φ|u|^c gains at an angle, for plans. */
  growth(c: number, angle: number): number {
    return this.isSimple(c) ? wholeGrowth(Math.min(0, c), angle) : growthNear(this, c, angle);
  }

  /** How many of what each step has are kept, where one step keeps so many. Speed and memory hang on it. */
  kept(most: number): number {
    return Math.min(most, FEWEST_KEPT + Math.ceil(most / this.steps.length));
  }

  /** The least cut that leaves at most e^{logMass} of P and of Q of any step behind it. */
  cutFor(logMass: number): number {
    return this.cuts.of(logMass, () =>
      this.steps.reduce((most, { mu, q }) => Math.max(most, cutFor(mu, q, logMass)), 0),
    );
  }

  /** What a window and the normal density come to. */
  under(window: OutputWindow): WindowHeights {
    const { from, to, width, end } = window;
    return this.windows.of(`${from}/${to}/${width}/${end}`, () => new WindowHeights(this.kernel, window));
  }

  /** Losses of one step on the real axis, with y − (u − 1) (`Kernel.lossMesh`). */
  onAxis(k: number, h: number, first: number, last: number): AxisLosses {
    const { kernel, steps } = this;
    const make = (x: Float64Array): Rows => [x, ...axisRows(kernel, steps, x)];
    const at = 1 + 4 * k;
    const [x, lossError, loss, bend, share] = this.axes
      .of(h, () => new Grown(h, make))
      .through([0, at, at + 1, at + 2, at + 3], first, last, 0);
    return { x, loss, bend, lossError, share };
  }

  /** Losses of one step along a path. */
  on(k: number, { a, h }: { readonly a: number; readonly h: number }, first: number, last: number): Losses {
    const { kernel, steps } = this;
    const make = (x: Float64Array): Rows => [x, ...turnedRows(kernel, steps, x, a)];
    const at = 1 + 3 * k;
    const [x, loss, angle, lossError] = this.paths
      .of(`${a}/${h}`, () => new Grown(h, make))
      .through([0, at, at + 1, at + 2], first, last, Math.ceil(MARGIN / h));
    return { x, loss, lossError, angle };
  }
}
