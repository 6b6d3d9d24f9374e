import { InputRangeError } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { IntervalMasses } from '../kernel/masses.js';
import { bracket, exactly } from '../numeric/bracket.js';
import { HALF_LOG_2PI, U } from '../numeric/constants.js';
import { log, normalQuantileLog } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { ALL_LOSSES, type AllocationPair, type GaussianPair } from './pair.js';
import { twoBinsRun } from './two-bins.js';

/**
 * N(0, σ²) against N(1, σ²), μ = 1/σ: its run and the masses of intervals in closed form. One of σ and μ may be the rounded reciprocal of the other.
 * Ensures: brackets of δ allow for that rounding.
 */
export function gaussianPair(sigma: number, mu = 1 / sigma): GaussianPair {
  const run = gaussianRun(mu);
  return {
    family: 'gaussian',
    mu,
    forward: run,
    backward: run,
    ...gaussianMus(mu),
    ...ALL_LOSSES,
    range: (logTail) => {
      const z = -normalQuantileLog(logTail);
      const reach = 1 / sigma;
      return [-reach * (z + reach / 2), reach * (z + reach / 2)];
    },
    intervals: (kernel, edges) => gaussianIntervals(kernel, edges, sigma),
    nodes: () => gaussianNodes(sigma),
  };
}

/**
 * μ for use in theorems: `tailMu` as the limit for rare rates, and `gdpMu`, rounded up.
 *
 * Ensures: `gdpMu` is no smaller than 1/σ.
 */
export function gaussianMus(mu: number): Pick<GaussianPair, 'gdpMu' | 'tailMu'> {
  return { gdpMu: mu * (1 + U), tailMu: mu };
}

/**
 * Masses of intervals of losses, as differences of Φ. The output z = o/σ has the loss y = μ z − μ²/2 under both laws; Q₀ is the law of z shifted by
 * μ. `cut` bounds what rounded edges move.
 */
function gaussianIntervals(kernel: Kernel, edges: Float64Array, sigma: number): IntervalMasses {
  const n = edges.length - 1;
  const zBase = new Float64Array(n + 1);
  const zMoved = new Float64Array(n + 1);
  for (let k = 0; k <= n; k++) {
    zBase[k] = edges[k] * sigma + 0.5 / sigma;
    zMoved[k] = zBase[k] - 1 / sigma;
  }
  const p = kernel.normalIntervals(zBase);
  const q = kernel.normalIntervals(zMoved);
  const cut = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    if (q[k] > 0) cut[k] = cutOf(zMoved, k, 1 / sigma, q[k]);
  }
  return { p, q, cut };
}

/**
 * The mass that rounding of edges moves between intervals of a normal law at z_k and z_{k+1}. Where edges of laws `shift` apart are rounded apart by
 * e, it is e φ.
 *
 * Ensures: no less than that mass.
 */
function cutOf(z: Float64Array, k: number, shift: number, mass: number): number {
  const [a, b] = [z[k], z[k + 1]];
  const reach = Math.max(a > -Infinity ? Math.abs(a) : 0, b < Infinity ? Math.abs(b) : 0);
  return 6 * U * (reach + 2 * shift) * mass * (1 / Math.max(b - a, 1e-300) + 1 + reach);
}

/** Nodes from −40 σ to 1 + 40 σ, at most σ/4 apart, with logs of their P-masses: more than the trapezoidal rule needs. Plan: enters no bracket. */
function gaussianNodes(sigma: number): { loss: Float64Array; logWeight: Float64Array } {
  const n = Math.min(4000, 320 + Math.ceil(4 / sigma));
  const loss = new Float64Array(n);
  const logWeight = new Float64Array(n);
  const stride = (1 + 80 * sigma) / n;
  for (let i = 0; i < n; i++) {
    const o = -40 * sigma + stride * i;
    loss[i] = (2 * o - 1) / (2 * sigma * sigma);
    logWeight[i] = (-0.5 * o * o) / (sigma * sigma) - HALF_LOG_2PI + log(stride / sigma);
  }
  return { loss, logWeight };
}

/** For larger μ the integral for two bins has many nodes: contours are used. Only speed depends on it. */
const TWO_BINS_MU = 10;

/**
 * One epoch in which a record is in one of `bins` batches, each with its own noise σ. The pair is N(0, σ²I) against (1/t)Σ_i
 * N(e_i, σ²I), of which the first `visited` coordinates are seen. The contour method composes it; this pair knows two bounds. The
 * upper bound tells the record's batch: one Gaussian of μ = 1/σ. The lower bound is the sum of the coordinates seen, for a full
 * epoch one Gaussian of μ = 1/(σ√t). Proofs: docs/proofs/balls-and-bins.md.
 *
 * Ensures: upper ends hold for the epoch told its batch, which dominates it, and lower ends for the sum, which it dominates.
 */
export function allocationPair(mu: number, bins: number, visited: number): AllocationPair {
  const above = gaussianRun(mu * (1 + 2 * U));
  const below = gaussianRun(visited === bins ? (mu / Math.sqrt(bins)) * (1 - 4 * U) : 0);
  const between = (direction: 'remove' | 'add'): DirectedRun => ({
    ...above,
    direction,
    logInfinity: exactly(-Infinity),
    largestLoss: exactly(Infinity),
    logDelta: (epsilon) => {
      const { upper } = above.logDelta(epsilon);
      return bracket(Math.min(upper, below.logDelta(epsilon).lower), upper);
    },
    test: (omega) => below.test(omega),
  });
  const none = (): never => {
    throw new InputRangeError(
      '"method" must be auto or spectral for balls-and-bins epochs, whose losses have no lattice here',
    );
  };
  const reach = 40 * mu + (mu * mu) / 2;
  return {
    family: 'allocation',
    mu,
    bins,
    visited,
    asymmetric: true,
    ...(bins === 2 && visited === 2 && mu <= TWO_BINS_MU
      ? {
          closed: true as const,
          forward: twoBinsRun(mu, between('remove')),
          backward: twoBinsRun(mu, between('add')),
        }
      : { forward: between('remove'), backward: between('add') }),
    gdpMu: mu * (1 + 2 * U),
    tailMu: mu,
    ...ALL_LOSSES,
    range: () => [-reach, reach],
    intervals: none,
    nodes: none,
  };
}
