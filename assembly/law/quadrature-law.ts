/**
 * Laws of steps whose integrals over outputs are trapezoidal sums. Numbers after contour.md are sections of docs/proofs/contour.md.
 */
import { hasRoom, isSpent, mark, release } from '../lane/room.js';
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

  /**
   * Heuristic: whether the ends of grades of positive tilts have the ratio 1.25 instead of 2, as the range of outputs grows with the tilt. A grade is
   * an interval of tilts with common nodes.
   */
  protected abstract isFine(): bool;
  /** The end of the first interval of negative tilts that share nodes: see `outputsFor`. */
  protected abstract mildest(): f64;
  /** The quadrature nodes that serve all tilts from `near` to `far`. */
  protected abstract outputsBetween(far: f64, near: f64): Outputs;
  /** Table of the n nodes h·first, h·(first + 1), …, in the rows of `axisMesh`. */
  protected abstract meshOf(h: f64, first: f64, n: usize): usize;
  /** Prepares `lineError` for the integrand at z = c + iτ, |τ| ≤ tau. */
  protected abstract openLine(c: f64, tau: f64): void;
  /** Ensures: no less than the quadrature error of nodes of spacing h, relative to M(c). */
  protected abstract lineError(h: f64): f64;
  /** Heuristic: the spacing of nodes for φ along the contour, given the spacing h that serves M(c). */
  protected abstract lineSpacing(h: f64): f64;
  /** Limits for sums over outputs on the real axis: the number of the contour's nodes, and of outputs. */
  protected abstract longestOnAxis(): usize;
  protected abstract mostOutputs(): f64;
  /** Whether sums on the axis are tried for contours of any length where those off it would cost too much. */
  protected abstract isOnAxisToo(): bool;
  /** The quadrature off the axis at a tilt; null where M is unknown. */
  abstract pathsAt(c: f64): OffAxis | null;

  farAt(c: f64): FarDecay | null {
    return this.pathsAt(c);
  }

  /**
   * φ − 1 of one step at the nodes of a contour, with bounds of its rounding and quadrature errors. They go to four rows at `own` that are zero at
   * first. The sums are off the real axis. Where these cost too much, they are on it if `isOnAxisToo`. Returns the bound of the quadrature error; ∞
   * where it would cost too much.
   * @param depth −log of the relative accuracy of sums off the axis.
   */
  sums(line: LogPhi, c: f64, depth: f64, own: usize): f64 {
    const paths = this.pathsAt(c);
    if (paths === null) return Infinity;
    const error = paths.sums(line, depth, own);
    const isLast = error < Infinity || isSpent() || !this.isOnAxisToo();
    return isLast ? error : this.sumsOnAxis(line, c, own);
  }

  /**
   * The quadrature nodes for a tilt c, made once for its grade, an interval of tilts that share them. Ends of grades are 16·2^k, or 1.25^k if
   * `isFine`, for c ≥ 0, and mildest·2^k for c < 0. Heuristic: the nodes bound their own errors.
   */
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

  override addTo(line: LogPhi, c: f64, turn: f64): bool {
    return this.moments(c).isKnown() && super.addTo(line, c, turn);
  }

  /**
   * φ − 1 at the nodes of a contour at whose tilt M is known. Short contours use sums on the real axis, and sums off it where those fail. Long
   * contours use sums off the axis and, if `isOnAxisToo`, sums on it where those fail. False where it would cost too much.
   */
  override phiLessOne(line: LogPhi, c: f64, own: usize): bool {
    const isLong = line.n > this.longestOnAxis();
    if (!isLong && this.sumsOnAxis(line, c, own) < Infinity) return true;
    if (isSpent()) return false;
    const paths = this.pathsAt(c);
    if (paths !== null && paths.sums(line, this.depth, own) < Infinity) return true;
    return isLong && !isSpent() && this.isOnAxisToo() && this.sumsOnAxis(line, c, own) < Infinity;
  }

  /**
   * `sums` on the real axis by the trapezoidal rule. Nodes are so close that the bound of the quadrature error is below e^{−depth} (contour.md 4, 5,
   * 14). ∞ if there is no such spacing.
   */
  private sumsOnAxis(line: LogPhi, c: f64, own: usize): f64 {
    const outputs = this.outputsFor(c);
    this.openLine(c, line.step * <f64>line.n);
    const h = this.lineSpacing(outputs.h);
    const rule = this.lineError(h);
    return rule < expOf(-this.depth) ? this.sumsBy(line, c, h, rule, own) : Infinity;
  }

  /**
   * `sums` by the trapezoidal rule on the real axis with spacing h. The errors are of rounding, of omitted nodes, and of quadrature, which is at most
   * `rule` relative to M(c). ∞ where it would cost too much.
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
