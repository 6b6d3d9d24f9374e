/**
 * The element-wise functions one number at a time, for code above the kernel seam that needs a single
 * value. They are the reference engine's; the WebAssembly engine gives the same bits, so there is
 * nothing to choose.
 */

export { exp, expHiLo, expm1, log, log1p } from '../../assembly/elementary.js';
export { vcosPi as cosPi, vsinPi as sinPi } from '../../assembly/trig.js';
export { atan2, logModulus1p } from '../reference/atan.js';
export { erfc, erfcHiLo, erfcx, logErfc } from '../reference/erf.js';
export { deltaGdp, logDeltaGdp, normalInterval, oneMinusDeltaGdp } from '../reference/gdp.js';
export { muGdp, muGdpLog } from '../reference/gdp-inverse.js';
export { logNormalCdf, normalCdf } from '../reference/normal.js';
export { inverfc, normalQuantile, normalQuantileLog, normalQuantileUpper } from '../reference/quantile.js';
