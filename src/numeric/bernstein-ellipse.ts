import { log } from './scalar.js';

/**
 * The Bernstein ellipse ρ around a panel: foci at the panel's ends, semi-axes half·(ρ ± 1/ρ)/2.
 *
 * For f analytic in it, |f| ≤ M there, the Gauss–Legendre rule of n ≥ 2 nodes on the panel errs by at most
 * (64/15)·half·M ρ^{−2n}/(1 − ρ^{−2}) (ATAP, thm 19.3).
 */

/** Semi-axis along the panel. */
export function ellipseReach(half: number, rho: number): number {
  return (half * (rho + 1 / rho)) / 2;
}

/** Semi-axis across the panel. */
export function ellipseHeight(half: number, rho: number): number {
  return (half * (rho - 1 / rho)) / 2;
}

/** log of that bound for M = 1, within 1e-14 of its size. */
export function logRuleError(half: number, rho: number, n: number): number {
  return log(((64 / 15) * half) / (1 - 1 / (rho * rho))) - 2 * n * log(rho);
}
