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

/** Number of tests of a curve without vertices. Their thresholds go from 0 to the one whose false positive rate is alphaMin. */
const TESTS = 256;

/** A supporting line above which the trade-off curve of a run has to stay: δ(ε) ≤ e^{logDelta}. */
interface Line {
  readonly epsilon: number;
  readonly logDelta: number;
  /** For the line whose segment contains alphaMin: that false positive rate. Left of it the line requires nothing. */
  readonly from?: number;
}

/** Fraction of alphaMin that a chord of the run's curve spans, to bound its slope at alphaMin. */
const CHORD = 0.1;

/**
 * The goal f ≥ g for rates α ≥ alphaMin, as a set of supporting lines of slopes −e^ε; f is the trade-off curve of a run. f is above a line through
 * (α, β) if δ_f(ε) ≤ 1 − β − e^ε α. If g is a polygon these are its own segments. Otherwise they join certified tests of g, which makes the target
 * stricter than g by less than the distance of the tests. The segment that contains α₀ = alphaMin needs less: f(α₀) on or above it, and f no steeper
 * than it right of α₀. For a share s of the curve, each (ε, δ) of g is replaced by (sε, sδ).
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

/**
 * Bracket of log(δ_f(ε)/e^{logDelta}), by how much f falls below a line. For the line that contains alphaMin, f need only be above it from there on.
 * Ensures: at most 0 only where f does not fall below the line within the window.
 */
function excessOver({ epsilon, logDelta, from }: Line, run: ComposedRun): Bracket {
  const { lower, upper } = run.logDelta(epsilon);
  const whole = bracket(lower - logDelta, upper - logDelta);
  if (from === undefined || !(whole.upper > 0)) return whole;
  // f is convex: right of alphaMin it is no steeper than a chord that ends there
  const [before, edge] = [run.truePositiveRate((1 - CHORD) * from), run.truePositiveRate(from)];
  const fall = exp(epsilon) * CHORD * from;
  const most = exp(logDelta) + exp(epsilon) * from;
  const beyond = logRatio(edge, most * (1 - ROUNDINGS));
  const flat = edge.upper - before.lower <= fall * (1 - ROUNDINGS);
  return bracket(Math.min(whole.lower, beyond.lower), flat ? beyond.upper : whole.upper);
}

/** The lines through neighbouring points of g with slopes below −1, steepest first, after the line of slope −1. They are lowered by roundings. */
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
    // δ = TPR − e^ε FPR, which both points share up to rounding
    const delta = Math.min(...[a, b].map(({ fpr, tpr }) => tpr - exp(epsilon) * fpr)) - ROUNDINGS * b.tpr;
    const enters = log(a.fpr) < logAlphaMin;
    const logDelta = delta > 0 ? log(delta) : -Infinity;
    lines.push({ epsilon, logDelta, ...(enters && { from: alphaMin }) });
  }
  return lines;
}

/** A point (FPR, 1 − β) of a trade-off curve. */
interface Rates {
  readonly fpr: number;
  readonly tpr: number;
}

/** Rates of certified tests of g, with thresholds from that at the false positive rate alphaMin down to 0. */
function testsOf({ curve }: TradeoffFunction, logAlphaMin: number): Rates[] {
  const edge = curve.omegaAtFpr(logAlphaMin);
  const head = Math.max(0, edge.high < Infinity ? edge.high : edge.low);
  return Array.from({ length: TESTS + 1 }, (_, i) => {
    const { logFpr, logTpr } = curve.test((head * (TESTS - i)) / TESTS);
    return { fpr: exp(logFpr), tpr: exp(logTpr) };
  });
}

/** Rates at the vertices of g. */
function ratesOf({ alpha, beta, rest }: Vertices): Rates[] {
  return Array.from(alpha, (fpr, i) => ({ fpr, tpr: rest?.beta[i] ?? 1 - beta[i] }));
}
