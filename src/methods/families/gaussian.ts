import type { GaussianPair } from '../../law/pair.js';
import { methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const GAUSSIAN: Family<GaussianPair> = {
  name: 'gaussian',
  spectrum: ({ mu }, { sampling, rate }, kernel) => {
    const { gaussianSpectrum, subsampledGaussianSpectrum } = methods();
    if (sampling === 'all') return gaussianSpectrum(mu);
    return kernel && subsampledGaussianSpectrum(kernel, 1 / mu, rate);
  },
};
