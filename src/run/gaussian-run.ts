import { wrongValue } from '../errors.js';
import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { complementTimes } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { FEW_ROUNDINGS } from '../numeric/rounding.js';
import { log, logDeltaGdp, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { enclosedRun } from './enclosed-run.js';
import { bracketsOf, withTogether } from './log-deltas.js';

/** A run that reveals nothing (no steps, or sampling rate 0): δ(ε) = (1 − e^ε)⁺, f(α) = 1 − α. */
export const nothingRun: DirectedRun = {
  direction: 'both',
  method: 'closed-form',
  logInfinity: exactly(-Infinity),
  largestLoss: exactly(0),
  logDelta: (epsilon) => {
    const nothing = exactly(-Infinity);
    return epsilon >= 0 ? nothing : complementTimes(epsilon, nothing);
  },
  test: (omega) => (omega >= 0 ? { logFpr: -Infinity, logTpr: -Infinity } : { logFpr: 0, logTpr: 0 }),
  guessEpsilon: () => 0,
  guessOmega: () => 0,
};

/**
 * A run with a step of noise multiplier 0, which reveals the record whenever it samples it. It does so with probability at least `revealed`, which is 1
 * only if it is certain. Whatever the other steps add, δ(ε) ∈ [revealed, 1].
 *
 * Ensures: δ lies in its bracket, whatever the other steps are.
 */
export function revealingRun(revealed: number): DirectedRun {
  const logRevealed = log(revealed);
  const enclosure =
    revealed === 1 ? exactly(0) : bracket(Math.min(0, logRevealed - FEW_ROUNDINGS * (1 - logRevealed)), 0);
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: enclosure,
    logDelta: () => enclosure,
    test: () => ({ logFpr: -Infinity, logTpr: enclosure.lower }),
    guessEpsilon: () => 0,
    guessOmega: () => 0,
  };
}

/**
 * A run of Gaussian mechanisms on all records: exactly μ-GDP, μ = √Σ T/σ² over phases of T steps with noise multiplier σ. So
 * δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) in both directions (Dong, Roth, Su 2022, corollary 2.13).
 *
 * Ensures: δ lies in its bracket; some test has at most the FPR stated, and at least the TPR.
 */
export function gaussianRun(mu: number): DirectedRun {
  if (!(mu >= 0)) throw wrongValue('mu', 'a number >= 0', mu);
  if (mu === 0) return nothingRun;
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    largestLoss: exactly(Infinity),
    logDelta: withTogether(
      (epsilon) => around(epsilon, logDeltaGdp(mu, epsilon)),
      (epsilon, kernel) => {
        const logs = kernel.logDeltaGdp(mu, epsilon);
        return bracketsOf(logs.length, (i) => around(epsilon[i], logs[i]));
      },
    ),
    // δ_μ(ε) < Φ(μ/2 − ε/μ) and Pr_P[L > ω] = Φ(−ω/μ − μ/2)
    guessEpsilon: (logDelta) => mu * (mu / 2 - normalQuantileLog(logDelta)),
    guessOmega: (logFpr) => -mu * (mu / 2 + normalQuantileLog(logFpr)),
    test: (omega) => {
      const t = omega / mu;
      return certified(logNormalCdf(-(t + mu / 2)), logNormalCdf(mu / 2 - t));
    },
  };
}

/** Relative error of the root of a sum of squares of rounded reciprocals. */
const ROOT = 6e-16;
/**
 * Below this μ the effect of its rounding on log δ is less than a fifth of the rounding error of log δ. The effect is at most a(a + μ) roundings, a =
 * ε/μ − μ/2.
 */
const LARGE_MU = 30;

/** A Gaussian run whose μ has a rounding error, which matters if μ is large. Ensures: brackets hold for every μ within a relative `ROOT` of the given one. */
export function roundedGaussian(mu: number): DirectedRun {
  if (!(mu > LARGE_MU && mu < Infinity)) return gaussianRun(mu);
  return enclosedRun(gaussianRun(mu * (1 + ROOT)), gaussianRun(mu * (1 - ROOT)));
}

/** The bracket of a computed log δ_μ(ε). Ensures: log δ lies in the bracket, if `logDelta` has the error of the function. */
function around(epsilon: number, logDelta: number): Bracket {
  // δ < 1, perhaps by less than a double can represent
  return epsilon === Infinity ? exactly(-Infinity) : padLogProbability(Math.min(logDelta, -Number.MIN_VALUE));
}

/** A test from computed rates. Ensures: the FPR is no less, and the TPR no more, than that of the test. */
function certified(logFpr: number, logTpr: number): CertifiedTest {
  return { logFpr: padLogProbability(logFpr).upper, logTpr: padLogProbability(logTpr).lower };
}
