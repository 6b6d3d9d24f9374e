import type { Kernel } from '../../../kernel/kernel.js';
import { KernelTable, PANEL_ROWS } from '../../../kernel/kernel-table.js';
import type { PanelTilt } from '../../../kernel/loops.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { ellipseHeight, logRuleError } from '../../../numeric/bernstein-ellipse.js';
import { HALF_LOG_2PI, INVERSE_PI, U } from '../../../numeric/constants.js';
import { gaussLegendre, type Rule } from '../../../numeric/gauss-legendre.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { free } from '../../../numeric/meter.js';
import { log, log1p, sinPi } from '../../../numeric/scalar.js';
import { cosine, type SampledStep } from './gaussian-range.js';
import { bigShare, gainOf, largestArgument } from './off-axis.js';
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
/** Longest panels that are counted: more serve no sum. */
const MOST_COUNTED = 2 ** 12;
const FEWEST_NODES = 8;
const MOST_NODES = 32;

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
  private readonly panels: Panel[] = [];
  private made: KernelTable | undefined;
  /** The angle that the first ellipses of the longest panels reach. */
  readonly angle: number;
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

  /** How many panels reach from the cut to `from`; ∞ where they are too many to be counted. */
  countTo(from: number): number {
    if (!(this.cut - from <= 2 * this.half * MOST_COUNTED)) return Infinity;
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

  /** Rows of the kernel's `panelMesh`, of the panels 0 … last or more. */
  through(last: number): KernelTable {
    const { made, size } = this;
    if (made !== undefined && made.values.length >= PANEL_ROWS * size * (last + 1)) return made;
    const panels = Array.from({ length: last + 2 }, (_, k) => this.panel(k));
    this.made = this.place(panels);
    return this.made;
  }

  /** Rows of the kernel's `panelMesh` for panels, which stand from right to left. */
  place(panels: readonly Panel[]): KernelTable {
    const { mu, q, kernel, rule } = this;
    const ends = Float64Array.from(panels.flatMap(({ left, half }) => [left, half]));
    const sine = sinPi((this.angle / 2) * INVERSE_PI);
    // the sums over it cost more
    return free(() => new KernelTable(kernel.panelMesh(mu, q, ends, tableOf(rule), sine * sine), PANEL_ROWS));
  }

  /** A bound of |(log φu^c)″| for outputs up to x: y″ = μ²w(1 − w), w = B/(A + B), rises to μ²/4 where w is ½. Only c < 0 counts: then y bends against φ. */
  private bend(c: number, x: number): number {
    if (c >= 0) return 1;
    const { mu, q } = this;
    const big = Math.min(0.5, 1.000001 * bigShare(mu, q, x));
    return 1 - c * mu * mu * big * (1 - big);
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
   * K = 1 + max(0, −c)·max y″, log φu^c + Kx²/2 is convex (`bend`), so that between two points log φu^c is at most K·gap²/8 above the larger of its
   * values there. φu^c is to rise up to the left end of the last panel.
   *
   * `off`: of φ|u|^c, |u| taken at the largest angle θ that a first ellipse reaches. For c ≥ 0 that is no larger; for c < 0 log|u| bends by at most y″/cos²(θ/2) there.
   */
  tops(c: number, last: number): Tops {
    const found = this.kernel.panelTops(this.through(last), this.size, last + 1, c);
    const on = this.topsFrom(found.subarray(0, last + 1), c, 0);
    if (c >= 0) return { on, off: on };
    const second = found.length / 2;
    return { on, off: this.topsFrom(found.subarray(second, second + last + 1), c, this.angle) };
  }

  /** @param own The largest values at the nodes of each panel. */
  private topsFrom(own: Float64Array, c: number, angle: number): Float64Array {
    const { firstHalf } = this;
    const last = own.length - 1;
    const heightAt = (x: number): number => c * this.lossAt(x) + gainOf(this, c, angle, x, x) - (x * x) / 2;
    const over = overOf(firstHalf, RHO);
    own[0] = Math.max(own[0], heightAt(this.cut + over));
    const { left, half } = this.panel(last);
    const loss = this.lossAt(left);
    // further to the left φu^c is smaller
    own[last] = Math.max(own[last], c * loss - (left * left) / 2 + gainOf(this, c, angle, -Infinity, left));
    const turned = cosine(angle / 2);
    // the last node lies within a gap of the cut
    const gap = Math.max(2 * half * this.widest, over + 2 * firstHalf * this.widest);
    const largest = Math.max(Math.abs(this.lossAt(this.cut)), Math.abs(loss));
    const rounding = 1e-9 + 64 * U * (Math.abs(c) * largest + this.cut * this.cut + left * left);
    return own.map((top, k) => {
      const around = this.panel(Math.max(0, k - 1));
      const bend = this.bend(c / (turned * turned), around.left + 2 * around.half + over);
      const most = (bend * gap * gap) / 8 - HALF_LOG_2PI + rounding;
      return Math.max(top, own[Math.max(0, k - 1)], own[Math.min(last, k + 1)]) + most;
    });
  }

  /** What cells and parts of the law take from the panels: see the kernel's `tiltedPanels`. @param top Of the whole law. */
  tiltAt(
    c: number,
    top: number,
    { unit, steepness, wanted }: Pick<PanelTilt, 'unit' | 'steepness' | 'wanted'>,
  ): PanelTilt {
    const { mu, q, cut, firstHalf, widest } = this;
    const gap = 2 * firstHalf * widest;
    const bend = this.bend(c, cut);
    const edge = c * this.lossAt(cut) - (cut * cut) / 2 - top + (bend * gap * gap) / 8;
    const drift = (mu * mu) / 2 + log1p(-q) - log(q);
    return { top, mu, drift, cut, edge, unit, steepness, wanted };
  }

  /** log of what the rule errs by for φu^c on the panels 0 … last together, by their first ellipses. @param off Those of `tops`. */
  errorUpTo(last: number, off: Float64Array): number {
    const width = this.cut - this.panel(last).left;
    return this.errorBy(RHO, width / 2, this.half, largestOf(off));
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
   * @param top That of `tops` off the axis.
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

/** log of the largest φu^c on each panel and what its first ellipse covers, and of φ|u|^c off the axis. */
export interface Tops {
  readonly on: Float64Array;
  readonly off: Float64Array;
}

export function largestOf(logs: Float64Array): number {
  let top = -Infinity;
  for (const one of logs) top = Math.max(top, one);
  return top;
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
