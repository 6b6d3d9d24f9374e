import { type Bracket, bracket } from '../numeric/bracket.js';
import { logDeltaGdp, muGdpLog } from '../numeric/scalar.js';

/** Above the error of log δ_μ (relative 8.9e-16). */
const SLACK = 2e-15;

/** δ_μ(ε) ≥ e^{logDelta} for certain. */
export function reaches(mu: number, epsilon: number, logDelta: number): boolean {
  return mu === Infinity || logDeltaGdp(mu, epsilon) * (1 + SLACK) >= logDelta;
}

/** δ_μ(ε) ≤ e^{logDelta} for certain. */
export function staysBelow(mu: number, epsilon: number, logDelta: number): boolean {
  return mu === 0 ? true : logDeltaGdp(mu, epsilon) * (1 - SLACK) <= logDelta;
}

/** A μ ≥ μ_GDP(ε, δ), within a few units in the last place of it where the profile is known that well. */
export function muAbove(epsilon: number, logDelta: number): number {
  if (logDelta === -Infinity) return 0;
  let mu = muGdpLog(epsilon, logDelta);
  for (let step = 1e-15; mu < Infinity && !reaches(mu, epsilon, logDelta); step *= 4) mu *= 1 + step;
  return mu;
}

/** A μ ≤ μ_GDP(ε, δ), likewise. */
export function muBelow(epsilon: number, logDelta: number): number {
  if (logDelta === 0) return Infinity;
  let mu = muGdpLog(epsilon, logDelta);
  for (let step = 1e-15; mu > 0 && !staysBelow(mu, epsilon, logDelta); step *= 4) mu *= 1 - Math.min(step, 1);
  return Math.max(0, mu);
}

/** Bracket of G = μ_GDP(ε, δ) from one of log δ. */
export function muGdpBracket(epsilon: number, logDelta: Bracket): Bracket {
  if (epsilon === Infinity) return bracket(0, logDelta.upper > -Infinity ? Infinity : 0);
  const upper = muAbove(epsilon, logDelta.upper);
  return bracket(Math.min(muBelow(epsilon, logDelta.lower), upper), upper);
}
