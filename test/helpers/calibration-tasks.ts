import type { Unknown } from '../../src/calibrate/goal.js';
import { noiseUnknown, rateUnknown, scaleUnknown, stepsUnknown } from './unknowns.js';

export interface Task {
  readonly unknown: Unknown;
  readonly epsilon: number;
  readonly delta: number;
}

/** The i-th of a sequence: plain and sampled Gaussians and Laplace noise, each unknown, with the extreme targets of the issue mixed in. */
export function taskOf(i: number, random: () => number): Task {
  const epsilon = i % 13 === 0 ? 0.001 : i % 13 === 1 ? 50 : 10 ** (-1 + 2 * random());
  const delta = i % 11 === 0 ? 1e-30 : 10 ** (-3 - 9 * random());
  const noiseMultiplier = 10 ** (0.2 + 1.5 * random());
  const samplingRate = 10 ** (-3 + 2.5 * random());
  const steps = Math.ceil(10 ** (4 * random()));
  const unknowns: readonly (() => Unknown)[] = [
    () => noiseUnknown({ samplingRate, steps }),
    () => noiseUnknown({ steps: Math.ceil(10 ** (9 * random())) }),
    () => rateUnknown({ noiseMultiplier, steps }),
    () => stepsUnknown({ noiseMultiplier, samplingRate }),
    () => scaleUnknown({ sensitivity: 10 ** (4 * random() - 2), count: Math.ceil(100 * random()) }),
    () => noiseUnknown({ samplingRate }),
  ];
  return { unknown: unknowns[i % unknowns.length]!(), epsilon, delta };
}
