import { type Bracket, bracket } from '../numeric/bracket.js';
import { exp, expm1 } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import type { TradeoffFunction } from './tradeoff-function.js';

/** A curve where it crosses the diagonal line α − β = u: v = (α + β)/2, and the supporting lines there in (u, v). */
interface Crossing {
  readonly u: number;
  readonly lower: number;
  readonly upper: number;
  /** v ≥ value + slope·(u' − u) for every u'. */
  readonly lines: readonly { readonly value: number; readonly slope: number }[];
}

const ROUNDING = 1e-14;
const FIRST = 64;
const MAX_CUTS = 600;
const ENOUGH = 1e-9;
const FARTHEST = 1e4;

/**
 * Δ(f, g) = inf{κ ≥ 0: f(α + κ) − κ ≤ g(α) for all α} (REP def. 2.10): how far f must be moved along the diagonal to come
 * below g. 0 iff f ≤ g; the advantages differ by at most 2 max(Δ(f, g), Δ(g, f)). In the coordinates u = α − β,
 * v = (α + β)/2 it is sup_u v_f(u) − v_g(u), both convex.
 */
export function deltaDivergence(f: TradeoffFunction, g: TradeoffFunction): Bracket {
  if (f === g) return bracket(0, 0);
  const at = (u: number) => ({ f: crossing(f.curve, u), g: crossing(g.curve, u) });
  const nodes = [at(-1)];
  for (let i = 1; i <= FIRST; i++) nodes.push(at((2 * i) / FIRST - 1));
  const bounds = nodes.slice(1).map((node, i) => cellBound(nodes[i], node));
  let reached = 0;
  for (const node of nodes) reached = Math.max(reached, node.f.lower - node.g.upper);
  let bound = 1;
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    let worst = 0;
    for (let i = 1; i < bounds.length; i++) if (bounds[i].value > bounds[worst].value) worst = i;
    bound = bounds[worst].value;
    if (bound - reached <= ENOUGH) break;
    const [a, b] = [nodes[worst].f.u, nodes[worst + 1].f.u];
    const u = bounds[worst].u;
    const middle = at(u > a + 1e-3 * (b - a) && u < b - 1e-3 * (b - a) ? u : (a + b) / 2);
    if (!(middle.f.u > a && middle.f.u < b)) break;
    reached = Math.max(reached, middle.f.lower - middle.g.upper);
    nodes.splice(worst + 1, 0, middle);
    bounds.splice(worst, 1, cellBound(nodes[worst], middle), cellBound(middle, nodes[worst + 2]));
  }
  const upper = Math.min(1, Math.max(0, bound) + ROUNDING);
  return bracket(Math.min(upper, Math.max(0, reached - ROUNDING)), upper);
}

/** The most that the chord over v_f can be above the lines under v_g between two nodes, and where. */
function cellBound(
  a: { f: Crossing; g: Crossing },
  b: { f: Crossing; g: Crossing },
): { value: number; u: number } {
  const length = b.f.u - a.f.u;
  const chordSlope = (b.f.upper - a.f.upper) / length;
  let best = { value: Infinity, u: a.f.u + length / 2 };
  for (const p of a.g.lines) {
    for (const q of b.g.lines) {
      const over = (x: number): number =>
        a.f.upper + chordSlope * x - Math.max(p.value + p.slope * x, q.value + q.slope * (x - length));
      const turn = q.slope - p.slope;
      const x = turn > 0 ? (p.value - q.value + q.slope * length) / turn : 0;
      const inside = x > 0 && x < length;
      const value = Math.max(over(0), over(length), inside ? over(x) : -1);
      if (value < best.value) best = { value, u: a.f.u + (inside ? x : length / 2) };
    }
  }
  return best;
}

function crossing(curve: TradeoffCurve, u: number): Crossing {
  if (u <= -1) return { u: -1, lower: 0.5, upper: 0.5, lines: [{ value: 0.5, slope: -0.5 }] };
  if (u >= 1) return { u: 1, lower: 0.5, upper: 0.5, lines: [{ value: 0.5, slope: 0.5 }] };
  const pointAt = (omega: number): { u: number; v: number } => {
    const { logFpr, logTpr } = curve.test(omega);
    const alpha = exp(logFpr);
    const beta = -expm1(logTpr);
    return { u: alpha - beta, v: (alpha + beta) / 2 };
  };
  const omega = turningPoint((w) => pointAt(w).u <= u, {
    guess: 0,
    reach: 1,
    floor: -FARTHEST,
    ceiling: FARTHEST,
    relative: 1e-11,
    absolute: 1e-11,
  });
  // no curve is above v = ½ (on α + β = 1) or below β = 0 or α = 0
  let lower = Math.abs(u) / 2;
  const lines: { value: number; slope: number }[] = [];
  for (const epsilon of [omega.low, omega.high]) {
    if (!Number.isFinite(epsilon)) continue;
    const hidden = -expm1(curve.logDelta(epsilon).upper);
    // α = (1 − δ + u)/(1 + e^ε), v = α − u/2
    const share = epsilon > 0 ? exp(-epsilon) / (1 + exp(-epsilon)) : 1 / (1 + exp(epsilon));
    const value = (hidden + u) * share - u / 2 - ROUNDING;
    lines.push({ value, slope: share - 0.5 });
    lower = Math.max(lower, value);
  }
  let upper = 0.5;
  if (Number.isFinite(omega.low) && Number.isFinite(omega.high)) {
    const [a, b] = [pointAt(omega.high), pointAt(omega.low)];
    const share = b.u > a.u ? Math.min(1, Math.max(0, (u - a.u) / (b.u - a.u))) : 0;
    upper = Math.min(0.5, a.v + share * (b.v - a.v) + Math.max(0, u - b.u, a.u - u) / 2 + ROUNDING);
  }
  return { u, lower: Math.min(lower, upper), upper, lines };
}
