import type { Kernel } from '../../src/kernel/kernel.js';
import { AverageLaw } from '../../src/methods/contour/phases/average-law.js';
import type { Phase } from '../../src/methods/contour/phases/phase.js';
import type { SampledStep } from '../../src/methods/contour/step/off-axis.js';
import { EVERYTHING, type OutputWindow, windowOf } from '../../src/methods/contour/step/output-window.js';
import { SampledSteps } from '../../src/methods/contour/step/sampled-losses.js';
import { ShiftedOutputs } from '../../src/methods/contour/step/shifted-mesh.js';
import { WindowedGaussian, WindowedSteps } from '../../src/methods/contour/step/windowed-gaussian.js';
import { normalCdf } from '../../src/numeric/scalar.js';

/** A window that ends far behind its edge, as those of cut laws do. */
export function endedWindow(cut: number, width: number): OutputWindow & { readonly end: number } {
  const window = windowOf(cut, width);
  return { ...window, end: window.to + Math.max(4, 17 * width) };
}

interface Nodes {
  readonly losses: readonly number[];
  /** Of the sum at τ = 0. */
  readonly weights: readonly number[];
}

const known = new Map<string, Nodes>();

/** What the sums of a phase at tilt c share, whatever τ is. */
function nodesOf({ mu, q }: Phase, { to, width, end }: ReturnType<typeof endedWindow>, c: number): Nodes {
  const key = [mu, q, to, width, end, c].join();
  const found = known.get(key);
  if (found !== undefined) return found;
  const [losses, weights]: [number[], number[]] = [[], []];
  for (let x = -14; x <= Math.min(to + 12 * width, end); x += 0.01) {
    const loss = Math.log1p(q * Math.expm1(mu * x - (mu * mu) / 2));
    losses.push(loss);
    weights.push(
      (0.01 / Math.sqrt(2 * Math.PI)) * Math.exp(c * loss - (x * x) / 2) * normalCdf((to - x) / width),
    );
  }
  known.set(key, { losses, weights });
  return { losses, weights };
}

/** log of ∏ (∫ φWu^z)^T over phases at z = c + iτ, its phase apart, by sums of step 1/100 on the real axis. */
export function logProduct(
  phases: readonly Phase[],
  window: ReturnType<typeof endedWindow>,
  c: number,
  tau: number,
): { modulus: number; turn: number } {
  let [modulus, turn] = [0, 0];
  for (const phase of phases) {
    const { count } = phase;
    const { losses, weights } = nodesOf(phase, window, c);
    let [re, im] = [0, 0];
    for (const [i, loss] of losses.entries()) {
      re += weights[i]! * Math.cos(tau * loss);
      im += weights[i]! * Math.sin(tau * loss);
    }
    modulus += count * Math.log(Math.hypot(re, im));
    turn += count * Math.atan2(im, re);
  }
  return { modulus, turn };
}

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
