/**
 * Laws of steps whose integrals over outputs are trapezoidal sums. Numbers in parentheses are sections of docs/proofs/contour.md.
 */
import { hasRoom, isSpent, mark, release, takeZeros } from '../lane/room.js';
import { expOf } from '../functions/scalar.js';
import { LogPhi } from './law.js';
import { Nodes } from './nodes.js';
import { OffAxis } from './off-axis.js';
import { Outputs } from './outputs.js';
import { FarDecay } from './step-law.js';
import { SumLaw } from './sum-law.js';

/** `count` identical steps whose outputs are integrated by the trapezoidal rule, under a window. */
export abstract class QuadratureLaw extends SumLaw {
  protected grades: Array<Outputs> = new Array<Outputs>();

  /** Heuristic: whether the range of outputs grows so much with tilts above 0 that their grades are short. */
  protected abstract isFine(): bool;
  /** The first tilt below 0 of a grade's end: see `outputsFor`. */
  protected abstract mildest(): f64;
  /** Nodes that serve the tilts between two ends. */
  protected abstract outputsBetween(far: f64, near: f64): Outputs;
  /** Table of nodes h·first, …, in the rows of `axisMesh`. */
  protected abstract meshOf(h: f64, first: f64, n: usize): usize;
  /** Prepares `lineError` for φWu^{c + iτ}, |τ| ≤ tau. */
  protected abstract openLine(c: f64, tau: f64): void;
  /** Ensures: no less than the quadrature error at the spacing h, relative to M. */
  protected abstract lineError(h: f64): f64;
  /** Heuristic: the spacing of outputs for the line, where that for M is `h`. */
  protected abstract lineSpacing(h: f64): f64;
  /** Nodes of a contour at most, and outputs, for sums on the axis. */
  protected abstract longestOnAxis(): usize;
  protected abstract mostOutputs(): f64;
  /** Whether sums on the axis are tried for any contour where those off it would cost too much. */
  protected abstract isOnAxisToo(): bool;
  /** The quadrature off the axis at a tilt; null where M is unknown. */
  abstract pathsAt(c: f64): OffAxis | null;

  farAt(c: f64): FarDecay | null {
    return this.pathsAt(c);
  }

  /**
   * φ − 1 of one step at the nodes of a contour, with bounds of its rounding and quadrature errors. They fill four rows that are zero at first.
   * Returns the bound of the quadrature error; ∞ where it would cost too much.
   * @param depth −log of the relative accuracy of sums off the axis.
   */
  sums(line: LogPhi, c: f64, depth: f64, own: usize): f64 {
    const paths = this.pathsAt(c);
    if (paths === null) return Infinity;
    const error = paths.sums(line, depth, own);
    const isLast = error < Infinity || isSpent() || !this.isOnAxisToo();
    return isLast ? error : this.sumsOnAxis(line, c, own);
  }

  /** The quadrature nodes for a tilt c, made once for all tilts of its grade, an interval of tilts (`Outputs`). */
  protected outputsFor(c: f64): Outputs {
    const isFine = c >= 0 && this.isFine();
    let far: f64 = c < 0 ? this.mildest() : isFine ? 1 : 16;
    const first = far;
    while (c < 0 ? far > c : far < c) far *= isFine ? 1.25 : 2;
    for (let i = 0; i < this.grades.length; i++) if (this.grades[i].far === far) return this.grades[i];
    const made = this.outputsBetween(far, far === first ? 0 : far / 2);
    this.grades.push(made);
    return made;
  }

  protected nodesFor(c: f64): Nodes {
    return this.outputsFor(c);
  }

  addTo(line: LogPhi, c: f64, turn: f64): bool {
    if (!this.moments(c).isKnown()) return false;
    const isLong = line.n > this.longestOnAxis();
    if (!isLong && this.addOn(line, c, turn)) return true;
    if (isSpent()) return false;
    if (this.addOff(line, c, turn)) return true;
    return isLong && !isSpent() && this.isOnAxisToo() && this.addOn(line, c, turn);
  }

  /** `addTo` by sums on the axis; false where they would cost too much. */
  private addOn(line: LogPhi, c: f64, turn: f64): bool {
    if (!hasRoom(4 * <f64>line.room)) return false;
    const start = mark();
    const own = takeZeros(4 * line.room);
    const isDone = this.sumsOnAxis(line, c, own) < Infinity;
    if (isDone) this.addLogarithms(line, own, turn);
    release(start);
    return isDone;
  }
  /** `addTo` by sums off the axis; false where they would cost too much. */
  private addOff(line: LogPhi, c: f64, turn: f64): bool {
    const paths = this.pathsAt(c);
    if (paths === null) return false;
    const start = mark();
    const own = takeZeros(4 * line.room);
    const isDone = paths.sums(line, this.depth, own) < Infinity;
    if (isDone) this.addLogarithms(line, own, turn);
    release(start);
    return isDone;
  }

  /**
   * `sums` on the real axis, with the quadrature error rounded up. The spacing is such that this error is small enough on the contour (4, 5, 14); ∞
   * if none is.
   */
  private sumsOnAxis(line: LogPhi, c: f64, own: usize): f64 {
    const outputs = this.outputsFor(c);
    this.openLine(c, line.step * <f64>line.n);
    const h = this.lineSpacing(outputs.h);
    const rule = this.lineError(h);
    return rule < expOf(-this.depth) ? this.sumsBy(line, c, h, rule, own) : Infinity;
  }

  /**
   * `sums` by nodes h apart, with errors of roundings, of omitted nodes and of the rule; `rule` is its quadrature error relative to M. ∞ where it would
   * cost too much.
   */
  private sumsBy(line: LogPhi, c: f64, h: f64, rule: f64, own: usize): f64 {
    const outputs = this.outputsFor(c);
    const parts = outputs.h / h;
    const first = Math.floor(parts * outputs.first);
    const many = Math.ceil(parts * (outputs.first + <f64>outputs.n - 1)) - first + 1;
    if (many > this.mostOutputs() || !hasRoom(16 * many)) return Infinity;
    const n = <usize>many;
    const start = mark();
    const mesh = h === outputs.h ? outputs.mesh : this.meshOf(h, first, n);
    const beyond = outputs.beyond(h, many, c, this.moments(c).value);
    const error = this.sumsOver(line, c, mesh, n, rule + beyond, own);
    release(start);
    return error;
  }
}
