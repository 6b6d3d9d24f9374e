/** Quadrature nodes on the real axis for a Poisson-subsampled Gaussian step. */
import { tiltedRange } from './beyond.js';
import { stripError } from '../sums/errors.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { hasRoom, spend } from '../lane/room.js';
import { expOf, log1pOf, logOf } from '../functions/scalar.js';
import { LARGEST_LOSS, Outputs } from './outputs.js';
import { SampledStep, threeBitsBelow, wholeGrowth } from './sampled-step.js';

const TWO_PI: f64 = 6.283185307179586;
/**
 * Half widths of the strip around the axis that are tried. Each is a share of π/μ, the height at which the likelihood ratio may be 0, or that share
 * of FURTHEST_STRIP if this is less.
 */
const SHARES: f64[] = [0.04, 0.1, 0.2, 0.32, 0.48, 0.64, 0.8, 0.92];
const FURTHEST_STRIP: f64 = 12;
/** Limit of the number of nodes. */
const MOST_NODES: f64 = 8192;
/** Outputs |x| up to which φW is a normal double (contour.md 8). */
const LAST_NORMAL: f64 = 37;

export class SampledOutputs extends Outputs {
  private rule: f64 = 0;
  private reach: f64 = 0;
  /**
   * Logs of bounds of ∫φW|u|^c along the strip's edges, at the ends `far` and `near` of the interval of tilts that share these nodes; NaN until
   * needed.
   */
  private stripFar: f64 = NaN;
  private stripNear: f64 = NaN;

  /**
   * @param depth −log of the relative accuracy of sums.
   * @param endDepth −log of the relative truncation error at the ends.
   */
  constructor(
    private step: SampledStep,
    far: f64,
    near: f64,
    depth: f64,
    endDepth: f64,
  ) {
    super(far, near);
    const more = logOf(2 + Math.abs(far));
    this.place(depth + more, endDepth + more);
  }

  /**
   * Chooses spacing h and ends of the nodes, which is heuristic, and bounds the errors that all tilts share. `rule` is the quadrature error of the
   * trapezoidal rule for φW, analytic in the strip |Im| ≤ `y` (contour.md 4). `plain` adds that of the hard end at tilts 0 and 1.
   */
  private place(depth: f64, endDepth: f64): void {
    const step = this.step;
    this.h = this.widestStep(depth);
    const h = this.h;
    const range = borrow(16);
    this.range(endDepth, range);
    giveBack(range);
    const first = Math.floor(loadF64(range) / h);
    const last = Math.min(Math.ceil(loadF64(range, 8) / h), Math.floor(step.window.end / h));
    if (!(last > first && last - first < MOST_NODES && step.mu * h * last < LARGEST_LOSS)) return;
    if (!hasRoom(16 * (last - first + 2))) return;
    this.first = first;
    this.n = <usize>(last - first + 1);
    this.rule = stripError((step.window.sharpness / 2) * this.y * this.y, (TWO_PI * this.y) / h);
    this.reach = step.reachOf(h, this.y);
    this.plain = this.rule + expOf(this.atEnd(0)) + expOf(this.atEnd(1));
    this.mesh = step.mesh(h, first, this.n);
    this.isKnown = true;
    this.isNormal = h * Math.max(-first, last) < LAST_NORMAL;
    if (this.isNormal) this.sumErrors();
  }

  /**
   * Heuristic: the widest spacing h, of three bits, over the strips tried, such that the rule's error e^{growth − 2πy/h} is about e^{−depth}. The
   * strip's half width goes to `y`.
   */
  private widestStep(depth: f64): f64 {
    const mu = this.step.mu;
    let best: f64 = 0;
    for (let i = 0; i < SHARES.length; i++) {
      const share = SHARES[i];
      const y = Math.min((share * Math.PI) / mu, FURTHEST_STRIP * share);
      const growth = (this.step.window.sharpness / 2) * y * y + this.step.approximateGrowth(this.far, mu * y);
      const h = (TWO_PI * y) / (depth + growth + 1);
      if (!(h > best)) break;
      best = h;
      this.y = y;
    }
    return threeBitsBelow(best);
  }

  /**
   * Heuristic: the first and the last output of the range, to `out`. Beyond, the integrands of tilts from near to far are about e^{−depth} of their
   * integral.
   */
  private range(depth: f64, out: usize): void {
    const step = this.step;
    const reach = Math.sqrt(2 * (depth + 4)) + 1;
    let from = -reach;
    let to = Math.max(0, step.mu) + reach;
    if (this.far < 0) {
      const loss = this.far * log1pOf(-step.q);
      if (loss > depth) {
        spend(3000);
        tiltedRange(step.mu, step.q, this.far, depth + 4, reach, out);
        from = loadF64(out);
        tiltedRange(step.mu, step.q, this.near, depth + 4, reach, out);
        to = loadF64(out, 8);
      } else from = -Math.sqrt(2 * (depth + 4 + loss)) - 1;
    } else if (step.window.isWhole) to = Math.max(to, this.far * step.mu + reach);
    else to = Math.max(to, step.window.to + reach * step.window.width);
    // where the window is below e^{−depth−4}
    from = Math.max(from, step.window.from - reach * step.window.width);
    storeF64(out, 2 * Math.floor(from / 2));
    storeF64(out, 2 * Math.ceil(to / 2), 8);
  }

  /** log of the bound of the quadrature error at the window's hard end, at tilt c. */
  private atEnd(c: f64): f64 {
    return this.step.logAtEnd(c, 0, this.h, this.reach, this.y);
  }

  beyond(h: f64, n: f64, c: f64, logNorm: f64): f64 {
    return this.step.beyond(h, this.first * (this.h / h), n, c, 0, logNorm);
  }

  /**
   * Quadrature error of the trapezoidal sum of φWu^c, relative to e^{logNorm}. It is `rule` times the growth of u^c off the axis, plus the error at
   * the window's hard end. Ensures: no less than it (contour.md 4, 5, 14).
   */
  ruleError(c: f64, logNorm: f64): f64 {
    let growth: f64 = 1;
    if (c < 0) {
      const mild = c >= this.step.mildest;
      growth = expOf(mild ? wholeGrowth(c, this.step.mu * this.y) : this.logStrip(c) - logNorm);
    }
    return this.rule * growth + expOf(this.atEnd(c) - logNorm);
  }

  /**
   * log of a bound of ∫φW|u(x ± iy)|^c, c < 0. It interpolates the logs at the tilts `far` and `near`, as they are convex in c (contour.md 5).
   * Ensures: no less than it.
   */
  private logStrip(c: f64): f64 {
    if (this.stripFar !== this.stripFar) {
      this.stripFar = this.step.logStrip(this.far, this.y, 0);
      this.stripNear = this.near === 0 ? 0 : this.step.logStrip(this.near, this.y, 0);
    }
    const share = (c - this.near) / (this.far - this.near);
    const mixed = share * this.stripFar + (1 - share) * this.stripNear + 1e-12 * (1 + Math.abs(c));
    return mixed < Infinity ? mixed : Infinity;
  }
}
