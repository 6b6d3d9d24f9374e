import { type Bracket, ordered } from '../numeric/bracket.js';
import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import type { DirectedRun } from './directed-run.js';

/** Rounding of a sum or a difference of logarithms. */
const SLACK = 1e-14;
/** The two ends are no closer than this, so neither is asked for more. */
const COARSE = 1e-3;

/**
 * A run one of whose worlds is (ε₁, δ₁)-close, in both directions, to the one that `run` knows in its place. As H_{γγ′}(P‖R) ≤ H_γ(P‖M) + γH_{γ′}(M‖R),
 *   e^{−ε₁}(δ_run(ε + ε₁) − max(1, e^ε)δ₁) ≤ δ(ε) ≤ e^{ε₁}δ_run(ε − ε₁) + max(1, e^{ε−ε₁})δ₁,
 * whichever world carries δ, and no event is more than e^{ε₁} times as probable, and δ₁ more, in the one than in the other.
 */
export function hoppedRun(
  run: DirectedRun,
  { epsilon: near, logDelta: logLost }: { readonly epsilon: number; readonly logDelta: number },
): DirectedRun {
  const raised = (log: number, epsilon: number): number =>
    Math.min(0, logSum(log + near, logLost + Math.max(0, epsilon - near)) + SLACK);
  const lowered = (log: number, epsilon: number): number => {
    const lost = logLost + Math.max(0, epsilon) + SLACK - log;
    return lost < 0 ? log + logComplement(lost) - near - SLACK : -Infinity;
  };
  const deltaOf = (epsilon: number, asked = 0): Bracket => {
    if (epsilon === Infinity) return ordered(-Infinity, 0);
    const width = Math.max(asked, COARSE);
    const { upper } = run.logDelta(epsilon - near, width);
    return ordered(lowered(run.logDelta(epsilon + near, width).lower, epsilon), raised(upper, epsilon));
  };
  return {
    direction: run.direction,
    method: run.method,
    logInfinity: ordered(-Infinity, 0),
    logDelta: deltaOf,
    test: (omega, asked = 0) => {
      const { logFpr, logTpr } = run.test(omega, Math.max(asked, COARSE));
      return { logFpr: raised(logFpr, 0), logTpr: lowered(logTpr, 0) };
    },
    guessEpsilon: (target) => near + run.guessEpsilon(target - near),
    guessOmega: (target) => run.guessOmega(target - near),
  };
}
