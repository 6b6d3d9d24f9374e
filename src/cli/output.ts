import type { Bracket } from '../numeric/bracket.js';
import { toJson } from '../text/json.js';
import { endsText, FORMATS, type Safe, type Shown } from '../text/rounded.js';
import type { Args } from './args.js';
import { type Context, type Flags, type Output, toggle, value } from './command.js';

export { endsText, FORMATS, type Safe, type Shown, toJson };

export const DIGITS_FLAGS: Flags = {
  digits: value(
    'N',
    'significant digits of text, 1 to 17 (default: 3; 4 for mu\nand noise; as many as a bracket has, up to 10)',
    'a whole number from 1 to 17',
  ),
  brackets: toggle('both ends of every number instead of the safe one'),
};

export function shownOf(args: Args): Shown {
  const digits = args.number('digits');
  return { ...(digits !== undefined && { digits }), brackets: args.has('brackets') };
}

/** `name` in a column, then its text; at least one space lies between them, even if the name fills the column. */
export function row(name: string, text: string): string {
  return `${name.padEnd(23)} ${text}\n`;
}

export function line(name: string, value: Bracket, shown: Shown, safe?: Safe): string {
  return row(name, endsText(value, shown, safe));
}

/** Answers questions one after another, and reports the progress after each. */
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

/** An answer as JSON if `--json` is given, else as text. */
export function printed(args: Args, json: object, text: () => string, exitCode: 0 | 1 = 0): Output {
  return { text: args.has('json') ? toJson(json) : text(), exitCode };
}
