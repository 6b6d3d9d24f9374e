/**
 * Mathematical constants of everything above the engines, each the double nearest to it; π, e, ln 2, ln 10, √2 and √½ are those of
 * `Math`, whose values the language fixes.
 */
export { HALF_LOG_2PI, INVERSE_PI, INVERSE_SQRT_2PI, SQRT_2PI, U } from '../kernel/constants.js';
