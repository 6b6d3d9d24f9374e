import type { GaussianPair } from '../../law/pair.js';
import { methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const GAUSSIAN: Family<GaussianPair> = {
  name: 'gaussian',
  spectrum: ({ mu }, { sampling, rate }, kept) => {
    const { gaussianSpectrum, subsampledGaussianSpectrum } = methods();
    return sampling === 'all' ? gaussianSpectrum(mu) : subsampledGaussianSpectrum(1 / mu, rate, kept);
  },
};
