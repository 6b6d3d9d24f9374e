import { atan2, cosPi, exp, log, logModulus1p, sinPi } from '../../../numeric/scalar.js';
import { densityError, gainOf, heightOf, type OutputPanels, type Panel, RHO } from './output-panels.js';
import type { Cumulant } from './spectral-law.js';

const U = 2 ** -53;
const PI = 3.141592653589793;
const INVERSE_PI = 0.3183098861837907;
const LOG_SQRT_2PI = 0.9189385332046728;
const MAX_NODES = 2 ** 14;
/** Ellipses come no nearer to Im x = π/μ, where the loss is singular, than this. */
const WIDEST = 0.94;

/** Outputs x + iy on a path off the real axis. */
export interface PathNodes {
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** log|u| and α = arg u; the absolute error of either. */
  readonly loss: Float64Array;
  readonly angle: Float64Array;
  readonly lossError: Float64Array;
  /** log of |weight·φ u^c|/M(c), the phase of weight·φ and the relative error of both. */
  readonly logSize: Float64Array;
  readonly turn: Float64Array;
  readonly blur: Float64Array;
  /** Bound of what the nodes leave out, over M(c). */
  readonly outside: number;
}

/** The outputs of a cut step: panels along the real axis, and the range that matters to a tilt. */
export interface CutOutputs {
  readonly layout: OutputPanels;
  readonly c: number;
  /** The first output that counts, and what lies before it (a logarithm). */
  readonly from: number;
  readonly logBefore: number;
  readonly logM: Pick<Cumulant, 'value' | 'error'>;
}

/** What `panels` err by altogether on Im x = a with ellipses that grow the integrand by e^{growth}. */
function ruleErrorOf({ layout, c, logM }: CutOutputs, panels: readonly Panel[], growth: number): number {
  const fall = 2 * layout.size * log(RHO) - 0.12;
  let sum = 0;
  for (const { left, half } of panels) {
    const over = (half * (RHO + 1 / RHO)) / 2 - half;
    const top = layout.topWithin(c, left - over, left + 2 * half + over);
    sum += exp(log((64 / 15) * half) + top + growth - fall - logM.value + 1e-9);
  }
  return sum;
}

/**
 * The path from left to right along Im x = a, and with `leg` from there down to the cut. M(z) is the integral over it: φ u^z is analytic in
 * between, and what it has before the first output is bounded as on the axis.
 *
 * On ellipses of height b ≤ a around a panel of the path α ≥ 0, so that the integrand is at most e^{(a + b)²/2} k(μ(a + b)) max φu^c whatever τ ≥ 0.
 */
export function pathNodes(outputs: CutOutputs, a: number, leg: number): PathNodes | undefined {
  const { layout, c, logBefore, logM } = outputs;
  const { mu, size } = layout;
  if (2 * a * mu > WIDEST * PI) return undefined;
  const panels = layout.panelsTo(outputs.from, Math.min(layout.half, a / heightOf(1, RHO)));
  const growth = 2 * a * a + gainOf(c, 2 * mu * a);
  const before = exp(logBefore - logM.value + (a * a) / 2 + gainOf(c, mu * a));
  let outside = ruleErrorOf(outputs, panels, growth) + 1.01 * before;
  const steps = legPanels(outputs, a, leg);
  outside += steps.error;
  const count = (panels.length + steps.panels.length) * size;
  if (!(count <= MAX_NODES)) return undefined;
  const nodes = emptyPath(count);
  let at = 0;
  for (const panel of panels) at = placeOn(outputs, nodes, at, panel, (t) => [t, a], 0);
  // downwards: dx = −i dy
  for (const panel of steps.panels) at = placeOn(outputs, nodes, at, panel, (t) => [layout.cut, t], -PI / 2);
  return { ...nodes, outside };
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
  const fall = 2 * layout.size * log(RHO) - 0.12;
  for (let low = 0; low < a; ) {
    const high = low === 0 ? first : Math.min(a, 2 * low);
    const half = (high - low) / 2;
    const height = heightOf(half, RHO);
    const reach = low + half + (half * (RHO + 1 / RHO)) / 2;
    const dip = low === 0 ? tau * layout.mu * 0.35 * high : 0;
    const top = layout.topWithin(c, layout.cut - height, layout.cut + height);
    const angle = layout.mu * reach;
    const growth = angle < WIDEST * PI ? (reach * reach) / 2 + gainOf(c, angle) + dip : Infinity;
    error += exp(log((64 / 15) * half) + top + growth - fall - logM.value + 1e-9);
    panels.push({ left: low, half });
    low = high;
  }
  return { panels, error };
}

function emptyPath(n: number): Omit<PathNodes, 'outside'> {
  const array = (): Float64Array => new Float64Array(n);
  return {
    x: array(),
    y: array(),
    loss: array(),
    angle: array(),
    lossError: array(),
    logSize: array(),
    turn: array(),
    blur: array(),
  };
}

/** The nodes of a panel of the path, from `at` on. */
function placeOn(
  { layout, c, logM }: CutOutputs,
  into: Omit<PathNodes, 'outside'>,
  at: number,
  { left, half }: Panel,
  place: (t: number) => readonly [number, number],
  turn: number,
): number {
  const { mu, q, rule, size } = layout;
  for (let i = 0; i < size; i++, at++) {
    const [x, y] = place(left + 2 * half * rule.node[i]);
    const { loss, angle, share, size: modulus } = lossAt(mu, q, x, y);
    into.x[at] = x;
    into.y[at] = y;
    into.loss[at] = loss;
    into.angle[at] = angle;
    const moved = 7 * Math.abs(mu * x) + 2 * mu * mu + 8 * mu * (half + y) + 8 + 8 / modulus;
    into.lossError[at] = U * (share * moved + 4 * Math.abs(loss) + 4 * angle);
    into.logSize[at] =
      log(2 * half * rule.weight[i]) - LOG_SQRT_2PI + c * loss - (x * x - y * y) / 2 - logM.value;
    into.turn[at] = turn - x * y;
    into.blur[at] =
      2 * densityError(Math.abs(x) + y, half) +
      U * (3 * Math.abs(c * loss) + 3 * Math.abs(logM.value) + 3 * Math.abs(c * angle) + 40);
  }
  return at;
}

/** log u at x + iy, 0 ≤ μy < π, with |B|/|u| and |u| (∞ where it is large). */
function lossAt(
  mu: number,
  q: number,
  x: number,
  y: number,
): { loss: number; angle: number; share: number; size: number } {
  const s = mu * x - (mu * mu) / 2;
  const cos = cosPi(mu * y * INVERSE_PI);
  const sin = sinPi(mu * y * INVERSE_PI);
  if (s > 30) {
    const other = ((1 - q) / q) * exp(-s);
    return {
      loss: s + log(q) + logModulus1p(other * cos, -other * sin),
      angle: mu * y - atan2(other * sin, 1 + other * cos),
      share: 1,
      size: Infinity,
    };
  }
  const v = q * exp(s);
  const re = v * cos - q;
  const loss = logModulus1p(re, v * sin);
  const size = exp(loss);
  return { loss, angle: atan2(v * sin, 1 + re), share: (v + q) / size, size };
}

/** Shares of π/μ that the bound tries for the path, and the heights of ellipses around it. */
const BOUND_SHIFTS = [0.01, 0.03, 0.08, 0.18, 0.32, 0.47] as const;
/** Terms below e^{this} are counted as that. */
const FLOOR = -50;

/** The moduli along one path, for bounds of |φ|. */
interface PathModuli {
  readonly logSize: Float64Array;
  readonly angle: Float64Array;
  readonly outside: number;
  /** The leg from the cut: at most size·min(1, 1/(τ·rate)). */
  readonly legSize: number;
  readonly legRate: number;
}

/**
 * An upper bound of log|φ| at and beyond |τ|: the sum of the moduli along a path, which falls with τ.
 *
 * The moduli are values of φ(x) e^{a²/2}(u(x + ia)^{c + iτ} u(x − ia)^{c − iτ})^{½}, which at x + ib has size at most e^{(a² + b²)/2} k(μ(a + b)) φ(x) u(x)^c
 * for a, b ≤ π/2μ, a + b < π/μ: its factor e^{−τ(α(a + b) + α(a − b))/2} is ≤ 1, as α(θ) rises and then falls on [0, π] with α(π − θ) ≥ α(θ) for θ ≤ π/2.
 * On the leg |u|^c ≤ u(X)^c k and α(y) ≥ y·min(α′(0), α(a)/a), α being convex in y where B > A and concave where B < A.
 */
export function pathBound(outputs: CutOutputs): (tau: number) => number {
  const made = BOUND_SHIFTS.map((share) => moduliOn(outputs, share));
  return (tau) => {
    let least = 1;
    for (const path of made) {
      if (path === undefined) continue;
      const { logSize, angle, outside, legSize, legRate } = path;
      let sum = outside + legSize * Math.min(1, 1 / (tau * legRate));
      for (let j = 0; j < angle.length && sum < least; j++) {
        const height = logSize[j] - tau * angle[j];
        if (height > FLOOR) sum += exp(height);
      }
      sum += angle.length * exp(FLOOR);
      if (sum < least) least = sum;
    }
    return Math.min(0, log(least) + 1e-10);
  };
}

function moduliOn(outputs: CutOutputs, share: number): PathModuli | undefined {
  const { layout, c, logBefore, logM } = outputs;
  const { mu, q, cut } = layout;
  const a = Math.min((share * PI) / mu, 16 * share);
  const b = Math.min(a > (0.44 * PI) / mu ? (0.44 * PI) / mu : (0.49 * PI) / mu, heightOf(layout.half, RHO));
  const panels = layout.panelsTo(outputs.from, b / heightOf(1, RHO));
  const growth = (a * a + b * b) / 2 + gainOf(c, mu * (a + b));
  const nodes = emptyPath(panels.length * layout.size);
  let at = 0;
  for (const panel of panels) at = placeOn(outputs, nodes, at, panel, (t) => [t, a], 0);
  const before = exp(logBefore - logM.value + (a * a) / 2 + gainOf(c, mu * a));
  const outside = 1.01 * (ruleErrorOf(outputs, panels, growth) + before);
  const s = mu * cut - (mu * mu) / 2;
  const big = s > 30 ? 1 : (q * exp(s)) / (1 - q + q * exp(s));
  const { angle } = lossAt(mu, q, cut, a);
  const edge = layout.topWithin(c, cut - 1e-6, cut);
  return {
    logSize: nodes.logSize,
    angle: nodes.angle,
    outside,
    legSize: 1.01 * a * exp(edge + (a * a) / 2 + gainOf(c, mu * a) - logM.value),
    legRate: 0.99 * Math.min(mu * big, angle / a) * a,
  };
}

/** Shares of π/μ that lines are shifted by. */
const LINE_SHIFTS = [0.03, 0.08, 0.15, 0.25, 0.35, 0.43] as const;
/** What the integrand may gain on the ellipses around a line's path, in logarithms. */
const MOST_GROWTH = 4;
/** Nodes × frequencies that one line may cost. */
const MAX_TURNS = 4e7;
/** Rotations between fresh phases. */
const ANCHOR = 16;

/** φ − 1 = re + i·im on a line, |errors| ≤ `wrong` (rounding) and `missing` (the rest). */
export interface PathSums {
  readonly re: Float64Array;
  readonly im: Float64Array;
  readonly wrong: Float64Array;
  readonly missing: number;
}

/** φ at τ = (first + k)·dTau, k = 0 … n − 1; undefined where that takes too much. */
export function pathSums(outputs: CutOutputs, dTau: number, n: number, first: number): PathSums | undefined {
  const { layout, c } = outputs;
  const { mu } = layout;
  // far off the axis panels are long and far outputs count little; ellipses there cost digits
  const shifts = LINE_SHIFTS.map((share) => Math.min((share * PI) / mu, 16 * share));
  const a =
    shifts.findLast((shift) => 2 * shift * shift + gainOf(c, 2 * mu * shift) < MOST_GROWTH) ?? shifts[0];
  const nodes = pathNodes(outputs, a, dTau * (first + n));
  if (nodes === undefined || turnsOf(nodes, dTau, n, first) > MAX_TURNS) return undefined;
  return sumsOn(nodes, outputs, dTau, n, first);
}

/** Rotations in all; a node is left out once its share is negligible. */
function turnsOf({ logSize, angle }: PathNodes, dTau: number, n: number, first: number): number {
  let turns = 0;
  for (let j = 0; j < angle.length; j++) {
    const last = (logSize[j] - FLOOR) / (angle[j] * dTau);
    turns += Math.min(n, Math.max(0, last - first) + ANCHOR);
  }
  return turns;
}

function sumsOn(nodes: PathNodes, { c, logM }: CutOutputs, dTau: number, n: number, first: number): PathSums {
  const { loss, lossError, angle, logSize, turn, blur, outside } = nodes;
  const count = loss.length;
  const re = new Float64Array(n);
  const im = new Float64Array(n);
  const wrong = new Float64Array(n);
  for (let j = 0; j < count; j++) {
    const start = c * angle[j] + turn[j];
    const fixed =
      blur[j] + U * (2 * Math.abs(start) + 200 + count) + 2 * Math.abs(c) * lossError[j] + logM.error;
    const sliding = 2 * lossError[j] + 4 * U * (Math.abs(loss[j]) + angle[j]);
    const stepSize = exp(-dTau * angle[j]);
    const stepTurn = dTau * loss[j] * INVERSE_PI;
    const stepRe = stepSize * cosPi(stepTurn);
    const stepIm = stepSize * sinPi(stepTurn);
    for (let from = 0; from < n; from += ANCHOR) {
      const tau = (first + from) * dTau;
      const height = logSize[j] - tau * angle[j];
      if (height < FLOOR) break;
      const size = exp(height);
      const phase = (start + tau * loss[j]) * INVERSE_PI;
      let a = size * cosPi(phase);
      let b = size * sinPi(phase);
      const to = Math.min(n, from + ANCHOR);
      const own = size * (fixed + (first + to) * dTau * sliding);
      for (let k = from; k < to; k++) {
        re[k] += a;
        im[k] += b;
        wrong[k] += own;
        const next = a * stepRe - b * stepIm;
        b = a * stepIm + b * stepRe;
        a = next;
      }
    }
  }
  for (let k = 0; k < n; k++) re[k] -= 1;
  if (first === 0) re[0] = im[0] = wrong[0] = 0;
  return { re, im, wrong, missing: outside + count * exp(FLOOR) };
}
