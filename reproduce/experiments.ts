import type { Experiment } from './experiment.js';
import { gaussianDp } from './gaussian-dp.js';
import { reporting } from './reporting.js';

/** Everything that is made again, in the order of the document. */
export const experiments: readonly Experiment[] = [...gaussianDp, ...reporting];
