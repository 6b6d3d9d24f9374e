import { dpSgd, type Unknown, unknownOf } from '../src/index.js';

/** σ of steps on Poisson samples. */
export function noiseUnknown({
  samplingRate = 1,
  steps = 1,
}: {
  samplingRate?: number;
  steps?: number;
} = {}): Unknown {
  return unknownOf('noiseMultiplier', (noiseMultiplier) => dpSgd({ noiseMultiplier, samplingRate, steps }));
}
