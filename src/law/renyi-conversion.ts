import { log, log1p } from '../numeric/scalar.js';

/** Conversions of one Rényi divergence to δ(ε) in common use: bounds, above the optimum of `RenyiRegion`. */

/** Mironov 2017, prop. 3: ε = D + log(1/δ)/(α−1), as log δ. Never below the others. */
export function logDeltaMironov(above: number, divergence: number, epsilon: number): number {
  return Math.min(0, above * (divergence - epsilon));
}

/** s = 0: Canonne, Kamath, Steinke 2020, prop. 12. */
export function logDeltaCks(above: number, divergence: number, epsilon: number): number {
  const order = 1 + above;
  const value = above * (divergence - epsilon) + above * log1p(-1 / order) - log(order);
  return value + 1e-14 * (1 + above * (Math.abs(divergence) + Math.abs(epsilon) + 1 / order) + log(order));
}
