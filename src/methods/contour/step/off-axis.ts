import type { SampledStep } from '../../../kernel/windows.js';
import { subsampledSlope } from '../../../law/subsampling.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { atan2, cosPi, exp, log, log1p, sinPi } from '../../../numeric/scalar.js';

export type { SampledStep };

/** The largest μ and the largest rate of steps. */
export function largestOf(steps: readonly SampledStep[]): SampledStep {
  const [mu, q] = (['mu', 'q'] as const).map((of) => steps.reduce((top, step) => Math.max(top, step[of]), 0));
  return { mu, q };
}

// u = A + Be^{iθ} at outputs x + iy of a sampled Gaussian: A = 1 − q, B = qe^{μx − μ²/2}, θ = μy.

/**
 * log of what |A + Be^{iθ}|^c gains over (A + B)^c at most for |θ| ≤ angle and outputs from a to b: |A + Be^{iθ}|² = (A + B)²(1 − w sin²(θ/2)), where
 * w = 4AB/(A + B)² rises with B up to B = A and falls from there.
 */
export function gainOf({ mu, q }: SampledStep, c: number, angle: number, a: number, b: number): number {
  if (c >= 0) return 0;
  const [low, high] = [bigShare(mu, q, a), bigShare(mu, q, b)];
  const nearest = Math.min(high, Math.max(low, 0.5));
  return c * shrinkAt(nearest, angle);
}

/** log of the least |A + Be^{iθ}|/(A + B), |θ| ≤ angle < π, where B is this share of A + B, rounded down. */
function shrinkAt(share: number, angle: number): number {
  const half = sinPi((angle / 2) * INVERSE_PI);
  return 0.5 * log1p(-Math.min(4 * share * (1 - share), 1) * half * half) * (1 + 1e-12) - 4 * U;
}

/** B/(A + B). */
export function bigShare(mu: number, q: number, x: number): number {
  return subsampledSlope(mu * x - (mu * mu) / 2, q);
}

/** The largest arg u over Re x ≤ right, 0 ≤ μ·Im x ≤ angle < π. */
export function largestArgument(mu: number, q: number, right: number, angle: number): number {
  const s = mu * right - (mu * mu) / 2;
  if (s > 30) return angle;
  const b = q * exp(s);
  const turn = angle * INVERSE_PI;
  const cos = cosPi(turn);
  if (b < 1 - q && cos < -b / (1 - q)) return Math.PI / 2;
  return Math.min(angle, atan2(b * sinPi(turn), 1 - q + b * cos) * (1 + 1e-12));
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
 * About what the largest φ|u|^c gains at an angle θ, for plans. Where B is small, log φ|u|^c = −x²/2 − κe^{μx}cos θ, κ = |c|qe^{−μ²/2}/(1 − q), is largest where
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
