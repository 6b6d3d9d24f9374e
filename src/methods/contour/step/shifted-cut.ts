import { rowsOf } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { ellipseHeight, ellipseReach, logRuleError } from '../../../numeric/bernstein-ellipse.js';
import { HALF_LOG_2PI, U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, log } from '../../../numeric/scalar.js';
import { gainOf, growthNear, logBefore } from './off-axis.js';
import { densityError, type OutputPanels } from './output-panels.js';
import { type Panel, RHO } from './panel-grading.js';
import { type PathSums, sumsAlong } from './path-sums.js';
import type { Cumulant } from './spectral-law.js';

/** Nodes of one path at most; beyond them there is none. Only speed hangs on it. */
const MAX_NODES = 2 ** 14;
/** Ellipses come no nearer to Im x = π/μ, where the loss is singular, than this. */
const WIDEST = 0.94;

/** Outputs x + iy on a path off the real axis. */
export interface PathNodes {
  /** log|u| and α = arg u; the absolute error of either. */
  readonly loss: Float64Array;
  readonly angle: Float64Array;
  readonly lossError: Float64Array;
  /** log of |weight·φ|, the phase of weight·φ and the relative error of both. */
  readonly logWeight: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
}

/** The outputs of a cut step: panels along the real axis, and the range that matters to a tilt. */
export interface CutOutputs {
  readonly layout: OutputPanels;
  readonly c: number;
  /** The first output that counts. */
  readonly from: number;
  /** log of a bound of the integral of φu^c over the outputs behind the panels, where they are not cut. */
  readonly behind: number | undefined;
  readonly logM: Pick<Cumulant, 'value' | 'error'>;
}

/** A path for a tilt, and a bound of what its nodes leave out, over M(c). */
export interface TiltedPath {
  readonly nodes: PathNodes;
  readonly outside: number;
}

/**
 * The path from left to right along Im x = a, and from there down to the cut in panels that serve frequencies up to `leg`; without one where `leg` is undefined or nothing is cut. M(z) is
 * the integral over both: φ u^z is analytic in between, and what it has before the first output is bounded as on the axis.
 *
 * On ellipses of height b ≤ a around a panel of the path α ≥ 0, so that the integrand is at most e^{(a + b)²/2} k(μ(a + b)) max φu^c whatever τ ≥ 0.
 */
export function pathFor(
  kernel: Kernel,
  outputs: CutOutputs,
  a: number,
  leg?: number,
): TiltedPath | undefined {
  const { layout, c, logM } = outputs;
  const { mu, q, size } = layout;
  if (2 * a * mu > WIDEST * Math.PI) return undefined;
  const longest = Math.min(layout.half, a / ellipseHeight(1, RHO));
  if (!((layout.cut - outputs.from) * size <= 2 * longest * MAX_NODES)) return undefined;
  const panels = layout.panelsTo(outputs.from, longest);
  const left = panels[panels.length - 1].left;
  const end = (logMass: number, from: number, to: number): number =>
    logMass + (a * a) / 2 + gainOf(layout, c, mu * a, from, to) + 0.01;
  const { behind } = outputs;
  let rest = logSum(
    layout.logRuleError(panels, c, 2 * a * a, 2 * mu * a),
    end(logBefore(mu, q, left, c), -Infinity, left),
  );
  if (behind !== undefined) rest = logSum(rest, end(behind, layout.cut, Infinity));
  const steps =
    leg === undefined || behind !== undefined ? { panels: [], error: 0 } : legPanels(outputs, a, leg);
  const outside = exp(rest - logM.value) + steps.error;
  const count = (panels.length + steps.panels.length) * size;
  if (!(count <= MAX_NODES)) return undefined;
  const placed = emptyPath(count);
  let at = 0;
  for (const panel of panels) at = placeOn(layout, placed, at, panel, { place: (t) => [t, a], turn: 0 });
  // downwards: dx = −i dy
  for (const panel of steps.panels)
    at = placeOn(layout, placed, at, panel, { place: (t) => [layout.cut, t], turn: -Math.PI / 2 });
  // no panel is longer
  const half = Math.max(longest, a);
  const placing = { slope: 7, slack: 2 * mu * mu + 8 * mu * (half + a) + 8 };
  const [loss, angle, lossError] = rowsOf(kernel.turnedLosses(mu, q, placed.x, placed.y, placing), 3);
  return { nodes: { loss, angle, lossError, ...placed }, outside };
}

/**
 * The leg from the cut upwards in panels [0, y], [y, 2y], [2y, 4y] …, y = `first`. Around all but the first the ellipse stays above the axis; around the first it
 * goes below it by less than y·0.35, where |u^{iτ}| ≤ e^{τμ|Im x|}: `first` is to be about 4/(τμ).
 */
function legPanels(
  { layout, c, logM }: CutOutputs,
  a: number,
  tau: number,
): { panels: Panel[]; error: number } {
  const panels: Panel[] = [];
  const first = Math.min(a, 4 / (tau * layout.mu));
  let error = 0;
  for (let low = 0; low < a; ) {
    const high = low === 0 ? first : Math.min(a, 2 * low);
    const half = (high - low) / 2;
    const height = ellipseHeight(half, RHO);
    const reach = low + half + ellipseReach(half, RHO);
    const dip = low === 0 ? tau * layout.mu * 0.35 * high : 0;
    const angle = layout.mu * reach;
    const growth = angle < WIDEST * Math.PI ? (reach * reach) / 2 + dip : Infinity;
    const top = layout.topWithin(c, layout.cut - height, layout.cut + height, angle);
    error += exp(top + growth + logRuleError(half, RHO, layout.size) - logM.value + 1e-9);
    panels.push({ left: low, half });
    low = high;
  }
  return { panels, error };
}

/** Outputs x + iy on a path, and what hangs on their places alone. */
interface PlacedNodes extends Pick<PathNodes, 'logWeight' | 'turn' | 'blur'> {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

function emptyPath(n: number): PlacedNodes {
  const array = (): Float64Array => new Float64Array(n);
  return { x: array(), y: array(), logWeight: array(), turn: array(), blur: array() };
}

/** The nodes of a panel of the path, from `at` on. @param turn The phase of the path's direction. */
function placeOn(
  { rule, size }: OutputPanels,
  into: PlacedNodes,
  at: number,
  { left, half }: Panel,
  { place, turn }: { place: (t: number) => readonly [number, number]; turn: number },
): number {
  for (let i = 0; i < size; i++, at++) {
    const [x, y] = place(left + 2 * half * rule.node[i]);
    into.x[at] = x;
    into.y[at] = y;
    into.logWeight[at] = log(2 * half * rule.weight[i]) - HALF_LOG_2PI - (x * x - y * y) / 2;
    into.turn[at] = turn - x * y;
    into.blur[at] = 2 * densityError(Math.abs(x) + y, half) + 40 * U;
  }
  return at;
}

/** Shares of π/μ that lines are shifted by. */
const LINE_SHIFTS = [0.03, 0.08, 0.15, 0.25, 0.35, 0.43] as const;
/** What the integrand may gain on the ellipses around a line's path, in logarithms. */
const MOST_GROWTH = 4;
/** A path with its tilt: everything that sums over it need. */
export interface TiltedNodes {
  /** log of |weight·φu^c|/M(c), its phase and its relative error. */
  readonly size: Float64Array;
  readonly turn: Float64Array;
  readonly fixed: Float64Array;
  /** Error of the phase and of the logarithm for each unit of τ. */
  readonly sliding: Float64Array;
}

export function tiltedNodes(
  { loss, angle, lossError, logWeight, turn, blur }: PathNodes,
  { c, logM }: CutOutputs,
): TiltedNodes {
  const n = loss.length;
  const made = {
    size: new Float64Array(n),
    turn: new Float64Array(n),
    fixed: new Float64Array(n),
    sliding: new Float64Array(n),
  };
  for (let j = 0; j < n; j++) {
    made.size[j] = logWeight[j] + c * loss[j] - logM.value;
    const start = c * angle[j] + turn[j];
    made.turn[j] = start;
    made.fixed[j] =
      blur[j] +
      U * (3 * Math.abs(c * loss[j]) + 3 * Math.abs(logM.value) + 3 * Math.abs(c * angle[j])) +
      U * (2 * Math.abs(start) + 200 + n) +
      2 * Math.abs(c) * lossError[j] +
      logM.error;
    made.sliding[j] = 2 * lossError[j] + 4 * U * (Math.abs(loss[j]) + angle[j]);
  }
  return made;
}

/** The largest shift at which ellipses cost few digits: far off the axis panels are long and far outputs count little. */
export function shiftFor({ mu, q }: OutputPanels, c: number): number {
  const shifts = LINE_SHIFTS.map((share) => Math.min((share * Math.PI) / mu, 16 * share));
  const fits = (shift: number): boolean =>
    2 * shift * shift + growthNear(mu, q, c, 2 * mu * shift) < MOST_GROWTH;
  return shifts.findLast(fits) ?? shifts[0];
}

/** φ at τ = k·dTau, k = 0 … n − 1; undefined where that takes too much. */
export function pathSums(
  kernel: Kernel,
  outputs: CutOutputs,
  at: { dTau: number; n: number },
): PathSums | undefined {
  const path = pathFor(kernel, outputs, shiftFor(outputs.layout, outputs.c), at.dTau * at.n);
  if (path === undefined) return undefined;
  const { loss, angle } = path.nodes;
  return sumsAlong(kernel, { loss, angle, ...tiltedNodes(path.nodes, outputs) }, at, path.outside);
}
