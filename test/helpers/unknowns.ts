import { dpSgd, laplace, repeat, type Unknown, unknownOf } from '../../src/index.js';

export { noiseUnknown } from '../../bench/unknowns.js';

export function rateUnknown({
  noiseMultiplier,
  steps = 1,
}: {
  noiseMultiplier: number;
  steps?: number;
}): Unknown {
  return unknownOf('samplingRate', (samplingRate) => dpSgd({ noiseMultiplier, samplingRate, steps }));
}

export function stepsUnknown({
  noiseMultiplier,
  samplingRate = 1,
}: {
  noiseMultiplier: number;
  samplingRate?: number;
}): Unknown {
  return unknownOf('steps', (steps) => dpSgd({ noiseMultiplier, samplingRate, steps }));
}

export function scaleUnknown({ sensitivity, count = 1 }: { sensitivity: number; count?: number }): Unknown {
  return unknownOf('scale', (scale) => repeat(laplace({ scale, sensitivity }), count));
}
