import type { Kernel } from '../../../kernel/kernel.js';
import { furthest, type Side, sideAt } from '../../../law/mixture-side.js';
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { free } from '../../../numeric/meter.js';
import { atan2, cosPi, exp, log, sinPi } from '../../../numeric/scalar.js';
import { cosine, threeBitsBelow } from './gaussian-range.js';
import type { CentredMasses } from './masses.js';
import { logPassed, type OutputWindow, sharpness } from './output-window.js';

/** Nodes of a mesh at most. */
export const MAX_NODES = 2 ** 15;
/** Number of meshes cached of a step, and of a truncated step. */
const KEPT = 16;
const KEPT_BEHIND = 4;
const ROWS = ['loss', 'lossError', 'logMass', 'massError', 'excess', 'excessError', 'slope'] as const;
type Row = (typeof ROWS)[number];
/** Rows of a mesh that a window changes. */
const WINDOWED: readonly Row[] = ['logMass', 'massError'];

/** A step at the quadrature nodes x = h·(first + j): masses √2π·φ(x)u₋(−x) on the losses y(x) = log u₊(x) − log u₋(−x). */
export interface Mesh extends CentredMasses {
  readonly h: number;
  readonly first: number;
  /** dy/dx. */
  readonly slope: Float64Array;
}

export class MixtureMeshes {
  readonly right: number;
  readonly left: number;
  /** φW grows by at most e^{growth·a²/2} at a distance a from the real axis. */
  readonly growth: number;
  private readonly kept: Mesh[] = [];
  /** The meshes without a window, from which truncated ones are made. */
  private all: MixtureMeshes | undefined;

  constructor(
    readonly plus: Side,
    readonly minus: Side,
    readonly digits: { readonly axis: number; readonly line: number },
    /** The kernel that sums over them; JavaScript if not given. */
    readonly kernel?: Kernel,
    /** The window of outputs, with one edge. */
    readonly window?: OutputWindow,
  ) {
    this.right = furthest(plus);
    this.left = furthest(minus);
    this.growth = window ? sharpness(window) : 1;
  }

  /** The meshes of the same pair, truncated by a window. */
  behind(window: OutputWindow): MixtureMeshes {
    const own = new MixtureMeshes(this.plus, this.minus, this.digits, this.kernel, window);
    own.all = this;
    return own;
  }

  /** A plan: a spacing h of three bits with quadrature error ≤ e^{−depth} M(c) for |τ| ≤ tau, from the best strip tried. */
  stepFor(c: number, tau: number, depth: number): number {
    const { left, right, growth } = this;
    const wanted = depth + 1;
    let best = Infinity;
    for (const share of [0.05, 0.1, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92]) {
      const a = Math.min(
        (share * Math.PI) / Math.max(left, right),
        share * 1.6 * Math.sqrt((2 * wanted) / growth),
      );
      const shrink =
        Math.max(0, -c) * -log(cosine((right * a) / 2)) + Math.max(0, c - 1) * -log(cosine((left * a) / 2));
      best = Math.min(best, tau * (left + right) + (wanted + shrink) / a + (growth * a) / 2);
    }
    return threeBitsBelow((2 * Math.PI) / best);
  }

  /**
   * Outputs beyond which φu₊^c u₋^{1−c} decays at least like e^{−reach·|x|}, and has decayed by e^{−reach²/2}. The derivative of its logarithm is −x
   * + c w₊ + (c − 1)w₋. The mean shifts w± are monotone (docs/proofs/sampling.md 15 and 16). A window decreases it by at least (x − to)/width², the
   * mean of a normal variable beyond x − to.
   */
  rangeFor(c: number, reach: number): readonly [number, number] {
    const { left, right, growth, window, plus, minus } = this;
    const before = Math.min(0, (c - 1) * left) - reach;
    const low = before + Math.min(0, c) * slopeOf(plus, before);
    const steep = Math.max(0, c * right);
    const high = (x: number): number => steep + Math.max(0, c - 1) * slopeOf(minus, -x);
    const end = high(steep + reach) + reach;
    if (window === undefined) return [low, end];
    const { to, width } = window;
    const slope = high(Math.min(reach, to));
    return [low, Math.min(end, (slope + to / (width * width)) / growth + reach / Math.sqrt(growth))];
  }

  /** The mesh of multiples of h from below `from` to above `to`; undefined if it has too many nodes. */
  covering(h: number, from: number, to: number): Mesh | undefined {
    const first = Math.floor(from / h);
    const last = Math.ceil(to / h);
    if (!(last - first < MAX_NODES)) return undefined;
    let at = this.kept.findIndex((one) => one.h === h);
    const inside = (one: Mesh): boolean => first >= one.first && last < one.first + one.loss.length;
    if (at < 0 || !inside(this.kept[at])) {
      const old = at < 0 ? undefined : this.kept.splice(at, 1)[0];
      // the meter does not charge this: sums over the mesh cost more
      this.kept.unshift(free(() => this.make(h, first, last, old)));
      if (this.kept.length > (this.all ? KEPT_BEHIND : KEPT)) this.kept.pop();
      at = 0;
    }
    return partOf(this.kept[at], first, last);
  }

  /** log|u(x + ia)| and arg u(x + ia) of a side, with errors of about 1e-12. */
  turned(which: 'plus' | 'minus', x: number, a: number): { log: number; angle: number } {
    const { shift, weight } = this[which];
    const top = Math.max(0, furthest(this[which]) * (x - furthest(this[which]) / 2));
    let re = 0;
    let im = 0;
    for (let i = 0; i < shift.length; i++) {
      const size = weight[i] * exp(shift[i] * (x - shift[i] / 2) - top);
      const turn = shift[i] * a * INVERSE_PI;
      re += size * cosPi(turn);
      im += size * sinPi(turn);
    }
    return { log: top + 0.5 * log(re * re + im * im), angle: atan2(im, re) };
  }

  /**
   * Losses and log masses at `to` + 1 − `from` or more multiples of h, with their errors, window included.
   * @param old A mesh of the same spacing, whose nodes are copied.
   */
  private make(h: number, from: number, to: number, old?: Mesh): Mesh {
    const first = Math.min(from, old?.first ?? from);
    const start = (old?.first ?? from) - first;
    const end = start + (old?.loss.length ?? 0);
    const count = Math.max(to + 1 - first, end);
    const whole = this.all?.covering(h, h * first, h * (first + count - 1));
    const rows = whole ? WINDOWED : ROWS;
    const mesh = meshOf(h, first, (of) => {
      if (whole === undefined) return new Float64Array(count);
      return rows.includes(of) ? whole[of].slice() : whole[of];
    });
    if (old) for (const of of rows) mesh[of].set(old[of], start);
    for (const [low, high] of [
      [0, start],
      [end, count],
    ] as const) {
      if (whole === undefined) this.fill(mesh, low, high);
      else pass(this.window as OutputWindow, mesh, low, high);
    }
    return mesh;
  }

  /** Fills the nodes `from` … `to` − 1 of a mesh, with error bounds. The loss is y = log u₊(x) − log u₋(−x), the mass φu₋, and `excess` u₊/u₋ − 1. */
  private fill({ h, first, ...rows }: Mesh, from: number, to: number): void {
    const { loss, logMass, massError, lossError, excess, excessError, slope } = rows;
    for (let i = from; i < to; i++) {
      // exact: h has few bits
      const x = h * (first + i);
      const up = sideAt(this.plus, x);
      const down = sideAt(this.minus, -x);
      const base = 1 + down.excess;
      loss[i] = up.log - down.log;
      lossError[i] = up.error + down.error + U * (Math.abs(up.log) + Math.abs(down.log));
      logMass[i] = down.log - (x * x) / 2;
      massError[i] = down.error + U * (x * x + Math.abs(logMass[i]));
      excess[i] = (up.excess - down.excess) / base;
      excessError[i] =
        (up.excessError + (2 + Math.abs(excess[i])) * down.excessError) / base + 4 * U * Math.abs(excess[i]);
      slope[i] = up.slope + down.slope;
    }
  }
}

/** The rows of a mesh multiplied by a window. */
function pass(window: OutputWindow, { h, first, logMass, massError }: Mesh, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const passed = logPassed(window, h * (first + i));
    logMass[i] += passed.log;
    massError[i] += passed.error + U * Math.abs(logMass[i]);
  }
}

/** Upper bound of a side's mean shift at an output. */
function slopeOf(side: Side, x: number): number {
  return sideAt(side, x).slope * (1 + 1e-9);
}

/** A mesh with spacing h from the node `first` on, whose rows are made by a function. */
function meshOf(h: number, first: number, row: (of: Row) => Float64Array): Mesh {
  const rows = ROWS.map((of) => [of, row(of)] as const);
  return { unit: h * INVERSE_SQRT_2PI, h, first, ...(Object.fromEntries(rows) as Record<Row, Float64Array>) };
}

function partOf(mesh: Mesh, first: number, last: number): Mesh {
  return meshOf(mesh.h, first, (of) => mesh[of].subarray(first - mesh.first, last + 1 - mesh.first));
}
