import type { AtomicPair } from '../../law/pair.js';
import { listedRuns } from '../closed/composed-atoms.js';
import { twoLists } from '../closed/two-lists.js';
import { atomicSpectrum } from '../contour/step/atomic-spectrum.js';
import type { Family } from './family.js';

export const ATOMS: Family<AtomicPair> = {
  name: 'atoms',
  spectrum: ({ atoms }, { rate }) => {
    const { error, differences, beyond = 0 } = atoms;
    // masses known as differences, and mass at unlisted losses that is not negligible, are the grid's
    if (error !== undefined || differences || beyond > 1e-290) return undefined;
    return atomicSpectrum(atoms, rate);
  },
  listed: (steps, sides) => listedRuns(steps, sides) ?? twoLists(steps, sides),
};
