/**
 * Upper bounds of |φ| of a Poisson-subsampled Gaussian step under a tilt, from quadrature nodes ("outputs") on the real axis. They come from lower
 * bounds of the masses of cells of losses (contour.md 13) and from the total variation of the losses' density (contour.md 12). φ(τ) = M(c + iτ)/M(c).
 */
import { DENSITY_ERROR, INVERSE_SQRT_2PI, U } from '../../src/kernel/constants.js';
import { decayBounds } from '../sums/decay.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { mark, release, spend, take } from '../lane/room.js';
import { expOf, log1pOf, logOf } from '../functions/scalar.js';
import { densityVariation, tiltedCells } from '../sums/tilted-cells.js';
import { Cumulant } from './law.js';
import { Outputs } from './outputs.js';
import { TiltDecay } from './step-law.js';
import { SampledStep } from './sampled-step.js';
import { shareAt } from './window.js';

/** Limit of the nodes added on either side of the outputs, in search of where the density g is monotone. */
const MOST: usize = 4096;
const FURTHEST: f64 = 400;

/** A list of log g at consecutive nodes, g the tilted density of losses, with its largest value so far. */
class Logs {
  readonly at: usize;
  n: usize = 0;
  most: f64 = -Infinity;
  constructor() {
    this.at = take(MOST);
  }
  isFull(): bool {
    return this.n >= MOST;
  }
  push(log: f64): void {
    storeF64(this.at + (this.n << 3), log);
    this.n++;
    this.most = Math.max(this.most, log);
  }
  fromEnd(i: usize): f64 {
    return loadF64(this.at + ((this.n - i) << 3));
  }
  /**
   * Upper bound of the variation of g, the tilted density of losses, from the node `from` on, divided by e^{high + bend/8}. It is Σ max(g)·(|Δ log g|
   * + bend) over gaps. `bend` is h² times a bound of |(log g)″|, h the spacing (contour.md 12).
   */
  gaps(from: usize, bend: f64, high: f64): f64 {
    let sum: f64 = 0;
    for (let j = from + 1; j < this.n; j++) {
      const a = loadF64(this.at + ((j - 1) << 3));
      const b = loadF64(this.at + (j << 3));
      sum += expOf(Math.max(a, b) - high) * (Math.abs(a - b) + bend + 4 * DENSITY_ERROR);
    }
    return sum;
  }
}

/** Bounds of |φ| at one tilt. */
export class AxisDecay extends TiltDecay {
  private cells: usize = 0;
  private count: f64 = 0;
  private stride: usize = 0;
  private scratch: usize = 0;
  private logError: f64 = 0;

  /** Computes the cells with `tiltedCells`, and the total variation. Ensures: cells have lower bounds of masses, `variation` is an upper bound. */
  constructor(
    private step: SampledStep,
    private outputs: Outputs,
    private c: f64,
    moments: Cumulant,
  ) {
    super();
    const stride = outputs.stride;
    this.stride = 2 * stride;
    this.cells = take(10 * stride);
    this.scratch = take(8 * stride + 12);
    const start = mark();
    const work = take(2 * stride + 8);
    const tilt = take(5);
    storeF64(tilt, c);
    storeF64(tilt, step.mu, 8);
    storeF64(tilt, outputs.h, 16);
    storeF64(tilt, moments.value, 24);
    storeF64(tilt, moments.error, 32);
    spend(64 * <f64>outputs.n);
    this.count = tiltedCells(outputs.mesh, stride, outputs.n, tilt, work, this.cells);
    this.variation = expOf(this.logVariation(moments.least()));
    release(start);
  }

  /** Bounds of log|φ| on intervals of frequencies by `decayBounds`, 0 if the variation is unknown. Ensures: no less than log|φ| on each. */
  bounds(taus: usize, m: usize, enough: f64, out: usize): void {
    for (let i: usize = 0; i + 1 < m; i++) storeF64(out + (i << 3), 0);
    if (!(this.variation < Infinity)) return;
    spend(2 * (this.count + 30) * <f64>m);
    this.limit(this.scratch, enough);
    decayBounds(this.cells, this.stride, <i32>this.count, taus, m, this.scratch, out);
  }

  /** Lower bound of (log W)′ at x and at all smaller outputs, W the window (contour.md 12). */
  private slopeBefore(x: f64): f64 {
    const w = this.step.window;
    if (w.isWhole) return 0;
    const far = w.to - x;
    const away = far / w.width;
    return far >= w.width ? (-0.6 * expOf(-(away * away) / 2)) / w.width : -Infinity;
  }

  /** B = qe^{μx − μ²/2} at x, the second term of the likelihood ratio u = A + B, A = 1 − q. */
  private weightAt(x: f64): f64 {
    const mu = this.step.mu;
    return this.step.q * expOf(Math.min(700, mu * x - (mu * mu) / 2));
  }

  /** Whether g, the tilted density of losses, increases at x and at all smaller outputs: a lower bound of (log g)′ is positive (contour.md 12). */
  private rises(x: f64): bool {
    const mu = this.step.mu;
    const steep = Math.max(0, -1 - this.c) * mu * Math.min(1, this.weightAt(x) / (1 - this.step.q));
    return this.slopeBefore(x) - x - mu - steep > 1e-3;
  }

  /** Whether g, the tilted density of losses, decreases at x and at all larger outputs: an upper bound of (log g)′ is negative (contour.md 12). */
  private falls(x: f64): bool {
    const w = this.step.window;
    const fall = x >= w.to ? (x - w.to) / (w.width * w.width) : 0;
    return fall + x - Math.max(-1, this.c) * this.step.mu > 1e-3;
  }

  /**
   * log g at a node h·j, g = φWu^c/y′·√2π, φ the normal density, W the window, y = log u the loss, y′ = μB/u. Its error is joined to `logError`, the
   * largest of all nodes.
   */
  private logDensity(j: f64): f64 {
    const start = mark();
    const mesh = this.step.mesh(this.outputs.h, j, 1);
    const loss = loadF64(mesh, 16);
    const error = loadF64(mesh, 48);
    const height = loadF64(mesh, 80);
    const lossError = loadF64(mesh, 96);
    release(start);
    const c = this.c;
    this.logError = Math.max(this.logError, error + Math.abs(c) * (lossError + 4 * U * Math.abs(loss)));
    const odds = (1 - this.step.q) / this.weightAt(this.outputs.h * j);
    return c * loss + height + log1pOf(odds) - logOf(this.step.mu);
  }

  /**
   * log V, V an upper bound of the total variation of g, the tilted density of losses (contour.md 12). It is summed over the gaps between nodes. The
   * first node is one before which g only increases, the last one behind which g only decreases. Outside of them, the variation on either side is g
   * at the outermost node. Ensures: no less than the log of the variation.
   * @param logM No more than log M.
   */
  private logVariation(logM: f64): f64 {
    if (this.step.window.from > -Infinity) return Infinity;
    const step = this.step;
    const outputs = this.outputs;
    const w = step.window;
    const mu = step.mu;
    const h = outputs.h;
    const share = w.isWhole ? 0.5 : Math.min(0.5, 1.000001 * shareAt(mu, step.q, w.end));
    const curvature = 1 + Math.abs(this.c + 1) * mu * mu * share * (1 - share) + 1 / (w.width * w.width);
    const bend = h * h * curvature;
    const logs = take(outputs.stride);
    const out = take(6);
    const tilt = take(6);
    storeF64(tilt, this.c);
    storeF64(tilt, mu, 8);
    storeF64(tilt, step.q, 16);
    storeF64(tilt, h, 24);
    storeF64(tilt, outputs.first, 32);
    storeF64(tilt, bend, 40);
    densityVariation(outputs.mesh, outputs.stride, outputs.n, tilt, logs, out);
    const most = loadF64(out, 24);
    const sum = loadF64(out, 32);
    this.logError = loadF64(out, 40);
    const before = new Logs();
    before.push(loadF64(out));
    const behind = new Logs();
    behind.push(loadF64(out, 8));
    behind.push(loadF64(out, 16));
    for (let j = outputs.first - 1; !this.rises(h * (j + 1)); j--) {
      if (h * j < -FURTHEST || before.isFull()) return Infinity;
      before.push(this.logDensity(j));
    }
    for (let j = outputs.first + <f64>outputs.n; h * (j - 1) < w.end && !this.falls(h * (j - 1)); j++) {
      if (h * j > FURTHEST || behind.isFull()) return Infinity;
      behind.push(this.logDensity(j));
    }
    if (!(this.logError < DENSITY_ERROR)) return Infinity;
    const after = Math.max(behind.fromEnd(1), behind.fromEnd(2)) + bend / 8;
    const high = Math.max(most, Math.max(before.most, behind.most));
    const gaps = expOf(most - high) * sum + before.gaps(0, bend, high) + behind.gaps(1, bend, high);
    const whole = expOf(before.fromEnd(1) - high) + expOf(after - high) + expOf(bend / 8) * gaps;
    return high + logOf(whole * INVERSE_SQRT_2PI) - logM + 4 * DENSITY_ERROR;
  }
}
