import { wrongValue } from '../errors.js';
import { type Bracket, exactly } from '../numeric/bracket.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { logDeltaGdp, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from './directed-run.js';
import { enclosedRun } from './enclosed-run.js';
import { bracketsOf, withTogether } from './log-deltas.js';
import { nothingRun } from './trivial-runs.js';

/** A run of plain Gaussians: exactly μ-GDP with μ = √Σ T/σ² (GDP cor. 2.13; the two directions coincide). */
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

/** Relative error of a root of a sum of squares of rounded reciprocals. */
const ROOT = 6e-16;
/** Below it log δ changes so by less than a fifth of the slack that it has anyway: by at most a(a + μ) times that, a = ε/μ − μ/2. */
const LARGE_MU = 30;

/** The run of a μ that is rounded. */
export function roundedGaussian(mu: number): DirectedRun {
  if (!(mu > LARGE_MU && mu < Infinity)) return gaussianRun(mu);
  return enclosedRun(gaussianRun(mu * (1 + ROOT)), gaussianRun(mu * (1 - ROOT)));
}

function around(epsilon: number, logDelta: number): Bracket {
  // δ < 1, by less than a double may hold
  return epsilon === Infinity ? exactly(-Infinity) : padLogProbability(Math.min(logDelta, -Number.MIN_VALUE));
}

function certified(logFpr: number, logTpr: number): CertifiedTest {
  return { logFpr: padLogProbability(logFpr).upper, logTpr: padLogProbability(logTpr).lower };
}
