import type { ElementwiseName } from './kernel.js';

/**
 * The largest errors found of the element-wise functions, in ulp of the exact value (the distance of doubles in its binade, 2⁻¹⁰⁷⁴ at
 * least), rounded up. Searches: 10⁷ points each (inverfc and the quantiles 1.2 to 1.5·10⁷), random over the domain and every binade, then
 * twice in the few hundred cells where errors had been largest, against 113-bit values. They are not proven maxima; two
 * searches from other points agreed within 0.07. An ulp is at most 2u of the value, u = 2⁻⁵³: brackets leave room for more than that.
 *
 * The docstrings of `Kernel` quote these; the tests hold both engines to them, at the goldens and at the hardest points found.
 */
export const LARGEST_ERROR: Readonly<Record<ElementwiseName, number>> = {
  exp: 0.76,
  log: 0.67,
  expm1: 2.12,
  log1p: 0.67,
  sinPi: 1.61,
  cosPi: 1.61,
  erfc: 1.97,
  erfcx: 3.87,
  logErfc: 2.04,
  inverfc: 6.43,
  normalCdf: 2,
  logNormalCdf: 1.97,
  normalQuantile: 6.45,
  normalQuantileUpper: 6.45,
  normalQuantileLog: 7.67,
};
