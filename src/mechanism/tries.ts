import {
  requireFields,
  requireNumber,
  requireOneOf,
  requireWhole,
  wrongType,
  wrongValue,
} from '../errors.js';
import { shortDecimal } from '../text/decimal.js';

/**
 * `inner` run a random number of times, independently, each time with a candidate (settings of a training, say) drawn at random;
 * the result with the best score is published, and nothing else.
 */
export interface Select {
  readonly kind: 'select';
  /** Law of the number of tries. */
  readonly runs: Tries;
  /** Any mechanism; typed loosely, as mechanisms are made of kinds. */
  readonly inner: { readonly kind: string };
}

/** How many tries there are: a draw that is kept secret and independent of the data. */
export type Tries =
  | {
      /**
       * On 1, 2, …: the geometric distribution for eta = 1, the logarithmic one for eta = 0, the truncated negative binomial
       * in general (Papernot, Steinke 2022). One of `gamma` and `mean` says how many.
       */
      readonly kind: 'negative-binomial';
      /** > −1, at most 100. */
      readonly eta: number;
      /** In [1e-12, 1]; 1 is a single try. */
      readonly gamma?: number;
      /** In [1, 1e9]; 1 is a single try. */
      readonly mean?: number;
    }
  /** On 0, 1, …; zero tries publish nothing. Mean in (0, 1e9]. */
  | { readonly kind: 'poisson'; readonly mean: number }
  /** `trials` independent tries, each made with the probability given: 1 to 1e9 trials, probability in (0, 1]. */
  | { readonly kind: 'binomial'; readonly trials: number; readonly probability: number }
  /** A number known beforehand, 1 to 1e9: nothing is hidden by it, and the upper end is that of publishing every try. */
  | { readonly kind: 'fixed'; readonly count: number }
  /** Probabilities of 0, 1, 2, … tries, 2 to 1000 of them, each divided by their sum, which is 1 but for rounding (1e-12). */
  | { readonly kind: 'table'; readonly probabilities: readonly number[] };

const FIELDS = {
  'negative-binomial': ['eta', 'gamma', 'mean'],
  poisson: ['mean'],
  binomial: ['trials', 'probability'],
  fixed: ['count'],
  table: ['probabilities'],
} as const;
const KINDS = Object.keys(FIELDS) as Tries['kind'][];

/** More are refused: beyond them masses of the binomial law lose digits; and a longer table is a mistake. */
const MOST_TRIES = 1e9;
const LONGEST_TABLE = 1000;

/** @throws TypeError | RangeError naming the field of `runs` that is missing, unknown or wrong. */
export function requireTries(value: unknown): Tries {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongType('runs', `an object with a "kind" of ${KINDS.join(', ')}`, value);
  }
  const given = value as Record<string, unknown>;
  const kind = requireOneOf('runs.kind', given['kind'], KINDS);
  requireFields('runs', given, ['kind', ...FIELDS[kind]], `"${kind}" has`);
  const number = (name: string, expected: string): number =>
    requireNumber(`runs.${name}`, given[name], expected);
  const whole = (name: string): number => requireWhole(`runs.${name}`, given[name], 1, MOST_TRIES);
  switch (kind) {
    case 'negative-binomial': {
      const eta = number('eta', 'a number in (-1, 100]');
      if ((given['gamma'] === undefined) === (given['mean'] === undefined)) {
        throw wrongType('runs', 'a negative-binomial with either "gamma" or "mean"', given);
      }
      return given['mean'] === undefined
        ? { kind, eta, gamma: number('gamma', 'a number in [1e-12, 1]') }
        : { kind, eta, mean: number('mean', 'a number in [1, 1e9]') };
    }
    case 'poisson':
      return { kind, mean: number('mean', 'a number in (0, 1e9]') };
    case 'binomial':
      return {
        kind,
        trials: whole('trials'),
        probability: number('probability', 'a number in (0, 1]'),
      };
    case 'fixed':
      return { kind, count: whole('count') };
    case 'table':
      return { kind, probabilities: requireTable(given['probabilities']) };
  }
}

function requireTable(value: unknown): readonly number[] {
  const place = 'runs.probabilities';
  if (!Array.isArray(value)) throw wrongType(place, 'an array: of 0, 1, 2, … tries', value);
  if (value.length < 2 || value.length > LONGEST_TABLE)
    throw wrongValue(place, `2 to ${LONGEST_TABLE} probabilities`, value);
  let sum = 0;
  for (const [k, p] of value.entries()) sum += requireNumber(`${place}[${k}]`, p, 'a number in [0, 1]');
  if (!(Math.abs(sum - 1) <= 1e-12)) throw wrongValue(place, 'probabilities that sum to 1', sum);
  if (value[0] === 1) throw wrongValue(`${place}[0]`, 'below 1: something may be tried', 1);
  return value.slice();
}

/** Whether there is one try for sure. */
export function isSingle(tries: Tries): boolean {
  switch (tries.kind) {
    case 'negative-binomial':
      return (tries.gamma ?? tries.mean) === 1;
    case 'poisson':
      return false;
    case 'binomial':
      return tries.trials === 1 && tries.probability === 1;
    case 'fixed':
      return tries.count === 1;
    case 'table':
      return tries.probabilities.every((p, k) => k === 1 || p === 0);
  }
}

/** As a table cell: 'negative binomial number of tries, eta 1, mean 10'. */
export function describeTries(tries: Tries): string {
  switch (tries.kind) {
    case 'negative-binomial': {
      const size =
        tries.mean === undefined ? `gamma ${shortDecimal(tries.gamma!)}` : `mean ${shortDecimal(tries.mean)}`;
      return `negative binomial number of tries, eta ${shortDecimal(tries.eta)}, ${size}`;
    }
    case 'poisson':
      return `Poisson number of tries, mean ${shortDecimal(tries.mean)}`;
    case 'binomial':
      return `binomial number of tries, ${tries.trials} trials of probability ${shortDecimal(tries.probability)}`;
    case 'fixed':
      return `${tries.count} tries`;
    case 'table':
      return `number of tries by a table, at most ${tries.probabilities.length - 1}`;
  }
}
