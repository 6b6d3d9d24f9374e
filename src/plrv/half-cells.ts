import type { Kernel } from '../kernel.js';
import type { Phase } from '../mechanism/phases.js';
import { exp, log, normalCdf, normalQuantileLog } from '../scalar.js';
import { plainLosses, subsampledLoss } from './subsampling.js';

export type Direction = 'remove' | 'add';

/** Relative error of an interval mass (measured: 8e-16) with the arithmetic done on it. */
export const MASS_SLACK = 4e-15;

/** Masses below this have lost relative accuracy to underflow. */
export const SMALLEST = 1e-295;

const U = 2 ** -53;

/** Lattice indices that hold all losses up to a normal tail of e^{logTail} on either side. */
export function lossRange(
  phase: Phase,
  direction: Direction,
  step: number,
  logTail: number,
): [number, number] {
  const { sigma, rate } = phase;
  const z = -normalQuantileLog(logTail);
  const plainAt = (o: number) => (2 * o - 1) / (2 * sigma * sigma);
  const low = subsampledLoss(plainAt(-z * sigma), rate);
  const high = subsampledLoss(plainAt(1 + z * sigma), rate);
  const [a, b] = direction === 'remove' ? [low, high] : [-high, -low];
  return [Math.floor(a / step) - 1, Math.ceil(b / step) + 1];
}

/**
 * One step of a Poisson-subsampled Gaussian cut into half cells of a lattice of losses: cell k holds the
 * outputs whose loss lies between step·(first + k/2) and step·(first + (k+1)/2). The cells are cut at
 * floating-point outputs, so their masses are exact statements about nearby losses; what rounding can
 * do to a δ curve built from them is bounded by `slack`, in units of probability.
 */
export class HalfCells {
  private constructor(
    readonly direction: Direction,
    readonly rate: number,
    readonly step: number,
    readonly first: number,
    /** Mass of every half cell (an even number) under N(0, σ²), and under N(1, σ²) times the rate. */
    private readonly base: Float64Array,
    private readonly moved: Float64Array,
    /** Probability by which the two masses of a half cell may be cut at different outputs, and the cut off the lattice. */
    private readonly cut: Float64Array,
    /** e^x − 1 at every lattice point. */
    private readonly rise: Float64Array,
    /** Q-mass below the first and above the last cell. */
    readonly below: number,
    readonly above: number,
  ) {}

  /** Number of half cells. */
  get count(): number {
    return this.base.length;
  }

  static of(kernel: Kernel, phase: Phase, direction: Direction, step: number, logTail: number): HalfCells {
    const { sigma, rate } = phase;
    const [first, last] = lossRange(phase, direction, step, logTail);
    const count = 2 * (last - first);
    const sign = direction === 'remove' ? 1 : -1;
    const from = sign > 0 ? 2 * first : -2 * last;
    // edges ascending in the output: for 'add' the losses run backwards
    const x = new Float64Array(count + 1);
    for (let k = 0; k <= count; k++) x[k] = (from + k) * (step / 2);
    const plain = plainLosses(kernel, x, kernel.expm1(x), rate);
    const zBase = plain;
    const zMoved = new Float64Array(count + 1);
    for (let k = 0; k <= count; k++) {
      zBase[k] = plain[k] * sigma + 0.5 / sigma;
      zMoved[k] = zBase[k] - 1 / sigma;
    }
    const base = kernel.normalIntervals(zBase);
    const moved = kernel.normalIntervals(zMoved);
    const cut = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      moved[k] *= rate;
      if (moved[k] === 0) continue;
      // where the edges of the two laws were rounded apart by e, mass e φ has changed cells
      const a = zMoved[k];
      const b = zMoved[k + 1];
      const reach = Math.max(a > -Infinity ? Math.abs(a) : 0, b < Infinity ? Math.abs(b) : 0);
      const e = 6 * U * (reach + 2 / sigma);
      const density = moved[k] * (1 / Math.max(b - a, 1e-300) + 1 + reach);
      // and where a cut lies e off its loss, the mass that the lattice point then lacks or has too much
      const share = Math.min(1, moved[k] / (moved[k] + base[k] * (1 - rate)));
      const off = 16 * U * (share * sigma * (reach + 2 / sigma) + Math.abs(x[k]));
      cut[k] = e * density + off * (moved[k] + base[k] * share);
    }
    // e^x − 1 at the lattice points, in the order of this direction's losses
    const rise = new Float64Array(count / 2 + 1);
    for (let i = 0; i < rise.length; i++) rise[i] = step * (first + i);
    kernel.expm1(rise, rise);
    const ends: [number, number] = [zBase[0], zBase[count]];
    const mix = (z: number, sigma1: number): number => (1 - rate) * normalCdf(z) + rate * normalCdf(sigma1);
    if (direction === 'remove') {
      const below = mix(ends[0], zMoved[0]);
      const above = mix(-ends[1], -zMoved[count]);
      return new HalfCells(direction, rate, step, first, base, moved, cut, rise, below, above);
    }
    base.reverse();
    moved.reverse();
    cut.reverse();
    return new HalfCells(
      direction,
      rate,
      step,
      first,
      base,
      moved,
      cut,
      rise,
      normalCdf(-ends[1]),
      normalCdf(ends[0]),
    );
  }

  /**
   * Half cells i … j−1 seen from the lattice point `at`, loss x: their Q-mass, the surplus q − p e^x (that
   * is E_Q[1 − e^{x−L}] over them) and a bound on what rounding did to it. The surplus is formed without
   * the part common to Q and P, so its error scales with the sampling rate.
   */
  seenFrom(at: number, i: number, j: number, out: CellGroup): void {
    let a = 0;
    let b = 0;
    let cut = 0;
    for (let k = i; k < j; k++) {
      a += this.base[k];
      b += this.moved[k];
      cut += this.cut[k];
    }
    this.group(at, a, b, cut, out);
  }

  /** The group with base mass a, moved mass b (times the rate) and cut error. */
  group(at: number, a: number, b: number, cut: number, out: CellGroup): void {
    const { rate } = this;
    const rise = this.rise[at];
    let own: number;
    let other: number;
    let size: number;
    if (this.direction === 'remove') {
      // q = (1−r)a + b, p = a
      out.mass = (1 - rate) * a + b;
      own = b;
      other =
        a < SMALLEST ? 0 : rise < 1e300 ? a * (rise + rate) : exp(this.step * (this.first + at) + log(a));
      size = b + (a < SMALLEST ? 0 : a * Math.min(Math.abs(rise) + rate, 1e308));
      out.sound = a >= SMALLEST;
    } else {
      // q = a, p = (1−r)a + b
      out.mass = a;
      own = a * (rate * (rise + 1) - rise);
      other = b * (rise + 1);
      size = a * (Math.abs(rise) + rate * (rise + 1)) + other;
      out.sound = a >= SMALLEST && rise < 1e300;
    }
    out.base = a;
    out.moved = b;
    out.cut = cut;
    out.surplus = own - other;
    out.slack = MASS_SLACK * size + cut;
    if (!(out.slack < Infinity)) {
      out.surplus = out.mass;
      out.slack = out.mass;
      out.sound = false;
    }
  }
}

/** Some neighbouring half cells as one; see `HalfCells.seenFrom`. */
export interface CellGroup {
  mass: number;
  surplus: number;
  slack: number;
  /** False where underflow left nothing to build a lower bound on. */
  sound: boolean;
  base: number;
  moved: number;
  cut: number;
}

export function emptyGroup(): CellGroup {
  return { mass: 0, surplus: 0, slack: 0, sound: false, base: 0, moved: 0, cut: 0 };
}
