import { sumsKernel } from '../../../bindings/sums-kernel.js';
import { sampledSide } from '../../law/mixture-side.js';
import type { MixturePair } from '../../law/pair.js';
import { charge } from '../../numeric/meter.js';
import { mixtureSpectrum } from '../contour/step/mixture-spectrum.js';
import type { Family } from './family.js';

export const MIXTURE: Family<MixturePair> = {
  name: 'mixture',
  // Rényi divergences are asked without an engine
  spectrum: ({ plus, minus }, { rate }, kernel) =>
    mixtureSpectrum(kernel ?? sumsKernel(charge), sampledSide(plus, rate), minus),
};
