import type { Kernel } from '../../../kernel/kernel.js';
import {
  KernelTable,
  MODULUS_ROWS,
  PATH_ROWS,
  POINT_ROWS,
  POINT_SUMS,
} from '../../../kernel/kernel-table.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Recent } from '../../../numeric/recent.js';
import { cosPi, exp, log, log1p, sinPi } from '../../../numeric/scalar.js';
import { bigShare } from './off-axis.js';
import type { OutputPanels } from './output-panels.js';
import { sumsOnPanels } from './path-sums.js';
import {
  alongChords,
  type CutOutputs,
  lossAt,
  type PathNodes,
  pathFor,
  shiftFor,
  type TiltedNodes,
  type TiltedPath,
  tiltedNodes,
} from './shifted-cut.js';
import type { Cumulant, Decay, LogPhiLine, PanelLaw, Points } from './spectral-law.js';
import { logarithms } from './weighted-losses.js';

/** Terms below e^{this} of M(c) are left out, and counted as that. */
const FLOOR = -55;
/** Shifts are at most this many units of 1/√steps, for ∏|M̃| gains e^{a²/2} a step. Speed alone hangs on it. */
const MOST_SHIFT = 4;
/** What bounds by the path may be above those by M's own size, over all steps. Speed alone hangs on it. */
const MOST_GAIN = 4;
/** Distances from a line's tilt at which M is known, between which its chords bound it: steps of this ratio. */
const LOG_LADDER = 0.35;
/** Cells on which the slope of the path is bounded, and the share of A below which B counts as small. */
const CELLS = 512;
const SMALL = 1e-3;
/** Bounds kept of one path; only speed hangs on it. */
const KEPT_BOUNDS = 4096;
/** Outputs on a path, at most. */
const MAX_OUTPUTS = 4096;
/** Frequencies times outputs that points, and lines, may cost. */
const MAX_TURNS = 2e7;

/**
 * M̃(z) = ∫ φu^z over outputs x + ia, x ≤ X: M without the leg of its path from X + ia down to the cut X, where φu^z turns like u(X)^{iτ} on and on.
 *
 * On the path α = arg u ∈ [0, π/2) and |u| ≥ 1 − q, both rising with x (cos μa ≥ 0). With κ ≥ log|u|/α wherever |u| > 1, z = c + d + iτ:
 *   |u^z| = |u|^c |u|^d e^{−τα} ≤ |u|^c e^{−(τ − |d|κ)α}·(1 for d ≥ 0, (1 − q)^d for d < 0),
 * so that |M̃(z)| ≤ B(τ − |d|κ)·max(1, (1 − q)^d), B(τ) = ∫ |φu^c| e^{−τα}. The leg: at most a·max |φu^c| there, and as α(y) ≥ y·min(α′(0), α(a)/a)
 * at most 1/(τ·rate) of it.
 */
export function pathLaw(
  kernel: Kernel,
  law: {
    cumulant(c: number, count: number): Cumulant;
    beyond: Decay['beyond'];
  },
  outputs: CutOutputs,
  steps: number,
): PanelLaw | undefined {
  const { layout, c, logM } = outputs;
  const { q } = layout;
  const a = shiftFor(layout, c, MOST_SHIFT / Math.sqrt(steps));
  const path = pathFor(outputs, a);
  if (path === undefined || path.nodes.loss.length > MAX_OUTPUTS) return undefined;
  const nodes = tiltedNodes(path.nodes, outputs);
  const { angle } = path.nodes;
  const steepest = steepestOn(layout, a);
  const leg = legOn(outputs, a);
  const bound = modulusBound(kernel, path, nodes);
  const ladder = new Recent<number, number>(KEPT_BOUNDS);
  const rung = (k: number, side: 1 | -1): number =>
    ladder.of(2 * k + (side < 0 ? 1 : 0), () => {
      const { value, error } = law.cumulant(c + side * exp(k * LOG_LADDER), 1);
      return value < Infinity ? value + error : Infinity;
    });
  // log M is convex: between two rungs it is at most their chord
  const logMAt = (b: number, side: 1 | -1): number => {
    const k = Math.floor(log(b) / LOG_LADDER);
    const [low, high] = [exp(k * LOG_LADDER), exp((k + 1) * LOG_LADDER)];
    const share = Math.min(1, Math.max(0, (b - low) / (high - low)));
    const chord = rung(k, side) * (1 - share) + rung(k + 1, side) * share;
    return chord + 1e-13 * (1 + Math.abs(chord));
  };
  // |M̃| ≤ M + |leg|; below the axis the leg grows like its largest angle, that at X + ia
  const onAxis = (at: number, logMass: number, growth = 0): number =>
    logMass < Infinity ? logSum(logMass, leg.log(at) + growth) - logM.value + logM.error + 1e-12 : Infinity;
  return {
    points: (at, count) =>
      at.tau.length * angle.length > MAX_TURNS
        ? undefined
        : pointsOn(kernel, path.nodes, outputs, path, at, count),
    line: (panels, count) => {
      const size = panels.reduce((sum, { offsets }) => sum + offsets.length, 0);
      if (size * angle.length > MAX_TURNS) return undefined;
      const terms = { ...nodes, loss: path.nodes.loss, angle };
      const { re, im, wrong, missing } = sumsOnPanels(kernel, terms, panels, path.outside);
      // |M̃| may be above M
      return logarithms(re, im, wrong, new Float64Array(size).fill(missing), count);
    },
    within: (b, tau) => {
      const off = tau - b * steepest;
      const above = off > 0 ? bound(off) : Infinity;
      const below = above - b * log1p(-q) * (1 + 1e-12);
      if (above < MOST_GAIN / steps) return [above, below];
      // nearer the axis M's own size may be the better bound, and costs more
      const axis = [onAxis(c + b, logMAt(b, 1)), onAxis(c - b, logMAt(b, -1))] as const;
      return axis[0] + axis[1] < above + below ? axis : [above, below];
    },
    along: (tilt, height) => {
      const { value, error } = law.cumulant(tilt, 1);
      return onAxis(tilt, value + error, height * leg.angle);
    },
    beyond: (from) => {
      const own = law.beyond(from);
      if (!(own.power > 0)) return { log: 0, power: 0 };
      const rest = leg.log(c) - logM.value + logM.error - log(from * leg.rate);
      return { log: logSum(own.log, rest) + 1e-12, power: Math.min(1, own.power) };
    },
    gap: (at) => ({ log: leg.log(at), rate: leg.rate }),
  };
}

/** log B(τ) over M(c), τ ≥ 0: it bounds |M̃| there and wherever τ is larger. */
function modulusBound(
  kernel: Kernel,
  path: TiltedPath,
  { size, fixed }: TiltedNodes,
): (tau: number) => number {
  const { angle } = path.nodes;
  // what the nodes and M(c) are known to; the rest of a node's error is far below 1e-9
  const doubt = fixed.reduce((most, one) => Math.max(most, one), 0) + 1e-9;
  const rows = new Float64Array(MODULUS_ROWS * (angle.length + (angle.length & 1))).fill(FLOOR);
  rows.set(size);
  rows.fill(0, rows.length / 2);
  rows.set(angle, rows.length / 2);
  const moduli = new KernelTable(rows);
  const known = new Recent<number, number>(4096);
  return (tau) =>
    known.of(tau, () => {
      const [sum] = kernel.modulusSums(moduli, Float64Array.of(tau), FLOOR);
      return log(sum + path.outside + angle.length * exp(FLOOR)) + doubt;
    });
}

/** log of a bound of |M(c + iτ)|/M(c) for every larger τ: the path's, and all of its leg. Undefined where the path is too long. */
export function pathBound(kernel: Kernel, outputs: CutOutputs): ((tau: number) => number) | undefined {
  const { layout, c, logM } = outputs;
  const a = shiftFor(layout, c, Infinity);
  const path = pathFor(outputs, a);
  if (path === undefined || path.nodes.loss.length > MAX_OUTPUTS) return undefined;
  const bound = modulusBound(kernel, path, tiltedNodes(path.nodes, outputs));
  const leg = legOn(outputs, a).log(c) - logM.value + logM.error + 1e-9;
  return (tau) => Math.min(0, logSum(bound(tau), leg) + 1e-12);
}

/**
 * The largest log|u|/α where |u| > 1, rounded up. Both rise with x, so that on a cell the quotient of opposite ends bounds it. Where B ≤ A/1000,
 * log|u| ≤ (|u|² − 1)/2 ≤ B cos θ + B²/2 and tan α ≥ B sin θ/(1 + B), so that it is at most (cos θ + B)(1 + 2B)/sin θ.
 */
function steepestOn({ mu, q, cut }: OutputPanels, a: number): number {
  const small = SMALL * Math.min(1 - q, 1e3);
  // s = log(B/q) at the cut, and where B is small
  const high = mu * cut - (mu * mu) / 2;
  const low = Math.min(high, log(Math.max(small, 1e-300) / q));
  const at = (s: number): { loss: number; angle: number } => lossAt(mu, q, (s + (mu * mu) / 2) / mu, a);
  const turn = mu * a * INVERSE_PI;
  let most = ((cosPi(turn) + small) * (1 + 2 * small)) / sinPi(turn);
  let left = at(low);
  for (let i = 1; i <= CELLS; i++) {
    const right = at(low + ((high - low) * i) / CELLS);
    if (right.loss > 0) most = Math.max(most, right.loss / left.angle);
    left = right;
  }
  return most * (1 + 1e-9);
}

/** The leg from X + ia to X at a real tilt. */
function legOn(
  { layout }: CutOutputs,
  a: number,
): { log: (c: number) => number; rate: number; angle: number } {
  const { mu, q, cut } = layout;
  const big = bigShare(mu, q, cut);
  const { angle } = lossAt(mu, q, cut, a);
  return {
    log: (c) => log(1.01 * a) + layout.topWithin(c, cut - 1e-6, cut, mu * a) + (a * a) / 2,
    rate: 0.99 * Math.min(mu * big, angle / a) * a,
    angle: angle * (1 + 1e-9),
  };
}

/** count·log(M̃(z)/M(c)) at points of ascending τ, each sum in units of its largest term or of M(c). */
function pointsOn(
  kernel: Kernel,
  { loss, angle, lossError, logWeight, turn, blur }: PathNodes,
  outputs: CutOutputs,
  { outsideAt }: TiltedPath,
  { tilt, tau }: Points,
  count: number,
): LogPhiLine {
  const { c, logM } = outputs;
  const n = tau.length;
  const m = loss.length;
  const unit = new Float64Array(n);
  const missing = new Float64Array(n);
  const outside = alongChords(outsideAt, tilt);
  for (let k = 0; k < n; k++) {
    unit[k] = logM.value;
    if (tilt[k] !== c) {
      let top = -Infinity;
      for (let j = 0; j < m; j++) top = Math.max(top, logWeight[j] + tilt[k] * loss[j] - tau[k] * angle[j]);
      unit[k] = top;
    }
    missing[k] = exp(outside[k] - unit[k]) + m * exp(FLOOR);
  }
  // of the weight, the exponent and the phase; a node's place is good to 2u of τ, or of its tilt
  const room = m + (m & 1);
  const path = new Float64Array(PATH_ROWS * room);
  const own = blur.map((error, j) => error + U * (232 + m / 32 + 4 * Math.abs(turn[j])));
  const sliding = lossError.map((error, j) => 2 * error + 12 * U * (Math.abs(loss[j]) + angle[j]));
  for (const [i, row] of [loss, angle, logWeight, turn, own, sliding].entries()) path.set(row, i * room);
  // an output more, of no weight, where their number is odd
  if (room > m) path[3 * room - 1] = -Infinity;
  const points = new Float64Array(POINT_ROWS * n);
  for (const [i, row] of [tilt, tau, unit, unit.map((x) => 4 * U * Math.abs(x))].entries())
    points.set(row, i * n);
  const sums = kernel.pathPoints(new KernelTable(path), points, FLOOR);
  const [re, im, wrong] = [0, 1, 2].map((i) => unit.map((_, k) => sums[POINT_SUMS * k + i]));
  const line = logarithms(
    re.map((x) => x - 1),
    im,
    wrong,
    missing,
    count,
  );
  for (let k = 0; k < n; k++) {
    const shift = count * (unit[k] - logM.value);
    line.logModulus[k] += shift;
    line.error[k] += count * (logM.error + 2 * U * (Math.abs(unit[k]) + Math.abs(logM.value)));
  }
  return line;
}
