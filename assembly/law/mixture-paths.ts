/**
 * Quadrature along lines Im x = a for a step of two normal mixtures (`MixtureStep`). u₊ and u₋ are the likelihood ratios of Q and P to N(0, 1). At
 * the frequency τ the integrand's modulus is e^{−τψ} times that at τ = 0. The angle ψ = arg u₊(x + ia) + arg u₋(−x + ia) is at least 0. So growth in
 * the strip 0 ≤ Im x ≤ 2a bounds the quadrature error for every τ ≥ 0 at once (docs/proofs/sampling.md 7, 17).
 */
import { HALF_LOG_2PI, U } from '../../src/kernel/constants.js';
import { stripError } from '../sums/errors.js';
import { even, NOTHING } from '../sums/loss-mesh.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { BOTH, pathModuli } from '../sums/path-terms.js';
import { hasRoom, mark, release, spend, take } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { windowRows } from '../sums/windows.js';
import { Cumulant } from './law.js';
import { beyondEnds, MixtureStep } from './mixture-step.js';
import { OffAxis, PathBound, PathNodes } from './off-axis.js';
import { threeBitsBelow } from './sampled-step.js';
import { AtSide, OffSide, sideAt, turnedAt, turnsOf } from './side.js';

/** Number of lines Im x = a for bounds of |φ|. */
const PATHS: i32 = 5;
/** Each of these lines has CLOSER times the distance a of the one before. */
const CLOSER: f64 = 0.65;
/** The largest distance a of a line from the real axis, as a fraction of π over the largest shift. */
const FURTHEST: f64 = 0.42;
/** The largest a for bounds of |φ| in units of 1/√S. Off the axis φW grows like e^{Sa²/2}, S = 1 + 1/w², w the width of the window's edge. */
const WIDTHS: f64 = 7;
/** Sums for bounds of |φ| have a relative accuracy of e^{−DEPTH}. */
const DEPTH: f64 = 24;
const MOST_NODES: f64 = 16384;
/** How many distances a are tried for sums along contours. */
const LINES = 8;
/** Each of these distances is LINE_CLOSER times the one before. */
const LINE_CLOSER: f64 = 0.75;
/** The largest distance a of a line for sums along contours. */
const FURTHEST_LINE: f64 = 1.3;
/** The largest such distance in widths of the window's edge. */
const LINE_WIDTHS: f64 = 4;

/** Sums along lines Im x = a for one tilt c. */
export class MixturePaths extends OffAxis {
  /** @param at The cumulant at c. */
  constructor(
    private step: MixtureStep,
    c: f64,
    at: Cumulant,
  ) {
    const furthest = Math.min((FURTHEST * Math.PI) / step.widest, WIDTHS / Math.sqrt(step.growth));
    super(c, at, furthest, CLOSER, PATHS);
  }

  /**
   * Nodes on Im x = a whose sum is accurate to about e^{−depth}, with their tables. Spacing and range are heuristic, but the error bounds hold for
   * any choice. Growth of the integrand in the strip 0 ≤ Im x ≤ 2a bounds the quadrature error, decay beyond the ends bounds the truncation error.
   * `isKnown` is false where there would be too many nodes.
   * @param logM log M, or a lower bound of it if `bounding`.
   * @param bounding Whether only the moduli of terms are wanted.
   */
  private nodesOn(logM: f64, depth: f64, a: f64, bounding: bool): PathNodes {
    const step = this.step;
    const c = this.c;
    const nodes = new PathNodes();
    const growth = step.growthAt(c, 2 * a);
    const h = threeBitsBelow((2 * Math.PI * a) / (depth + 1 + growth));
    const reach = Math.sqrt(2 * (depth + growth)) + 1;
    step.range(c, c, reach);
    const first = Math.floor(step.low / h);
    const many = Math.ceil(step.high / h) + 1 - first;
    if (!(many > 1 && many < MOST_NODES && hasRoom(16 * many))) return nodes;
    nodes.h = h;
    nodes.first = first;
    nodes.n = <usize>many;
    nodes.a = a;
    nodes.unit = logOf(h) - HALF_LOG_2PI - logM + (a * a) / 2;
    if (bounding) this.fillModuli(nodes);
    else this.fillTables(nodes, a);
    const ends = this.onAxis(h, first, logM) + this.onAxis(h, first + many - 1, logM);
    nodes.errors.truncation = beyondEnds(ends * expOf(step.growthAt(c, a) + 1e-9), h, reach);
    nodes.errors.quadrature = stripError(growth, (2 * Math.PI * a) / h);
    nodes.isKnown = true;
    return nodes;
  }

  /**
   * Upper bounds of the moduli of the terms, by `pathModuli`. It uses |W(x + ia)| ≤ e^{a²/2w²}W(x), w the width, and W on the axis with its error
   * added.
   */
  private fillModuli(nodes: PathNodes): void {
    const row = even(nodes.n) << 3;
    nodes.moduli = take(2 * even(nodes.n));
    const start = mark();
    this.fillTables(nodes, 0);
    for (let k = nodes.heights; k < nodes.heights + row; k += 8)
      storeF64(k, loadF64(k) + loadF64(k + 2 * row));
    const unit = nodes.unit + ((this.step.growth - 1) * nodes.a * nodes.a) / 2;
    pathModuli(nodes.losses, nodes.heights, this.c, unit, nodes.n, nodes.moduli);
    release(start);
  }

  /**
   * Tables at the nodes: of the loss log(u₊/u₋), and of log φWu₋, φ the normal density and W the window. Each has rows of real part, imaginary part
   * and error bound, as those of `turnedLosses` and `windowRows`.
   * @param away Imaginary part at which W is taken.
   */
  private fillTables(nodes: PathNodes, away: f64): void {
    const sides = this.step.sides;
    const w = this.step.window;
    const n = nodes.n;
    const stride = even(n);
    const row = stride << 3;
    spend((200 + 30 * <f64>(sides.ups + sides.downs)) * <f64>n);
    nodes.losses = take(3 * stride);
    nodes.heights = take(3 * stride);
    windowRows(nodes.h, nodes.first, n, away, w.from, w.to, w.width, nodes.heights);
    const ups = turnsOf(sides.plus, sides.ups, nodes.a);
    const downs = turnsOf(sides.minus, sides.downs, nodes.a);
    for (let k: usize = 0; k < row; k += 8) {
      const x = nodes.h * (nodes.first + <f64>(k >> 3));
      turnedAt(sides.plus, sides.ups, x, ups);
      const up = OffSide.log;
      const angle = OffSide.angle;
      const upError = OffSide.error;
      turnedAt(sides.minus, sides.downs, -x, downs);
      const down = OffSide.log;
      const at = nodes.losses + k;
      storeF64(at, up - down);
      storeF64(at + row, angle + OffSide.angle);
      const size = Math.abs(up - down) + angle + OffSide.angle;
      storeF64(at + 2 * row, upError + OffSide.error + U * size);
      const height = nodes.heights + k;
      const log = loadF64(height) + down;
      const phase = loadF64(height + row) - OffSide.angle;
      storeF64(height, log);
      storeF64(height + row, phase);
      const rounding = BOTH * 1.001 * OffSide.error + 2 * U * (Math.abs(log) + Math.abs(phase));
      storeF64(height + 2 * row, loadF64(height + 2 * row) + rounding);
    }
    // padding to a full vector
    if (n < stride) storeF64(nodes.heights + (n << 3), NOTHING);
  }

  /** The integrand φWu₊^c u₋^{1−c}√2π over e^{logM} at the real output h·place, with relative errors far below those that `truncation` allows for. */
  private onAxis(h: f64, place: f64, logM: f64): f64 {
    const sides = this.step.sides;
    const w = this.step.window;
    const start = mark();
    const heights = take(6);
    windowRows(h, place, 1, 0, w.from, w.to, w.width, heights);
    sideAt(sides.plus, sides.ups, h * place);
    const up = AtSide.log;
    sideAt(sides.minus, sides.downs, -h * place);
    const log = this.c * up + (1 - this.c) * AtSide.log + loadF64(heights) + loadF64(heights, 32);
    release(start);
    return expOf(log - logM);
  }

  /** Sets the path's moduli of terms, and the bound of its quadrature and truncation errors relative to M(c), rounded up. */
  protected lay(path: PathBound, a: f64): void {
    const nodes = this.nodesOn(this.at.least(), DEPTH, a, true);
    if (!nodes.isKnown) return;
    path.table = nodes.moduli;
    path.n = even(nodes.n);
    path.quadratureError = 1.01 * nodes.errors.sum();
  }

  /**
   * Heuristic: the largest distance a from the real axis at which terms at the window's edges are about M(c) or less. Off the axis such terms grow by
   * e^{a²/2w²}, w the width of the edge.
   */
  private inside(): f64 {
    const step = this.step;
    const w = step.window;
    let most = Math.min(FURTHEST_LINE, (FURTHEST * Math.PI) / step.widest);
    for (let k = 0; k < 2; k++) {
      const edge = k === 0 ? w.to : w.from;
      if (Math.abs(edge) === Infinity) continue;
      sideAt(step.sides.plus, step.sides.ups, edge);
      const up = this.c * AtSide.log;
      sideAt(step.sides.minus, step.sides.downs, -edge);
      const atEdge = up + (1 - this.c) * AtSide.log - (edge * edge) / 2 + logOf(w.width);
      const spare = Math.max(1, 2 + this.at.value - atEdge);
      most = Math.min(most, Math.min(LINE_WIDTHS, Math.sqrt(2 * spare)) * w.width);
    }
    return most;
  }

  /** Heuristic: the nodes on the line that needs the fewest, of LINES distances. `nodesOn` bounds their errors. */
  protected lineNodes(depth: f64): PathNodes {
    const step = this.step;
    let a = this.inside();
    let best = a;
    let least: f64 = Infinity;
    for (let k = 0; k < LINES; k++, a *= LINE_CLOSER) {
      const spacings = (depth + 1 + step.growthAt(this.c, 2 * a)) / a;
      if (!(spacings < least)) continue;
      least = spacings;
      best = a;
    }
    return this.nodesOn(this.at.value, depth, best, false);
  }
}
