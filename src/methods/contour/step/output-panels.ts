import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_ROWS, KernelTable, PANEL_ROWS } from '../../../kernel/kernel-table.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { ellipseHeight, logRuleError } from '../../../numeric/bernstein-ellipse.js';
import { HALF_LOG_2PI, U } from '../../../numeric/constants.js';
import { gaussLegendre, type Rule } from '../../../numeric/gauss-legendre.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { free } from '../../../numeric/meter.js';
import { log } from '../../../numeric/scalar.js';
import { cosine, type SampledStep } from './gaussian-range.js';
import { bigShare, gainOf, largestArgument, shrinkAt } from './off-axis.js';
import { type Grading, gradedPanel, longestHalf, overOf, type Panel, RHO } from './panel-grading.js';

/** Parameters of the Bernstein ellipses tried. */
const RHOS = [RHO, 4.2, 6, 9] as const;
const LOG_RHO = log(RHO);
/** Pieces of a range of outputs on which the integrand is bounded one by one. */
const PIECES = 8;
/** Equal parts of one panel, at most. */
const MOST_PARTS = 2 ** 12;
/** Digits that ellipses lose to the constants of the bound and to growth off the real axis, in logarithms. */
const OVERHEAD = 12;
const FEWEST_NODES = 8;
const MOST_NODES = 32;

/** Outputs with their weights and losses. */
export interface OutputNodes {
  /** Rows of the kernel's `panelMesh`, of which these are views. */
  readonly rows: Float64Array;
  readonly x: Float64Array;
  /** Weight of the rule over √2π, without the density's e^{−x²/2}. */
  readonly unit: Float64Array;
  /** Loss y = log u, and the absolute error of y. */
  readonly loss: Float64Array;
  readonly lossError: Float64Array;
}

function nodesOf(rows: Float64Array): OutputNodes {
  const n = rows.length / PANEL_ROWS;
  const row = (i: number): Float64Array => rows.subarray(i * n, (i + 1) * n);
  return { rows, x: row(0), unit: row(1), loss: row(4), lossError: row(2) };
}

/**
 * Relative error of unit·e^{−x²/2}. The rule's nodes are good to 3u (of the nearer end's distance, at most `half`) and its weights to 16u, so that x is off by
 * at most u(|x| + 4·half).
 */
export function densityError(x: number, half: number): number {
  return U * (24 + 2 * x * x + 4 * half * Math.abs(x));
}

/**
 * The outputs x ≤ `cut` of one Poisson-subsampled Gaussian step (density φ under P, loss y(x) = log u, u = A + B, A = 1 − q,
 * B = q e^{μx − μ²/2}) in panels, numbered from the cut leftwards, each under a Gauss–Legendre rule.
 *
 * Rules err by the largest modulus on an ellipse around their panel (`logRuleError`). For φ u^{c + iτ}, with b the ellipse's height and
 * θ = μb < π, that is at most
 *   e^{b²/2} max φ u^c · (c ≥ 0: 1, as |u| ≤ u(Re x);  c < 0: as `gainOf` says) · e^{τα},
 * the maximum over the real parts that it covers, α ≥ |arg u|: arg(A + Be^{iθ}) rises with B, and with θ up to cos θ = −B/A; from there it falls
 * from asin(B/A).
 */
export class OutputPanels implements SampledStep {
  readonly mu: number;
  readonly q: number;
  /** Half the length of the longest panels, and of the first. */
  readonly half: number;
  readonly firstHalf: number;
  readonly rule: Rule;
  private nodes = nodesOf(new Float64Array(0));
  private readonly panels: Panel[] = [];
  private made = new Uint8Array(0);
  private table: KernelTable | undefined;
  /** The angle that the first ellipses of the longest panels reach, and what |u| loses there to its value on the axis: logarithms, for nodes made when one is first asked for. */
  readonly angle: number;
  private shrunk = new Float64Array(0);
  /** The largest distance between neighbouring nodes of a panel, or from a node to the end, in units of its length. */
  private readonly widest: number;

  /** @param size Nodes of a panel, an even number. */
  constructor(
    private readonly kernel: Kernel,
    { mu, q }: SampledStep,
    readonly cut: number,
    readonly size: number,
    { halvings, grading }: Grading,
  ) {
    this.mu = mu;
    this.q = q;
    this.half = longestHalf(mu) / 2 ** halvings;
    this.firstHalf = this.half / 2 ** grading;
    this.angle = mu * ellipseHeight(this.half, RHO);
    this.rule = gaussLegendre(size);
    const { node } = this.rule;
    this.widest = node.reduce((most, x, i) => Math.max(most, x - (i > 0 ? node[i - 1] : 0)), 0) * 1.01;
  }

  /** Nodes of a panel for errors of about e^{−depth}. */
  static sizeFor(depth: number): number {
    const size = 2 * Math.ceil((depth + OVERHEAD) / (4 * LOG_RHO));
    return Math.min(MOST_NODES, Math.max(FEWEST_NODES, size));
  }

  /** Panel k, from the cut leftwards: each twice as long as the one before until they are longest. */
  panel(k: number): Panel {
    for (let i = this.panels.length; i <= k; i++)
      this.panels.push(gradedPanel(this.cut, this.firstHalf, this.half, i));
    return this.panels[k];
  }

  /** How many panels reach from the cut to `from`. */
  countTo(from: number): number {
    let k = 0;
    while (this.panel(k).left > from) k++;
    return k + 1;
  }

  /** Panels of at most the given half length from the cut to `from` or beyond, graded in the same way. */
  panelsTo(from: number, longest: number): Panel[] {
    const first = Math.min(this.firstHalf, longest);
    const panels: Panel[] = [];
    for (let k = 0; panels.length === 0 || panels[k - 1].left > from; k++)
      panels.push(gradedPanel(this.cut, first, longest, k));
    return panels;
  }

  /** All nodes, those of the panels `first` … `last` made if need be; panel k's begin at k·size. */
  through(first: number, last: number): OutputNodes {
    // the sums over them cost more
    return free(() => this.grown(first, last));
  }

  private grown(first: number, last: number): OutputNodes {
    if (last >= this.made.length) this.grow(Math.max(last + 1, 2 * this.made.length, 8));
    for (let k = first; k <= last; k++) {
      if (this.made[k] === 1) continue;
      let end = k;
      while (end < last && this.made[end + 1] === 0) end++;
      this.make(k, end);
      k = end;
    }
    return this.nodes;
  }

  private grow(room: number): void {
    const { size, nodes } = this;
    const wider = new Float64Array(PANEL_ROWS * room * size);
    copyRows(nodes.rows, wider, 0);
    const made = new Uint8Array(room);
    made.set(this.made);
    [this.nodes, this.made, this.table] = [nodesOf(wider), made, undefined];
  }

  /** The rows of the kernel's `cumulantSums`, for the nodes made so far. */
  get mesh(): KernelTable {
    // the last rows are those
    const { rows } = this.nodes;
    this.table ??= new KernelTable(rows.subarray((1 - CUMULANT_ROWS / PANEL_ROWS) * rows.length));
    return this.table;
  }

  private make(first: number, last: number): void {
    // what has been handed out stays as it is
    if (this.table !== undefined) [this.nodes, this.table] = [nodesOf(this.nodes.rows.slice()), undefined];
    const panels = Array.from({ length: last - first + 1 }, (_, i) => this.panel(first + i));
    copyRows(this.place(panels).rows, this.nodes.rows, first * this.size);
    this.made.fill(1, first, last + 1);
  }

  /** The nodes of panels. */
  place(panels: readonly Panel[]): OutputNodes {
    const { mu, q, kernel, rule } = this;
    const ends = Float64Array.from(panels.flatMap(({ left, half }) => [left, half]));
    return nodesOf(kernel.panelMesh(mu, q, ends, tableOf(rule)));
  }

  private lossAt(x: number): number {
    return subsampledLoss(this.mu * x - (this.mu * this.mu) / 2, this.q);
  }

  /**
   * log of the largest φu^c on [a, b], from above, given the losses at both ends. In between c·y is at most its chord for c ≥ 0, y being
   * convex, and at most its tangent in a for c < 0.
   */
  private top(c: number, a: number, b: number, low: number, high: number): number {
    const { mu, q } = this;
    // c·y ≤ from + slope·(x − a)
    let slope = (c * (high - low)) / (b - a);
    let from = c * low;
    if (c < 0) slope = c * mu * bigShare(mu, q, a);
    else from += 4 * U * Math.abs(c) * (Math.abs(high) + Math.abs(low));
    const x = Math.min(b, Math.max(a, slope));
    const value = from + slope * (x - a) - (x * x) / 2;
    return value - HALF_LOG_2PI + 32 * U * (Math.abs(from) + Math.abs(slope * (x - a)) + x * x + 8);
  }

  /** log of the largest φ|u|^c for x + iy, x on [left, right], |u| taken at angles μy up to one and φ at x. */
  topWithin(c: number, left: number, right: number, angle: number): number {
    let top = -Infinity;
    let a = left;
    let low = this.lossAt(a);
    for (let i = 1; i <= PIECES; i++) {
      const b = i === PIECES ? right : left + ((right - left) * i) / PIECES;
      const high = this.lossAt(b);
      top = Math.max(top, this.top(c, a, b, low, high) + gainOf(this, c, angle, a, b));
      [a, low] = [b, high];
    }
    return top;
  }

  /**
   * log of the largest φu^c on each of the panels 0 … last and on what its first ellipse covers, from the values at the nodes and at both ends. With
   * K = 1 + max(0, −c)μ²/4, log φu^c + Kx²/2 is convex (0 ≤ y″ ≤ μ²/4), so that between two points log φu^c is at most K·gap²/8 above the larger of its
   * values there. φu^c is to rise up to the left end of the last panel, and the nodes are to be made.
   *
   * @param off For c < 0, of φ|u|^c instead, |u| taken at the largest angle θ that a first ellipse reaches: log|u| bends by at most μ²/(4cos²(θ/2)) there.
   */
  topsOn(c: number, last: number, off = false): Float64Array {
    const angle = off && c < 0 ? this.angle : 0;
    const { mu, size, nodes, firstHalf } = this;
    const own = new Float64Array(last + 1);
    const heightAt = (x: number): number => c * this.lossAt(x) + gainOf(this, c, angle, x, x) - (x * x) / 2;
    const { x, loss } = nodes;
    const shrink = angle > 0 ? this.shrinks(last) : undefined;
    for (let k = 0, j = 0; k <= last; k++) {
      let top = -Infinity;
      for (const end = j + size; j < end; j++) {
        const y = shrink === undefined ? loss[j] : loss[j] + shrink[j];
        top = Math.max(top, c * y - (x[j] * x[j]) / 2);
      }
      own[k] = top;
    }
    const over = overOf(firstHalf, RHO);
    own[0] = Math.max(own[0], heightAt(this.cut + over));
    const { left, half } = this.panel(last);
    // further to the left φu^c is smaller
    const before = c * this.lossAt(left) - (left * left) / 2;
    own[last] = Math.max(own[last], before + gainOf(this, c, angle, -Infinity, left));
    const turned = cosine(angle / 2);
    const bend = 1 + (Math.max(0, -c) * mu * mu) / (4 * turned * turned);
    // the last node lies within a gap of the cut
    const gap = Math.max(2 * half * this.widest, over + 2 * firstHalf * this.widest);
    const largest = Math.max(
      Math.abs(loss[0]),
      Math.abs(loss[(last + 1) * size - 1]),
      Math.abs(this.lossAt(left)),
    );
    const rounding = 1e-9 + 64 * U * (Math.abs(c) * largest + this.cut * this.cut + left * left);
    const most = (bend * gap * gap) / 8 - HALF_LOG_2PI + rounding;
    return own.map((top, k) => Math.max(top, own[Math.max(0, k - 1)], own[Math.min(last, k + 1)]) + most);
  }

  /** log of what |u| is at the angle of the first ellipses, over what it is at the nodes, of the panels up to the last. */
  private shrinks(last: number): Float64Array {
    const { mu, q, size, nodes } = this;
    const n = (last + 1) * size;
    const known = this.shrunk.length;
    if (known < n) {
      const made = new Float64Array(n);
      made.set(this.shrunk);
      free(() => {
        for (let j = known; j < n; j++) made[j] = shrinkAt(bigShare(mu, q, nodes.x[j]), this.angle);
      });
      this.shrunk = made;
    }
    return this.shrunk;
  }

  /** log of what the rule errs by for φu^c on the panels 0 … last together, by their first ellipses. @param tops `topsOn` the axis. */
  errorUpTo(last: number, c: number, tops: Float64Array): number {
    const width = this.cut - this.panel(last).left;
    const top = this.topsOff(c, last, tops).reduce((most, one) => Math.max(most, one), -Infinity);
    return this.errorBy(RHO, width / 2, this.half, top);
  }

  /** `topsOn` off the axis, given that on it: |u|^c, c ≥ 0, is largest there. */
  topsOff(c: number, last: number, tops: Float64Array): Float64Array {
    return c < 0 ? this.topsOn(c, last, true) : tops;
  }

  /** @param length Half the length of the panels together, each of half length at most `half`. */
  private errorBy(rho: number, length: number, half: number, top: number): number {
    const height = ellipseHeight(half, rho);
    const value = top + (height * height) / 2 + logRuleError(length, rho, this.size);
    return value + 1e-9 * (1 + Math.abs(value));
  }

  /** log of what panels err by altogether, with first ellipses on which the integrand is at most e^{growth} φ|u|^c at angles up to one. */
  logRuleError(panels: readonly Panel[], c: number, growth: number, angle: number): number {
    let sum = -Infinity;
    for (const { left, half } of panels) {
      const over = overOf(half, RHO);
      const top = this.topWithin(c, left - over, left + 2 * half + over, angle);
      sum = logSum(sum, top + growth + logRuleError(half, RHO, this.size) + 1e-9);
    }
    return sum;
  }

  /**
   * Panel k as `parts` equal ones, a power of 2, on which the rule errs together by at most e^{limit} for φu^{c + iτ}, |τ| ≤ tau; undefined where that takes too many. Their
   * ellipses stay within the reach and the height of the panel's own first one, on which φ|u|^c is at most e^{top}.
   *
   * @param top That of `topsOff`.
   */
  partsOf(
    k: number,
    tau: number,
    top: number,
    limit: number,
  ): { parts: number; logError: number } | undefined {
    const { mu, q } = this;
    const { left, half } = this.panel(k);
    const height = ellipseHeight(half, RHO);
    const over = overOf(half, RHO);
    for (let parts = 1; parts <= MOST_PARTS; parts *= 2) {
      let logError = Infinity;
      for (const rho of RHOS) {
        const [own, reach] = [ellipseHeight(half / parts, rho), overOf(half / parts, rho)];
        if (own > height || reach > over) break;
        const turn = tau * largestArgument(mu, q, left + 2 * half + reach, mu * own);
        logError = Math.min(logError, this.errorBy(rho, half, half / parts, top + turn));
      }
      if (logError <= limit) return { parts, logError };
    }
    return undefined;
  }
}

/** Copies the rows of some nodes to those of more, from place `at` on. */
function copyRows(from: Float64Array, to: Float64Array, at: number): void {
  const [n, stride] = [from.length / PANEL_ROWS, to.length / PANEL_ROWS];
  for (let i = 0; i < PANEL_ROWS; i++) to.set(from.subarray(i * n, (i + 1) * n), i * stride + at);
}

const tables = new WeakMap<Rule, Float64Array>();

/** A rule as the kernel takes it. */
function tableOf(rule: Rule): Float64Array {
  let table = tables.get(rule);
  if (table === undefined) {
    table = Float64Array.of(...rule.node, ...rule.complement, ...rule.weight);
    tables.set(rule, table);
  }
  return table;
}
