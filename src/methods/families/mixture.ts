import { sampledSide } from '../../law/mixture-side.js';
import type { MixturePair } from '../../law/pair.js';
import { methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const MIXTURE: Family<MixturePair> = {
  name: 'mixture',
  spectrum: ({ plus, minus }, { rate }, kernel) =>
    kernel && methods().mixtureSpectrum(kernel, sampledSide(plus, rate), minus),
};
