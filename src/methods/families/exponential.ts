import type { ExponentialPair } from '../../law/pair.js';
import { splineRun } from '../closed/spline-run.js';
import { exponentialSpectrum } from '../contour/step/exponential-spectrum.js';
import { sampledExponentialSpectrum } from '../contour/step/sampled-exponential.js';
import type { Family } from './family.js';

export const EXPONENTIAL: Family<ExponentialPair> = {
  name: 'exponential',
  spectrum: ({ shape }, { sampling, rate }) =>
    sampling === 'all' ? exponentialSpectrum(shape) : sampledExponentialSpectrum(shape, rate),
  releases: ({ shape }, count) => splineRun(shape, count),
};
