import { requireNumber } from '../errors.js';
import { within } from '../mechanism/checks.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { ROUNDINGS } from '../numeric/log-arithmetic.js';
import { exp, expm1, log, normalQuantileLog } from '../numeric/scalar.js';
import type { Vertices } from '../run/directed-run.js';
import { type Subject, seen } from '../tradeoff/subject.js';
import type { TradeoffFunction } from '../tradeoff/tradeoff-function.js';
import type { Goal, Trial } from './goal.js';

/** Tests of a curve that bends, from slope −1 to the window's edge. */
const TESTS = 256;

/** A line that a mechanism's curve has to stay above: δ(ε) at most e^{logDelta}. */
interface Line {
  readonly epsilon: number;
  readonly logDelta: number;
}

/**
 * f ≥ g on the window, of a polygon from the segment that enters it, where every line of a polygon on or above g is met: δ_f(ε) ≤ 1 − β − e^ε α at the slopes −e^ε of its
 * segments. For a polygon g these are its own segments and the target is exact; else they join certified tests of g, and
 * the target is stricter than g by less than the tests are apart. A share s of the curve has (sε, sδ) for each of its (ε, δ).
 *
 * @throws TypeError | RangeError for what is no subject, a window that is not in (0, 0.5), a share not in (0, 1e6], or a g with no rate in it.
 */
export function curveGoal(subject: Subject, alphaMinGiven: unknown, shareGiven: unknown = 1): Goal {
  const { f, ask } = seen(subject, 'tradeoff');
  const alphaMin = requireNumber('alphaMin', alphaMinGiven ?? 1e-10, 'a number in (0, 0.5)');
  const share = within('share', shareGiven, 1e-9, 1e6);
  const lines = linesOf(f, log(alphaMin)).map(({ epsilon, logDelta }) => ({
    epsilon: share * epsilon,
    logDelta: Math.min(0, log(share) + logDelta),
  }));
  const loss = (trial: Trial): Bracket => {
    const run = trial.run();
    let [lower, upper] = [-Infinity, -Infinity];
    for (const { epsilon, logDelta } of lines) {
      const here = run.logDelta(epsilon);
      lower = Math.max(lower, here.lower - logDelta);
      upper = Math.max(upper, here.upper - logDelta);
    }
    return bracket(lower, Math.max(lower, upper));
  };
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

/** Lines through neighbouring points of g, steepest first, and that of slope −1. */
function linesOf(f: TradeoffFunction, logAlphaMin: number): Line[] {
  const points = f.curve.forward.vertices === undefined ? testsOf(f, logAlphaMin) : verticesOf(f);
  const lines: Line[] = [{ epsilon: 0, logDelta: f.curve.logDelta(0).lower }];
  for (const [i, b] of points.entries()) {
    const a = points[i - 1];
    if (a === undefined || !(b.fpr > a.fpr && b.tpr > a.tpr) || log(b.fpr) <= logAlphaMin) continue;
    const epsilon = log(b.tpr - a.tpr) - log(b.fpr - a.fpr);
    if (!(epsilon > 0)) continue;
    // δ = TPR − e^ε FPR, the same at either end but for rounding
    const delta = Math.min(...[a, b].map(({ fpr, tpr }) => tpr - exp(epsilon) * fpr)) - ROUNDINGS * b.tpr;
    lines.push({ epsilon, logDelta: delta > 0 ? log(delta) : -Infinity });
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

function verticesOf({ curve }: TradeoffFunction): Rates[] {
  const { alpha, beta, rest } = curve.forward.vertices as Vertices;
  return Array.from(alpha, (fpr, i) => ({ fpr, tpr: rest?.beta[i] ?? 1 - beta[i] }));
}
