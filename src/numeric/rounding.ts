/** Relative errors by which ends are moved outwards. A rounding is at most U = 1.1e-16 of its result; safety hangs on each. */

/** Of one function of `scalar`, which is right to an ulp, or of three roundings. */
export const FUNCTION_ERROR = 4e-16;
/** Of eight roundings. */
export const FEW_ROUNDINGS = 1e-15;
/** Of a few functions of `scalar` and what joins them: 18 roundings. */
export const FUNCTIONS_ERROR = 2e-15;
/** Of the 36 roundings with which δ and tests are put together. */
export const ROUNDING = 4e-15;
/** Of 90 roundings: chords, intercepts, sums of a handful of values, exponentials of sums. */
export const ROUNDINGS = 1e-14;

/**
 * `x` ≥ 0 raised by a relative error.
 *
 * Ensures: at least the exact value, where `x` is off by at most half of `relative`.
 */
export function up(x: number, relative: number): number {
  return x * (1 + relative);
}

/**
 * `x` ≥ 0 lowered by a relative error.
 *
 * Ensures: at most the exact value, where `x` is off by at most half of `relative`.
 */
export function down(x: number, relative: number): number {
  return x * (1 - relative);
}
