import { bracket } from '../numeric/bracket.js';
import { logSum } from '../numeric/log-arithmetic.js';
import type { DirectedRun } from './directed-run.js';

/** Rounding of a sum of logarithms. */
const SLACK = 1e-14;

/**
 * From above, a run that is `run` but for a part of probability e^{logLost} in both worlds, which is counted as giving all away: with P = (1 − p)P′ + pP″ and
 * Q ≥ (1 − p)Q′, H_γ(P‖Q) ≤ p + (1 − p)H_γ(P′‖Q′). Nothing is said from below.
 */
export function losingRun(run: DirectedRun, logLost: number): DirectedRun {
  const raised = (log: number): number => Math.min(0, logSum(log, logLost) + SLACK);
  return {
    direction: run.direction,
    method: run.method,
    logInfinity: bracket(-Infinity, raised(run.logInfinity.upper)),
    logDelta: (epsilon, width) => bracket(-Infinity, raised(run.logDelta(epsilon, width).upper)),
    test: () => ({ logFpr: 0, logTpr: 0 }),
    guessEpsilon: (target) => run.guessEpsilon(target),
    guessOmega: (target) => run.guessOmega(target),
  };
}
