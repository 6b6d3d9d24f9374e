/**
 * The element-wise functions one number at a time, for code above the kernel seam that needs a single
 * value. They are the reference engine's; the WebAssembly engine gives the same bits, so there is
 * nothing to choose.
 */

export { exp, expHiLo, expm1, log, log1p } from '../../assembly/elementary.js';
export {
  deltaGdp,
  erfc,
  erfcx,
  inverfc,
  logDeltaGdp,
  logErfc,
  logNormalCdf,
  muGdp,
  muGdpLog,
  normalCdf,
  normalInterval,
  normalQuantile,
  normalQuantileLog,
  normalQuantileUpper,
  oneMinusDeltaGdp,
} from '../../assembly/scalar.js';
export { vcosPi as cosPi, vsinPi as sinPi } from '../../assembly/trig.js';
export { atan2, logModulus1p } from './atan.js';
