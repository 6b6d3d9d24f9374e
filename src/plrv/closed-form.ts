import { type Bracket, bracket, exactly } from '../bracket.js';
import { wrongValue } from '../errors.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { exp, log, log1p, logDeltaGdp, logNormalCdf, normalCdf, normalQuantileLog } from '../scalar.js';
import { plainLoss, subsampledLoss } from './subsampling.js';

/** Relative slack put on δ, on 1 − δ and on normal probabilities: above the measured error of the functions. */
const SLACK = 1e-13;

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

/** One step of a Poisson-subsampled Gaussian, in either direction: δ reduces to δ_{1/σ} at a moved ε. */
export function singleStepRun(sigma: number, q: number, direction: 'remove' | 'add'): DirectedRun {
  const mu = 1 / sigma;
  /** Bracket of log(scale · δ_{1/σ}(s)) where s carries the rounding of the map. */
  const moved = (logScale: number, s: number, rounding: number): Bracket => {
    const slack = SLACK + rounding * (1 + Math.abs(s));
    const up = padLogProbability(logDeltaGdp(mu, s - slack)).upper + logScale;
    const down = padLogProbability(logDeltaGdp(mu, s + slack)).lower + logScale;
    return bracket(
      down - SLACK * (1 + Math.abs(logScale)),
      Math.min(0, up + SLACK * (1 + Math.abs(logScale))),
    );
  };
  const logDelta = (epsilon: number): Bracket => {
    if (epsilon === Infinity) return exactly(-Infinity);
    if (direction === 'remove') {
      // E_mix[(1 − e^ε base/mix)⁺] = q δ_{1/σ}(s), s the plain loss at ε; below the losses it is 1 − e^ε
      const s = plainLoss(epsilon, q);
      if (s === -Infinity) return padLogProbability(log1p(-exp(epsilon)));
      const margin = exp(epsilon) - (1 - q);
      return moved(log(q), s, 1e-14 * (1 + (epsilon < 0 ? 1 / Math.max(margin, 1e-300) : 0)));
    }
    // ∫(base − e^ε mix)⁺ = r δ_{1/σ}(log(e^ε q/r)), r = 1 − e^ε(1 − q)
    const r = 1 - exp(epsilon) * (1 - q);
    if (!(r > 0)) return bracket(-Infinity, r > -1e-14 ? log(1e-14) : -Infinity);
    return moved(log(r), epsilon + log(q) - log(r), 1e-14 * (1 + 1 / r));
  };
  const test = (omega: number): CertifiedTest => {
    // any threshold on o is a test: only Φ is rounded
    const s = plainLoss(direction === 'remove' ? omega : -omega, q);
    const z = s / mu + mu / 2;
    if (direction === 'remove') {
      const fpr = normalCdf(-z);
      return certified(
        logNormalCdf(-z),
        mixLog(q, fpr, normalCdf(mu - z), logNormalCdf(-z), logNormalCdf(mu - z)),
      );
    }
    return certified(
      mixLog(q, normalCdf(z), normalCdf(z - mu), logNormalCdf(z), logNormalCdf(z - mu)),
      logNormalCdf(z),
    );
  };
  const guessEpsilon = (target: number) => subsampledLoss(mu * (mu / 2 - normalQuantileLog(target)), q);
  const guessOmega = (target: number) => subsampledLoss(-mu * (mu / 2 + normalQuantileLog(target)), q);
  return {
    direction,
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    logDelta,
    test,
    guessEpsilon,
    guessOmega,
  };
}

/** log((1−q)a + qb), through the logs where the probabilities underflow. */
function mixLog(q: number, a: number, b: number, logA: number, logB: number): number {
  const mix = (1 - q) * a + q * b;
  if (mix > 1e-290) return log(mix);
  const top = Math.max(logA, logB);
  return top === -Infinity ? top : top + log((1 - q) * exp(logA - top) + q * exp(logB - top));
}
