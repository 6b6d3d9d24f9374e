import { InputRangeError, quotable } from '../errors.js';
import { STATEMENTS } from '../mechanism/parse.js';
import { parseJson } from '../read/json.js';
import { numberOrText } from '../text/typed.js';

/**
 * A mechanism or guarantee written as kind:number[,number], as an object. The numbers are the fields of the kind, in its order. Also
 * reads rdp:order=divergence,… and JSON.
 *
 * @param value Converts the text of a number for its field. It may return the text, which later checks refuse with the field's name.
 * @param more Names of further fields that a kind may have.
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
