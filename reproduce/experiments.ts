import type { Experiment } from './experiment.js';
import { gaussianDp } from './gaussian-dp.js';
import { gaussianErrors } from './gaussian-errors.js';
import { gaussianMechanism } from './gaussian-mechanism.js';
import { identification } from './identification.js';
import { reporting } from './reporting.js';

/** Everything that is made again, in the order of the document. */
export const experiments: readonly Experiment[] = [
  ...identification,
  ...gaussianDp,
  ...gaussianMechanism,
  ...gaussianErrors,
  ...reporting,
];
