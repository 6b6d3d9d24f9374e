/** The Gaussian-profile methods of the reference kernel: the scalar functions over arrays. */
import { wrongValue } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { outputFor } from './elementwise.js';
import { deltaGdp, logDeltaGdp, muGdpLog, normalInterval, oneMinusDeltaGdp } from './gdp.js';

/** The methods of Kernel that belong to the Gaussian privacy profile. */
export type GdpKernel = Pick<
  Kernel,
  'deltaGdp' | 'logDeltaGdp' | 'oneMinusDeltaGdp' | 'muGdpLog' | 'normalIntervals'
>;

export type ProfileMethod = GdpKernel['deltaGdp'];

/** Refuses an array of values that are not one per ε. */
export function checkLength(name: string, values: Float64Array, epsilon: Float64Array): void {
  if (values.length !== epsilon.length) {
    throw wrongValue(`${name}.length`, `${epsilon.length} (the length of "epsilon")`, values.length);
  }
}

/** `out` of normalIntervals, checked, or a new array; and edges that writing to it leaves alone. */
export function intervalArrays(
  edges: Float64Array,
  out: Float64Array | undefined,
): { edges: Float64Array; result: Float64Array } {
  if (edges.length === 0) throw wrongValue('edges.length', 'at least 1', 0);
  const n = edges.length - 1;
  if (out === undefined) return { edges, result: new Float64Array(n) };
  if (out.length !== n) throw wrongValue('out.length', `${n} (one less than the edges)`, out.length);
  return { edges: out.buffer === edges.buffer ? edges.slice() : edges, result: out };
}

function overProfile(f: (mu: number, epsilon: number) => number): ProfileMethod {
  return (mu, epsilon, out) => {
    const result = outputFor(epsilon, out);
    if (typeof mu === 'number') {
      for (let i = 0; i < epsilon.length; i++) result[i] = f(mu, epsilon[i]);
    } else {
      checkLength('mu', mu, epsilon);
      for (let i = 0; i < epsilon.length; i++) result[i] = f(mu[i], epsilon[i]);
    }
    return result;
  };
}

export const gdpReference: GdpKernel = /* @__PURE__ */ Object.freeze({
  deltaGdp: overProfile(deltaGdp),
  logDeltaGdp: overProfile(logDeltaGdp),
  oneMinusDeltaGdp: overProfile(oneMinusDeltaGdp),
  muGdpLog(epsilon: Float64Array, logDelta: Float64Array, out?: Float64Array): Float64Array {
    const result = outputFor(epsilon, out);
    checkLength('logDelta', logDelta, epsilon);
    for (let i = 0; i < epsilon.length; i++) result[i] = muGdpLog(epsilon[i], logDelta[i]);
    return result;
  },
  normalIntervals(edges: Float64Array, out?: Float64Array): Float64Array {
    const arrays = intervalArrays(edges, out);
    const { result } = arrays;
    for (let i = 0; i < result.length; i++) result[i] = normalInterval(arrays.edges[i], arrays.edges[i + 1]);
    return result;
  },
});
