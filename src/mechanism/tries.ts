import {
  type Checks,
  fieldName,
  fieldsOf,
  requireFields,
  requireKind,
  requireList,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import { LONG_SUM } from '../numeric/rounding.js';
import { shortDecimal } from '../text/decimal.js';
import { whole } from './kind.js';

/**
 * A private search: `inner` is run a random number of times, independently. Each run has a candidate drawn at random, such as the settings of a
 * training. Only the result with the best score is published.
 */
export interface Select {
  readonly kind: 'select';
  /** Distribution of the number of tries. */
  readonly runs: Tries;
  /** The mechanism that is tried. The type is loose, since mechanisms are defined by the kinds. */
  readonly inner: { readonly kind: string };
}

/** Distribution of the number of tries. The number is kept secret and independent of the data. */
export type Tries =
  | {
      /**
       * The truncated negative binomial distribution on 1, 2, … (Papernot, Steinke 2022). It is the geometric one for eta = 1, and the logarithmic
       * one for eta = 0. Exactly one of `gamma` and `mean` is given.
       */
      readonly kind: 'negative-binomial';
      /** Shape η of the distribution, > −1 and at most 100. */
      readonly eta: number;
      /** Parameter γ of the distribution, in [1e-12, 1]; 1 is a single try. */
      readonly gamma?: number;
      /** Mean number of tries, in [1, 1e9]; 1 is a single try. */
      readonly mean?: number;
    }
  /** The Poisson distribution on 0, 1, …; zero tries publish nothing. Mean in (0, 1e9]. */
  | { readonly kind: 'poisson'; readonly mean: number }
  /** The binomial distribution: each of `trials` tries is made with the given probability, independently. 1 to 1e9 trials, probability in (0, 1]. */
  | { readonly kind: 'binomial'; readonly trials: number; readonly probability: number }
  /** A number of tries that is known beforehand, 1 to 1e9: the upper bound is that of publishing the result of every try. */
  | { readonly kind: 'fixed'; readonly count: number }
  /** Probabilities of 0, 1, 2, … tries, 2 to 1000 numbers. Their sum is 1 up to 1e-12; each is divided by it. */
  | { readonly kind: 'table'; readonly probabilities: readonly number[] };

/** How a distribution of the number of tries is stated, whether it is one try for sure, and its name in a table cell. */
interface Stated<T> {
  readonly fields: Checks;
  isSingle(tries: T): boolean;
  describe(tries: T): string;
}

/** Largest number of tries: beyond it masses of the binomial distribution lose digits. */
const MOST_TRIES = 1e9;
/** Largest length of a table of probabilities: a longer one is taken for a mistake. */
const LONGEST_TABLE = 1000;

const LAWS: { readonly [K in Tries['kind']]: Stated<Extract<Tries, { kind: K }>> } = {
  'negative-binomial': {
    fields: {
      eta: 'a number in (-1, 100]',
      'gamma?': 'a number in [1e-12, 1]',
      'mean?': 'a number in [1, 1e9]',
    },
    isSingle: ({ gamma, mean }) => (gamma ?? mean) === 1,
    describe: ({ eta, gamma, mean }) => {
      const size = mean === undefined ? `gamma ${shortDecimal(gamma!)}` : `mean ${shortDecimal(mean)}`;
      return `negative binomial number of tries, eta ${shortDecimal(eta)}, ${size}`;
    },
  },
  poisson: {
    fields: { mean: 'a number in (0, 1e9]' },
    isSingle: () => false,
    describe: ({ mean }) => `Poisson number of tries, mean ${shortDecimal(mean)}`,
  },
  binomial: {
    fields: { trials: whole(1, MOST_TRIES), probability: 'a number in (0, 1]' },
    isSingle: ({ trials, probability }) => trials === 1 && probability === 1,
    describe: ({ trials, probability }) =>
      `binomial number of tries, ${trials} trials of probability ${shortDecimal(probability)}`,
  },
  fixed: {
    fields: { count: whole(1, MOST_TRIES) },
    isSingle: ({ count }) => count === 1,
    describe: ({ count }) => `${count} tries`,
  },
  table: {
    fields: { probabilities: requireTable },
    isSingle: ({ probabilities }) => probabilities.every((p, k) => k === 1 || p === 0),
    describe: ({ probabilities }) => `number of tries by a table, at most ${probabilities.length - 1}`,
  },
};
const KINDS = Object.keys(LAWS) as Tries['kind'][];

/** Returns the checked distribution of the number of tries. @throws TypeError | RangeError naming the field of `runs` that is missing, unknown or wrong. */
export function requireTries(_: string, value: unknown): Tries {
  const kind = requireKind('runs', value, KINDS);
  const given = value as Record<string, unknown>;
  const checks = { kind: [kind], ...LAWS[kind].fields };
  requireFields('runs', given, Object.keys(checks).map(fieldName), `"${kind}" has`);
  if (kind === 'negative-binomial' && (given['gamma'] === undefined) === (given['mean'] === undefined))
    throw wrongType('runs', 'a negative-binomial with either "gamma" or "mean"', given);
  return fieldsOf(given, checks, 'runs.') as unknown as Tries;
}

/** Returns checked probabilities of 0, 1, 2, … tries. @throws TypeError | RangeError unless they sum to 1 and 1 or more tries are possible. */
function requireTable(place: string, value: unknown): readonly number[] {
  const given = requireList(place, value, 'probabilities, of 0, 1, 2, … tries', 2, LONGEST_TABLE);
  const table = Array.from(given, (p, k) => requireProbability(`${place}[${k}]`, p));
  const sum = table.reduce((all, p) => all + p, 0);
  if (!(Math.abs(sum - 1) <= LONG_SUM)) throw wrongValue(place, 'probabilities that sum to 1', sum);
  if (table[0] === 1) throw wrongValue(`${place}[0]`, 'below 1: something may be tried', 1);
  return table;
}

/** Whether the number of tries is 1 for sure. */
export function isSingle(tries: Tries): boolean {
  return LAWS[tries.kind].isSingle(tries as never);
}

/** The distribution in words: 'negative binomial number of tries, eta 1, mean 10'. */
export function describeTries(tries: Tries): string {
  return LAWS[tries.kind].describe(tries as never);
}
