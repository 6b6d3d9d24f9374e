import type { Kernel } from '../../../kernel/kernel.js';
import { SampledSteps } from '../step/sampled-losses.js';
import type { SpectralLaw } from '../step/spectral-law.js';
import { windowedSpectrum } from '../step/subsampled-gaussian.js';
import { WindowedGaussian, WindowedSteps } from '../step/windowed-gaussian.js';
import type { CountedStep } from './average-decay.js';
import { AverageLaw } from './average-law.js';
import { fewOf, type Phase } from './phase.js';

/** Phases that stand for all in guesses. Speed and the quality of plans hang on it. */
const COARSE = 64;
/** Digits that integrals of single laws have to spare, in logarithms. Speed and the last digits hang on it. */
const SPARE = 4;

/**
 * The average of many phases as the law of one step, counted as often as there are steps. Their sums run one by one along outputs that serve them all
 * (docs/proofs/many-phases.md).
 */
export function manyPhases(kernel: Kernel, listed: readonly Phase[]): SpectralLaw {
  // in an order of their own: the same bits however they are listed
  const phases = [...listed].sort((a, b) => a.mu - b.mu || a.q - b.q);
  const few = fewOf(phases, COARSE);
  const [every, some] = [phases, few].map((of) => new SampledSteps(kernel, of));
  return windowedSpectrum(phases, every, (window, depth) => {
    const under = (all: SampledSteps, of: readonly Phase[]): CountedStep[] => {
      const steps = new WindowedSteps(all, window, depth - SPARE, Infinity);
      return of.map(({ count }, k) => ({ step: new WindowedGaussian(steps, k), count }));
    };
    return new AverageLaw(under(every, phases), under(some, few), depth - SPARE);
  });
}
