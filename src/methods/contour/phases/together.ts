import type { SampledPhase } from '../split/split-lines.js';
import type { SpectralLaw } from '../step/spectral-law.js';
import { type SeenStep, sampledOf } from '../step/spectrum-of.js';
import { isCut } from '../step/subsampled-gaussian.js';
import { manyPhases, nearCurves } from './many-phases.js';

/** Sampled Gaussians, all different, from which on few stand for all. */
const MANY = 24;
/** The same where they are a cloud. */
const MANY_APART = 128;

/** What is made of many phases at once: what a composition of mechanisms brings along. */
export interface Together {
  /** Many sampled Gaussians as one law; undefined where there are few of them, or some that few cannot stand for. */
  law(steps: readonly SeenStep[], width: number): SpectralLaw | undefined;
  /** How many laws there are with many sampled Gaussians as one. */
  lawsApart(steps: readonly SeenStep[]): number;
}

export const TOGETHER: Together = {
  law: (steps, width) => {
    const phases = sampledOf(steps);
    return areMany(phases) ? manyPhases(phases, width) : undefined;
  },
  lawsApart: (steps) => {
    const phases = sampledOf(steps);
    const together = areMany(phases) && phases.every(({ mu, rate }) => isCut(mu, rate));
    return together ? steps.length - phases.length + 1 : steps.length;
  },
};

function areMany(phases: readonly SampledPhase[]): boolean {
  return phases.length >= MANY && (phases.length >= MANY_APART || nearCurves(phases));
}
