import type { Bracket } from '../numeric/bracket.js';
import { bracketText } from '../text/decimal.js';
import { toJson } from '../text/json.js';
import type { Args } from './args.js';

export { toJson };

/** `name` in a column and its bracket. */
export function line(name: string, value: Bracket): string {
  return `${name.padEnd(24)}${bracketText(value)}\n`;
}

/** Brackets as lines of text, or with `--json` as JSON together with what they share. */
export function answers<T extends object>(
  args: Args,
  results: readonly T[],
  shared: object,
  describe: (result: T) => [string, Bracket],
): string {
  if (args.has('json')) return toJson(oneOrMany(results, shared));
  return results.map((each) => line(...describe(each))).join('');
}

/** One answer as it is, several as `results`, each with what they share left on top. */
export function oneOrMany<T extends object>(answers: readonly T[], shared: object): object {
  return answers.length === 1 ? { ...answers[0], ...shared } : { results: answers, ...shared };
}
