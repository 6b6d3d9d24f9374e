import type { Mutant } from '../lib/mutants.mjs';

export const MUTANTS: readonly Mutant[];
