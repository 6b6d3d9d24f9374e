import type { ExponentialPair } from '../../law/pair.js';
import { methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const EXPONENTIAL: Family<ExponentialPair> = {
  name: 'exponential',
  spectrum: ({ shape }, { sampling, rate }) => {
    const { exponentialSpectrum, sampledExponentialSpectrum } = methods();
    return sampling === 'all' ? exponentialSpectrum(shape) : sampledExponentialSpectrum(shape, rate);
  },
  releases: ({ shape }, count) => methods().splineRun(shape, count),
};
