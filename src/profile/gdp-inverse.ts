import type { Kernel } from '../kernel/kernel.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { HALF_LOG_2PI } from '../numeric/constants.js';
import { FEW_ROUNDINGS, FUNCTIONS_ERROR, MANY_ROUNDINGS } from '../numeric/rounding.js';
import { log, logDeltaGdp, muGdpLog } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';

/**
 * Upper bound of the relative error of log δ_μ(ε) and of a comparison with it. The former is 8.9e-16; δ_μ is the profile of N(0, 1) against N(μ, 1).
 * Correctness depends on it.
 */
export const SLACK: number = FUNCTIONS_ERROR;

/** Whether δ_μ(ε) ≥ e^{logDelta} for certain; δ_μ is the profile of N(0, 1) against N(μ, 1). Ensures: true only where δ_μ(ε) ≥ e^{logDelta}. */
export function reaches(mu: number, epsilon: number, logDelta: number): boolean {
  return mu === Infinity || logDeltaGdp(mu, epsilon) * (1 + SLACK) >= logDelta;
}

/** Whether δ_μ(ε) ≤ e^{logDelta} for certain; δ_μ is the profile of N(0, 1) against N(μ, 1). Ensures: true only where δ_μ(ε) ≤ e^{logDelta}. */
export function staysBelow(mu: number, epsilon: number, logDelta: number): boolean {
  return mu === 0 ? true : logDeltaGdp(mu, epsilon) * (1 - SLACK) <= logDelta;
}

/**
 * A function that gives a μ certainly on one side of the μ with δ_μ(ε) = δ, within a few units in the last place. `inverse` is an approximate value
 * of it.
 */
type Beside = (epsilon: number, logDelta: number, inverse?: number) => number;

/** A μ ≥ μ_GDP(ε, δ), the μ with δ_μ(ε) = δ. */
export const muAbove: Beside = (epsilon, logDelta, inverse = muGdpLog(epsilon, logDelta)) => {
  if (logDelta === -Infinity) return 0;
  let mu = inverse;
  for (let step = FEW_ROUNDINGS; mu < Infinity && !reaches(mu, epsilon, logDelta); step *= 4) mu *= 1 + step;
  return mu;
};

/** A μ ≤ μ_GDP(ε, δ), the μ with δ_μ(ε) = δ. */
export const muBelow: Beside = (epsilon, logDelta, inverse = muGdpLog(epsilon, logDelta)) => {
  if (logDelta === 0) return Infinity;
  let mu = inverse;
  for (let step = FEW_ROUNDINGS; mu > 0 && !staysBelow(mu, epsilon, logDelta); step *= 4)
    mu *= 1 - Math.min(step, 1);
  return Math.max(0, mu);
};

/**
 * `muAbove` or `muBelow` at many (ε, log δ), with the same bits. The kernel inverts and checks all at once; those that fail the check are computed
 * one by one.
 *
 * Ensures: each is on the side of μ_GDP that `one` is on.
 */
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

/** Bracket of μ_GDP(ε, δ), the μ with δ_μ(ε) = δ, from a bracket of log δ. Ensures: it lies in the bracket for every δ of the one given. */
export function muGdpBracket(epsilon: number, logDelta: Bracket): Bracket {
  if (epsilon === Infinity) return bracket(0, logDelta.upper > -Infinity ? Infinity : 0);
  const upper = muAbove(epsilon, logDelta.upper);
  return bracket(Math.min(muBelow(epsilon, logDelta.lower), upper), upper);
}

/**
 * A μ with δ(x) ≤ δ_μ(x) for all x ≥ ε, from a quadratic bound of log δ there, −x²/(2 spread²) + linear·x + constant. It is ∞ if none is found.
 *
 * Let b = x/μ + μ/2, t = b − μ ≥ 0, and R the Mills ratio. Then log δ_μ(x) = −x²/2μ² + x/2 − μ²/8 − ½ log 2π + log(R(t) − R(b)). R(t) − R(b) ≥ μ/(b²
 * + 3), as −R′ = 1 − xR > 1/(x² + 3) (its continued fraction). The difference of log δ_μ to the bound has at least the slope x(1/spread² − 1/μ²) + ½
 * − linear − 2/(x + μ²/2). This rises with x. So it suffices that slope and difference are not negative at ε.
 *
 * Ensures: δ(x) ≤ δ_μ(x) for all x ≥ ε, for every δ below the bound.
 */
export function quadraticCeiling(
  { spread, linear, constant }: Readonly<Record<'spread' | 'linear' | 'constant', number>>,
  epsilon: number,
): number {
  const holds = (mu: number): boolean => {
    if (!(epsilon >= (mu * mu) / 2 && epsilon > 0)) return false;
    const gain = (1 / spread - 1 / mu) * (1 / spread + 1 / mu);
    const b = epsilon / mu + mu / 2;
    const slope = epsilon * gain + 0.5 - linear - 2 / (epsilon + (mu * mu) / 2);
    const above =
      (epsilon * epsilon * gain) / 2 +
      (0.5 - linear) * epsilon -
      constant -
      (mu * mu) / 8 -
      HALF_LOG_2PI +
      log(mu / (b * b + 3));
    return slope > 0 && above > MANY_ROUNDINGS * (1 + (epsilon * epsilon) / (spread * spread));
  };
  if (holds(spread)) return spread;
  const found = turningPoint(holds, {
    guess: spread,
    reach: 1e-3 * spread,
    floor: spread,
    ceiling: Math.sqrt(2 * epsilon),
    relative: 1e-9,
  });
  return found.high;
}
