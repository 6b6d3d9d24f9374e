import { InputRangeError } from '../errors.js';
import { bracket, exactly } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import type { DirectedRun } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { ALL_LOSSES, type AllocationPair } from './pair.js';

/**
 * One epoch in which a record is in one of `bins` batches, each with its own noise σ: N(0, σ²I) against (1/t)Σ_i N(e_i, σ²I), of which the first
 * `visited` coordinates are seen. Contours compose it; this pair knows its ends alone: the record's batch told, one Gaussian of μ = 1/σ, and
 * the sum of the coordinates seen, which for a full epoch is one of μ = 1/(σ√t). Proofs: docs/proofs/balls-and-bins.md.
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
    forward: between('remove'),
    backward: between('add'),
    gdpMu: mu * (1 + 2 * U),
    tailMu: mu,
    ...ALL_LOSSES,
    range: () => [-reach, reach],
    intervals: none,
    nodes: none,
  };
}
