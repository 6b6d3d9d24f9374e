/** The element-wise methods of the reference kernel: the scalar functions over arrays. */

import { exp, expm1, log, log1p } from '../../assembly/elementary.js';
import { vcosPi as cosPi, vsinPi as sinPi } from '../../assembly/trig.js';
import { outputFor } from '../kernel/arguments.js';
import type { ElementwiseKernel } from '../kernel/kernel.js';
import { erfc, erfcx, logErfc } from './erf.js';
import { logNormalCdf, normalCdf } from './normal.js';
import { inverfc, normalQuantile, normalQuantileLog, normalQuantileUpper } from './quantile.js';

type ArrayFunction = (x: Float64Array, out?: Float64Array) => Float64Array;

function overArray(f: (x: number) => number): ArrayFunction {
  return (x, out) => {
    const result = outputFor(x, out);
    for (let i = 0; i < x.length; i++) result[i] = f(x[i]);
    return result;
  };
}

export const elementwiseReference: ElementwiseKernel = /* @__PURE__ */ Object.freeze({
  exp: overArray(exp),
  log: overArray(log),
  expm1: overArray(expm1),
  log1p: overArray(log1p),
  sinPi: overArray(sinPi),
  cosPi: overArray(cosPi),
  erfc: overArray(erfc),
  erfcx: overArray(erfcx),
  logErfc: overArray(logErfc),
  inverfc: overArray(inverfc),
  normalCdf: overArray(normalCdf),
  logNormalCdf: overArray(logNormalCdf),
  normalQuantile: overArray(normalQuantile),
  normalQuantileUpper: overArray(normalQuantileUpper),
  normalQuantileLog: overArray(normalQuantileLog),
});
