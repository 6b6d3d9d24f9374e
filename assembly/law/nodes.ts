/** Quadrature nodes of a step: losses with weights, whose sums approximate integrals over its outputs. */
import { even } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { cumulantSums } from '../sums/mesh-sums.js';
import { countCumulant, mark, release, spend, take } from '../lane/room.js';
import { logOf } from '../functions/scalar.js';

export abstract class Nodes {
  /** Number of nodes, and address of their table: the rows of `axisMesh`, with ascending losses. */
  n: usize = 0;
  mesh: usize = 0;
  /** Whether no weight underflows, so that the table's first row may be summed. */
  isNormal: bool = false;
  /** Whether nodes could be laid: few enough, and within the memory. */
  isKnown: bool = false;
  /**
   * Errors that M − 1 has at every tilt, from the sums for the tilts 0 and 1. `shift` is Σ weight·|loss|·(error of the loss), `ends` the truncation
   * error, and `plain` the quadrature error. Each is added up over these two tilts (contour.md 8).
   */
  shift: f64 = 0;
  ends: f64 = 0;
  plain: f64 = 0;

  constructor() {
    // memory of objects is counted in cumulants: nodes are about as large as one
    countCumulant();
  }

  get stride(): usize {
    return even(this.n);
  }

  /**
   * Sets `shift`, from the error sums of `cumulantSums` at the tilts 0 and 1, and `ends`, from `leftOut` there. Both are upper bounds up to
   * roundings.
   */
  protected sumErrors(): void {
    const start = mark();
    const sums = take(12);
    const tilts = take(2);
    storeF64(tilts, 0);
    storeF64(tilts, 1, 8);
    spend(20 * <f64>this.n);
    cumulantSums(this.mesh, this.stride, 0, this.stride, tilts, 2, sums);
    this.shift = loadF64(sums, 40) + loadF64(sums, 88);
    release(start);
    this.ends = this.leftOut(0, 0) + this.leftOut(1, 0);
  }

  /** Ensures: no less than the truncation error of the sum at tilt c, divided by e^{logNorm}. */
  abstract leftOut(c: f64, logNorm: f64): f64;
  /** Ensures: no less than the quadrature error of the sum at tilt c, divided by e^{logNorm}. */
  abstract ruleError(c: f64, logNorm: f64): f64;

  /** Whether no weight underflows and no e^{cy} overflows, c the tilt and y the losses. */
  isModerate(c: f64): bool {
    const losses = this.mesh + (this.stride << 3);
    const most = Math.max(c * loadF64(losses + ((this.n - 1) << 3)), c * loadF64(losses));
    return this.isNormal && most < 300;
  }

  /** The six sums of `cumulantSums` at a tilt, to `out`. */
  sums(c: f64, out: usize): void {
    spend(10 * <f64>this.n);
    const tilt = take(2);
    storeF64(tilt, c);
    cumulantSums(this.mesh, this.stride, 0, this.stride, tilt, 1, out);
    release(tilt);
  }

  /** log of the integral, given Σ e^{cy + height} over the nodes; the heights are the table's sixth row. */
  logOfSum(sum: f64): f64 {
    return logOf(sum);
  }
}
