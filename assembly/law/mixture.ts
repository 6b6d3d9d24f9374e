/** The law of the loss of steps of two mixtures of Gaussians. Numbers after sampling.md are sections of docs/proofs/sampling.md. */
import { stripError } from '../sums/errors.js';
import { even } from '../sums/loss-mesh.js';
import { loadF64 } from '../lane/memory.js';
import { hasRoom } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { MixtureDecay } from './mixture-decay.js';
import { MixturePaths } from './mixture-paths.js';
import { beyondEnds, MixtureStep } from './mixture-step.js';
import { OffAxis } from './off-axis.js';
import { LARGEST_LOSS, Outputs } from './outputs.js';
import { QuadratureLaw } from './quadrature-law.js';
import { threeBitsBelow } from './sampled-step.js';
import { TiltDecay } from './step-law.js';

const TWO_PI: f64 = 6.283185307179586;
/**
 * Half widths y of strips around the real axis that are tried (`stripOf`). Each is a share of π over the largest shift, or that share of
 * FURTHEST_STRIP·√(2·depth/S) if this is less.
 */
const SHARES: f64[] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.75, 0.85, 0.92];
/** Sets the widest strip: |φW| grows like e^{Sy²/2} off the axis, S = `growth` of the step. */
const FURTHEST_STRIP: f64 = 1.6;
/** Limit of the number of nodes. */
const MOST_NODES: f64 = 32768;
/** Weights whose logs exceed this are normal doubles. */
const LEAST_NORMAL: f64 = -690;
/** Contours with more nodes than this are summed along a path off the axis, if that is possible. */
const LONG: usize = 1024;
/** Limit of outputs times frequencies of a contour. */
const MOST_TERMS: f64 = 1.2e8;
/**
 * Tilts are divided into grades, intervals of tilts that share quadrature nodes. Grades are short where the largest shifts of P and Q sum to more
 * than this. Only speed and the width of the answer depend on it.
 */
const WIDE: f64 = 6;

/** The half width of the i-th strip of SHARES, where the quadrature error is to be about e^{−depth}. */
function stripOf(step: MixtureStep, i: i32, depth: f64): f64 {
  const share = SHARES[i];
  return Math.min(
    (share * Math.PI) / step.widest,
    share * FURTHEST_STRIP * Math.sqrt((2 * depth) / step.growth),
  );
}

/**
 * log of a bound of the integrand's modulus at x + iy and c + iτ, relative to its modulus at x and c. The integrand is φW(x)u₊(x)^z u₋(−x)^{1−z} at
 * z. The argument of u₊/u₋ is at most (a₊ + a₋)y, a₊ and a₋ the largest shifts of Q and P (sampling.md 6). Ensures: no less than it.
 */
function growthOnLine(step: MixtureStep, c: f64, tau: f64, y: f64): f64 {
  return step.growthAt(c, y) + tau * (step.right + step.left) * y;
}

/** Heuristic: the spacing of nodes with a quadrature error of about e^{−depth}, by the strip |Im x| ≤ y. */
function spacingIn(step: MixtureStep, c: f64, tau: f64, y: f64, depth: f64): f64 {
  return (TWO_PI * y) / (depth + 1 + growthOnLine(step, c, tau, y));
}

/** Heuristic: the half width of the strip, of those tried, that allows the widest spacing. */
function bestStrip(step: MixtureStep, c: f64, tau: f64, depth: f64): f64 {
  let best: f64 = 0;
  let widest: f64 = 0;
  for (let i = 0; i < SHARES.length; i++) {
    const y = stripOf(step, i, depth + 1);
    const h = spacingIn(step, c, tau, y, depth);
    if (!(h > widest)) continue;
    widest = h;
    best = y;
  }
  return best;
}

/** Quadrature nodes on the real axis for one step of two mixtures. */
class MixtureOutputs extends Outputs {
  /** Beyond the nodes the integrands decay at least like e^{−reach·|x|} (sampling.md 15). */
  readonly reach: f64;

  /**
   * @param depth −log of the relative accuracy of sums.
   * @param endDepth −log of the relative truncation error at the ends.
   */
  constructor(
    private step: MixtureStep,
    far: f64,
    near: f64,
    depth: f64,
    endDepth: f64,
  ) {
    super(far, near);
    const more = logOf(2 + Math.abs(far));
    this.reach = Math.sqrt(2 * Math.max(0, endDepth + more + 4)) + 1;
    this.place(depth + more);
  }

  /**
   * Chooses spacing and ends of the nodes, which is heuristic. Bounds the errors that all tilts share: `plain` by `stripError`, the others by
   * `sumErrors`.
   */
  private place(depth: f64): void {
    const step = this.step;
    this.y = bestStrip(step, this.far, 0, depth);
    const h = threeBitsBelow(spacingIn(step, this.far, 0, this.y, depth));
    step.range(Math.min(0, this.far), Math.max(1, this.far), this.reach);
    const first = Math.floor(step.low / h);
    const last = Math.ceil(step.high / h);
    if (!(last > first && last - first < MOST_NODES && hasRoom(16 * (last - first + 2)))) return;
    const largest = Math.max(-step.sides.lossAt(h * first), step.sides.lossAt(h * last));
    if (!(largest < LARGEST_LOSS)) return;
    this.h = h;
    this.first = first;
    this.n = <usize>(last - first + 1);
    this.plain = stripError(step.growthAt(0, this.y), (TWO_PI * this.y) / h) * 2;
    this.mesh = step.mesh(h, first, this.n);
    this.isKnown = true;
    let least = Infinity;
    const heights = this.mesh + ((5 * even(this.n)) << 3);
    for (let j: usize = 0; j < this.n << 3; j += 8) least = Math.min(least, loadF64(heights + j));
    this.isNormal = least > LEAST_NORMAL;
    if (this.isNormal) this.sumErrors();
  }

  /** Bound of the omitted terms by the values at both ends and the decay e^{−reach·|x|} beyond (sampling.md 15). */
  beyond(h: f64, _n: f64, c: f64, logNorm: f64): f64 {
    const row = this.stride << 3;
    const last = this.mesh + ((this.n - 1) << 3);
    const before = loadF64(this.mesh + 5 * row) + c * loadF64(this.mesh + row);
    const behind = loadF64(last + 5 * row) + c * loadF64(last + row);
    return beyondEnds(expOf(before - logNorm) + expOf(behind - logNorm), h, this.reach);
  }
  /** The error bound 2e^{growth}/(e^{2πy/h} − 1) of the trapezoidal rule, with the growth of `growthAt` in the strip |Im x| ≤ y (sampling.md 6). */
  ruleError(c: f64, _logNorm: f64): f64 {
    return stripError(this.step.growthAt(c, this.y), (TWO_PI * this.y) / this.h);
  }
}

/** The law of `count` steps of two mixtures under a window. */
export class Mixture extends QuadratureLaw {
  /** −log of the relative truncation error at the ends of the outputs. */
  endDepth: f64;
  private c: f64 = 0;
  private tau: f64 = 0;

  /** @param depth −log of the relative accuracy of integrals over outputs. */
  constructor(
    readonly step: MixtureStep,
    depth: f64,
    count: f64,
  ) {
    super(step.window, depth, count, step.largest, step.largest);
    this.endDepth = depth;
  }

  protected isFine(): bool {
    return this.window.isWhole || this.step.right + this.step.left > WIDE;
  }
  protected mildest(): f64 {
    return -4;
  }
  protected outputsBetween(far: f64, near: f64): Outputs {
    return new MixtureOutputs(this.step, far, near, this.depth, this.endDepth);
  }
  protected meshOf(h: f64, first: f64, n: usize): usize {
    return this.step.mesh(h, first, n);
  }
  protected longestOnAxis(): usize {
    return LONG;
  }
  protected mostOutputs(): f64 {
    return MOST_NODES;
  }
  protected mostTerms(): f64 {
    return MOST_TERMS;
  }

  protected openLine(c: f64, tau: f64): void {
    this.c = c;
    this.tau = tau;
  }
  protected lineSpacing(h: f64): f64 {
    const y = bestStrip(this.step, this.c, this.tau, this.depth);
    return Math.min(h, threeBitsBelow(spacingIn(this.step, this.c, this.tau, y, this.depth)));
  }
  /**
   * The least `stripError` over the strips |Im x| ≤ y of `stripOf`, at z = c + iτ and the spacing h (sampling.md 6). Ensures: no less than the
   * quadrature error, relative to M(c).
   */
  protected lineError(h: f64): f64 {
    const step = this.step;
    let least = Infinity;
    for (let i = 0; i < SHARES.length; i++) {
      const y = stripOf(step, i, this.depth + 1);
      const growth = growthOnLine(step, this.c, this.tau, y);
      least = Math.min(least, stripError(growth, (TWO_PI * y) / h));
    }
    return least;
  }
  protected isOnAxisToo(): bool {
    return true;
  }
  pathsAt(c: f64): OffAxis | null {
    const one = this.moments(c);
    return one.isKnown() ? new MixturePaths(this.step, c, one) : null;
  }

  /** Bounds of |φ| at the tilt c from losses on the real axis; null where M is unknown, for windows with a lower edge, or for want of memory. */
  decayAt(c: f64): TiltDecay | null {
    const one = this.moments(c);
    const outputs = this.outputsFor(c);
    // |(log W)′| is not bounded for windows with a lower edge
    if (this.window.from > -Infinity) return null;
    if (!one.isKnown() || !outputs.isKnown || !hasRoom(64 * <f64>outputs.n + 65536)) return null;
    return new MixtureDecay(this.step, outputs.h, c, one);
  }
}
