import type { Kernel } from '../../../kernel/kernel.js';
import { CONTOUR_ROWS, KernelTable } from '../../../kernel/kernel-table.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log, sinPi } from '../../../numeric/scalar.js';
import type { NodePanel } from '../step/path-sums.js';
import type { LogPhiLine, PanelLaw } from '../step/spectral-law.js';
import type { Answer, Line } from './contour.js';
import type { CountedSpectrum, LinePlan, RealAxis, Saddle } from './contour-plan.js';
import { addLines, type Functional } from './line-table.js';
import { gapAt, layPanels, type PanelLayout, type PanelRun, panelRun } from './panel-plan.js';
import { type NodeWeights, nodeWeights, ORDER } from './prepared-line.js';

/** Sums of a line kept, by x; only speed hangs on it. */
const KEPT_SUMS = 512;

/**
 * One vertical line Re z = c under Gauss–Legendre panels, for the x of one window, and for M̃ in place of M:
 *   δ(x) = (1/π) ∫_0^∞ Re[M̃(z) e^{−(z−1)x}/(z(z−1))] dτ within `gapAt`; TPR and FPR have 1/(z−1), and 1/z with e^{−zx}.
 */
export class PanelLine implements Line {
  readonly window = 0;
  private readonly table: KernelTable;
  private readonly known = new Recent<number, Float64Array>(KEPT_SUMS);

  private constructor(
    private readonly kernel: Kernel,
    readonly saddle: Saddle,
    private readonly layout: PanelLayout,
    private readonly weights: NodeWeights,
    nodes: Float64Array,
    private readonly segment: Segment,
    private readonly run: PanelRun,
  ) {
    this.table = new KernelTable(nodes);
  }

  /** The line of a plan; undefined where it would have too many nodes, or a law has none. */
  static on(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    axis: RealAxis,
    plan: LinePlan,
  ): PanelLine | undefined {
    const c = 1 + plan.saddle.s;
    const run = panelRun(laws, axis, c);
    const layout = run && layPanels(run, plan);
    if (run === undefined || layout === undefined) return undefined;
    const nodes = nodesOf(layout);
    const points = { tau: nodes.tau, tilt: nodes.tau.map(() => c) };
    const line = composed(run, (law, count) =>
      law.line ? law.line(nodes.panels, count) : law.points(points, count),
    );
    const segment = segmentOf(run, layout);
    if (line === undefined || segment === undefined) return undefined;
    const weights = nodeWeights(line, c, nodes);
    const n = nodes.tau.length;
    const table = new Float64Array(CONTOUR_ROWS * n);
    table.set(nodes.tau.map((tau) => tau * INVERSE_PI));
    table.set(weights.rows, n);
    return new PanelLine(kernel, plan.saddle, layout, weights, table, segment, run);
  }

  answer(functional: Functional, x: number): Answer {
    const { layout, weights, run } = this;
    const f = ORDER.indexOf(functional);
    const a = functional === 'falsePositive' ? 0 : 1;
    const { c } = run;
    const cumulant = run.axis.at(c);
    const base = cumulant.value - (c - a) * x;
    const baseError =
      cumulant.error +
      U * (3 * Math.abs(cumulant.value) + 4 * Math.abs((c - a) * x) + 2 * Math.abs(base) + 8);
    const inside = x >= layout.window[0] && x <= layout.window[1];
    const rules = functional === 'delta' ? layout.delta : layout.rate;
    const quadrature = weights.quadrature[f] + (inside ? Math.max(...rules) : Infinity);
    const truncation = functional === 'delta' ? layout.beyondDelta : layout.beyondRate;
    const onAxis = segmentSum(this.segment, functional, c, x);
    const value = this.sums(x)[f] + onAxis.sum;
    const rounding =
      weights.fixed[f] + Math.abs(x) * weights.sliding[f] + onAxis.roundOff + 8 * U * Math.abs(value);
    const gap = gapAt(layout.gap, functional, x, base) * exp(baseError);
    const doubt = rounding + quadrature + onAxis.quadrature + truncation + gap;
    const [low, high] = [value - doubt, value + doubt];
    // no sum says that δ is 0: what is not positive, or not a number, says nothing
    const upper = high > 0 && baseError < Infinity ? base + log(high) + baseError : Infinity;
    const lower = low > 0 ? base + log(low) - baseError : -Infinity;
    const size = Math.max(low, 1e-300);
    return {
      lower: Math.min(lower, upper),
      upper,
      budget: {
        aliasing: 0,
        truncation: (truncation + gap) / size,
        quadrature: quadrature / size,
        roundOff: rounding / size + baseError,
        smoothing: 0,
        nodes: layout.nodes,
      },
    };
  }

  private sums(x: number): Float64Array {
    return this.known.of(x, () => this.kernel.contourSums(this.table, Float64Array.of(x)));
  }
}

/** All frequencies of the panels, ascending, with the weights of ∫/π. */
function nodesOf({ panels }: PanelLayout): { tau: Float64Array; unit: Float64Array; panels: NodePanel[] } {
  const n = panels.reduce((sum, { rule }) => sum + rule.node.length, 0);
  const tau = new Float64Array(n);
  const unit = new Float64Array(n);
  const shapes = new Map<string, Float64Array>();
  let at = 0;
  const made = panels.map(({ from, half, rule }) => {
    const shape = `${half}/${rule.node.length}`;
    const offsets = shapes.get(shape) ?? rule.node.map((x) => 2 * half * x);
    shapes.set(shape, offsets);
    for (let i = 0; i < offsets.length; i++, at++) {
      tau[at] = from + offsets[i];
      unit[at] = 2 * half * rule.weight[i] * INVERSE_PI;
    }
    return { from, offsets };
  });
  return { tau, unit, panels: made };
}

/** log of ∏ M̃_j^{T_j}/M(c) from that of each law. */
function composed(
  { laws }: PanelRun,
  each: (law: PanelLaw, count: number) => LogPhiLine | undefined,
): LogPhiLine | undefined {
  let sum: LogPhiLine | undefined;
  for (const { law, count } of laws) {
    const line = each(law, count);
    if (line === undefined) return undefined;
    sum = sum === undefined ? line : addLines(sum, line);
  }
  return sum;
}

/** The nodes on the real axis: tilts, the weights of ∫/π, and log of ∏ M̃_j^{T_j}/M(c). */
interface Segment {
  readonly tilt: Float64Array;
  readonly unit: Float64Array;
  readonly values: LogPhiLine;
}

function segmentOf(run: PanelRun, { segment }: PanelLayout): Segment | undefined {
  const tilts: number[] = [];
  const units: number[] = [];
  for (const { from, half, rule } of segment)
    for (let i = 0; i < rule.node.length; i++) {
      tilts.push(from + 2 * half * rule.node[i]);
      units.push(2 * half * rule.weight[i] * INVERSE_PI);
    }
  const tilt = Float64Array.from(tilts);
  const axis = { tilt, tau: new Float64Array(tilts.length) };
  const values = composed(run, (law, count) => law.points(axis, count));
  return values && { tilt, unit: Float64Array.from(units), values };
}

/** (1/π) ∫ Im ∏ M̃_j^{T_j} e^{−(t−c)x} r(t) dt over M(c). */
function segmentSum(
  { tilt, unit, values }: Segment,
  functional: Functional,
  c: number,
  x: number,
): { sum: number; roundOff: number; quadrature: number } {
  let sum = 0;
  let roundOff = 0;
  let quadrature = 0;
  for (let k = 0; k < tilt.length; k++) {
    const t = tilt[k];
    const r = functional === 'delta' ? t * (t - 1) : functional === 'power' ? t - 1 : t;
    const size = (unit[k] / r) * exp(values.logModulus[k] - (t - c) * x);
    const own =
      values.error[k] + U * (80 + tilt.length + 4 * Math.abs(t * x) + 3 * Math.abs(values.phase[k]));
    const sound = own + values.quadrature[k] < 0.4;
    if (sound) sum += size * sinPi(values.phase[k] * INVERSE_PI);
    roundOff += size * (sound ? 1.3 * own : own < Infinity ? 1 + exp(own + values.quadrature[k]) : 2.1);
    if (sound) quadrature += size * 1.3 * values.quadrature[k];
  }
  return { sum, roundOff, quadrature };
}
