import type { AllocationPair } from '../../law/pair.js';
import { anyKernel } from '../brought/methods.js';
import { allocationSpectrum } from '../contour/step/allocation-spectrum.js';
import { factoredAllocation } from '../contour/step/factored-allocation.js';
import type { Family } from './family.js';

export const ALLOCATION: Family<AllocationPair> = {
  name: 'allocation',
  // Rényi divergences are asked without an engine
  spectrum: (pair, { sampling }, kernel) =>
    sampling === 'all' ? allocationSpectrum(kernel ?? anyKernel(), pair) : undefined,
  cut: factoredAllocation,
};
