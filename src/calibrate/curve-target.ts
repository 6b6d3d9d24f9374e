import type { ComposedRun } from '../account/composed-run.js';
import { requireNumber } from '../errors.js';
import { within } from '../mechanism/kind.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, normalQuantileLog } from '../numeric/scalar.js';
import type { Vertices } from '../run/directed-run.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { type Subject, seen } from '../tradeoff/subject.js';
import type { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import { type Given, type Goal, logRatio, once } from './goal.js';

/** Number of tests of a smooth curve, from slope −1 to the window's edge. */
const TESTS = 256;

/** A supporting line that a mechanism's curve has to stay above: δ(ε) at most e^{logDelta}. */
interface Line {
  readonly epsilon: number;
  readonly logDelta: number;
  /** For the line that enters the window: the false positive rate there. Left of it the line requires nothing. */
  readonly from?: number;
}

/** The slope at the window's edge is bounded by a chord of this fraction of its width. */
const CHORD = 0.1;

/**
 * The goal f ≥ g on the window, as a set of supporting lines. Take a polygon on or above g, and a segment of it with slope −e^ε. f is above its line
 * if δ_f(ε) ≤ 1 − β − e^ε α. For a polygon g these are its own segments. Otherwise they join certified tests of g, and the target is stricter than g
 * by less than the distance of the tests. The segment that enters the window at α₀ needs less: f(α₀) on or above it, and f no steeper than it from
 * there on. A share s of the curve has (sε, sδ) for each of its (ε, δ).
 *
 * @throws TypeError | RangeError for what is no subject, a window that is not in (0, 0.5), or a share not in [1e-9, 1e6]; for a g with no rate in it.
 */
export function curveGoal({ tradeoff, alphaMin: window, share: shareGiven = 1 }: Given): Goal {
  const { f, ask } = seen(tradeoff as Subject, 'tradeoff');
  const alphaMin = requireNumber('alphaMin', window ?? USUAL_ALPHA_MIN, 'a number in (0, 0.5)');
  const share = within('share', shareGiven, 1e-9, 1e6);
  const lines = linesOf(f, alphaMin).map(({ epsilon, logDelta, ...rest }) => ({
    ...rest,
    epsilon: share * epsilon,
    logDelta: Math.min(0, log(share) + logDelta),
  }));
  const loss = once((trial) => {
    const run = trial.run();
    let [lower, upper] = [-Infinity, -Infinity];
    for (const line of lines) {
      const here = excessOver(line, run);
      lower = Math.max(lower, here.lower);
      upper = Math.max(upper, here.upper);
    }
    return bracket(lower, Math.max(lower, upper));
  });
  const hidden = -expm1(Math.min(0, log(share) + ask.logDelta(0).upper));
  return {
    allowed: () => ({ mu: -2 * normalQuantileLog(log(Math.max(hidden, 1e-300) / 2)) }),
    excess: (trial) => ({ ...loss(trial), scale: 1 }),
    achieved: (trial) => {
      const { lower, upper } = loss(trial);
      return { largestDeltaRatio: bracket(exp(lower), exp(upper)) };
    },
  };
}

/** How far f falls below a line, in logarithms; at most 0 if it certainly does not. Ensures: at most 0 only where f does not fall below the line within the window. */
function excessOver({ epsilon, logDelta, from }: Line, run: ComposedRun): Bracket {
  const { lower, upper } = run.logDelta(epsilon);
  const whole = bracket(lower - logDelta, upper - logDelta);
  if (from === undefined || !(whole.upper > 0)) return whole;
  // f is convex: behind the edge it is no steeper than a chord that ends there
  const [before, edge] = [run.truePositiveRate((1 - CHORD) * from), run.truePositiveRate(from)];
  const fall = exp(epsilon) * CHORD * from;
  const most = exp(logDelta) + exp(epsilon) * from;
  const beyond = logRatio(edge, most * (1 - ROUNDINGS));
  const flat = edge.upper - before.lower <= fall * (1 - ROUNDINGS);
  return bracket(Math.min(whole.lower, beyond.lower), flat ? beyond.upper : whole.upper);
}

/** Lines through neighbouring points of g, steepest first, and the one of slope −1. */
function linesOf(f: TradeoffFunction, alphaMin: number): Line[] {
  const logAlphaMin = log(alphaMin);
  const { vertices } = f.curve.forward;
  const points = vertices === undefined ? testsOf(f, logAlphaMin) : ratesOf(vertices);
  const lines: Line[] = [{ epsilon: 0, logDelta: f.curve.logDelta(0).lower }];
  for (const [i, b] of points.entries()) {
    const a = points[i - 1];
    if (a === undefined || !(b.fpr > a.fpr && b.tpr > a.tpr) || log(b.fpr) <= logAlphaMin) continue;
    const epsilon = log(b.tpr - a.tpr) - log(b.fpr - a.fpr);
    if (!(epsilon > 0)) continue;
    // δ = TPR − e^ε FPR, equal at both ends up to rounding
    const delta = Math.min(...[a, b].map(({ fpr, tpr }) => tpr - exp(epsilon) * fpr)) - ROUNDINGS * b.tpr;
    const enters = log(a.fpr) < logAlphaMin;
    const logDelta = delta > 0 ? log(delta) : -Infinity;
    lines.push({ epsilon, logDelta, ...(enters && { from: alphaMin }) });
  }
  return lines;
}

interface Rates {
  readonly fpr: number;
  readonly tpr: number;
}

function testsOf({ curve }: TradeoffFunction, logAlphaMin: number): Rates[] {
  const edge = curve.omegaAtFpr(logAlphaMin);
  const head = Math.max(0, edge.high < Infinity ? edge.high : edge.low);
  return Array.from({ length: TESTS + 1 }, (_, i) => {
    const { logFpr, logTpr } = curve.test((head * (TESTS - i)) / TESTS);
    return { fpr: exp(logFpr), tpr: exp(logTpr) };
  });
}

function ratesOf({ alpha, beta, rest }: Vertices): Rates[] {
  return Array.from(alpha, (fpr, i) => ({ fpr, tpr: rest?.beta[i] ?? 1 - beta[i] }));
}
