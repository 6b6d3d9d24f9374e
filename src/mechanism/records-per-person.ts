import { gaussianMixture } from './kinds/index.js';
import { compose, dpSgd, type Mechanism, repeat } from './mechanism.js';

/**
 * The run as it is for a person of so many records, each clipped and sampled by itself (Ganesh 2024): of Gaussian steps, plain or
 * Poisson-sampled. Undefined where a step is of another kind: group privacy answers there.
 *
 * @throws RangeError as `dpSgd` does for `recordsPerPerson`.
 */
export function withRecordsPerPerson(mechanism: Mechanism, records: number): Mechanism | undefined {
  switch (mechanism.kind) {
    case 'gaussian': {
      const { noiseMultiplier } = mechanism;
      return gaussianMixture({ noiseMultiplier, sensitivities: [records], probabilities: [1] });
    }
    case 'poisson-subsampled': {
      const { inner, rate } = mechanism;
      if (inner.kind !== 'gaussian') return undefined;
      const { noiseMultiplier } = inner;
      return dpSgd({ noiseMultiplier, samplingRate: rate, steps: 1, recordsPerPerson: records });
    }
    case 'repeat': {
      const inner = withRecordsPerPerson(mechanism.inner, records);
      return inner && repeat(inner, mechanism.count);
    }
    case 'compose': {
      const parts = mechanism.parts.map((part) => withRecordsPerPerson(part, records));
      return parts.every((part) => part !== undefined) ? compose(parts) : undefined;
    }
    default:
      return undefined;
  }
}
