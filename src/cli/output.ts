import type { Bracket } from '../numeric/bracket.js';
import { bracketText } from '../text/decimal.js';
import { toJson } from '../text/json.js';
import type { Args } from './args.js';
import type { Flags } from './flags.js';

export { toJson };

export const DIGITS_FLAGS: Flags = {
  digits: {
    type: 'string',
    value: 'N',
    help: 'significant digits of text, 1 to 17 (default: as many\nas the bracket has, up to 10)',
  },
};

/** The digits asked for, if any. */
export function digitsOf(args: Args): number | undefined {
  return args.number(
    'digits',
    'a whole number from 1 to 17',
    (x) => Number.isInteger(x) && x >= 1 && x <= 17,
  );
}

/** `name` in a column and its bracket, rounded outwards. */
export function line(name: string, value: Bracket, digits?: number): string {
  return `${name.padEnd(24)}${bracketText(value, 0, digits)}\n`;
}

/** Brackets as lines of text, or with `--json` as JSON together with what they share. */
export function answers<T extends object>(
  args: Args,
  results: readonly T[],
  shared: object,
  describe: (result: T) => [string, Bracket],
): string {
  if (args.has('json')) return toJson(oneOrMany(results, shared));
  const digits = digitsOf(args);
  return results.map((each) => line(...describe(each), digits)).join('');
}

/** One answer as it is, several as `results`, each with what they share left on top. */
export function oneOrMany<T extends object>(answers: readonly T[], shared: object): object {
  return answers.length === 1 ? { ...answers[0], ...shared } : { results: answers, ...shared };
}
