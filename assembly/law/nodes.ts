/** Losses with weights, whose sums stand for integrals over the outputs of a step. */
import { even } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { cumulantSums } from '../sums/mesh-sums.js';
import { countCumulant, mark, release, spend, take } from '../lane/room.js';
import { logOf } from '../functions/scalar.js';

export abstract class Nodes {
  /** Number of nodes, and address of their table: the rows of `axisMesh`, losses ascending. */
  n: usize = 0;
  mesh: usize = 0;
  /** Whether all weights are normal doubles, and the table has them. */
  isNormal: bool = false;
  /** Whether nodes were found. */
  isKnown: bool = false;
  /**
   * Errors of M − 1 at every tilt: Σ of weights times errors of losses; what sums for the tilts 0 and 1 leave out; and quadrature error of both
   * together.
   */
  shift: f64 = 0;
  ends: f64 = 0;
  plain: f64 = 0;

  constructor() {
    // nodes are an object of about the size of a cumulant
    countCumulant();
  }

  get stride(): usize {
    return even(this.n);
  }

  /** Sets the errors that all tilts share and that are sums over nodes: `shift` and `ends`. */
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

  /** Truncation error. Ensures: no less than what a sum at tilt c leaves out, over e^{logNorm}. */
  abstract leftOut(c: f64, logNorm: f64): f64;
  /** Quadrature error. Ensures: no less than that of a sum at tilt c, over e^{logNorm}. */
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
    const tilt = take(2);
    storeF64(tilt, c);
    cumulantSums(this.mesh, this.stride, 0, this.stride, tilt, 1, out);
    release(tilt);
  }

  /** log of a sum of e^{cy} times what the logarithms of the table's sixth row stand for. */
  logOfSum(sum: f64): f64 {
    return logOf(sum);
  }
}
