import type { Adjacency } from './adjacency.js';

/** How the records that a step sees are chosen: the ways that something is proved of. */
export type Drawing =
  | 'all'
  | 'poisson'
  | 'capped-poisson'
  | 'balls-and-bins'
  | 'shuffled'
  | 'without-replacement';

/**
 * What is proved of a way of drawing under an adjacency. 'exact': one pair dominates and some data set attains it. 'gaussian': the same, for
 * Gaussian noise alone. 'bracket': a pair that dominates, and from below a data set that comes close. 'none': refused.
 */
type Standing = 'exact' | 'gaussian' | 'bracket' | 'none';

/** The one table of which way of drawing has a theorem under which adjacency; docs/sampling.md prints it, docs/proofs proves it. */
export const THEOREMS: Readonly<Record<Drawing, Readonly<Record<Adjacency, Standing>>>> = {
  all: { 'add-remove': 'exact', 'zero-out': 'exact', 'replace-one': 'exact' },
  poisson: { 'add-remove': 'exact', 'zero-out': 'exact', 'replace-one': 'gaussian' },
  'capped-poisson': { 'add-remove': 'none', 'zero-out': 'bracket', 'replace-one': 'bracket' },
  'balls-and-bins': { 'add-remove': 'exact', 'zero-out': 'exact', 'replace-one': 'none' },
  shuffled: { 'add-remove': 'none', 'zero-out': 'bracket', 'replace-one': 'bracket' },
  'without-replacement': { 'add-remove': 'none', 'zero-out': 'none', 'replace-one': 'exact' },
};

/** The adjacencies under which something is proved of a way of drawing, for the noise given. */
export function adjacenciesOf(drawing: Drawing, noise: 'gaussian' | 'other' = 'gaussian'): Adjacency[] {
  const row = Object.entries(THEOREMS[drawing]) as [Adjacency, Standing][];
  return row
    .filter(([, standing]) => standing !== 'none' && (standing !== 'gaussian' || noise === 'gaussian'))
    .map(([adjacency]) => adjacency);
}
