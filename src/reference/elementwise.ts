/** The element-wise methods of the reference kernel: the scalar functions over arrays. */
import { outputFor } from '../kernel/arguments.js';
import type { ElementwiseKernel } from '../kernel/kernel.js';
import { exp, expm1, log, log1p } from './elementary.js';
import { erfc, erfcx, logErfc } from './erf.js';
import { logNormalCdf, normalCdf } from './normal.js';
import { inverfc, normalQuantile, normalQuantileLog, normalQuantileUpper } from './quantile.js';
import { cosPi, sinPi } from './trig.js';

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
