import { type Bracket, bracket } from '../numeric/bracket.js';
import { deltaGdp, exp, expm1, log, normalCdf, normalQuantileLog } from '../numeric/scalar.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';

/**
 * Regret of summarising a curve f by G_μ (REP §4, def. 2.10): Δ = inf{κ ≥ 0: f(α + κ) − κ ≤ G_μ(α) for all α}, how
 * far f has to be moved along the diagonal to come below G_μ; |advantage(f) − advantage(G_μ)| ≤ 2Δ.
 *
 * In the coordinates u = α − β, v = (α + β)/2 it is sup_u v_f(u) − v_G(u). Both curves are symmetric, so
 * u ≤ 0 suffices. From above f is the polygon of certified tests; on each of its segments v_f − v_G is
 * concave, so its tangents at the two ends bound it in between.
 */
export function regretOf(
  curve: TradeoffCurve,
  mu: Bracket,
  logAlphaMin: number,
  omegas: readonly number[],
): Bracket {
  const above = upperRegret(curve, mu.upper, logAlphaMin, omegas);
  const below = lowerRegret(curve, mu.lower, logAlphaMin, [...omegas, above.epsilon]);
  const upper = Math.min(1, above.distance + SLACK);
  return bracket(Math.min(Math.max(0, below), upper), upper);
}

const SLACK = 1e-14;

/** Moves (α, β) along the diagonal until it lies on G_μ: the κ with G_μ(α − κ) = β − κ, 0 if already below. */
function diagonalDistance(alpha: number, beta: number, mu: number): number {
  const g = (a: number) => normalCdf(-normalQuantileLog(log(a)) - mu);
  if (!(alpha > 0) || g(alpha) >= beta) return 0;
  let low = 0;
  let high = Math.min(alpha, beta);
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    const a = alpha - middle;
    if (a > 0 && g(a) < beta - middle) low = middle;
    else high = middle;
  }
  return high;
}

interface Point {
  readonly u: number;
  readonly v: number;
  readonly distance: number;
}

function pointOf(alpha: number, beta: number, mu: number): Point {
  return { u: alpha - beta, v: (alpha + beta) / 2, distance: diagonalDistance(alpha, beta, mu) };
}

/** Largest distance on the segment between two points, and log of minus its slope. */
interface SegmentBound {
  readonly distance: number;
  readonly epsilon: number;
}

/**
 * v_f − v_G is concave on a segment, so it is largest where G_μ has the segment's slope −e^ε, if that lies
 * inside, and else at an end. There f and G_μ have parallel lines of support, 1 − δ − e^ε α, which are
 * (δ_μ(ε) − δ)/(1 + e^ε) apart along the diagonal.
 */
function segmentBound(a: Point, b: Point, mu: number): SegmentBound {
  const distance = Math.max(a.distance, b.distance);
  const fall = a.v - b.v - (a.u - b.u) / 2;
  const run = b.v - a.v + (b.u - a.u) / 2;
  const epsilon = log(fall / run);
  if (!(run > 0 && epsilon >= 0 && epsilon < Infinity)) return { distance, epsilon: 0 };
  const alpha = normalCdf(-epsilon / mu - mu / 2);
  const u = alpha - normalCdf(epsilon / mu - mu / 2);
  if (!(u > a.u && u < b.u)) return { distance, epsilon };
  const rise = fall / run;
  const intercept = a.v - a.u / 2 + rise * (a.v + a.u / 2);
  const apart = (deltaGdp(mu, epsilon) - (1 - intercept)) / (1 + rise);
  return { distance: Math.max(distance, apart + SLACK), epsilon };
}

const MAX_CUTS = 200;

function upperRegret(
  curve: TradeoffCurve,
  mu: number,
  logAlphaMin: number,
  omegas: readonly number[],
): SegmentBound {
  const alphaMin = exp(logAlphaMin);
  const at = (omega: number): Point & { omega: number } => {
    const { logFpr, logTpr } = curve.test(omega);
    const fpr = exp(logFpr);
    const fnr = -expm1(logTpr);
    // the mirror image of a test is a test: f is symmetric, and u ≤ 0 is looked at
    return { ...pointOf(Math.min(fpr, fnr), Math.max(fpr, fnr), mu), omega };
  };
  const edge = curve.logTpr(logAlphaMin);
  const points: (Point & { omega: number })[] = [0, ...omegas]
    .map(at)
    .filter((p) => p.v + p.u / 2 > alphaMin && p.u <= 0);
  points.sort((a, b) => a.u - b.u);
  points.unshift({ ...pointOf(alphaMin, -expm1(edge.lower), mu), omega: curve.omegaAtFpr(logAlphaMin).low });
  const last = points[points.length - 1];
  // the segment of slope −1 to the mirror image of the last test: v stays, farthest at u = 0
  const middle = pointOf(last.v, last.v, mu);
  let bound: SegmentBound = { distance: Infinity, epsilon: 0 };
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    bound = { distance: middle.distance, epsilon: 0 };
    let where = -1;
    for (let i = 0; i + 1 < points.length; i++) {
      const here = segmentBound(points[i], points[i + 1], mu);
      if (here.distance > bound.distance) {
        bound = here;
        where = i;
      }
    }
    const reached = Math.max(middle.distance, ...points.map((p) => p.distance));
    if (bound.distance - reached <= 1e-7 || where < 0) break;
    const a = points[where];
    const b = points[where + 1];
    // the slope of the segment is where an atom of the loss would be; the middle, where there is none
    const added = [bound.epsilon, (a.omega + b.omega) / 2]
      .filter((omega) => omega > b.omega && omega < a.omega)
      .map(at)
      .filter((point) => point.u > a.u && point.u < b.u);
    if (added.length === 0) break;
    points.splice(where + 1, 0, ...added.sort((x, y) => x.u - y.u));
  }
  return bound;
}

/** From below f is every supporting line, and each has its distance to the parallel one of G_μ. */
function lowerRegret(
  curve: TradeoffCurve,
  mu: number,
  logAlphaMin: number,
  epsilons: readonly number[],
): number {
  if (!(mu > 0)) return 0;
  const alphaMin = exp(logAlphaMin);
  let best = 0;
  for (const epsilon of epsilons) {
    const delta = exp(curve.logDelta(epsilon).upper) * (1 + SLACK);
    const apart = (deltaGdp(mu, epsilon) * (1 - SLACK) - delta) / (1 + exp(epsilon));
    // the place where they are that far apart has to be in the window
    if (apart > best && normalCdf(-epsilon / mu - mu / 2) + apart > alphaMin) best = apart;
  }
  return best - SLACK;
}
