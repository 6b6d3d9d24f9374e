import { wrongValue } from '../errors.js';
import { checkLength, OF_INPUT, outputOf } from './arguments.js';
import { giving, type Loop, Rows } from './call.js';

/** The privacy profile δ_μ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) of N(0, 1) against N(μ, 1) (IAM eq. 1), and masses of N(0, 1). */
export interface GdpKernel {
  /** The masses Φ(z[i+1]) − Φ(z[i]) of the n intervals between n+1 ascending edges z (±∞ allowed). The error is relative in both tails. */
  normalIntervals(edges: Float64Array, out?: Float64Array): Float64Array;

  /** δ_μ(ε), the profile of N(0, 1) against N(μ, 1). `mu` is one value for all ε, or one per ε. μ ≥ 0, any real ε. */
  deltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** log δ_μ(ε), the logarithm of `deltaGdp`. */
  logDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** 1 minus `deltaGdp`, 1 − δ_μ(ε), accurate relative to itself where δ_μ is near 1. */
  oneMinusDeltaGdp(mu: number | Float64Array, epsilon: Float64Array, out?: Float64Array): Float64Array;
  /** The μ for which N(0, 1) against N(μ, 1) has log δ_μ(ε) = logDelta, ε ≥ 0. */
  muGdpLog(epsilon: Float64Array, logDelta: Float64Array, out?: Float64Array): Float64Array;
}

const OF_EPSILON = ' (the length of "epsilon")';

const PROFILE: Loop<GdpKernel['deltaGdp']> = {
  price: 33,
  terms: (_, epsilon) => epsilon.length,
  call(mu, epsilon, out) {
    const n = epsilon.length;
    const result = outputOf(n, out, OF_INPUT);
    if (typeof mu === 'number') return giving(result, Float64Array.of(mu, mu), 0, epsilon, n);
    checkLength('mu', mu, n, OF_EPSILON);
    return giving(result, mu, 1, epsilon, n);
  },
  block: (result, from, to, mu, epsilon) => [
    typeof mu === 'number' ? mu : mu.subarray(from, to),
    epsilon.subarray(from, to),
    result.subarray(from, to),
  ],
};

export const PROFILES: { readonly [K in keyof GdpKernel]: Loop<GdpKernel[K]> } = {
  deltaGdp: PROFILE,
  logDeltaGdp: PROFILE,
  oneMinusDeltaGdp: PROFILE,
  muGdpLog: {
    price: 130,
    terms: (epsilon) => epsilon.length,
    call(epsilon, logDelta, out) {
      const n = epsilon.length;
      const result = outputOf(n, out, OF_INPUT);
      checkLength('logDelta', logDelta, n, OF_EPSILON);
      return giving(result, epsilon, logDelta, n);
    },
    block: (result, from, to, ...given) => [
      given[0].subarray(from, to),
      given[1].subarray(from, to),
      result.subarray(from, to),
    ],
  },
  normalIntervals: {
    price: 33,
    terms: (edges) => edges.length,
    call(edges, out) {
      const n = edges.length - 1;
      if (n < 0) throw wrongValue('edges.length', 'at least 1', 0);
      return giving(outputOf(n, out, ' (one less than the edges)'), new Rows(1, n + 3, edges), n);
    },
    block: (result, from, to, edges) => [edges.subarray(from, to + 1), result.subarray(from, to)],
  },
};
