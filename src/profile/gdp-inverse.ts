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

/** A μ ≥ μ_GDP(ε, δ), within a few units in the last place of it where the profile is known that well. */
export function muAbove(
  epsilon: number,
  logDelta: number,
  inverse: number = muGdpLog(epsilon, logDelta),
): number {
  if (logDelta === -Infinity) return 0;
  let mu = inverse;
  for (let step = 1e-15; mu < Infinity && !reaches(mu, epsilon, logDelta); step *= 4) mu *= 1 + step;
  return mu;
}

/** A μ ≤ μ_GDP(ε, δ), likewise. */
export function muBelow(
  epsilon: number,
  logDelta: number,
  inverse: number = muGdpLog(epsilon, logDelta),
): number {
  if (logDelta === 0) return Infinity;
  let mu = inverse;
  for (let step = 1e-15; mu > 0 && !staysBelow(mu, epsilon, logDelta); step *= 4) mu *= 1 - Math.min(step, 1);
  return Math.max(0, mu);
}

/** `muAbove` at many (ε, log δ), with the same bits: inverted and looked at by the kernel, mended one by one. */
export function musAbove(epsilon: Float64Array, logDelta: Float64Array, kernel?: Kernel): Float64Array {
  return inverted(epsilon, logDelta, kernel, muAbove, (there, at) => there * (1 + SLACK) >= at);
}

/** `muBelow` at many (ε, log δ). */
export function musBelow(epsilon: Float64Array, logDelta: Float64Array, kernel?: Kernel): Float64Array {
  return inverted(epsilon, logDelta, kernel, muBelow, (there, at) => there * (1 - SLACK) <= at);
}

function inverted(
  epsilon: Float64Array,
  logDelta: Float64Array,
  kernel: Kernel | undefined,
  one: (epsilon: number, logDelta: number, inverse?: number) => number,
  holds: (there: number, logDelta: number) => boolean,
): Float64Array {
  if (kernel === undefined) return epsilon.map((x, i) => one(x, logDelta[i]));
  const mu = kernel.muGdpLog(epsilon, logDelta);
  const there = kernel.logDeltaGdp(mu, epsilon);
  for (let i = 0; i < mu.length; i++) {
    const inside = mu[i] > 0 && mu[i] < Infinity && logDelta[i] > -Infinity && logDelta[i] < 0;
    if (!inside || !holds(there[i], logDelta[i])) mu[i] = one(epsilon[i], logDelta[i], mu[i]);
  }
  return mu;
}

/** Bracket of G = μ_GDP(ε, δ) from one of log δ. */
export function muGdpBracket(epsilon: number, logDelta: Bracket): Bracket {
  if (epsilon === Infinity) return bracket(0, logDelta.upper > -Infinity ? Infinity : 0);
  const upper = muAbove(epsilon, logDelta.upper);
  return bracket(Math.min(muBelow(epsilon, logDelta.lower), upper), upper);
}
