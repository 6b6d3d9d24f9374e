import type { Kernel } from '../../kernel/kernel.js';
import { U } from '../../numeric/constants.js';
import { charge } from '../../numeric/meter.js';
import { PRICES } from '../../numeric/prices.js';
import { exp, log } from '../../numeric/scalar.js';
import { RELATIVE } from '../atomic-pair.js';
import { atomsOf, type PairBase } from '../pair.js';
import { plainLosses } from '../subsampling.js';

export type Direction = 'remove' | 'add';

/** Relative error of an interval mass (at most 1e-15) with the arithmetic done on it. */
export const MASS_SLACK = 4e-15;

/** Masses below this have lost relative accuracy to underflow. */
export const SMALLEST = 1e-295;

/** A release on a Poisson sample of rate `rate` ∈ (0, 1], in one direction. */
interface SampledStep {
  readonly inner: PairBase;
  readonly rate: number;
  readonly direction: Direction;
}

/** Lattice points `first` to `last`, `step` apart. */
interface LatticeWindow {
  readonly step: number;
  readonly first: number;
  readonly last: number;
}

/**
 * One Poisson-subsampled step cut into half cells of a lattice of losses: cell k holds the outputs whose
 * loss lies between step·(first + k/2) and step·(first + (k+1)/2). The cells are cut at floating-point
 * inner losses, so their masses are exact statements about nearby losses; what rounding can do to a δ curve
 * built from them is bounded by `slack`, in units of probability.
 */
export class HalfCells {
  readonly direction: Direction;
  readonly rate: number;
  readonly step: number;
  readonly first: number;
  /** Mass of every half cell (an even number) under P₀, and under Q₀ times the rate. */
  private readonly base: Float64Array;
  private readonly moved: Float64Array;
  /** Probability by which the two masses of a half cell may be cut differently, and the cut off the lattice. */
  private readonly cut: Float64Array;
  /** e^x − 1 at every lattice point. */
  private readonly rise: Float64Array;
  /** Q-mass below the first and above the last cell. */
  readonly below: number;
  readonly above: number;
  /** Q-mass that is at +∞ for certain, part of `above`. */
  readonly certain: number;
  /** Relative error of masses beyond `MASS_SLACK`: that of the atoms, where there are any. */
  readonly relative: number | undefined;

  /** Half cells of a step from lattice point `first` to lattice point `last`. */
  constructor(kernel: Kernel, { inner, rate, direction }: SampledStep, lattice: LatticeWindow) {
    const { step, first, last } = lattice;
    const count = 2 * (last - first);
    charge(PRICES.cell * count);
    const atoms = atomsOf(inner);
    const from = direction === 'remove' ? 2 * first : -2 * last;
    // edges ascending in the inner loss, with all that lies beyond them: for 'add' the losses run backwards
    const x = new Float64Array(count + 1);
    for (let k = 0; k <= count; k++) x[k] = (from + k) * (step / 2);
    const edges = new Float64Array(count + 3);
    edges.set(plainLosses(kernel, x, kernel.expm1(x), rate), 1);
    edges[0] = -Infinity;
    edges[count + 2] = Infinity;
    const { p, q, cut } = inner.intervals(kernel, edges);
    this.direction = direction;
    this.rate = rate;
    this.step = step;
    this.first = first;
    this.base = p.slice(1, count + 1);
    this.moved = q.slice(1, count + 1).map((mass) => mass * rate);
    this.cut = cut.slice(1, count + 1).map((mass) => mass * rate);
    this.addCuts(x, edges);
    this.rise = risesOf(kernel, lattice);
    this.relative = atoms && (atoms.relative ?? RELATIVE);
    const end = count + 1;
    if (direction === 'remove') {
      this.below = (1 - rate) * p[0] + rate * q[0];
      this.above = (1 - rate) * p[end] + rate * (q[end] + inner.infinity);
      this.certain = rate * inner.infinity;
      return;
    }
    for (const masses of [this.base, this.moved, this.cut]) masses.reverse();
    this.below = p[end];
    this.above = p[0];
    this.certain = rate === 1 ? (atoms?.minusInfinity ?? 0) : 0;
  }

  /** Adds what a cut at `edges` off its loss x costs: the mass that the lattice point then lacks or has too much. */
  private addCuts(x: Float64Array, edges: Float64Array): void {
    const { rate, base, moved, cut } = this;
    for (let k = 0; k < moved.length; k++) {
      if (moved[k] === 0) continue;
      const share = Math.min(1, moved[k] / (moved[k] + base[k] * (1 - rate)));
      const near = Math.min(Math.abs(edges[k + 1]), Math.abs(edges[k + 2]));
      const off = 16 * U * (share * (2 + near) + Math.abs(x[k]));
      cut[k] += off * (moved[k] + base[k] * share);
    }
  }

  get count(): number {
    return this.base.length;
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
    if (this.relative !== undefined && a === 0 && b === 0) {
      Object.assign(out, EMPTY);
      return;
    }
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
      // q − (1−r)a e^x without the terms that cancel: e^x may be as large as 1/(1−r)
      own = a * (rate - (1 - rate) * rise);
      other = b * (rise + 1);
      size = a * (rate + (1 - rate) * Math.abs(rise)) + other;
      out.sound = a >= SMALLEST && rise < 1e300;
    }
    out.base = a;
    out.moved = b;
    out.cut = cut;
    out.surplus = own - other;
    // masses that underflowed are not known better than this
    const lost = a < SMALLEST || b < SMALLEST ? SMALLEST * (1 + Math.max(0, rise)) : 0;
    out.slack = MASS_SLACK * size + cut + lost;
    if (!(out.slack < Infinity)) {
      out.surplus = out.mass;
      out.slack = out.mass;
      out.sound = false;
    }
  }
}

function risesOf(kernel: Kernel, { step, first, last }: LatticeWindow): Float64Array {
  const rise = new Float64Array(last - first + 1);
  for (let i = 0; i < rise.length; i++) rise[i] = step * (first + i);
  return kernel.expm1(rise, rise);
}

/** Some neighbouring half cells as one; see `HalfCells.seenFrom`. */
interface CellGroup {
  mass: number;
  surplus: number;
  slack: number;
  /** False where underflow left nothing to build a lower bound on. */
  sound: boolean;
  base: number;
  moved: number;
  cut: number;
}

const EMPTY: CellGroup = { mass: 0, surplus: 0, slack: 0, sound: true, base: 0, moved: 0, cut: 0 };

export function emptyGroup(): CellGroup {
  return { ...EMPTY };
}
