import { patternRuns } from '../methods/closed/sample-patterns.js';
import { sampledOf } from '../methods/contour/step/spectrum-of.js';
import type { DirectedRun } from '../run/directed-run.js';
import type { Composition } from './composition.js';

/** Sampled Gaussians and plain ones, by the patterns of their batches; undefined for other steps, and where patterns overlap. */
export function patternsOf({ seen }: Composition): readonly DirectedRun[] | undefined {
  let square = 0;
  for (const { pair, sampling, count } of seen) {
    if (pair.family !== 'gaussian' || sampling === 'without-replacement') return undefined;
    if (sampling === 'all') square += count * pair.mu * pair.mu;
  }
  return patternRuns(sampledOf(seen), Math.sqrt(square));
}
