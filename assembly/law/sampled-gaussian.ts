/** The law of the loss of Poisson-subsampled Gaussian steps under a window. Numbers after contour.md are sections of docs/proofs/contour.md. */
import { stripError } from '../sums/errors.js';
import { hasRoom } from '../lane/room.js';
import { expOf } from '../functions/scalar.js';
import { AxisDecay } from './axis-decay.js';
import { OffAxis } from './off-axis.js';
import { Outputs } from './outputs.js';
import { Paths } from './paths.js';
import { QuadratureLaw } from './quadrature-law.js';
import { SampledOutputs } from './sampled-outputs.js';
import { SampledStep } from './sampled-step.js';
import { TiltDecay } from './step-law.js';
import { largestTilt } from './window.js';

const TWO_PI: f64 = 6.283185307179586;
/** Contours with more nodes than this are summed along a path off the axis. */
const LONG: usize = 1024;
const MOST_OUTPUTS: f64 = 16384;
const MOST_TERMS: f64 = 6e6;

/** The law of `count` Poisson-subsampled Gaussian steps under a window. */
export class SampledGaussian extends QuadratureLaw {
  /** −log of the relative truncation error at the ends of the outputs. */
  endDepth: f64;
  /**
   * Set by `openLine`: tilt, largest frequency, log M(c), and the half width of a strip. The last two are logs of bounds of the integrand's growth in
   * this strip, and in half of it.
   */
  private c: f64 = 0;
  private tau: f64 = 0;
  private logM: f64 = 0;
  private whole: f64 = 0;
  private growthWhole: f64 = 0;
  private growthHalf: f64 = 0;

  /** @param depth −log of the relative accuracy of integrals over outputs. */
  constructor(
    readonly step: SampledStep,
    depth: f64,
    count: f64,
  ) {
    super(
      step.window,
      depth,
      count,
      largestTilt(step.window, step.mu, step.q, 8),
      largestTilt(step.window, step.mu, step.q, depth),
    );
    this.endDepth = depth;
  }

  protected isFine(): bool {
    return this.window.isWhole;
  }
  protected mildest(): f64 {
    return this.step.mildest;
  }
  protected outputsBetween(far: f64, near: f64): Outputs {
    return new SampledOutputs(this.step, far, near, this.depth, this.endDepth);
  }
  protected meshOf(h: f64, first: f64, n: usize): usize {
    return this.step.mesh(h, first, n);
  }
  protected longestOnAxis(): usize {
    return LONG;
  }
  protected mostOutputs(): f64 {
    return MOST_OUTPUTS;
  }
  protected mostTerms(): f64 {
    return MOST_TERMS;
  }
  /** Heuristic: h, the spacing for M, or the first of h/2, h/4, … whose error bound is small enough. */
  protected lineSpacing(h: f64): f64 {
    const finest: f64 = this.count > 1e5 ? 16 : 4;
    let parts: f64 = 1;
    while (parts < finest && !(this.lineError(h / parts) < expOf(-this.depth))) parts *= 2;
    return h / parts;
  }

  /**
   * Stores logs of bounds of ∫φW|u^{c+iτ}|/M(c), |τ| ≤ tau, along the edges Im x = ±y of two strips. Their half widths are that of M's nodes, and
   * half of it. Each bound is e^{Sy²/2} times that of `logStrip`, S = 1 + 1/width² (contour.md 4, 5).
   */
  protected openLine(c: f64, tau: f64): void {
    const step = this.step;
    const logM = this.moments(c).value;
    const whole = this.outputsFor(c).y;
    const half = 0.5 * whole;
    const sharp = step.window.sharpness / 2;
    this.c = c;
    this.tau = tau;
    this.logM = logM;
    this.whole = whole;
    this.growthWhole = sharp * whole * whole + step.logStrip(c, whole, tau) - logM;
    this.growthHalf = sharp * half * half + step.logStrip(c, half, tau) - logM;
  }
  /** The smaller of the error bounds by the two strips of `openLine`. Ensures: no less than the quadrature error relative to M(c). */
  protected lineError(h: f64): f64 {
    const whole = this.lineRule(h, this.whole, this.growthWhole);
    const half = this.lineRule(h, 0.5 * this.whole, this.growthHalf);
    return Math.min(whole, half);
  }
  /**
   * Quadrature error by the strip |Im x| ≤ y, and by the window's hard end (contour.md 4, 14). Ensures: no less than that of spacing h for
   * φWu^{c+iτ}, |τ| ≤ tau, relative to M(c).
   */
  private lineRule(h: f64, y: f64, growth: f64): f64 {
    const end = this.step.logAtEnd(this.c, this.tau, h, this.step.reachOf(h, y), y);
    return stripError(growth, (TWO_PI * y) / h) + expOf(end - this.logM);
  }

  protected isOnAxisToo(): bool {
    return false;
  }
  pathsAt(c: f64): OffAxis | null {
    const one = this.moments(c);
    return one.isKnown() ? new Paths(this.step, c, one) : null;
  }

  /** Bounds of |φ| at the tilt c from losses on the real axis; null where M is unknown, or for want of memory. */
  decayAt(c: f64): TiltDecay | null {
    const one = this.moments(c);
    const outputs = this.outputsFor(c);
    if (!one.isKnown() || !outputs.isKnown || !hasRoom(32 * <f64>outputs.n + 16384)) return null;
    return new AxisDecay(this.step, outputs, c, one);
  }
}
