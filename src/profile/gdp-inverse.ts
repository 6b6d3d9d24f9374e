import type { Kernel } from '../kernel/kernel.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { logDeltaGdp, muGdpLog } from '../numeric/scalar.js';

/** Above the error of log δ_μ (relative 8.9e-16) and of a comparison with it. Safety hangs on it. */
export const SLACK = 2e-15;

/** δ_μ(ε) ≥ e^{logDelta} for certain. */
export function reaches(mu: number, epsilon: number, logDelta: number): boolean {
  return mu === Infinity || logDeltaGdp(mu, epsilon) * (1 + SLACK) >= logDelta;
}

/** δ_μ(ε) ≤ e^{logDelta} for certain. */
export function staysBelow(mu: number, epsilon: number, logDelta: number): boolean {
  return mu === 0 ? true : logDeltaGdp(mu, epsilon) * (1 - SLACK) <= logDelta;
}

/** A μ that is certainly on one side of μ_GDP(ε, δ), within a few units in the last place of it where the profile is known that well. */
type Beside = (epsilon: number, logDelta: number, inverse?: number) => number;

/** A μ ≥ μ_GDP(ε, δ). */
export const muAbove: Beside = (epsilon, logDelta, inverse = muGdpLog(epsilon, logDelta)) => {
  if (logDelta === -Infinity) return 0;
  let mu = inverse;
  for (let step = 1e-15; mu < Infinity && !reaches(mu, epsilon, logDelta); step *= 4) mu *= 1 + step;
  return mu;
};

/** A μ ≤ μ_GDP(ε, δ). */
export const muBelow: Beside = (epsilon, logDelta, inverse = muGdpLog(epsilon, logDelta)) => {
  if (logDelta === 0) return Infinity;
  let mu = inverse;
  for (let step = 1e-15; mu > 0 && !staysBelow(mu, epsilon, logDelta); step *= 4) mu *= 1 - Math.min(step, 1);
  return Math.max(0, mu);
};

/** One of them at many (ε, log δ), with the same bits: inverted and looked at by the kernel, mended one by one. */
export function musBeside(
  one: Beside,
  epsilon: Float64Array,
  logDelta: Float64Array,
  kernel?: Kernel,
): Float64Array {
  if (kernel === undefined) return epsilon.map((x, i) => one(x, logDelta[i]));
  const mu = kernel.muGdpLog(epsilon, logDelta);
  const there = kernel.logDeltaGdp(mu, epsilon);
  for (let i = 0; i < mu.length; i++) {
    const inside = mu[i] > 0 && mu[i] < Infinity && logDelta[i] > -Infinity && logDelta[i] < 0;
    const holds =
      one === muAbove ? there[i] * (1 + SLACK) >= logDelta[i] : there[i] * (1 - SLACK) <= logDelta[i];
    if (!inside || !holds) mu[i] = one(epsilon[i], logDelta[i], mu[i]);
  }
  return mu;
}

/** Bracket of G = μ_GDP(ε, δ) from one of log δ. */
export function muGdpBracket(epsilon: number, logDelta: Bracket): Bracket {
  if (epsilon === Infinity) return bracket(0, logDelta.upper > -Infinity ? Infinity : 0);
  const upper = muAbove(epsilon, logDelta.upper);
  return bracket(Math.min(muBelow(epsilon, logDelta.lower), upper), upper);
}
