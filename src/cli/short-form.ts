import { InputRangeError, quotable } from '../errors.js';
import { STATEMENTS } from '../mechanism/parse.js';
import { parseJson } from '../read/json.js';
import { typedNumber, underflows } from '../text/typed.js';

/**
 * kind:number[,number], as many as a mechanism of the kind states and in that order; rdp:order=divergence,… or JSON as data.
 *
 * @param value Makes of the text of a number what the data is to hold; what is no number stays text, to be refused by its name.
 * @param more Names of further numbers that a kind may have.
 */
export function shortForm(
  text: string,
  value: (text: string) => unknown,
  more: Readonly<Record<string, readonly string[]>> = {},
): object {
  if (text.startsWith('{')) return parseJson(text) as object;
  const [kind, ...after] = text.split(':');
  const rest = after.join(':');
  const parts = rest === '' ? [] : rest.split(',');
  if (kind === 'rdp') {
    const points = parts.map((part) => {
      const [order, ...divergence] = part.split('=');
      return { order: numberOrText(order), epsilon: value(divergence.join('=')) };
    });
    return { kind, points };
  }
  const { fields } = Object.hasOwn(STATEMENTS, kind) ? STATEMENTS[kind] : STATEMENTS['approximate-dp'];
  const names = [...fields, ...(more[kind] ?? [])];
  if (parts.length > names.length) {
    throw new InputRangeError(`${kind} takes ${names.join(' and ')} and no more, got "${quotable(rest)}"`);
  }
  return { kind, ...Object.fromEntries(parts.map((part, i) => [names[i], value(part)])) };
}

export function numberOrText(text: string): number | string {
  const x = typedNumber(text);
  return Number.isNaN(x) || underflows(x, text) ? text : x;
}
