import { sampledSide } from '../../law/mixture-side.js';
import type { MixturePair } from '../../law/pair.js';
import { anyKernel, methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const MIXTURE: Family<MixturePair> = {
  name: 'mixture',
  spectrum: ({ plus, minus }, { rate }, kernel) =>
    methods().mixtureSpectrum(kernel ?? anyKernel(), sampledSide(plus, rate), minus),
};
