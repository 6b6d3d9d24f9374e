/**
 * Quadrature nodes on the real axis for one step. Neighbouring tilts share them: a grade is the interval of tilts between near and far, powers of two
 * apart.
 */
import { INVERSE_SQRT_2PI } from '../../src/kernel/constants.js';
import { even } from '../loss-mesh.js';
import { loadF64, memory, storeF64 } from '../memory.js';
import { cumulantSums } from '../mesh-sums.js';
import { countCumulant, mark, release, spend, take } from '../room.js';
import { logOf } from '../scalar.js';

const TILTS: usize = memory.data(16, 16);
/** Meshes have no losses of this size or more: their exponentials would overflow. */
export const LARGEST_LOSS: f64 = 690;

export abstract class Outputs {
  /** Spacing h, index of the first node, number of nodes, and address of their table. */
  h: f64 = 0;
  first: f64 = 0;
  n: usize = 0;
  mesh: usize = 0;
  /** Whether all densities are normal doubles. */
  isNormal: bool = false;
  /** Whether nodes were found. */
  isKnown: bool = false;
  /** Half width of the strip |Im x| ≤ y in which the integrand is bounded. */
  y: f64 = 0;
  /**
   * Errors of M − 1 at every tilt: Σ of weights times errors of losses; truncation of φW and φWu at the ends; and quadrature error of both together.
   */
  shift: f64 = 0;
  ends: f64 = 0;
  plain: f64 = 0;

  constructor(
    readonly far: f64,
    readonly near: f64,
  ) {
    // outputs are an object of about the size of a cumulant
    countCumulant();
  }

  get stride(): usize {
    return even(this.n);
  }

  /** Sets the errors that all tilts share and that are sums over nodes: `shift` and `ends`. */
  protected sumErrors(): void {
    storeF64(TILTS, 0);
    storeF64(TILTS, 1, 8);
    const start = mark();
    const sums = take(12);
    spend(20 * <f64>this.n);
    cumulantSums(this.mesh, this.stride, 0, this.stride, TILTS, 2, sums);
    this.shift = loadF64(sums, 40) + loadF64(sums, 88);
    release(start);
    this.ends = this.leftOut(0, 0) + this.leftOut(1, 0);
  }

  /** Truncation error of n nodes from the same ends, h apart. Ensures: no less than the sum of φWu^c beyond them, over e^{logNorm} (7). */
  abstract beyond(h: f64, n: f64, c: f64, logNorm: f64): f64;
  /** `beyond` for the nodes themselves. */
  leftOut(c: f64, logNorm: f64): f64 {
    return this.beyond(this.h, <f64>this.n, c, logNorm);
  }
  /** Quadrature error. Ensures: no less than that of the trapezoidal sum of φWu^c, over e^{logNorm} (4, 5, 14). */
  abstract ruleError(c: f64, logNorm: f64): f64;

  /** Whether exponentials of tilted losses neither overflow nor underflow. */
  isModerate(c: f64): bool {
    const losses = this.mesh + (this.stride << 3);
    const most = Math.max(c * loadF64(losses + ((this.n - 1) << 3)), c * loadF64(losses));
    return this.isNormal && most < 300;
  }

  /** The six sums of `cumulantSums` at a tilt, to `out`. */
  sums(c: f64, out: usize): void {
    spend(10 * <f64>this.n);
    storeF64(TILTS, c);
    cumulantSums(this.mesh, this.stride, 0, this.stride, TILTS, 1, out);
  }

  /** log of h/√2π times a sum over nodes. */
  logOfSum(sum: f64): f64 {
    return logOf(sum * this.h * INVERSE_SQRT_2PI);
  }
}
