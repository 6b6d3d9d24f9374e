import type { AllocationPair } from '../../law/pair.js';
import { allocationSpectrum } from '../contour/step/allocation-spectrum.js';
import { factoredAllocation } from '../contour/step/factored-allocation.js';
import type { Family } from './family.js';

export const ALLOCATION: Family<AllocationPair> = {
  name: 'allocation',
  spectrum: (pair, { sampling }) => (sampling === 'all' ? allocationSpectrum(pair) : undefined),
  cut: factoredAllocation,
};
