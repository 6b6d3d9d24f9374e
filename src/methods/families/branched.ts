import type { BranchedPair } from '../../law/pair.js';
import { methods } from '../brought/methods.js';
import type { Family } from './family.js';
import { GAUSSIAN } from './gaussian.js';
import { MIXTURE } from './mixture.js';

export const BRANCHED: Family<BranchedPair> = {
  name: 'branched',
  /** M(z) = Σ w_i M_i(z) over the branches (`blendedSpectrum`); undefined if one is not a Poisson sample of Gaussians. */
  spectrum: ({ branches, relative }, _drawn, kernel) => {
    const parts = branches.flatMap(({ weight, sample }) => {
      if (sample === undefined) return [];
      const { pair, rate } = sample;
      const drawn = { rate, sampling: rate === 1 ? 'all' : 'poisson' } as const;
      const law =
        pair.family === 'gaussian'
          ? GAUSSIAN.spectrum(pair, drawn, kernel)
          : MIXTURE.spectrum(pair, drawn, kernel);
      return law === undefined ? [] : [{ weight, law }];
    });
    return parts.length === branches.length ? methods().blendedSpectrum(parts, relative) : undefined;
  },
};
