/**
 * Quadrature along lines Im x = a off the real axis, for a Poisson-subsampled Gaussian step at a tilt c (docs/proofs/contour.md 6, 11, 15). The
 * integrand is φWu^z, z = c + iτ. φ is the normal density, W the window, and u = A + B the likelihood ratio, with A and B of `SampledStep`.
 */
import { HALF_LOG_2PI } from '../../src/kernel/constants.js';
import { tiltedRange, offAxisGrowth } from './beyond.js';
import { stripError } from '../sums/errors.js';
import { even, turnedLosses } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { pathModuli } from '../sums/path-terms.js';
import { hasRoom, mark, release, spend, take } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { windowBounds, windowRows } from '../sums/windows.js';
import { Cumulant } from './law.js';
import { FAINTEST, OffAxis, PathBound, PathNodes, sumOfModuli } from './off-axis.js';
import { SampledStep, threeBitsBelow, wholeGrowth } from './sampled-step.js';
import { lossAt } from './window.js';

const TWO_PI: f64 = 6.283185307179586;
const MOST_NODES: f64 = 16384;
/** Number of lines for bounds of |φ|; each is half as far from the axis as the one before. */
const PATHS: i32 = 25;
/** Distances a that are tried for contours, as fractions of π/μ. */
const LINE_SHARES: f64[] = [0.03, 0.08, 0.15, 0.25, 0.35, 0.43];
/** Half widths b of strips that are tried for bounds of |φ|, as fractions of π/μ. */
const BOUND_SHARES: f64[] = [0.01, 0.025, 0.06, 0.12, 0.2, 0.3, 0.4, 0.49];
/** The largest distance a of a line for contours. */
const FURTHEST_LINE: f64 = 1.3;

/**
 * Heuristic: a line's distance a from the axis and the half width b of the strip around it. `growth` is the log of the integrand's approximate growth
 * there.
 */
class Shift {
  constructor(
    readonly a: f64,
    readonly b: f64,
    readonly growth: f64,
  ) {}
}

/** Sums along lines Im x = a for one tilt c. */
export class Paths extends OffAxis {
  /** −log of the relative accuracy of the sums that bound |φ|. */
  boundDepth: f64 = 34;

  /** @param at The cumulant at c. */
  constructor(
    private step: SampledStep,
    c: f64,
    at: Cumulant,
  ) {
    const furthest = Math.min((0.49 * Math.PI) / step.mu, Math.min(16 * 0.49, 7 * step.window.width));
    super(c, at, furthest, 0.5, PATHS);
  }

  /**
   * Heuristic: the first and the last output of the range, to `out`. Beyond, φW|u|^c is about e^{−depth} of its integral. `reach` is the radius of
   * the range around the integrand's peaks.
   */
  private range(depth: f64, reach: f64, out: usize): void {
    const step = this.step;
    const w = step.window;
    const c = this.c;
    const widest = Math.min(Math.max(Math.max(step.mu, c * step.mu), w.from) + reach, w.end);
    const atEdge = c * lossAt(step.mu, step.q, w.to);
    let last = w.to + reach * w.width;
    while (last < widest) {
      const away = (last - w.to) / w.width;
      if (!(c * lossAt(step.mu, step.q, last) - atEdge - (away * away) / 2 > -depth)) break;
      last += w.width;
    }
    last = Math.min(last, widest);
    const first = w.from - (reach + 4) * w.width;
    if (c < 0) {
      spend(1500);
      tiltedRange(step.mu, step.q, c, depth, reach, out);
      storeF64(out, Math.max(loadF64(out), first));
      storeF64(out, Math.min(loadF64(out, 8), last), 8);
      return;
    }
    storeF64(out, Math.max(-reach, first));
    storeF64(out, last, 8);
  }

  /**
   * Nodes on Im x = a whose sum is accurate to about e^{−depth}, with their tables. Spacing and range are heuristic; `boundEnds` and `boundRule`
   * bound the errors for any choice. `isKnown` is false where there would be too many nodes.
   * @param logM log M, or a lower bound of it if `bounding`.
   * @param bounding Whether the terms' moduli are wanted, with an upper bound of the window.
   */
  private nodesOn(logM: f64, depth: f64, shift: Shift, bounding: bool): PathNodes {
    const nodes = new PathNodes();
    const h = threeBitsBelow((TWO_PI * shift.b) / (depth + shift.growth + 1));
    const range = borrow(16);
    this.range(depth + 10, Math.sqrt(2 * depth) + 1, range);
    giveBack(range);
    const first = Math.floor(Math.floor(loadF64(range)) / h);
    const last = Math.min(Math.ceil(Math.ceil(loadF64(range, 8)) / h), Math.floor(this.step.window.end / h));
    const many = last - first + 1;
    if (!(many > 1 && many <= MOST_NODES && hasRoom(16 * many))) return nodes;
    nodes.h = h;
    nodes.first = first;
    nodes.n = <usize>many;
    nodes.a = shift.a;
    nodes.unit = logOf(h) - HALF_LOG_2PI - logM + (shift.a * shift.a) / 2;
    this.fillTables(nodes, shift.a, bounding);
    this.boundEnds(nodes, logM, depth, shift);
    this.boundRule(nodes, logM, shift, bounding);
    nodes.isKnown = true;
    return nodes;
  }

  /**
   * Tables of losses log u and of φW at nodes on Im x = a, with their errors (`turnedLosses`, `windowRows`). For `bounding` only the moduli of the
   * terms are kept, with an upper bound of |W| (`windowBounds`).
   */
  private fillTables(nodes: PathNodes, a: f64, bounding: bool): void {
    const step = this.step;
    const w = step.window;
    const n = nodes.n;
    const h = nodes.h;
    const first = nodes.first;
    spend(100 * <f64>n);
    nodes.moduli = bounding ? take(2 * even(n)) : 0;
    const start = mark();
    nodes.losses = take(3 * even(n));
    turnedLosses(step.mu, step.q, h, first, n, a, nodes.losses);
    nodes.heights = take(3 * even(n));
    if (!bounding) {
      windowRows(h, first, n, a, w.from, w.to, w.width, nodes.heights);
      return;
    }
    windowBounds(h, first, n, a, w.from, w.to, w.width, nodes.heights);
    pathModuli(nodes.losses, nodes.heights, this.c, nodes.unit, n, nodes.moduli);
    release(start);
  }

  /**
   * Sets `truncation`: bounds of the sum over omitted nodes (`beyond`), and of the hard end's error (`logAtEnd`), both off the axis. Ensures: no less
   * than the error of these (contour.md 6, 7, 14).
   */
  private boundEnds(nodes: PathNodes, logM: f64, depth: f64, shift: Shift): void {
    const step = this.step;
    const w = step.window;
    const a = shift.a;
    const sharp = (w.sharpness * a * a) / 2;
    const cut = step.beyond(nodes.h, nodes.first, <f64>nodes.n, this.c, step.mu * a, logM - sharp);
    const legs = 2 * nodes.h + 1.1 * a + (2 * shift.b) / (depth + 1);
    const end = step.logAtEnd(this.c, 0, nodes.h, legs, a + shift.b);
    nodes.errors.truncation = (1 + a / w.width) * (cut + expOf(sharp + end - logM));
  }

  /**
   * Sets `quadrature` to 2e^{growth}/(e^{2πb/h} − 1), with the growth of the integrand in a strip. The strip is 0 ≤ Im x ≤ 2a for a contour, and |Im
   * x − a| ≤ b for a bound of |φ|. For the latter at mild tilts, a factor `size` bounds the integral by the sum itself. Ensures: no less than the
   * trapezoidal rule's error (contour.md 6; 11 for a bound of |φ|).
   */
  private boundRule(nodes: PathNodes, logM: f64, shift: Shift, bounding: bool): void {
    const step = this.step;
    const c = this.c;
    const a = shift.a;
    const b = shift.b;
    const sharpness = step.window.sharpness;
    const mild = c >= step.mildest;
    let growth: f64 = 0;
    if (c < 0) {
      const y = bounding ? a + b : 2 * a;
      growth = mild ? wholeGrowth(c, step.mu * y) : step.logStripBetween(c, y, bounding ? a : 0) - logM;
    }
    const fall = (TWO_PI * b) / nodes.h;
    if (!bounding) {
      nodes.errors.quadrature = stripError(2 * sharpness * a * a + growth, fall);
      return;
    }
    let size: f64 = 1;
    if (mild) {
      const turned = expOf(offAxisGrowth(step.mu, step.q, -c, step.mu * a, -Infinity, step.window.end));
      size += (sumOfModuli(nodes.moduli, even(nodes.n), 0) + <f64>nodes.n * expOf(FAINTEST)) * turned;
    }
    nodes.errors.quadrature = size * stripError((a * a + sharpness * b * b) / 2 + growth, fall);
  }

  /**
   * Heuristic: the largest distance a at which terms at the window's edge are about M(c) or less. Off the axis such terms grow by e^{a²/2w²}, w the
   * width of the edge.
   */
  private inside(): f64 {
    const step = this.step;
    const w = step.window;
    if (w.isWhole) return Infinity;
    const edge = w.to;
    const spare =
      2 + this.at.value - this.c * lossAt(step.mu, step.q, edge) + (edge * edge) / 2 - logOf(w.width);
    return threeBitsBelow(Math.min(4, Math.sqrt(2 * Math.max(1, spare))) * w.width);
  }

  protected lineNodes(depth: f64): PathNodes {
    return this.nodesOn(this.at.value, depth, this.lineShift(depth), false);
  }

  /** Heuristic: of the lines tried, the one that needs the fewest nodes for a contour. `growth` is that in the strip 0 ≤ Im x ≤ 2a. */
  private lineShift(depth: f64): Shift {
    const step = this.step;
    const inside = this.inside();
    let best = new Shift(0, 0, 0);
    let most: f64 = 0;
    for (let i = 0; i < LINE_SHARES.length; i++) {
      const share = LINE_SHARES[i];
      const a = Math.min(Math.min((share * Math.PI) / step.mu, 16 * share), Math.min(inside, FURTHEST_LINE));
      const growth = 2 * step.window.sharpness * a * a + step.approximateGrowth(this.c, 2 * step.mu * a);
      if (!(a / (depth + growth) > most)) continue;
      most = a / (depth + growth);
      best = new Shift(a, a, growth);
    }
    return best;
  }

  /**
   * Heuristic: the strip |Im x − a| ≤ b that needs the fewest nodes for a bound of |φ|, by the largest b/(depth + growth). b = 0 if there is none.
   */
  private boundShift(a: f64, depth: f64): Shift {
    const mu = this.step.mu;
    let best = new Shift(a, 0, 0);
    for (let i = 0; i < BOUND_SHARES.length; i++) {
      const share = BOUND_SHARES[i];
      const b = Math.min((share * Math.PI) / mu, 16 * share);
      if ((a + b) * mu > 0.9 * Math.PI) continue;
      const own = (a * a + this.step.window.sharpness * b * b) / 2;
      const growth = own + this.step.approximateGrowth(this.c, mu * (a + b));
      if (best.b === 0 || b / (depth + growth) > best.b / (depth + best.growth))
        best = new Shift(a, b, growth);
    }
    return best;
  }

  /** Sets the path's moduli of terms, and the bound of its quadrature and truncation errors relative to M(c), rounded up. */
  protected lay(path: PathBound, a: f64): void {
    const away = a / this.step.window.width;
    const depth = this.boundDepth + (away * away) / 2;
    const shift = this.boundShift(a, depth);
    if (shift.b === 0) return;
    const nodes = this.nodesOn(this.at.least(), depth, shift, true);
    if (!nodes.isKnown) return;
    path.table = nodes.moduli;
    path.n = even(nodes.n);
    path.quadratureError = 1.01 * nodes.errors.sum();
  }
}
