import { methods } from '../methods/brought/methods.js';
import { sampledOf } from '../methods/contour/step/spectrum-of.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { Composition } from './composition.js';

/** Least μ of a sampled Gaussian whose outputs tell whether the record was drawn. */
const LEAST_APART = 6;

/**
 * Sampled Gaussians and plain ones by the patterns of their batches; undefined for other steps, and where patterns overlap.
 *
 * Ensures: brackets of each direction hold the answers of the steps.
 */
export function patternsOf({ seen }: Composition): readonly DirectedRun[] | undefined {
  let square = 0;
  for (const { pair, sampling, count } of seen) {
    if (pair.family !== 'gaussian' || sampling === 'without-replacement') return undefined;
    if (sampling === 'all') square += count * pair.mu * pair.mu;
    // its outputs do not tell whether the record was drawn: not tried, for speed
    else if (pair.mu < LEAST_APART) return undefined;
  }
  return methods().patternRuns(sampledOf(seen), Math.sqrt(square));
}
