/** Relative errors by which ends of brackets are moved outwards. One rounding is at most U = 1.1e-16 of its result; correctness depends on each. */

/** Relative error of one rounding and most of another, as of a result computed from a rounded number. */
export const A_ROUNDING = 2e-16;
/** Relative error of one function of `scalar`, whose error is at most one ulp, or of three roundings. */
export const FUNCTION_ERROR = 4e-16;
/** Relative error of eight roundings. */
export const FEW_ROUNDINGS = 1e-15;
/** Relative error of 18 roundings: a few functions of `scalar` and the operations between them. */
export const FUNCTIONS_ERROR = 2e-15;
/** Relative error of the 36 roundings with which δ and tests are computed. */
export const ROUNDING = 4e-15;
/** Relative error of 90 roundings: chords, intercepts, sums of a few values, exponentials of sums. */
export const ROUNDINGS = 1e-14;
/** Relative error of 900 roundings: sums of hundreds of values, and logarithms of size 100 that nearly cancel. */
export const MANY_ROUNDINGS = 1e-13;
/** Relative error of 9,000 roundings: sums of thousands of values, and logarithms of binomials. */
export const LONG_SUM = 1e-12;

/** Relative tolerance of root searches: to the last digits of a double. Only width and speed depend on this one and the next three. */
export const TO_LAST_DIGITS = 1e-15;
/** Relative tolerance of root searches to 14 digits. */
export const TO_14_DIGITS = 1e-14;
/** Relative tolerance of root searches to 13 digits, which a function of a few operations has. */
export const TO_KEPT_DIGITS = 1e-13;
/** Relative tolerance of root searches to 12 digits, for functions that have no more, or roots that enter no bound. */
export const TO_12_DIGITS = 1e-12;
/** A tiny positive number. It replaces an upper end that rounding may have brought to 0 or below; as a tolerance it asks for neighbouring doubles. */
export const BARELY = 1e-16;

/**
 * `x` ≥ 0 raised by a relative error.
 *
 * Ensures: at least the exact value, if the relative error of `x` is at most half of `relative`.
 */
export function up(x: number, relative: number): number {
  return x * (1 + relative);
}

/**
 * `x` ≥ 0 lowered by a relative error.
 *
 * Ensures: at most the exact value, if the relative error of `x` is at most half of `relative`.
 */
export function down(x: number, relative: number): number {
  return x * (1 - relative);
}

/**
 * `x` raised by an error relative to the `size` of its terms.
 *
 * Ensures: at least the exact value, if the error of `x` is at most half of `relative` times that size.
 */
export function padded(x: number, size: number, relative: number): number {
  return x + relative * size;
}
