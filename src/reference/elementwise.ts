/** The element-wise methods of the reference kernel: the scalar functions over arrays. */
import { wrongValue } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { exp, expm1, log, log1p } from './elementary.js';
import { erfc, erfcx, logErfc } from './erf.js';
import { logNormalCdf, normalCdf } from './normal.js';
import { inverfc, normalQuantile, normalQuantileLog, normalQuantileUpper } from './quantile.js';
import { cosPi, sinPi } from './trig.js';

/** The methods of Kernel that take one array and work on each element alone. */
export type ElementwiseName =
  | 'exp'
  | 'log'
  | 'expm1'
  | 'log1p'
  | 'sinPi'
  | 'cosPi'
  | 'erfc'
  | 'erfcx'
  | 'logErfc'
  | 'inverfc'
  | 'normalCdf'
  | 'logNormalCdf'
  | 'normalQuantile'
  | 'normalQuantileUpper'
  | 'normalQuantileLog';

export type ElementwiseKernel = Pick<Kernel, ElementwiseName>;

type ArrayFunction = (x: Float64Array, out?: Float64Array) => Float64Array;

/** `out`, checked against the length of x, or a new array. */
export function outputFor(x: Float64Array, out: Float64Array | undefined): Float64Array {
  if (out === undefined) return new Float64Array(x.length);
  if (out.length !== x.length) throw wrongValue('out.length', `${x.length} (the input's length)`, out.length);
  return out;
}

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
