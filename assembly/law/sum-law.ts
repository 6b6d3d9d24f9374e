/**
 * Laws of steps whose integrals over outputs are sums over nodes: log M from the nodes, and log φ along contours. Numbers after contour.md are sections
 * of docs/proofs/contour.md.
 */
import { U } from '../../src/kernel/constants.js';
import { Errors } from '../sums/errors.js';
import { phiRows } from '../sums/log-phi.js';
import { even } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { tiltedLaw } from '../sums/mesh-sums.js';
import { isSpent, mark, release, spend, take } from '../lane/room.js';
import { expOf, log1pOf, logOf } from '../functions/scalar.js';
import { Cumulant, LogPhi, unknownCumulant } from './law.js';
import { Nodes } from './nodes.js';
import { StepLaw } from './step-law.js';
import { LOST_DIGITS, logMassLeft, massLeftError, Window } from './window.js';

/** M − 1 is summed directly only if the window removes no more than this of P and of Q (contour.md 8). */
const MOST_LOST: f64 = 1e-8;
/** log M is computed from M − 1 if LEAST_MASS < M < MOST_MASS, else by log-sum-exp. */
const LEAST_MASS: f64 = 1e-3;
const MOST_MASS: f64 = 1e13;
/**
 * Nodes at both ends with weights below e^{−depth−FAINT} of the largest are left out of sums along a contour; the error bound counts each as that.
 */
const FAINT: f64 = 12;
/** Number of tilts whose cumulants are cached: a contour asks for its own tilt and those of two alias bounds. */
const KEPT = 4;

/** `count` identical steps whose integrals are sums over nodes, under a window. */
export abstract class SumLaw extends StepLaw {
  private lostP: f64;
  private lostQ: f64;
  /** Tilts whose log M is cached in `found`. */
  private tilts: Array<f64> = new Array<f64>(KEPT);
  private found: Array<Cumulant> = new Array<Cumulant>(KEPT);
  private asked: i32 = 0;
  /** Eight numbers for the results of sums over nodes. */
  private readonly out: usize = take(8);

  /**
   * @param depth −log of the relative accuracy of integrals over outputs.
   * @param largest Heuristic: the largest tilt at which M is accurate.
   * @param steepest Heuristic: the largest tilt at which contours are worth trying.
   */
  constructor(
    window: Window,
    protected depth: f64,
    count: f64,
    private largest: f64,
    steepest: f64,
  ) {
    super(window, count, steepest);
    this.lostP = expOf(window.logLostP);
    this.lostQ = expOf(window.logLostQ);
  }

  /** The nodes whose sum at a tilt is M. */
  protected abstract nodesFor(c: f64): Nodes;
  /** Heuristic: whether logarithms of terms may give log M more accurately than M − 1 did. */
  protected isRough(_found: Cumulant): bool {
    return false;
  }
  /** Limit of nodes times frequencies of a contour. */
  protected abstract mostTerms(): f64;

  /**
   * log M(c) of one step, its error bound, mean and variance of the tilted loss, by sums over nodes (`summed`). The results of the last KEPT tilts
   * are cached. Ensures: log M(c) lies within the error.
   */
  moments(c: f64): Cumulant {
    const known = Math.min(KEPT, this.asked);
    for (let i = 0; i < known; i++) if (this.tilts[i] === c) return this.found[i];
    const made = this.summed(c);
    const at = this.asked % KEPT;
    this.tilts[at] = c;
    this.found[at] = made;
    this.asked++;
    return made;
  }

  /**
   * log M(c) by sums over nodes: from M − 1, or by logarithms of terms where that is more accurate. M(0) is 1 less the lost P-mass, M(1) is 1 less
   * the lost Q-mass; these are used where they are more accurate (contour.md 8). Ensures: log M(c) lies within the error.
   */
  private summed(c: f64): Cumulant {
    if (isSpent()) return unknownCumulant();
    const nodes = this.nodesFor(c);
    if (!nodes.isKnown) return unknownCumulant();
    let found = this.fromExcess(nodes, c);
    if (!found.isKnown() || this.isRough(found)) {
      const other = this.fromLogarithms(nodes, c);
      if (!(found.error < other.error)) found = other;
    }
    if (c !== 0 && c !== 1) return found;
    // M(0) and M(1) are the P-mass and the Q-mass that remain, known without a sum (contour.md 8)
    const logLost = c === 0 ? this.window.logLostP : this.window.logLostQ;
    const error = massLeftError(logLost);
    if (!(error < found.error)) return found;
    return new Cumulant(logMassLeft(logLost), error, found.mean, found.variance);
  }

  /**
   * M(c) − 1 from the sum `excess` of weight·(u^c − 1 − c(u − 1)), without cancellation; u is the likelihood ratio. λ_P + c(λ_Q − λ_P) is subtracted,
   * λ_P and λ_Q the masses that the window removes (contour.md 8).
   */
  private mMinusOne(excess: f64, c: f64): f64 {
    return excess - this.lostP - c * (this.lostQ - this.lostP);
  }

  /**
   * log M from M − 1, with an error relative to M − 1. The error is of weights, losses, lost masses, truncation and quadrature (contour.md 8).
   * Unknown where M is too large or too small, or the error too large. Ensures: log M(c) lies within the error.
   */
  private fromExcess(nodes: Nodes, c: f64): Cumulant {
    const p = this.lostP;
    const q = this.lostQ;
    if (!(Math.max(p, q) < MOST_LOST && nodes.isModerate(c))) return unknownCumulant();
    const out = this.out;
    nodes.sums(c, out);
    const mass = loadF64(out);
    if (!(mass < MOST_MASS && mass > LEAST_MASS)) return unknownCumulant();
    const mean = loadF64(out, 8) / mass;
    const second = loadF64(out, 16) / mass;
    const rest = this.mMinusOne(loadF64(out, 24), c);
    const size = Math.abs(c);
    const taken = LOST_DIGITS * (p * (1 + size) + q * size);
    if (taken > 1e-14 * (1 + rest)) return unknownCumulant();
    const errors = new Errors();
    // relative errors of weights are at least 24 roundings each, so the factor covers those of the additions
    const terms = loadF64(out, 32) * (1 + (50 + <f64>nodes.n / 32) / 24);
    const moved = 1.5 * size * Math.max(1, Math.abs(c - 1)) * (loadF64(out, 40) + nodes.shift);
    errors.rounding = terms + moved + taken;
    errors.truncation = nodes.leftOut(c, 0) + (1 + size) * nodes.ends;
    errors.quadrature = mass * nodes.ruleError(c, logOf(mass)) + (1 + 2 * size) * nodes.plain;
    const error = errors.sum();
    if (!(error < 1e-3 * (1 + rest))) return unknownCumulant();
    const value = log1pOf(rest);
    const relative = (1.002 * error) / (1 + rest) + 6 * U * Math.abs(value);
    return new Cumulant(value, relative, mean, Math.max(0, second - mean * mean));
  }

  /**
   * log M from the logarithms of all terms, top + log Σ e^{cy + height − top} over nodes. Here y is a loss, `height` its log weight, `top` the
   * largest exponent. Ensures: log M(c) lies within the error, of rounding, truncation and quadrature.
   */
  private fromLogarithms(nodes: Nodes, c: f64): Cumulant {
    const out = this.out;
    const start = mark();
    const weight = take(2 * nodes.stride);
    spend(6 * <f64>nodes.n);
    tiltedLaw(nodes.mesh, nodes.stride, c, weight, weight + (nodes.stride << 3), out);
    release(start);
    const most = loadF64(out);
    const mass = loadF64(out, 8);
    const mean = loadF64(out, 16) / mass;
    const second = loadF64(out, 24) / mass;
    const errors = new Errors();
    errors.rounding = loadF64(out, 32) / mass + (32 + <f64>nodes.n / 32) * U;
    const value = most + nodes.logOfSum(mass);
    errors.truncation = nodes.leftOut(c, value);
    errors.quadrature = nodes.ruleError(c, value);
    const relative = errors.sum();
    if (!(relative < 1e-3)) return unknownCumulant();
    const error = 1.002 * relative + 4 * U * Math.abs(most);
    return new Cumulant(value, error, mean, Math.max(0, second - mean * mean));
  }

  /** Heuristic: log M(c) of one step to a few digits, by the sums of `cumulantSums` without error bounds, or by `moments` where these overflow. */
  approximateMoments(c: f64): Cumulant {
    if (c > this.largest || isSpent()) return this.about.forget();
    const nodes = this.nodesFor(c);
    if (!nodes.isKnown) return this.about.forget();
    if (nodes.isModerate(c)) {
      const out = this.out;
      nodes.sums(c, out);
      const mass = loadF64(out);
      const mean = loadF64(out, 8) / mass;
      const variance = loadF64(out, 16) / mass - mean * mean;
      if (mass > 1e-250 && mass < MOST_MASS && variance > 0) {
        const near = Math.max(this.lostP, this.lostQ) < MOST_LOST && mass > LEAST_MASS;
        const value = near ? log1pOf(this.mMinusOne(loadF64(out, 24), c)) : logOf(mass);
        return this.about.set(value, 0, mean, variance);
      }
    }
    return this.moments(c);
  }

  /**
   * φ − 1 at the nodes of a contour, by sums over n nodes of a table, to rows of zeros at `own`. The rows are real part, imaginary part, and bounds
   * of rounding errors and of all other errors. Other errors are of omitted nodes, and of quadrature and truncation; the latter two are at most
   * `truncation` relative to M(c). Returns the bound of the other errors; ∞ where it would cost too much.
   */
  protected sumsOver(line: LogPhi, c: f64, mesh: usize, n: usize, truncation: f64, own: usize): f64 {
    const start = mark();
    const out = this.out;
    const stride = even(n);
    const weight = take(2 * stride);
    spend(6 * <f64>n);
    tiltedLaw(mesh, stride, c, weight, weight + (stride << 3), out);
    const unit = 1 / loadF64(out, 8);
    // nodes at both ends with negligible weights are left out
    const faint = expOf(-this.depth - FAINT);
    let from: usize = 0;
    let to = stride;
    while (to > 2 && loadF64(weight + ((to - 1) << 3)) < faint && loadF64(weight + ((to - 2) << 3)) < faint)
      to -= 2;
    while (from + 2 < to && loadF64(weight + (from << 3)) < faint && loadF64(weight + (from << 3), 8) < faint)
      from += 2;
    const kept = <f64>(to - from);
    if (kept * <f64>line.n > this.mostTerms()) {
      release(start);
      return Infinity;
    }
    spend(1.7 * (kept + 20) * <f64>line.n);
    // φ is a quotient of two sums, each with these errors (contour.md 4)
    const omitted = (<f64>n - kept + 1) * faint * unit;
    const error = 2.1 * (truncation + omitted);
    const sums = take(8);
    storeF64(sums, unit);
    storeF64(sums, loadF64(out, 40) * unit, 8);
    storeF64(sums, loadF64(out, 48) * unit, 16);
    storeF64(sums, loadF64(out, 32) * unit, 24);
    storeF64(sums, loadF64(out, 56) * unit, 32);
    storeF64(sums, <f64>n * U, 40);
    storeF64(sums, error, 48);
    phiRows(mesh + ((stride + from) << 3), weight + (from << 3), to - from, sums, line.step, own, line.room);
    release(start);
    return error;
  }
}
