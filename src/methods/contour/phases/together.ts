import type { Kernel } from '../../../kernel/kernel.js';
import type { SpectralLaw } from '../step/spectral-law.js';
import { type SeenStep, sampledOf } from '../step/spectrum-of.js';
import { isCut, sharedSpectra } from '../step/subsampled-gaussian.js';
import { manyPhases } from './many-phases.js';
import { MANY_PHASES, type Phase } from './phase.js';

/** From so many unlike sampled Gaussians on they are one law, if none has little noise; and μ from which noise is little. Bounds of their average say little of such a one. Speed and width hang on them. */
const QUIET_PHASES = 24;
const LOUD = 3;
/** Sampled Gaussians, all different, up to which one law costs no more than two runs of groups. Speed hangs on it. */
const MOST = 2048;

/** Laws of the sampled Gaussians among steps, which have their outputs in common: many of them are one law. None where there are fewer than two, few of which one is loud, or some that are never cut. */
export function lawsTogether(kernel: Kernel, steps: readonly SeenStep[]): readonly SpectralLaw[] {
  const phases = phasesOf(steps);
  if (phases.length < 2 || !areCut(phases)) return [];
  if (!areMany(phases)) return areLoud(phases) ? [] : sharedSpectra(kernel, phases);
  const all = manyPhases(kernel, phases);
  return phases.map(() => all);
}

/** How many laws there are with many sampled Gaussians as one. */
export function lawsApart(steps: readonly SeenStep[]): number {
  const phases = phasesOf(steps);
  const together = areMany(phases) && phases.length <= MOST && areCut(phases);
  return together ? steps.length - phases.length + 1 : steps.length;
}

function phasesOf(steps: readonly SeenStep[]): Phase[] {
  return sampledOf(steps).map(({ mu, rate, count }) => ({ mu, q: rate, count }));
}

function areCut(phases: readonly Phase[]): boolean {
  return phases.every(({ mu, q }) => isCut(mu, q));
}

function areMany(phases: readonly Phase[]): boolean {
  return phases.length >= (areLoud(phases) ? MANY_PHASES : QUIET_PHASES);
}

/** Whether one is loud: then fewer share no outputs, as its window would not serve the others. */
function areLoud(phases: readonly Phase[]): boolean {
  return phases.some(({ mu }) => mu > LOUD);
}
