import type { ComposedRun } from '../account/composed-run.js';
import { requireNumber } from '../errors.js';
import { within } from '../mechanism/kind.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, normalQuantileLog } from '../numeric/scalar.js';
import type { Vertices } from '../run/directed-run.js';
import { type Subject, seen } from '../tradeoff/subject.js';
import type { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import { type Given, type Goal, logRatio, once } from './goal.js';

/** Tests of a curve that bends, from slope −1 to the window's edge. */
const TESTS = 256;

/** A line that a mechanism's curve has to stay above: δ(ε) at most e^{logDelta}. */
interface Line {
  readonly epsilon: number;
  readonly logDelta: number;
  /** Of the line that enters the window: the rate of false positives there. Left of it the line holds nothing. */
  readonly from?: number;
}

/** The chord that bounds the slope at the window's edge is this share of it wide. */
const CHORD = 0.1;

/**
 * The goal that f ≥ g on the window. Take a polygon on or above g, and a segment of it with slope −e^ε. Its line is met where
 * δ_f(ε) ≤ 1 − β − e^ε α, and the goal is that all are met. For a polygon g these are its own segments. Otherwise they join
 * certified tests of g, and the target is stricter than g by less than the distance of the tests. The segment that enters the
 * window at α₀ needs less: f(α₀) on or above it, where f falls no faster than it from there on. A share s of the curve has (sε,
 * sδ) for each of its (ε, δ).
 *
 * @throws TypeError | RangeError for what is no subject, a window that is not in (0, 0.5), or a share not in [1e-9, 1e6]; for a g
 *   with no rate in it.
 */
export function curveGoal({ tradeoff, alphaMin: window, share: shareGiven = 1 }: Given): Goal {
  const { f, ask } = seen(tradeoff as Subject, 'tradeoff');
  const alphaMin = requireNumber('alphaMin', window ?? 1e-10, 'a number in (0, 0.5)');
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

/** By how much f passes a line, in logarithms; at most 0 where it is certified not to. */
function excessOver({ epsilon, logDelta, from }: Line, run: ComposedRun): Bracket {
  const { lower, upper } = run.logDelta(epsilon);
  const whole = bracket(lower - logDelta, upper - logDelta);
  if (from === undefined || !(whole.upper > 0)) return whole;
  // f is convex: a chord that ends at the edge is as steep as f is anywhere behind it
  const [before, edge] = [run.truePositiveRate((1 - CHORD) * from), run.truePositiveRate(from)];
  const fall = exp(epsilon) * CHORD * from;
  const most = exp(logDelta) + exp(epsilon) * from;
  const beyond = logRatio(edge, most * (1 - ROUNDINGS));
  const flat = edge.upper - before.lower <= fall * (1 - ROUNDINGS);
  return bracket(Math.min(whole.lower, beyond.lower), flat ? beyond.upper : whole.upper);
}

/** Lines through neighbouring points of g, steepest first, and that of slope −1. */
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
    // δ = TPR − e^ε FPR, the same at either end but for rounding
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
