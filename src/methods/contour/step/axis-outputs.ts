import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_ROWS, CUMULANT_SUMS, KernelTable } from '../../../kernel/kernel-table.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { tick } from '../../../numeric/meter.js';
import { PRICES } from '../../../numeric/prices.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { cutMass, HardEnd, narrowRange, threeBitsBelow } from './gaussian-range.js';
import { gainOf, growthNear } from './off-axis.js';
import { type OutputWindow, sharpness, windowAt } from './output-window.js';
import type { TurnedLosses } from './sampled-losses.js';
import { strip } from './shifted-gaussian.js';
import { gradeOf, type Strips } from './strips.js';

/** Outputs where densities are normal doubles, with room for a window: beyond them M − 1 is not summed by itself. Safety hangs on it. */
const LAST_NORMAL = 37;
/** Nodes on the axis, at most, and the largest s = μx − μ²/2. Only speed hangs on the first. */
const MAX_NODES = 2 ** 14;
const LARGEST_LOSS = 690;
/** Shares of the strip of a tilt that bounds for lines try. Speed alone hangs on it. */
const TURNED = [1, 0.5] as const;
/** Positive tilts up to powers of two, no less than this, have outputs in common. Speed alone hangs on it. */
const LEAST_GRADE = 16;
/** Outputs of laws without an end reach to multiples of this beyond where a tilt takes them, and outputs of all to multiples of that. Speed alone hangs on it. */
const UNIT = 4;
const ROUNDED = 2;
/** Shares of π/μ that strips take, and what is as much where noise is large. */
const SHARES = [0.04, 0.1, 0.2, 0.32, 0.48, 0.64, 0.8, 0.92] as const;
const FURTHEST_STRIP = 12;
/** Places and meshes kept; only speed hangs on it. */
const KEPT = 16;

/** Outputs x = hj on the real axis, and what sums over them share whatever their tilt. */
export interface AxisMesh {
  readonly h: number;
  readonly first: number;
  readonly x: Float64Array;
  readonly loss: Float64Array;
  readonly lossError: Float64Array;
  /** B/(A + B). */
  readonly share: Float64Array;
  /** log φW√2π, and its error. */
  readonly height: Float64Array;
  readonly heightError: Float64Array;
  /** For the kernel's sums of M − 1, where densities are normal doubles. */
  readonly table: KernelTable | undefined;
  /** Σ p max(u, 1)|y|·(error of y), and what ends leave of φ and φu. */
  readonly shift: number;
  readonly ends: number;
}

/** Outputs for the tilts of a grade, low < c ≤ high, and the strip |Im x| ≤ y that says what they err by. */
export interface Placed {
  readonly mesh: AxisMesh;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  /** What the rule errs by where the integrand gains nothing at an angle, and by φ and φu at a window's end. */
  readonly rule: number;
  readonly plain: number;
  readonly end: HardEnd | undefined;
}

/** A law under a tilt: weights f at the nodes of a mesh, in units of e^{top}, and their relative errors, at most. */
export interface Tilted {
  readonly mesh: AxisMesh;
  readonly top: number;
  readonly f: Float64Array;
  readonly doubt: Float64Array;
}

/** Where outputs of a grade end, and what tilts it holds. */
interface Grade {
  /** The tilt that is furthest from 0. */
  readonly far: number;
  readonly near: number;
  /** How far a tilt takes outputs of laws without an end. */
  readonly end: number;
}

/** The outputs on the real axis of a Poisson-sampled Gaussian step under a window, for trapezoidal sums. */
export class AxisOutputs {
  private readonly kernel: Kernel;
  private readonly placed = new Recent<string, Placed | undefined>(KEPT);
  private readonly meshes = new Recent<string, AxisMesh>(KEPT);

  /**
   * @param depth Integrals are good to about e^{−depth}.
   * @param furthest Outputs of laws without an end are looked at no further.
   */
  constructor(
    private readonly losses: TurnedLosses,
    private readonly window: OutputWindow,
    private readonly strips: Strips,
    private readonly depth: number,
    private readonly furthest: number,
  ) {
    this.kernel = losses.kernel;
  }

  /** Those for a tilt; undefined where they are too many. */
  for(c: number): Placed | undefined {
    const { mu } = this.losses;
    if (c < 0) {
      const { far, near } = gradeOf(mu, c);
      return this.in({ far, near, end: 0 });
    }
    let far = LEAST_GRADE;
    while (far < c) far *= 2;
    const end = this.window.to === Infinity ? UNIT * Math.ceil((mu * Math.max(1, c)) / UNIT) : 0;
    return this.in({ far, near: far === LEAST_GRADE ? 0 : far / 2, end });
  }

  private in(grade: Grade): Placed | undefined {
    return this.placed.of(`${grade.far}/${grade.end}`, () => this.place(grade));
  }

  private place(grade: Grade): Placed | undefined {
    const { far, near, end } = grade;
    const { mu } = this.losses;
    const sharp = sharpness(this.window) / 2;
    const depth = this.depth + log(2 + Math.abs(far));
    let best = { y: 0, h: 0 };
    for (const share of SHARES) {
      const y = Math.min((share * Math.PI) / mu, FURTHEST_STRIP * share);
      const growth = sharp * y * y + this.growthAt(far, mu * y);
      const h = (2 * Math.PI * y) / (depth + growth + 1);
      if (h > best.h) best = { y, h };
    }
    const h = threeBitsBelow(best.h);
    const [from, to] = this.rangeOf(grade, depth);
    const first = Math.floor(from / h);
    const last = Math.min(Math.ceil(to / h), Math.floor(this.end / h));
    const few = last > first && last - first < MAX_NODES && mu * h * last < LARGEST_LOSS;
    if (!few || end > this.furthest) return undefined;
    const { y } = best;
    const bounded = this.end < Infinity ? this.hardEnd(h, y) : undefined;
    const rule = strip(sharp * y * y, (2 * Math.PI * y) / h);
    const plain = rule + (bounded ? exp(bounded.log(0)) + exp(bounded.log(1)) : 0);
    const [low, high] =
      far < 0
        ? [far * (1 + 1e-15), near]
        : [Math.max(near, end > UNIT ? (end - UNIT) / mu : 0), end > 0 ? Math.min(far, end / mu) : far];
    return { mesh: this.on(h, first, last), y, low, high, rule, plain, end: bounded };
  }

  /** About what φW|u|^c gains at an angle: behind a lower edge as much as there. */
  private growthAt(c: number, angle: number): number {
    const { mu, q } = this.losses;
    const { from } = this.window;
    return from > -Infinity ? gainOf({ mu, q }, c, angle, from, from) : growthNear(mu, q, c, angle);
  }

  private get end(): number {
    return this.window.end ?? Infinity;
  }

  /** A window's hard end for sums of step h with the strip |Im x| ≤ y. */
  private hardEnd(h: number, y: number): HardEnd {
    const { losses, window } = this;
    const fall = (2 * Math.PI * y) / h - (sharpness(window) * y * y) / 2;
    // the legs of the strip, along which the integrand's logarithm lies below a chord, and half a step
    const reach = fall > 0 ? (2 * y) / fall + 2 * h : Infinity;
    return new HardEnd(losses, window, { h, reach, angle: losses.mu * y });
  }

  /** From where to where outputs count. */
  private rangeOf({ far, near, end }: Grade, depth: number): readonly [number, number] {
    const { window } = this;
    const { mu, q } = this.losses;
    const reach = Math.sqrt(2 * (depth + 4)) + 1;
    let [from, to] = [-reach, Math.max(end, mu, window.from) + reach];
    if (window.from > -Infinity) from = Math.max(from, window.from - reach * window.width);
    else if (far < 0 && far * log1p(-q) > depth) {
      from = narrowRange(mu, q, far, depth + 4, reach).from;
      to = narrowRange(mu, q, near, depth + 4, reach).to;
    } else if (far < 0) from = -Math.sqrt(2 * (depth + 4 + far * log1p(-q))) - 1;
    if (window.to < Infinity && (far > 0 || window.from > mu))
      to = Math.max(to, window.to + reach * window.width);
    return [ROUNDED * Math.floor(from / ROUNDED), ROUNDED * Math.ceil(to / ROUNDED)];
  }

  /** The outputs h·first … h·last. */
  private on(h: number, first: number, last: number): AxisMesh {
    return this.meshes.of(`${h}/${first}/${last}`, () => this.made(h, first, last));
  }

  private made(h: number, first: number, last: number): AxisMesh {
    const { kernel, window } = this;
    const n = last - first + 1;
    tick(PRICES.shifted * n);
    const { x, loss, bend, lossError, share } = this.losses.onAxis(h, first, last);
    const [passed, , blur] = windowAt(kernel, x, 0, window);
    const height = new Float64Array(n);
    const heightError = new Float64Array(n);
    for (let j = 0; j < n; j++) {
      height[j] = passed[j] - (x[j] * x[j]) / 2;
      heightError[j] = U * (8 + x[j] * x[j] + 2 * Math.abs(passed[j])) + blur[j];
    }
    const mesh = { h, first, x, loss, lossError, share, height, heightError };
    if (!(Math.max(-x[0], x[n - 1]) < LAST_NORMAL)) return { ...mesh, table: undefined, shift: 0, ends: 0 };
    const m = n + (n & 1);
    const rows = new Float64Array(CUMULANT_ROWS * m);
    const weight = kernel.exp(height);
    for (let j = 0; j < n; j++) {
      rows[j] = h * INVERSE_SQRT_2PI * weight[j];
      rows[m + j] = loss[j];
      rows[2 * m + j] = bend[j];
      rows[3 * m + j] = heightError[j] + 16 * U;
      rows[4 * m + j] = lossError[j] * Math.abs(loss[j]);
    }
    const table = new KernelTable(rows);
    const sums = kernel.cumulantSums(table, 0, m, Float64Array.of(0, 1));
    const shift = sums[CUMULANT_SUMS - 1] + sums[2 * CUMULANT_SUMS - 1];
    const ends = this.leftOut(mesh, 0, 0) + this.leftOut(mesh, 1, 0);
    return { ...mesh, table, shift, ends };
  }

  /** What the nodes leave out at both ends, over e^{logNorm}. */
  leftOut({ x, h }: Pick<AxisMesh, 'x' | 'h'>, c: number, logNorm: number): number {
    return cutMass(this.losses, c, { first: x[0], last: x[x.length - 1], h }, this.window, logNorm);
  }

  /** What the rule errs by for φWu^c, over e^{logNorm}, the integral at c. */
  ruleError({ y, rule, end }: Placed, c: number, logNorm: number): number {
    const grown = c < 0 ? exp(this.strips.logMass(c, y) - logNorm) : 1;
    return rule * grown + (end === undefined ? 0 : exp(end.log(c) - logNorm));
  }

  /** Outputs for a line up to tau through a tilt, M = e^{logM} there, whose step is halved so often at most, and what their sums err by, relatively; undefined where they are too many. */
  forLine(
    { mesh: { h: own, first, x }, y: most }: Placed,
    c: number,
    logM: number,
    { tau, halvings }: { readonly tau: number; readonly halvings: number },
  ): { mesh: AxisMesh; error: number } | undefined {
    const { strips, depth } = this;
    const sharp = sharpness(this.window) / 2;
    const tried = TURNED.map((share) => {
      const y = share * most;
      return { y, growth: sharp * y * y + strips.turned(c, y, tau) - logM };
    });
    for (let k = 0, parts = 1; k <= halvings; k++, parts *= 2) {
      const h = own / parts;
      let best = Infinity;
      for (const { y, growth } of tried) {
        const leg = this.end < Infinity ? exp(this.hardEnd(h, y).log(c, tau) - logM) : 0;
        best = Math.min(best, strip(growth, (2 * Math.PI * y) / h) + leg);
      }
      if (!(best < exp(-depth))) continue;
      if (parts * x.length > MAX_NODES) return undefined;
      const mesh = this.on(h, parts * first, parts * (first + x.length - 1));
      return { mesh, error: best + this.leftOut(mesh, c, logM) };
    }
    return undefined;
  }

  /** The weights at the nodes of a mesh under a tilt. */
  tilted(mesh: AxisMesh, c: number): Tilted {
    const { loss, height, heightError, lossError } = mesh;
    const n = loss.length;
    const f = new Float64Array(n);
    const doubt = new Float64Array(n);
    let top = -Infinity;
    for (let j = 0; j < n; j++) {
      f[j] = c * loss[j] + height[j];
      top = Math.max(top, f[j]);
    }
    const size = Math.abs(c);
    for (let j = 0; j < n; j++) {
      f[j] -= top;
      doubt[j] =
        heightError[j] + size * lossError[j] + U * (4 + 3 * size * Math.abs(loss[j]) + Math.abs(top));
    }
    this.kernel.exp(f, f);
    return { mesh, top, f, doubt };
  }
}
