import type { GaussianPair } from '../../law/pair.js';
import { gaussianSpectrum } from '../contour/step/gaussian-spectrum.js';
import { subsampledGaussianSpectrum } from '../contour/step/subsampled-gaussian.js';
import type { Family } from './family.js';

export const GAUSSIAN: Family<GaussianPair> = {
  name: 'gaussian',
  spectrum: ({ mu }, { sampling, rate }, kept) =>
    sampling === 'all' ? gaussianSpectrum(mu) : subsampledGaussianSpectrum(1 / mu, rate, kept),
};
