import type { Adjacency } from './adjacency.js';

/**
 * How the records of a step are chosen. 'fixed': batches in the order of the data set, so that a record's steps depend on its place. 'fixed-kept':
 * batches by a rule that looks at the record alone. 'cyclic-poisson' and 'cyclic-poisson-kept': groups formed in one of these two ways take turns,
 * and a step sees a Poisson sample of its group. 'divided': Poisson samples whose sum is divided by an expected size.
 */
export type Drawing =
  | 'all'
  | 'poisson'
  | 'capped-poisson'
  | 'balls-and-bins'
  | 'shuffled'
  | 'without-replacement'
  | 'with-replacement'
  | 'fixed'
  | 'fixed-kept'
  | 'cyclic-poisson'
  | 'cyclic-poisson-kept'
  | 'divided';

/**
 * What is proved about a way of drawing under an adjacency. 'exact': a dominating pair that some data set attains. 'gaussian': such a pair, for
 * Gaussian noise only. 'bracket': a dominating pair, and a data set that comes close. 'none': nothing, so the account is refused.
 */
interface Theorem {
  readonly standing: 'exact' | 'gaussian' | 'bracket' | 'none';
  /** The paper or proof of the theorem, or the reason why there is none. */
  readonly by: string;
}

type Row = Readonly<Record<Adjacency, Theorem>>;

const exact = (by: string): Theorem => ({ standing: 'exact', by });
const gaussian = (by: string): Theorem => ({ standing: 'gaussian', by });
const between = (by: string): Theorem => ({ standing: 'bracket', by });
const none = (by: string): Theorem => ({ standing: 'none', by });

const MOVED = 'a record added or removed moves every later one, unless "places" are "kept"';
const WHOLE = 'docs/proofs/sampling.md, T4';
const DOUBLED = `${WHOLE}, at twice the sensitivity`;
const POISSON = 'Balle, Barthe, Gaboardi 2018, thm 8';
const REPLACED = 'docs/proofs/sampling.md, 3';
const FIXED = 'docs/proofs/sampling.md, 10';
const CYCLIC = 'docs/proofs/sampling.md, 5';
const CAPPED = 'docs/proofs/capped-poisson.md, 1';
const BINS =
  'docs/proofs/balls-and-bins.md, 1; exact too where a record is in all bins but one (14), and between bounds where it is in several others (11, 12)';
const DIVIDED = 'docs/proofs/sampling.md, 12';
const DRAWN =
  'docs/proofs/sampling.md, 14: one step by Balle, Barthe, Gaboardi 2018, thm 9; several between bounds';
const SHUFFLED = 'docs/proofs/shuffled.md, 1 to 3';

/** Which way of drawing has a theorem under which adjacency; docs/sampling.md prints this table. */
export const THEOREMS: Readonly<Record<Drawing, Row>> = {
  all: { 'add-remove': exact(WHOLE), 'zero-out': exact(WHOLE), 'replace-one': exact(DOUBLED) },
  poisson: { 'add-remove': exact(POISSON), 'zero-out': exact(POISSON), 'replace-one': gaussian(REPLACED) },
  'capped-poisson': {
    'add-remove': none(
      'a record added or removed changes whom the cap leaves out, in a way of which no pair is known',
    ),
    'zero-out': between(CAPPED),
    'replace-one': between(CAPPED),
  },
  'balls-and-bins': {
    'add-remove': exact(BINS),
    'zero-out': exact(BINS),
    'replace-one': none('no pair is known that dominates two records with batches of their own'),
  },
  shuffled: {
    'add-remove': none('a record added or removed changes the sizes of the batches'),
    'zero-out': between(SHUFFLED),
    'replace-one': between(SHUFFLED),
  },
  'without-replacement': {
    'add-remove': none('a record added or removed changes the chances of all others'),
    'zero-out': none('with one record left out it is a capped Poisson sample of rate 1'),
    'replace-one': exact(DRAWN),
  },
  'with-replacement': {
    'add-remove': none('a record added or removed changes the chances of all others'),
    'zero-out': none('a record left out is one replaced by a gradient of 0: the numbers of replace-one hold'),
    'replace-one': between('docs/proofs/sampling.md, 13'),
  },
  fixed: { 'add-remove': none(MOVED), 'zero-out': exact(FIXED), 'replace-one': exact(FIXED) },
  'fixed-kept': { 'add-remove': exact(FIXED), 'zero-out': exact(FIXED), 'replace-one': exact(FIXED) },
  'cyclic-poisson': {
    'add-remove': none(MOVED),
    'zero-out': exact(CYCLIC),
    'replace-one': gaussian(CYCLIC),
  },
  'cyclic-poisson-kept': {
    'add-remove': exact(CYCLIC),
    'zero-out': exact(CYCLIC),
    'replace-one': gaussian(CYCLIC),
  },
  divided: {
    'add-remove': between(DIVIDED),
    'zero-out': exact(POISSON),
    'replace-one': gaussian(REPLACED),
  },
};

/** The adjacencies with a theorem for a way of drawing with the given noise. */
export function adjacenciesOf(drawing: Drawing, noise: 'gaussian' | 'other' = 'gaussian'): Adjacency[] {
  const row = Object.entries(THEOREMS[drawing]) as [Adjacency, Theorem][];
  return row
    .filter(([, { standing }]) => standing !== 'none' && (standing !== 'gaussian' || noise === 'gaussian'))
    .map(([adjacency]) => adjacency);
}
