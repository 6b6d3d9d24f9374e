import type { AllocationPair } from '../../law/pair.js';
import { anyKernel, methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const ALLOCATION: Family<AllocationPair> = {
  name: 'allocation',
  // callers of Rényi divergences pass no kernel
  spectrum: (pair, { sampling }, kernel = anyKernel()) =>
    sampling === 'all' ? methods().allocationSpectrum(kernel, pair) : undefined,
};
