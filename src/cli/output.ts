import type { Bracket } from '../numeric/bracket.js';
import { toJson } from '../text/json.js';
import { endsText, FORMATS, type Safe, type Shown } from '../text/rounded.js';
import type { Args } from './args.js';
import type { Context } from './command.js';
import { type Flags, toggle, value } from './flags.js';

export { endsText, FORMATS, type Safe, type Shown, toJson };

export const DIGITS_FLAGS: Flags = {
  digits: value(
    'N',
    'significant digits of text, 1 to 17 (default: 3; 4 for mu\nand noise; as many as a bracket has, up to 10)',
  ),
  brackets: toggle('both ends of every number instead of the safe one'),
};

/** What `--digits` and `--brackets` ask for. */
export function shownOf(args: Args): Shown {
  const digits = args.number('digits', 'a whole number from 1 to 17');
  return { ...(digits !== undefined && { digits }), brackets: args.has('brackets') };
}

/** `name` in a column and its value. */
export function line(name: string, value: Bracket, shown: Shown, safe?: Safe): string {
  return `${name.padEnd(24)}${endsText(value, shown, safe)}\n`;
}

/** Answers questions one by one and tells after each how far that is. */
export function inTurn<T, R>(
  { progress }: Context,
  questions: readonly T[],
  answer: (question: T) => R,
): R[] {
  return questions.map((question, i) => {
    const answered = answer(question);
    progress?.((i + 1) / questions.length);
    return answered;
  });
}

/** Numbers as lines of text, or with `--json` as JSON together with what they share. */
export function answers<T extends object>(
  args: Args,
  results: readonly T[],
  shared: object,
  describe: (result: T) => [string, Bracket, Safe?],
): string {
  if (args.has('json')) return toJson(oneOrMany(results, shared));
  const shown = shownOf(args);
  return results
    .map((each) => {
      const [name, value, safe] = describe(each);
      return line(name, value, shown, safe);
    })
    .join('');
}

/** One answer as it is, several as `results`, each with what they share left on top. */
function oneOrMany<T extends object>(answers: readonly T[], shared: object): object {
  return answers.length === 1 ? { ...answers[0], ...shared } : { results: answers, ...shared };
}
