/** The Gaussian-profile methods of the reference kernel: the scalar functions over arrays. */
import { checkLength, intervalArrays, outputFor } from '../kernel/arguments.js';
import type { GdpKernel, ProfileMethod } from '../kernel/kernel.js';
import { deltaGdp, logDeltaGdp, muGdpLog, normalInterval, oneMinusDeltaGdp } from './gdp.js';

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
