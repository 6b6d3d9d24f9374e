import type { ExponentialPair } from '../../law/pair.js';
import { anyKernel, methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const EXPONENTIAL: Family<ExponentialPair> = {
  name: 'exponential',
  spectrum: ({ shape }, { sampling, rate }, kernel) =>
    methods().exponentialSpectrum(kernel ?? anyKernel(), shape, sampling === 'all' ? 1 : rate),
  releases: ({ shape }, count) => methods().splineRun(shape, count),
};
