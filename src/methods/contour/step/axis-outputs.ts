import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_SUMS, type KernelTable, MESH_ROWS } from '../../../kernel/kernel-table.js';
import type { HardEnd, Outputs, SampledStep } from '../../../kernel/windows.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { threeBitsBelow } from './gaussian-range.js';
import { type OutputWindow, sharpness } from './output-window.js';
import type { SampledSteps } from './sampled-losses.js';
import { strip } from './shifted-gaussian.js';
import type { ShiftedOutputs } from './shifted-mesh.js';
import { gradeOf } from './strips.js';
import type { LogWindowDensity } from './window-heights.js';

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
export interface AxisMesh extends Outputs {
  readonly loss: Float64Array;
  /**
   * For the kernel's sums: weights; losses y; y − (u − 1); errors of log φW√2π with 16u to spare; those of y times its size; log φW√2π; errors of y; and B/(A + B).
   */
  readonly table: KernelTable;
  /** Whether densities are normal doubles, as those of M − 1 need them. */
  readonly isNormal: boolean;
  /** Σ p max(u, 1)|y|·(error of y), and what ends leave of φ and φu. */
  readonly shift: number;
  readonly ends: number;
}

/** Outputs for the tilts of a grade, low < c ≤ high, and the strip |Im x| ≤ y that says what they err by. */
export interface Placed {
  /** Of each step. */
  readonly meshes: readonly AxisMesh[];
  readonly y: number;
  readonly low: number;
  readonly high: number;
  /** What the rule errs by where the integrand gains nothing at an angle, and by φ and φu at a window's end. */
  readonly rule: number;
  readonly plain: number;
  readonly end: HardEnd | undefined;
}

/** What sums over outputs are for. */
interface Aim {
  /** Integrals are good to about e^{−depth}. */
  readonly depth: number;
  /** Outputs of laws without an end are looked at no further. */
  readonly furthest: number;
  /** Nothing is said of what sums err by. */
  readonly forPlans: boolean;
}

/** Where outputs of a grade end, and what tilts it holds. */
interface Grade {
  /** The tilt that is furthest from 0. */
  readonly far: number;
  readonly near: number;
  /** How far a tilt takes outputs of laws without an end. */
  readonly end: number;
}

/** The outputs on the real axis of Poisson-sampled Gaussian steps under a window, for trapezoidal sums. */
export class AxisOutputs {
  private readonly kernel: Kernel;
  private readonly heights: LogWindowDensity;
  private readonly placed = new LruCache<string, Placed | undefined>(KEPT);
  private readonly meshes: LruCache<string, readonly AxisMesh[]>;

  /** @param aim What sums are for. */
  constructor(
    private readonly all: SampledSteps,
    private readonly window: OutputWindow,
    private readonly outputs: readonly ShiftedOutputs[],
    private readonly aim: Aim,
  ) {
    this.kernel = all.kernel;
    this.heights = all.under(window);
    this.meshes = new LruCache(all.kept(KEPT));
  }

  /** Those for a tilt; undefined where they are too many. */
  for(c: number): Placed | undefined {
    const { mu } = this.all;
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
    const { mu } = this.all;
    const sharp = sharpness(this.window) / 2;
    const depth = this.aim.depth + log(2 + Math.abs(far));
    let best = { y: 0, h: 0 };
    const gains = far < 0 || this.window.from > -Infinity;
    for (const share of SHARES) {
      const y = Math.min((share * Math.PI) / mu, FURTHEST_STRIP * share);
      const growth = sharp * y * y + (gains ? this.growthAt(far, mu * y) : 0);
      const h = (2 * Math.PI * y) / (depth + growth + 1);
      // it rises with the strip, and then falls
      if (!(h > best.h)) break;
      best = { y, h };
    }
    const h = threeBitsBelow(best.h);
    const [from, to] = this.rangeOf(grade, depth);
    const first = Math.floor(from / h);
    const last = Math.min(Math.ceil(to / h), Math.floor(this.end / h));
    const few = last > first && last - first < MAX_NODES && mu * h * last < LARGEST_LOSS;
    if (!few || end > this.aim.furthest) return undefined;
    const { y } = best;
    const rule = strip(sharp * y * y, (2 * Math.PI * y) / h);
    const [low, high] =
      far < 0
        ? [far * (1 + 1e-15), near]
        : [Math.max(near, end > UNIT ? (end - UNIT) / mu : 0), end > 0 ? Math.min(far, end / mu) : far];
    const meshes = this.on({ h, first, n: last - first + 1 });
    if (this.aim.forPlans)
      return { meshes, y, low, high, rule: Number.NaN, plain: Number.NaN, end: undefined };
    const bounded = this.end < Infinity ? this.hardEnd(h, y) : undefined;
    // at c = 0 and 1 no step loses more than the largest
    const [p, q] = [0, 1].map((c) => (bounded ? exp(this.atEnd(this.all, c, 0, bounded)) : 0));
    return { meshes, y, low, high, rule, plain: rule + p + q, end: bounded };
  }

  /** About what φW|u|^c gains at an angle: behind a lower edge as much as there. */
  private growthAt(c: number, angle: number): number {
    const { all, kernel } = this;
    const { from } = this.window;
    return from > -Infinity ? kernel.offAxisGrowth(all, c, angle, from, from) : all.growth(c, angle);
  }

  private get end(): number {
    return this.window.end ?? Infinity;
  }

  /** A window's hard end for sums of step h with the strip |Im x| ≤ y. */
  private hardEnd(h: number, y: number): HardEnd {
    const { window } = this;
    const fall = (2 * Math.PI * y) / h - (sharpness(window) * y * y) / 2;
    // the legs of the strip, along which the integrand's logarithm lies below a chord, and half a step
    const reach = fall > 0 ? (2 * y) / fall + 2 * h : Infinity;
    return { h, reach, y };
  }

  /** log of what the rule errs by at a window's hard end. */
  private atEnd(step: SampledStep, c: number, tau: number, end: HardEnd): number {
    return this.kernel.hardEnd(step, c, tau, this.window, end);
  }

  /** From where to where outputs count. */
  private rangeOf({ far, near, end }: Grade, depth: number): readonly [number, number] {
    const { window } = this;
    const { mu, q, single } = this.all;
    const reach = Math.sqrt(2 * (depth + 4)) + 1;
    let [from, to] = [-reach, Math.max(end, mu, window.from) + reach];
    if (window.from > -Infinity) from = Math.max(from, window.from - reach * window.width);
    else if (single && far < 0 && far * log1p(-q) > depth) {
      from = this.kernel.tiltedRange(this.all, far, depth + 4, reach)[0];
      to = this.kernel.tiltedRange(this.all, near, depth + 4, reach)[1];
    } else if (far < 0) from = -Math.sqrt(2 * (depth + 4 + far * log1p(-q))) - 1;
    if (window.to < Infinity && (far > 0 || window.from > mu))
      to = Math.max(to, window.to + reach * window.width);
    return [ROUNDED * Math.floor(from / ROUNDED), ROUNDED * Math.ceil(to / ROUNDED)];
  }

  /** Such outputs of each step. */
  private on(at: Outputs): readonly AxisMesh[] {
    return this.meshes.of(`${at.h}/${at.first}/${at.n}`, () => {
      const heights = this.heights.along(0, at, false);
      return this.all.steps.map((step, k) => this.made(k, at, this.kernel.axisMesh(step, at, heights)));
    });
  }

  private made(k: number, at: Outputs, table: KernelTable): AxisMesh {
    const { h, first, n } = at;
    const m = table.values.length / MESH_ROWS;
    const loss = table.values.subarray(m, m + n);
    const isNormal = h * Math.max(-first, first + n - 1) < LAST_NORMAL;
    const mesh = { h, first, n, loss, table, isNormal };
    if (this.aim.forPlans || !isNormal) return { ...mesh, shift: Number.NaN, ends: Number.NaN };
    const sums = this.kernel.cumulantSums(table, 0, m, Float64Array.of(0, 1));
    const shift = sums[CUMULANT_SUMS - 1] + sums[2 * CUMULANT_SUMS - 1];
    return { ...mesh, shift, ends: this.leftOut(k, at, 0, 0) + this.leftOut(k, at, 1, 0) };
  }

  /** What the nodes leave out at both ends, over e^{logNorm}. */
  leftOut(k: number, { h, first, n }: Outputs, c: number, logNorm: number): number {
    const nodes = { first: h * first, last: h * (first + n - 1), h, angle: 0 };
    return this.kernel.massBeyond(this.all.steps[k], c, nodes, this.window, logNorm);
  }

  /** What the rule errs by for φWu^c, over e^{logNorm}, the integral at c. */
  ruleError(k: number, { y, rule, end }: Placed, c: number, logNorm: number): number {
    const growth = c < 0 ? exp(this.outputs[k].logGrowth(c, y, logNorm)) : 1;
    return rule * growth + (end === undefined ? 0 : exp(this.atEnd(this.all.steps[k], c, 0, end) - logNorm));
  }

  /** Outputs for a line up to tau through a tilt, M = e^{logM} there, and the relative error of their sums. Their step is halved so often at most; undefined where they are too many. */
  forLine(
    k: number,
    { meshes, y: most }: Placed,
    c: number,
    logM: number,
    { tau, halvings }: { readonly tau: number; readonly halvings: number },
  ): { mesh: AxisMesh; error: number } | undefined {
    const { depth } = this.aim;
    const { h: own, first, n } = meshes[k];
    const { strips } = this.outputs[k];
    const sharp = sharpness(this.window) / 2;
    const tried = TURNED.map((share) => {
      const y = share * most;
      return { y, growth: sharp * y * y + strips.turned(c, y, tau) - logM };
    });
    for (let i = 0, parts = 1; i <= halvings; i++, parts *= 2) {
      const h = own / parts;
      let best = Infinity;
      for (const { y, growth } of tried) {
        const end = this.end < Infinity ? this.hardEnd(h, y) : undefined;
        const leg = end ? exp(this.atEnd(this.all.steps[k], c, tau, end) - logM) : 0;
        best = Math.min(best, strip(growth, (2 * Math.PI * y) / h) + leg);
      }
      if (!(best < exp(-depth))) continue;
      if (parts * n > MAX_NODES) return undefined;
      const mesh = this.on({ h, first: parts * first, n: parts * (n - 1) + 1 })[k];
      return { mesh, error: best + this.leftOut(k, mesh, c, logM) };
    }
    return undefined;
  }
}
