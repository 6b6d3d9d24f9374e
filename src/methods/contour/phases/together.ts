import type { Kernel } from '../../../kernel/kernel.js';
import type { SpectralLaw } from '../step/spectral-law.js';
import { type SeenStep, sampledOf } from '../step/spectrum-of.js';
import { isCut } from '../step/subsampled-gaussian.js';
import { manyPhases } from './many-phases.js';
import { MANY_PHASES } from './phase.js';

/** Sampled Gaussians, all different, up to which one law costs no more than two runs of groups. Speed hangs on it. */
const MOST = 2048;

/** Many sampled Gaussians as one law; undefined where there are few of them, or some that are never cut. */
export function lawTogether(kernel: Kernel, steps: readonly SeenStep[]): SpectralLaw | undefined {
  const phases = sampledOf(steps);
  return phases.length >= MANY_PHASES ? manyPhases(kernel, phases) : undefined;
}

/** How many laws there are with many sampled Gaussians as one. */
export function lawsApart(steps: readonly SeenStep[]): number {
  const phases = sampledOf(steps);
  const many = phases.length >= MANY_PHASES && phases.length <= MOST;
  const together = many && phases.every(({ mu, rate }) => isCut(mu, rate));
  return together ? steps.length - phases.length + 1 : steps.length;
}
