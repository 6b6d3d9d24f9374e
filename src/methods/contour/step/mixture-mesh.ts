import { furthest, type Side, sideAt } from '../../../law/mixture-side.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { free } from '../../../numeric/meter.js';
import { atan2, cosPi, exp, log, sinPi } from '../../../numeric/scalar.js';
import { threeBitsBelow } from './gaussian-range.js';
import { cosine } from './off-axis.js';

/** Outputs that one mesh may have. */
export const MAX_NODES = 2 ** 15;
/** Meshes kept of one step. */
const KEPT = 4;

/** One step at the outputs x = h·(first + j): what sums over outputs share whatever their tilt. */
interface Mesh {
  readonly h: number;
  readonly first: number;
  /** log u₊(x) and log u₋(−x), and bounds on the absolute error of both together and of y. */
  readonly up: Float64Array;
  readonly down: Float64Array;
  readonly error: Float64Array;
  /** e^y − 1 and the absolute error of it. */
  readonly excess: Float64Array;
  readonly excessError: Float64Array;
  /** dy/dx. */
  readonly slope: Float64Array;
}

/** The nodes begin … end − 1 of a mesh. */
export interface Stretch {
  readonly mesh: Mesh;
  readonly begin: number;
  readonly end: number;
}

export class MixtureMeshes {
  readonly right: number;
  readonly left: number;
  private readonly kept: Mesh[] = [];

  constructor(
    private readonly plus: Side,
    private readonly minus: Side,
    readonly digits: { readonly axis: number; readonly line: number },
  ) {
    this.right = furthest(plus);
    this.left = furthest(minus);
  }

  /** A step h of three bits with quadrature error ≤ e^{−depth} M(c) for |τ| ≤ tau. */
  stepFor(c: number, tau: number, depth: number): number {
    const { left, right } = this;
    const wanted = depth + 1;
    let best = Infinity;
    for (const share of [0.05, 0.1, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92]) {
      const a = Math.min((share * Math.PI) / Math.max(left, right), share * 1.6 * Math.sqrt(2 * wanted));
      const shrink =
        Math.max(0, -c) * -log(cosine((right * a) / 2)) + Math.max(0, c - 1) * -log(cosine((left * a) / 2));
      best = Math.min(best, tau * (left + right) + (wanted + shrink) / a + a / 2);
    }
    return threeBitsBelow((2 * Math.PI) / best);
  }

  /** Outputs beyond which φu₊^c u₋^{1−c} falls at least like e^{−reach·|x|}, and has fallen by e^{−reach²/2}. */
  rangeFor(c: number, reach: number): readonly [number, number] {
    const { left, right } = this;
    return [
      Math.min(0, c * right) + Math.min(0, (c - 1) * left) - reach,
      Math.max(0, c * right) + Math.max(0, (c - 1) * left) + reach,
    ];
  }

  /** The nodes at the multiples of h from below `from` to above `to`; undefined if there are too many. */
  covering(h: number, from: number, to: number): Stretch | undefined {
    const first = Math.floor(from / h);
    const last = Math.ceil(to / h);
    if (!(last - first < MAX_NODES)) return undefined;
    let at = this.kept.findIndex((one) => one.h === h);
    const inside = (one: Mesh): boolean => first >= one.first && last < one.first + one.up.length;
    if (at < 0 || !inside(this.kept[at])) {
      const old = at < 0 ? [] : this.kept.splice(at, 1);
      const low = Math.min(first, ...old.map((one) => one.first));
      const high = Math.max(last, ...old.map((one) => one.first + one.up.length - 1));
      // the sums over it cost more
      this.kept.unshift(free(() => this.make(h, low, high)));
      if (this.kept.length > KEPT) this.kept.pop();
      at = 0;
    }
    const mesh = this.kept[at];
    return { mesh, begin: first - mesh.first, end: last + 1 - mesh.first };
  }

  /** log|u(x + ia)| and arg u(x + ia) of a side, good to some 1e-12. */
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

  private make(h: number, first: number, last: number): Mesh {
    const n = last - first + 1;
    const array = (): Float64Array => new Float64Array(n);
    const mesh: Mesh = {
      h,
      first,
      up: array(),
      down: array(),
      error: array(),
      excess: array(),
      excessError: array(),
      slope: array(),
    };
    for (let i = 0; i < n; i++) {
      const x = h * (first + i);
      const up = sideAt(this.plus, x);
      const down = sideAt(this.minus, -x);
      const base = 1 + down.excess;
      const excess = (up.excess - down.excess) / base;
      mesh.up[i] = up.log;
      mesh.down[i] = down.log;
      mesh.error[i] = up.error + down.error + U * (Math.abs(up.log) + Math.abs(down.log));
      mesh.excess[i] = excess;
      mesh.excessError[i] =
        (up.excessError + (2 + Math.abs(excess)) * down.excessError) / base + 4 * U * Math.abs(excess);
      mesh.slope[i] = up.slope + down.slope;
    }
    return mesh;
  }
}

/** log(φu₊^c u₋^{1−c} √2π) at a node. */
export function logMass({ h, first, up, down }: Mesh, c: number, j: number): number {
  const x = h * (first + j);
  return c * (up[j] - down[j]) + down[j] - (x * x) / 2;
}

export function topOf({ mesh, begin, end }: Stretch, c: number): number {
  let top = -Infinity;
  for (let j = begin; j < end; j++) top = Math.max(top, logMass(mesh, c, j));
  return top;
}

/** Relative error of e^{logMass} at a node. */
export function massError({ h, first, up, down, error }: Mesh, c: number, j: number): number {
  const x = h * (first + j);
  const size = Math.abs(c) + Math.abs(1 - c);
  return (
    U * (8 + 2 * x * x + 3 * (Math.abs(c * up[j]) + Math.abs((1 - c) * down[j]) + Math.abs(down[j]))) +
    size * error[j]
  );
}
