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
 * One Poisson-subsampled step cut into half cells of a lattice of losses. Cell k holds the outputs with losses from step·(first +
 * k/2) to step·(first + (k+1)/2). The cells are cut at floating-point inner losses, so their masses are exact statements about
 * nearby losses. `slack` bounds, in units of probability, what rounding can do to a δ curve built from them.
 */
export class HalfCells {
  readonly direction: Direction;
  readonly rate: number;
  readonly step: number;
  readonly first: number;
  /** Mass of every half cell (an even number) under P₀, and under Q₀ times the rate. */
  private readonly base: Float64Array;
  private readonly moved: Float64Array;
  /** Probability by which either mass of a half cell may be off, and what the cut off the lattice costs. */
  private readonly baseError: Float64Array;
  private readonly movedError: Float64Array;
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
    const { p, q, cut, cutBase } = inner.intervals(kernel, edges);
    this.direction = direction;
    this.rate = rate;
    this.step = step;
    this.first = first;
    this.base = p.slice(1, count + 1);
    this.moved = q.slice(1, count + 1).map((mass) => mass * rate);
    this.movedError = cut.slice(1, count + 1).map((mass) => mass * rate);
    this.baseError = cutBase?.slice(1, count + 1) ?? new Float64Array(count);
    this.cut = this.cutsAt(x, edges);
    this.rise = risesOf(kernel, lattice);
    this.relative = atoms && (atoms.relative ?? RELATIVE);
    const end = count + 1;
    if (direction === 'remove') {
      this.below = (1 - rate) * p[0] + rate * q[0];
      this.above = (1 - rate) * p[end] + rate * (q[end] + inner.infinity);
      this.certain = rate * inner.infinity;
      return;
    }
    for (const masses of [this.base, this.moved, this.baseError, this.movedError, this.cut]) masses.reverse();
    this.below = p[end];
    this.above = p[0];
    this.certain = rate === 1 ? (atoms?.minusInfinity ?? 0) : 0;
  }

  /** What a cut at `edges` off its loss x costs: the mass that the lattice point then lacks or has too much. */
  private cutsAt(x: Float64Array, edges: Float64Array): Float64Array {
    const { rate, base, moved } = this;
    const cut = new Float64Array(moved.length);
    for (let k = 0; k < moved.length; k++) {
      if (moved[k] === 0) continue;
      const share = Math.min(1, moved[k] / (moved[k] + base[k] * (1 - rate)));
      const near = Math.min(Math.abs(edges[k + 1]), Math.abs(edges[k + 2]));
      const off = 16 * U * (share * (2 + near) + Math.abs(x[k]));
      cut[k] = off * (moved[k] + base[k] * share);
    }
    return cut;
  }

  get count(): number {
    return this.base.length;
  }

  /**
   * Half cells i … j−1 seen from the lattice point `at`, loss x. The group has their Q-mass, the surplus q − p e^x (that is E_Q[1
   * − e^{x−L}] over them), and a bound of its rounding error. The surplus is formed without the part common to Q and P, so its
   * error scales with the sampling rate.
   */
  seenFrom(at: number, i: number, j: number, out: CellGroup): void {
    let [base, moved, baseError, movedError, cut] = [0, 0, 0, 0, 0];
    for (let k = i; k < j; k++) {
      base += this.base[k];
      moved += this.moved[k];
      baseError += this.baseError[k];
      movedError += this.movedError[k];
      cut += this.cut[k];
    }
    out.base = base;
    out.moved = moved;
    out.baseError = baseError;
    out.movedError = movedError;
    out.cut = cut;
    this.group(at, out);
  }

  /** What the masses of a group, moved ones times the rate, make of it. */
  group(at: number, out: CellGroup): void {
    const { rate } = this;
    const rise = this.rise[at];
    const { base: a, moved: b } = out;
    if (this.relative !== undefined && a === 0 && b === 0) {
      Object.assign(out, EMPTY);
      return;
    }
    let own: number;
    let other: number;
    let size: number;
    let wrong: number;
    if (this.direction === 'remove') {
      // q = (1−r)a + b, p = a
      out.mass = (1 - rate) * a + b;
      own = b;
      other =
        a < SMALLEST ? 0 : rise < 1e300 ? a * (rise + rate) : exp(this.step * (this.first + at) + log(a));
      size = b + (a < SMALLEST ? 0 : a * Math.min(Math.abs(rise) + rate, 1e308));
      wrong = out.movedError + out.baseError * Math.min(Math.abs(rise + rate), 1e308);
      out.sound = a >= SMALLEST;
    } else {
      // q = a, p = (1−r)a + b
      out.mass = a;
      // q − (1−r)a e^x without the terms that cancel: e^x may be as large as 1/(1−r)
      own = a * (rate - (1 - rate) * rise);
      other = b * (rise + 1);
      size = a * (rate + (1 - rate) * Math.abs(rise)) + other;
      wrong = out.baseError * Math.abs(rate - (1 - rate) * rise) + out.movedError * (rise + 1);
      out.sound = a >= SMALLEST && rise < 1e300;
    }
    out.surplus = own - other;
    // masses that underflowed are not known better than this
    const lost = a < SMALLEST || b < SMALLEST ? SMALLEST * (1 + Math.max(0, rise)) : 0;
    out.beyond = wrong + out.cut;
    out.slack = MASS_SLACK * size + out.beyond + lost;
    if (!(out.slack < Infinity)) {
      out.surplus = out.mass;
      out.slack = out.mass;
      out.beyond = 0;
      out.sound = false;
    }
  }
}

function risesOf(kernel: Kernel, { step, first, last }: LatticeWindow): Float64Array {
  const rise = new Float64Array(last - first + 1);
  for (let i = 0; i < rise.length; i++) rise[i] = step * (first + i);
  return kernel.expm1(rise, rise);
}

/** Masses of some half cells, and what they are off by. */
interface CellSums {
  base: number;
  moved: number;
  baseError: number;
  movedError: number;
  cut: number;
}

const NO_CELLS: CellSums = { base: 0, moved: 0, baseError: 0, movedError: 0, cut: 0 };

/** Some neighbouring half cells as one; see `HalfCells.seenFrom`. */
interface CellGroup extends CellSums {
  mass: number;
  surplus: number;
  slack: number;
  /** The part of `slack` that losses rounded out of their cell may have of the surplus. */
  beyond: number;
  /** False where underflow left nothing to build a lower bound on. */
  sound: boolean;
}

const EMPTY: CellGroup = { ...NO_CELLS, mass: 0, surplus: 0, slack: 0, beyond: 0, sound: true };

export function emptyGroup(): CellGroup {
  return { ...EMPTY };
}

export function emptySums(): CellSums {
  return { ...NO_CELLS };
}

export function copySums(to: CellSums, from: Readonly<CellSums>): void {
  to.base = from.base;
  to.moved = from.moved;
  to.baseError = from.baseError;
  to.movedError = from.movedError;
  to.cut = from.cut;
}

export function addSums(to: CellSums, from: Readonly<CellSums>): void {
  to.base += from.base;
  to.moved += from.moved;
  to.baseError += from.baseError;
  to.movedError += from.movedError;
  to.cut += from.cut;
}
