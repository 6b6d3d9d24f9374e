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
 * N(0, σ²) against N(1, σ²), μ = 1/σ: δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ). Masses of intervals of losses are differences of Φ. One of σ and μ may
 * be the rounded reciprocal of the other. Ensures: brackets of δ allow for that rounding.
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
 * `tailMu` and `gdpMu` of a Gaussian pair: μ itself, and μ rounded up.
 *
 * Ensures: `gdpMu` is no smaller than 1/σ.
 */
export function gaussianMus(mu: number): Pick<GaussianPair, 'gdpMu' | 'tailMu'> {
  return { gdpMu: mu * (1 + U), tailMu: mu };
}

/**
 * Masses of intervals of losses, as differences of Φ at outputs z: N(0, 1) under P₀ and N(μ, 1) under Q₀, μ = 1/σ. The output z has the loss
 * y = μz − μ²/2. `cut` bounds the Q-mass, absolutely, that rounding of the edges moves between intervals. Masses have the relative error of
 * `normalIntervals`.
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
 * Bound of the mass that rounding of the edges z_k and z_{k+1} moves into or out of the interval between them, under N(0, 1). An edge is also rounded
 * as z + `shift` for the other law. A difference e of the two moves a mass of e φ(z), φ the density, bounded by the interval's mass, its width and |z|.
 *
 * Ensures: no less than that mass.
 */
function cutOf(z: Float64Array, k: number, shift: number, mass: number): number {
  const [a, b] = [z[k], z[k + 1]];
  const reach = Math.max(a > -Infinity ? Math.abs(a) : 0, b < Infinity ? Math.abs(b) : 0);
  return 6 * U * (reach + 2 * shift) * mass * (1 / Math.max(b - a, 1e-300) + 1 + reach);
}

/**
 * Heuristic: losses of outputs o from −40σ to 1 + 40σ, `stride` apart, and logs of their P-masses φ(o/σ)·stride/σ, by the trapezoidal rule. It enters no bound.
 */
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

/** Largest μ for which an epoch of two bins is computed by the integral of `twoBinsRun`, whose nodes grow with μ. Only speed depends on it. */
const TWO_BINS_MU = 10;

/**
 * One epoch of balls and bins: a record is in one of t = `bins` batches, each with its own noise. The pair is N(0, I) against (1/t)Σ_i N(μe_i, I), of
 * which the first `visited` coordinates are observed. Here δ has two bounds; the contour method computes it sharply. From above, the record's batch is
 * published: a Gaussian pair with μ. From below, only the sum of all coordinates is published: a Gaussian pair with μ/√t if all t are observed, else
 * nothing. Proofs: docs/proofs/balls-and-bins.md.
 *
 * Ensures: δ of the epoch is between the two, each rounded outward.
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
