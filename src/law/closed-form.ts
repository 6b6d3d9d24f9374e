import { type Bracket, bracket, exactly } from '../bracket.js';
import { wrongValue } from '../errors.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { log, logDeltaGdp, logNormalCdf, normalQuantileLog } from '../scalar.js';

/** Relative slack put on δ, on 1 − δ and on probabilities in general: above the measured error of the functions. */
export const SLACK = 1e-13;

/** Bracket of a log-probability whose probability and complement are known to about `SLACK` (1 + |log|) relative. */
export function padLogProbability(value: number): Bracket {
  if (value === -Infinity) return bracket(-Infinity, -Number.MAX_VALUE);
  // absolute slack on log p; close to 0 (p near 1) the complement −log p itself carries the relative slack
  const near1 = value > -0.5 ? -value * SLACK * (1 - log(Math.max(-value, 1e-320))) : Infinity;
  const slack = Math.min(near1, SLACK * (1 + Math.abs(value)));
  return bracket(value - slack, Math.min(0, value + slack));
}

/** A run of plain Gaussians: exactly μ-GDP with μ = √Σ T/σ² (GDP cor. 2.13; the two directions coincide). */
export function gaussianRun(mu: number): DirectedRun {
  if (!(mu >= 0)) throw wrongValue('mu', 'a number >= 0', mu);
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    largestLoss: exactly(mu > 0 ? Infinity : 0),
    logDelta: (epsilon) =>
      epsilon === Infinity ? exactly(-Infinity) : padLogProbability(logDeltaGdp(mu, epsilon)),
    // δ_μ(ε) < Φ(μ/2 − ε/μ) and Pr_P[L > ω] = Φ(−ω/μ − μ/2)
    guessEpsilon: (logDelta) => mu * (mu / 2 - normalQuantileLog(logDelta)),
    guessOmega: (logFpr) => -mu * (mu / 2 + normalQuantileLog(logFpr)),
    test: (omega) => {
      const t = omega / mu;
      return certified(logNormalCdf(-(t + mu / 2)), logNormalCdf(mu / 2 - t));
    },
  };
}

function certified(logFpr: number, logTpr: number): CertifiedTest {
  return { logFpr: padLogProbability(logFpr).upper, logTpr: padLogProbability(logTpr).lower };
}
