/**
 * Mathematical constants of everything above the engines, each the double nearest to it; π, e, ln 2, ln 10, √2 and √½ are those of
 * `Math`, whose values the language fixes.
 */
export { INVERSE_SQRT_2PI, SQRT_2PI, U } from '../kernel/constants.js';

/** 1/π, and ½ log 2π. */
export const INVERSE_PI = 0.3183098861837907;
export const HALF_LOG_2PI = 0.9189385332046728;
