import { methods } from '../methods/brought/methods.js';
import { sampledOf } from '../methods/contour/seen-step.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { Composition } from './composition.js';

/** Least μ of a Poisson-sampled Gaussian for which patterns of batches are tried. Below it, outputs with and without the record overlap too much. Heuristic. */
const LEAST_APART = 6;

/**
 * Runs of Poisson-sampled Gaussian steps with little noise, in both directions; plain Gaussians may be composed with them. Undefined for other steps.
 *
 * A pattern is the set of batches that hold the record; an output almost tells its pattern. Sums over the number of such batches bound δ and tests,
 * and the bounds count the probability of mistaking a pattern (docs/proofs/little-noise.md).
 *
 * Ensures: the exact answers of each direction lie in their brackets.
 */
export function patternsOf({ seen }: Composition): readonly DirectedRun[] | undefined {
  let square = 0;
  for (const { pair, sampling, count } of seen) {
    if (pair.family !== 'gaussian' || sampling === 'without-replacement') return undefined;
    if (sampling === 'all') square += count * pair.mu * pair.mu;
    // Too much noise: bounds by patterns would be wide, and are not computed.
    else if (pair.mu < LEAST_APART) return undefined;
  }
  return methods().patternRuns(sampledOf(seen), Math.sqrt(square));
}
