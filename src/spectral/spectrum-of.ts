import { gaussianMuOf } from '../law/law-of.js';
import type { Step } from '../mechanism/steps.js';
import type { CountedSpectrum } from './contour-plan.js';
import { gaussianSpectrum } from './gaussian-spectrum.js';
import { exchanged, type SpectralLaw } from './spectral-law.js';
import { subsampledGaussianSpectrum } from './subsampled-gaussian.js';

/** Each distinct step by its M(z), in one direction; undefined if one has none here. */
export function spectraOf(
  steps: readonly Step[],
  direction: 'remove' | 'add',
): CountedSpectrum[] | undefined {
  const spectra: CountedSpectrum[] = [];
  for (const step of steps) {
    const law = spectrumOf(step);
    if (law === undefined) return undefined;
    spectra.push({ law: direction === 'remove' ? law : exchanged(law), count: step.count });
  }
  return spectra;
}

/** The pair (base, mixture) of one step. */
function spectrumOf({ mechanism, sampling, rate }: Step): SpectralLaw | undefined {
  const mu = gaussianMuOf(mechanism);
  if (mu === undefined || sampling === 'without-replacement') return undefined;
  return sampling === 'all' ? gaussianSpectrum(mu) : subsampledGaussianSpectrum(1 / mu, rate);
}
