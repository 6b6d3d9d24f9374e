import type { SampledStep } from '../../../kernel/windows.js';
import { INVERSE_PI } from '../../../numeric/constants.js';
import { cosPi, exp, log, log1p } from '../../../numeric/scalar.js';

export type { SampledStep };

/** The largest μ and the largest rate of steps. */
export function largestOf(steps: readonly SampledStep[]): SampledStep {
  const [mu, q] = (['mu', 'q'] as const).map((of) => steps.reduce((top, step) => Math.max(top, step[of]), 0));
  return { mu, q };
}

/** Negative tilts are steep beyond this, and where losses have turned by more in units of the noise. Speed alone hangs on it. */
const STEEP = 4;
const STEEP_TURN = 3;

/** The furthest negative tilt at which one factor for all outputs says what |u|^c gains off the axis. */
export function mildest(mu: number): number {
  return -Math.max(STEEP, STEEP_TURN / mu);
}

/** Whether one factor for all outputs is to do, for one step. */
export function isMild(mu: number, c: number): boolean {
  return c >= mildest(mu);
}

/** log of what |u|^c gains at an angle at most, c ≤ 0: |A + Be^{iθ}| ≥ (A + B)cos(θ/2). */
export function wholeGrowth(c: number, angle: number): number {
  return c * log(cosine(angle / 2));
}

/**
 * About what the largest φ|u|^c gains at an angle θ, for plans. Where B is small, log φ|u|^c = −x²/2 − κe^{μx}cos θ, κ = |c|qe^{−μ²/2}/(1 − q). It is largest where
 * −μx = W(κμ²cos θ), and −(W² + 2W)/2μ² there.
 */
export function growthNear({ mu, q }: SampledStep, c: number, angle: number): number {
  const whole = wholeGrowth(c, angle);
  const cos = cosPi(angle * INVERSE_PI);
  if (whole <= 1 || !(cos > 0)) return whole;
  const kappa = (-c * q * exp((-mu * mu) / 2) * mu * mu) / (1 - q);
  const [on, off] = [lambert(kappa), lambert(kappa * cos)];
  return Math.min(whole, ((on - off) * (on + off + 2)) / (2 * mu * mu));
}

/** W(z), z ≥ 0, to a percent (S. Winitzki). */
function lambert(z: number): number {
  const l = log1p(z);
  return l * (1 - log1p(l) / (2 + l));
}

/** cos x on [0, 1.5], rounded down: 1 − x²/2 + x⁴/24 − x⁶/720 + x⁸/40320 − x¹⁰/3628800 is below it. */
export function cosine(x: number): number {
  const z = x * x;
  return (1 - z * (1 / 2 - z * (1 / 24 - z * (1 / 720 - z * (1 / 40320 - z / 3628800))))) * (1 - 1e-12);
}
