import { made } from '../made.js';
import { GAUSSIAN_KIND, type Gaussian } from './gaussian.js';

/** What a release without noise is, whatever the noise would be: the record is given away. */
export function bare(): { readonly rate: 1; readonly mechanism: Gaussian } {
  return { rate: 1, mechanism: made(GAUSSIAN_KIND, { noiseMultiplier: 0 }) };
}
