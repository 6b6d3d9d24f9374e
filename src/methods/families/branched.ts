import type { BranchedPair } from '../../law/pair.js';
import type { Family } from './family.js';

export const BRANCHED: Family<BranchedPair> = { name: 'branched', spectrum: () => undefined };
