import { sampledSide } from '../../law/mixture-side.js';
import type { MixturePair } from '../../law/pair.js';
import { mixtureSpectrum } from '../contour/step/mixture-spectrum.js';
import type { Family } from './family.js';

export const MIXTURE: Family<MixturePair> = {
  name: 'mixture',
  spectrum: ({ plus, minus }, { rate }, kernel) =>
    mixtureSpectrum(sampledSide(plus, rate), minus, undefined, kernel),
};
