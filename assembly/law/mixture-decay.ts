/**
 * Upper bounds of |φ| of a step of two normal mixtures at a tilt c (docs/proofs/sampling.md 8, 16). φ(τ) = M(c + iτ)/M(c), M the moment generating
 * function of the loss under P. The bounds come from cells of losses and from the total variation of the density of losses.
 */
import { INVERSE_SQRT_2PI } from '../../src/kernel/constants.js';
import { decayBounds } from '../sums/decay.js';
import { even } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { countCumulant, hasRoom, mark, release, spend, take } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { Cumulant } from './law.js';
import { MixtureStep } from './mixture-step.js';
import { TiltDecay } from './step-law.js';

/** Cells whose density is below e^{LEAST_CELL} of the largest one are left out. */
const LEAST_CELL: f64 = -40;
/** Beyond the mesh of outputs x, the tilted density f/y′ of the loss y, y′ = dy/dx, decays at least like e^{−REACH·|x|}. */
const REACH: f64 = 11;
const MOST_NODES: f64 = 32768;
/** Errors of log densities must be below this. */
const MOST_ERROR: f64 = 1e-10;
/** Bounds are widened by this, which exceeds MOST_ERROR. */
const SPARE: f64 = 1e-9;

/**
 * Bounds of |φ| at a tilt c, from cells of losses and from the total variation of the tilted density f/y′ of the loss y. Here y′ = dy/dx, and f =
 * φWu₊^c u₋^{1−c} is the tilted density of the output x. φ is the normal density and W the window (sampling.md 8). u₊ and u₋ are the likelihood
 * ratios of Q and P to N(0, 1).
 *
 * (log f)″ is at most B = S + |c|a₊²/4 + |1 − c|a₋²/4 in size. S is the step's `growth`, and a₊ and a₋ are the largest shifts of Q and P. So log f
 * stays within Bh²/8 of its chords between nodes of spacing h. Let a be the larger of a₊ and a₋. Then |y″| ≤ ay′ and |y‴| ≤ a²y′, so log(f/y′) stays
 * within (B + 2a²)h²/8 of its chords.
 */
export class MixtureDecay extends TiltDecay {
  private cells: usize = 0;
  private stride: usize = 0;
  private count: i32 = 0;
  private scratch: usize = 0;

  /**
   * @param h Spacing of nodes; it is halved until log(f/y′) is within ⅛ of its chords between nodes.
   * @param one The cumulant of one step at c.
   */
  constructor(
    private step: MixtureStep,
    private h: f64,
    private c: f64,
    one: Cumulant,
  ) {
    super();
    countCumulant();
    this.lay(one);
  }
  /**
   * Lays a uniform mesh over the range of outputs and fills its cells. The spacing h is halved until h²(B + 2a²) ≤ 1, B that of `bend` and a the
   * largest shift. So log(f/y′), the log of the tilted density of losses, is within ⅛ of its chords. The mesh ends where f/y′ decays at least like
   * e^{−REACH·|x|}. If the nodes exceed MOST_NODES or the memory, no bound is made: |φ| ≤ 1 stays.
   */
  private lay(one: Cumulant): void {
    const step = this.step;
    const bend = this.bend();
    while (this.h * this.h * (bend + 2 * step.widest * step.widest) > 1) this.h /= 2;
    step.range(this.c, this.c, REACH + step.widest);
    const first = Math.floor(step.low / this.h);
    const many = Math.ceil(step.high / this.h) - first + 1;
    if (!(many < MOST_NODES && hasRoom(32 * many))) return;
    const n = <usize>many;
    this.stride = even(n);
    this.cells = take(5 * this.stride);
    this.scratch = take(4 * this.stride + 8);
    const start = mark();
    spend(60 * many);
    const mesh = step.mesh(this.h, first, n);
    this.fill(mesh, first, n, one);
    release(start);
  }

  /** The bound B of |(log f)″|, f = φWu₊^c u₋^{1−c} the tilted density of outputs. */
  private bend(): f64 {
    const step = this.step;
    const c = this.c;
    return (
      step.growth + (Math.abs(c) * step.right * step.right + Math.abs(1 - c) * step.left * step.left) / 4
    );
  }

  /** log f√2π at a node: its log weight log(√2π φWu₋) at tilt 0, plus c times its loss. */
  private logAt(node: usize): f64 {
    const row = this.stride << 3;
    return loadF64(node + 5 * row) + this.c * loadF64(node + row);
  }
  /**
   * Upper bound of |(log W)′| at an output x, W the window. t = (x − to)/width is how far x lies beyond the upper edge, in widths of the edge
   * (sampling.md 16). Ensures: no less than it.
   */
  private steepness(x: f64): f64 {
    const w = this.step.window;
    if (w.isWhole) return 0;
    const t = (x - w.to) / w.width;
    return (t > 0 ? t + 1 : 0.8 * expOf((-t * t) / 2)) / w.width;
  }

  /**
   * Writes the cells of `decayBounds`. Sets `variation` to |c| + |1 − c| + ∫(f/y′)(|x| + a + |(log W)′|)dx/M(c), a the largest shift (sampling.md 8,
   * 16). Ensures: masses of cells are lower bounds, the variation is an upper bound.
   */
  private fill(mesh: usize, first: f64, n: usize, one: Cumulant): void {
    const step = this.step;
    const h = this.h;
    const row = this.stride << 3;
    const bend = this.bend();
    const sharp = bend + 2 * step.widest * step.widest;
    const unit = logOf(h * INVERSE_SQRT_2PI) - (bend * h * h) / 8 - SPARE;
    let top: f64 = -Infinity;
    let worst: f64 = 0;
    for (let k = mesh; k < mesh + (n << 3); k += 8) {
      top = Math.max(top, this.logAt(k));
      worst = Math.max(worst, loadF64(k + 3 * row) + Math.abs(this.c) * loadF64(k + 6 * row));
    }
    if (!(worst < MOST_ERROR)) return;
    let variation: f64 = 0;
    let to = this.cells;
    for (let k: usize = 8; k < n << 3; k += 8) {
      const node = mesh + k;
      const before = this.logAt(node - 8);
      const behind = this.logAt(node);
      const x = h * (first + <f64>(k >> 3));
      const away = Math.max(Math.abs(x - h), Math.abs(x)) + step.widest;
      const steep = Math.max(this.steepness(x - h), this.steepness(x));
      const from = expOf(before - top) / loadF64(node - 8 + 7 * row);
      const onward = expOf(behind - top) / loadF64(node + 7 * row);
      variation += Math.max(from, onward) * (away + steep) * h;
      const height = Math.min(before, behind);
      if (height - top < LEAST_CELL) continue;
      const low = loadF64(node - 8 + row) - 2 * loadF64(node - 8 + 6 * row);
      const high = loadF64(node + row) + 2 * loadF64(node + 6 * row);
      storeF64(to, low);
      storeF64(to + row, high);
      storeF64(to + 2 * row, expOf(height + unit - one.most()));
      storeF64(to + 3 * row, 0.5 * (low + high));
      storeF64(to + 4 * row, 0.5 * (high - low));
      to += 8;
    }
    this.count = <i32>((to - this.cells) >> 3);
    const ends =
      this.edge(mesh, h * first, top) + this.edge(mesh + ((n - 1) << 3), h * (first + <f64>n - 1), top);
    const whole = (variation * expOf((sharp * h * h) / 8 + SPARE) + ends) * INVERSE_SQRT_2PI;
    const most = Math.abs(this.c) + Math.abs(1 - this.c) + whole * expOf(top - one.least());
    if (most < Infinity) this.variation = most * (1 + 1e-6);
  }

  /**
   * Upper bound of the integral in `variation` beyond an end of the mesh, by the exponential decay of f/y′, the tilted density of losses. Ensures: no
   * less than the integral.
   */
  private edge(node: usize, x: f64, top: f64): f64 {
    const density = expOf(this.logAt(node) - top) / loadF64(node + 7 * (this.stride << 3));
    const step = this.step;
    return (density * (Math.abs(x) + step.widest + this.steepness(x) + step.growth)) / (REACH - 1);
  }

  /** Bounds of log|φ| on intervals of frequencies by `decayBounds`, 0 if the variation is unknown. Ensures: no less than log|φ| on each. */
  bounds(taus: usize, m: usize, enough: f64, out: usize): void {
    for (let i: usize = 0; i + 1 < m; i++) storeF64(out + (i << 3), 0);
    if (!(this.variation < Infinity)) return;
    spend(2 * (<f64>this.count + 30) * <f64>m);
    this.limit(this.scratch, enough);
    decayBounds(this.cells, this.stride, this.count, taus, m, this.scratch, out);
  }
}
