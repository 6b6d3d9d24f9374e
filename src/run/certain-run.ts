import type { Bracket } from '../numeric/bracket.js';
import { complementTimes, logComplement, logSum, outward } from '../numeric/log-arithmetic.js';
import type { DirectedRun } from './directed-run.js';

/**
 * `run` beside something that reveals everything with probability 1 − e^{logHidden} and else nothing:
 * T ⊗ f_{0,δ₀}, with δ(ε) = δ₀ + (1 − δ₀) δ_T(ε) for ε ≥ 0, and tests that also reject what is certain.
 */
export function certainRun(run: DirectedRun, logHidden: number): DirectedRun {
  if (logHidden === 0) return run;
  const logRevealed = logComplement(logHidden);
  const raised = (logs: Bracket): Bracket => complementTimes(logHidden, logs);
  const undone = (target: number): number =>
    target > logRevealed ? target + logComplement(logRevealed - target) - logHidden : -1e4;
  return {
    direction: run.direction,
    method: run.method,
    logInfinity: raised(run.logInfinity),
    largestLoss: run.largestLoss,
    logDelta: (epsilon, width) => raised(run.logDelta(epsilon, width)),
    test: (omega, width) => {
      const { logFpr, logTpr } = run.test(omega, width);
      const power = logSum(logRevealed, logHidden + logTpr);
      return {
        logFpr: outward(Math.min(0, logHidden + logFpr), 1),
        logTpr: outward(Math.min(0, power), -1),
      };
    },
    guessEpsilon: (target) => run.guessEpsilon(Math.min(0, undone(target))),
    guessOmega: (target) => run.guessOmega(Math.min(0, target - logHidden)),
  };
}
