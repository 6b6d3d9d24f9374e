import { type Bracket, bracket } from '../bracket.js';
import { exp, expm1, log, normalCdf, normalQuantileLog } from '../scalar.js';
import type { TradeoffCurve } from './tradeoff-curve.js';

/**
 * Regret of summarising a curve f by G_μ (REP §4): Δ = inf{κ ≥ 0: f(α + κ) − κ ≤ G_μ(α) for all α}, how
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
  return bracketOf(
    lowerRegret(curve, mu.lower, logAlphaMin, omegas),
    upperRegret(curve, mu.upper, logAlphaMin, omegas),
  );
}

function bracketOf(lower: number, upper: number): Bracket {
  return bracket(Math.min(Math.max(0, lower), upper), Math.min(1, upper));
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

/** dv_G/du at the point of G_μ with false positive rate a: −½ tanh(t/2), where −e^t is the slope of G_μ. */
function slopeOfGaussian(a: number, mu: number): number {
  const t = -normalQuantileLog(log(Math.max(a, 1e-320))) * mu - (mu * mu) / 2;
  const e = expm1(t);
  return e === Infinity ? -0.5 : (-0.5 * e) / (e + 2);
}

interface Point {
  readonly u: number;
  readonly v: number;
  readonly distance: number;
  readonly slope: number;
}

function pointOf(alpha: number, beta: number, mu: number): Point {
  const distance = diagonalDistance(alpha, beta, mu);
  return { u: alpha - beta, v: (alpha + beta) / 2, distance, slope: slopeOfGaussian(alpha - distance, mu) };
}

/** Largest distance on the segment between two points, from the tangents of the concave distance. */
function segmentBound(a: Point, b: Point): number {
  const ends = Math.max(a.distance, b.distance);
  const length = b.u - a.u;
  if (!(length > 0)) return ends;
  const slope = (b.v - a.v) / length;
  const rise = slope - a.slope;
  const fall = b.slope - slope;
  if (rise <= 0 || fall <= 0) return ends;
  // tangents a.distance + rise·x and b.distance + fall·(length − x) cross here
  const x = Math.min(length, Math.max(0, (b.distance - a.distance + fall * length) / (rise + fall)));
  return Math.max(ends, Math.min(a.distance + rise * x, a.distance + rise * length));
}

const MAX_CUTS = 200;

function upperRegret(
  curve: TradeoffCurve,
  mu: number,
  logAlphaMin: number,
  omegas: readonly number[],
): number {
  const alphaMin = exp(logAlphaMin);
  const at = (omega: number): Point & { omega: number } => {
    const { logFpr, logTpr } = curve.test(omega);
    const fpr = exp(logFpr);
    const fnr = -expm1(logTpr);
    // the mirror image of a test is a test: f is symmetric, and u ≤ 0 is looked at
    return { ...pointOf(Math.min(fpr, fnr), Math.max(fpr, fnr), mu), omega };
  };
  const edge = curve.logTpr(logAlphaMin);
  const points: (Point & { omega: number })[] = omegas
    .map(at)
    .filter((p) => p.v + p.u / 2 > alphaMin && p.u < 0);
  points.sort((a, b) => a.u - b.u);
  points.unshift({ ...pointOf(alphaMin, -expm1(edge.lower), mu), omega: curve.omegaAtFpr(logAlphaMin).low });
  const last = points[points.length - 1];
  // the segment of slope −1 to the mirror image of the last test: v stays, farthest at u = 0
  const middle = pointOf(last.v, last.v, mu);
  let bound = Infinity;
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    let worst = 0;
    let where = -1;
    for (let i = 0; i + 1 < points.length; i++) {
      const here = segmentBound(points[i], points[i + 1]);
      if (here > worst) {
        worst = here;
        where = i;
      }
    }
    const reached = Math.max(middle.distance, ...points.map((p) => p.distance));
    bound = Math.max(worst, middle.distance);
    if (bound - reached <= 1e-7 || where < 0) break;
    const a = points[where];
    const b = points[where + 1];
    const added = at((a.omega + b.omega) / 2);
    if (!(added.u > a.u && added.u < b.u)) break;
    points.splice(where + 1, 0, added);
  }
  return Math.min(1, bound + SLACK);
}

function lowerRegret(
  curve: TradeoffCurve,
  mu: number,
  logAlphaMin: number,
  omegas: readonly number[],
): number {
  const alphaMin = exp(logAlphaMin);
  // at the fixed point: (δ_μ(0) − δ(0))/2, and at points of supporting lines below f
  let best = 0;
  const fixed = -expm1(curve.logDelta(0).upper) / 2;
  best = Math.max(best, diagonalDistance(fixed, fixed, mu));
  for (const epsilon of omegas) {
    const logDelta = curve.logDelta(epsilon).upper;
    const alpha = exp(curve.test(epsilon).logFpr);
    const beta = 1 - exp(logDelta) * (1 + SLACK) - alpha * exp(epsilon) * (1 + SLACK);
    if (alpha > alphaMin && beta > alpha) best = Math.max(best, diagonalDistance(alpha, beta - SLACK, mu));
  }
  return best - SLACK;
}
