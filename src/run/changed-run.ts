import { type Bracket, bracket, ordered, overlap } from '../numeric/bracket.js';
import { complementTimes, logComplement, logSum, outward, sumAbove } from '../numeric/log-arithmetic.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import type { DirectedRun } from './directed-run.js';
import { gain } from './hull-run.js';

/** Least width of brackets of log δ that `closeRun` asks of its inner run. That the two laws are only (ε₁, δ₁)-close leaves a wider gap anyway. */
const COARSE = 1e-3;

/** A run that forwards to another one, except for the given members. */
export function changedRun(run: DirectedRun, changes: Partial<DirectedRun>): DirectedRun {
  return {
    direction: run.direction,
    method: run.method,
    logInfinity: changes.logInfinity ?? run.logInfinity,
    logDelta: (epsilon, width) => run.logDelta(epsilon, width),
    test: (omega, width) => run.test(omega, width),
    guessEpsilon: (target) => run.guessEpsilon(target),
    guessOmega: (target) => run.guessOmega(target),
    ...changes,
  };
}

/**
 * `run` composed with a release that reveals everything with probability δ₀ = 1 − e^{logHidden}, and otherwise nothing. If δ_T is the profile of `run`,
 * the composition has δ(ε) = δ₀ + (1 − δ₀) δ_T(ε) for ε ≥ 0. Its tests also reject where the record is revealed.
 *
 * Ensures: δ lies in its bracket where that of `run` does, and the tests exist.
 */
export function certainRun(run: DirectedRun, logHidden: number): DirectedRun {
  if (logHidden === 0) return run;
  const logRevealed = logComplement(logHidden);
  const raised = (logs: Bracket): Bracket => complementTimes(logHidden, logs);
  const undone = (target: number): number =>
    target > logRevealed ? target + logComplement(logRevealed - target) - logHidden : -1e4;
  return changedRun(run, {
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
  });
}

/**
 * Upper bound for a run that equals `run` except in an event, in which it may reveal everything. The event has probability p = e^{logLost} on both data sets.
 * With P = (1 − p)P′ + pP″ and Q ≥ (1 − p)Q′, hockey-stick divergences obey H_γ(P‖Q) ≤ p + (1 − p)H_γ(P′‖Q′). There is no lower bound.
 *
 * Ensures: no δ of such a run is above the upper end.
 */
export function losingRun(run: DirectedRun, logLost: number): DirectedRun {
  const raised = ({ upper }: Bracket): Bracket => bracket(-Infinity, sumAbove(upper, logLost));
  return changedRun(run, {
    logInfinity: raised(run.logInfinity),
    logDelta: (epsilon, width) => raised(run.logDelta(epsilon, width)),
    test: () => ({ logFpr: 0, logTpr: 0 }),
  });
}

/**
 * A run with one output law replaced: the new law is (ε₁, δ₁)-close, in both directions, to that of `run`. Hockey-stick divergences
 * obey H_{γγ′}(P‖R) ≤ H_γ(P‖M) + γH_{γ′}(M‖R) for any laws P, M and R. So
 *   e^{−ε₁}(δ_run(ε + ε₁) − max(1, e^ε)δ₁) ≤ δ(ε) ≤ e^{ε₁}δ_run(ε − ε₁) + max(1, e^{ε−ε₁})δ₁,
 * whichever law is replaced. Rates of tests change likewise, by a factor of at most e^{ε₁} and a term of at most δ₁.
 *
 * Ensures: δ lies in its bracket for every such law, and the tests exist.
 */
export function closeRun(
  run: DirectedRun,
  { epsilon: near, logDelta: logLost }: { readonly epsilon: number; readonly logDelta: number },
): DirectedRun {
  const raised = (log: number, epsilon: number): number =>
    sumAbove(log + near, logLost + Math.max(0, epsilon - near));
  const lowered = (log: number, epsilon: number): number => {
    const lost = logLost + Math.max(0, epsilon) - log + ROUNDINGS * (1 + Math.abs(log));
    return lost < 0 ? outward(log + logComplement(lost) - near, -1) - ROUNDINGS : -Infinity;
  };
  const deltaOf = (epsilon: number, asked = 0, floor?: number): Bracket => {
    if (epsilon === Infinity) return ordered(-Infinity, 0);
    const width = Math.max(asked, COARSE);
    const upper = raised(run.logDelta(epsilon - near, width).upper, epsilon);
    // the lower end rises with that of `run`, so an inaccurate one below the floor suffices
    return ordered(lowered(run.logDelta(epsilon + near, width, floor).lower, epsilon), upper);
  };
  return changedRun(run, {
    logInfinity: ordered(-Infinity, 0),
    logDelta: deltaOf,
    test: (omega, asked = 0) => {
      const { logFpr, logTpr } = run.test(omega, Math.max(asked, COARSE));
      return { logFpr: raised(logFpr, 0), logTpr: lowered(logTpr, 0) };
    },
    guessEpsilon: (target) => near + run.guessEpsilon(target - near),
    guessOmega: (target) => run.guessOmega(target - near),
  });
}

/**
 * The first run where its log δ is above `from`, else the intersection of both runs' brackets.
 *
 * Ensures: brackets of δ wherever those of both runs hold.
 */
export function shorterRun(first: DirectedRun, second: DirectedRun, from: number): DirectedRun {
  return changedRun(first, {
    logDelta: (epsilon, width, floor) => {
      const found = first.logDelta(epsilon, width, floor);
      return found.lower > from ? found : overlap(found, second.logDelta(epsilon, width, floor));
    },
    test: (omega, width) => {
      const [a, b] = [first, second].map((run) => run.test(omega, width));
      return gain(a, omega) > gain(b, omega) ? a : b;
    },
  });
}
