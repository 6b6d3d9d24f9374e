import type { AtomicPair } from '../../law/pair.js';
import { anyKernel, methods } from '../brought/methods.js';
import type { Family } from './family.js';

export const ATOMS: Family<AtomicPair> = {
  name: 'atoms',
  spectrum: ({ atoms }, { rate }, kernel) => {
    const { error, differences, beyond = 0 } = atoms;
    // pairs with inexact masses, masses given as differences, or mass at unlisted losses are left to the grid
    if (error !== undefined || differences || beyond > 1e-290) return undefined;
    return methods().atomicSpectrum(kernel ?? anyKernel(), atoms, rate);
  },
  listed: (steps, sides) => {
    const { listedRuns, twoLists } = methods();
    return listedRuns(steps, sides) ?? twoLists(steps, sides);
  },
};
