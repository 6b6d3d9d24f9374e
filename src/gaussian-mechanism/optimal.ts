import { type Bracket, bracket } from '../numeric/bracket.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { exp, log, logDeltaGdp, muGdpLog } from '../numeric/scalar.js';
import { type GaussianRequest, requireRequest } from './request.js';

/** Relative steps by which an end is moved outwards until δ certifies it. */
const FIRST_STEP = 2e-15;

/** What rounding δ to a double, and a run's own use of μ, can change. */
const ROUNDING = 4e-16;

/**
 * Bracket of μ_GDP(ε, δ), the largest μ whose Gaussian profile satisfies δ_μ(ε) ≤ delta: δ has been seen at
 * or below `delta` at the lower end and above it at the upper end (IAM eq. 1).
 *
 * @param epsilon ≥ 0.
 * @param delta In [1e-300, 1).
 */
export function muBracket(epsilon: number, delta: number): Bracket {
  const target = log(delta);
  const guess = muGdpLog(epsilon, target);
  const end = (side: 1 | -1): number => {
    for (let step = FIRST_STEP; ; step *= 2) {
      const mu = guess * (1 + side * step);
      const { lower, upper } = padLogProbability(logDeltaGdp(mu, epsilon));
      const nearest = side > 0 ? lower : upper;
      const isBeyond = side * (nearest - target) > 0;
      if (isBeyond && side * (exp(nearest) * (1 - side * 3 * ROUNDING) - delta) >= 0)
        return mu * (1 + side * 3 * ROUNDING);
    }
  };
  return bracket(end(-1), end(1));
}

/**
 * The smallest σ for which N(0, σ²) noise on a query of L2 sensitivity Δ is (ε, δ)-DP: σ = Δ/μ_GDP(ε, δ)
 * (GM thm 2; Balle, Wang 2018, thm 8), at ε = 0 Δ/(2√2 inverf δ) (GM thm 3). The upper end is feasible: δ has been evaluated there.
 *
 * @throws TypeError | RangeError naming the option that is not in its range (see `GaussianRequest`).
 * @example
 * optimalSigma({ epsilon: 1, delta: 1e-5, sensitivity: 2 }).upper; // 7.46127
 */
export function optimalSigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request, 1, true);
  const mu = muBracket(epsilon, delta);
  return bracket((sensitivity / mu.upper) * (1 - ROUNDING), (sensitivity / mu.lower) * (1 + ROUNDING));
}
