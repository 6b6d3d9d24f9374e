import type { Kernel } from '../../src/kernel/kernel.js';
import { AverageLaw } from '../../src/methods/contour/phases/average-law.js';
import type { Phase } from '../../src/methods/contour/phases/phase.js';
import type { SampledStep } from '../../src/methods/contour/step/off-axis.js';
import { EVERYTHING, type OutputWindow } from '../../src/methods/contour/step/output-window.js';
import { SampledSteps } from '../../src/methods/contour/step/sampled-losses.js';
import { ShiftedOutputs } from '../../src/methods/contour/step/shifted-mesh.js';
import { WindowedGaussian, WindowedSteps } from '../../src/methods/contour/step/windowed-gaussian.js';

/** One step under a window, its integrals good to about e^{−depth}. */
export function windowedStep(
  kernel: Kernel,
  { mu, q }: SampledStep,
  window: OutputWindow = EVERYTHING,
  depth?: number,
  furthest?: number,
): WindowedGaussian {
  return new WindowedGaussian(
    new WindowedSteps(new SampledSteps(kernel, [{ mu, q }]), window, depth, furthest),
  );
}

/** Its outputs off the real axis. */
export function outputsOf(kernel: Kernel, { mu, q }: SampledStep, window?: OutputWindow): ShiftedOutputs {
  return new ShiftedOutputs(new SampledSteps(kernel, [{ mu, q }]), window);
}

/** The average of many steps under a window. */
export function averageOf(
  kernel: Kernel,
  phases: readonly Phase[],
  window: OutputWindow,
  depth: number,
): AverageLaw {
  const steps = new WindowedSteps(new SampledSteps(kernel, phases), window, depth, Infinity);
  const counted = phases.map(({ count }, k) => ({ step: new WindowedGaussian(steps, k), count }));
  return new AverageLaw(counted, counted, depth);
}
