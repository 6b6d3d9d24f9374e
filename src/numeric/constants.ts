/**
 * Mathematical constants, each the nearest double; U = 2^−53 is the unit roundoff. π, e, ln 2, ln 10, √2 and √½ are taken from `Math`, whose values the
 * language fixes.
 */
export { HALF_LOG_2PI, INVERSE_PI, INVERSE_SQRT_2PI, SQRT_2PI, U } from '../kernel/constants.js';
