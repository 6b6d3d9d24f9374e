import type { Kernel } from '../../../kernel/kernel.js';
import type { KernelTable } from '../../../kernel/kernel-table.js';
import type { Outputs } from '../../../kernel/windows.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { cutFor } from './lost-mass.js';
import { growthNear, isMild, largestOf, type SampledStep, wholeGrowth } from './off-axis.js';
import type { OutputWindow } from './output-window.js';
import { LogWindowDensity } from './window-heights.js';

/** Windows, and paths of each step, that are kept. Speed and memory hang on them. */
const KEPT_WINDOWS = 16;
const KEPT_PATHS = 32;
/** Of many steps at least so many of what is kept are. Speed and memory hang on it. */
const FEWEST_KEPT = 8;

/** Poisson-subsampled Gaussian steps whose sums take the same outputs, so that a window on these is worked out once. */
export class SampledSteps implements SampledStep {
  /** The largest of the steps, which say where outputs lie. */
  readonly mu: number;
  readonly q: number;
  private readonly cuts = new LruCache<number, number>(KEPT_WINDOWS);
  private readonly windows = new LruCache<string, LogWindowDensity>(KEPT_WINDOWS);
  private readonly paths: LruCache<string, readonly KernelTable[]>;
  readonly single: boolean;
  /** Each of the steps by itself. Made with the rest, so that what a cache is paid for does not hang on who asks first. */
  readonly each: readonly SampledSteps[];

  constructor(
    readonly kernel: Kernel,
    readonly steps: readonly SampledStep[],
  ) {
    ({ mu: this.mu, q: this.q } = largestOf(steps));
    this.single = steps.length === 1;
    this.each = this.single ? [this] : steps.map((step) => new SampledSteps(kernel, [step]));
    this.paths = new LruCache(this.kept(KEPT_PATHS));
  }

  /** Whether one factor for all outputs says what |u|^c gains off the axis: of many steps always. Speed and width hang on it. */
  isSimple(c: number): boolean {
    return !this.single || isMild(this.mu, c);
  }

  /** log of about what the largest φ|u|^c gains at an angle, for plans. */
  growth(c: number, angle: number): number {
    if (c >= 0) return 0;
    return this.isSimple(c) ? wholeGrowth(c, angle) : growthNear(this, c, angle);
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
  under(window: OutputWindow): LogWindowDensity {
    const { from, to, width, end } = window;
    return this.windows.of(`${from}/${to}/${width}/${end}`, () => new LogWindowDensity(this.kernel, window));
  }

  /** For each step log|u| and arg u at outputs x + ia, and what they are off by (`Kernel.turnedLosses`). */
  along(a: number, at: Outputs): readonly KernelTable[] {
    const { h, first, n } = at;
    return this.paths.of(`${a}/${h}/${first}/${n}`, () =>
      this.steps.map((step) => this.kernel.turnedLosses(step, at, a)),
    );
  }
}
