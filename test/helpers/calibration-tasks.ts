import {
  type Knob,
  laplaceScaleKnob,
  noiseMultiplierKnob,
  samplingRateKnob,
  stepsKnob,
} from '../../src/calibrate/calibrate.js';

export interface Task {
  readonly knob: Knob;
  readonly epsilon: number;
  readonly delta: number;
}

/** The i-th of a sequence: plain and sampled Gaussians and Laplace noise, each knob, with the extreme targets of the issue mixed in. */
export function taskOf(i: number, random: () => number): Task {
  const epsilon = i % 13 === 0 ? 0.001 : i % 13 === 1 ? 50 : 10 ** (-1 + 2 * random());
  const delta = i % 11 === 0 ? 1e-30 : 10 ** (-3 - 9 * random());
  const noiseMultiplier = 10 ** (0.2 + 1.5 * random());
  const samplingRate = 10 ** (-3 + 2.5 * random());
  const steps = Math.ceil(10 ** (4 * random()));
  const knobs: readonly (() => Knob)[] = [
    () => noiseMultiplierKnob({ samplingRate, steps }),
    () => noiseMultiplierKnob({ steps: Math.ceil(10 ** (9 * random())) }),
    () => samplingRateKnob({ noiseMultiplier, steps }),
    () => stepsKnob({ noiseMultiplier, samplingRate }),
    () => laplaceScaleKnob({ sensitivity: 10 ** (4 * random() - 2), count: Math.ceil(100 * random()) }),
    () => noiseMultiplierKnob({ samplingRate }),
  ];
  return { knob: knobs[i % knobs.length]!(), epsilon, delta };
}
