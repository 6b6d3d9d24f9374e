/** JSON as Python writes it. */

import { InputSyntaxError, quotable, requireText } from '../errors.js';
import { requireOneMeaning } from './json-names.js';

/**
 * @throws SyntaxError, in one sentence, if the text is not JSON, or an object names a field twice. Python writes NaN and Infinity
 *   bare; they become the strings 'NaN' and 'Infinity', which later checks of numbers refuse with their place.
 *
 * @param id The number that identifies a JSON-RPC request, as written: it may be larger than any double.
 */
export function parseJson(text: string, id?: string): unknown {
  requireText('text', text);
  if (text.trim() === '') throw new InputSyntaxError('it is empty, expected JSON');
  const { state } = jsonIn(text) ?? (/NaN|Infinity/.test(text) ? parsePythonJson(text) : undefined) ?? {};
  if (state === undefined) throw new InputSyntaxError(`it is not valid JSON: ${describe(text)}`);
  requireOneMeaning(text);
  requireDoubles(text, id);
  return state;
}

/** Refuses numbers above the largest double, which JSON.parse reads as Infinity. */
function requireDoubles(text: string, id?: string): void {
  if (!/\d{309}|[eE]\+?\d{3}/.test(text)) return;
  for (const [token, number] of text.matchAll(/"(?:[^"\\]|\\.)*"|(-?\d[\d.]*(?:[eE][+-]?\d+)?)/g))
    if (number !== undefined && number !== id && !Number.isFinite(Number(token)))
      throw new InputSyntaxError(
        `a number is beyond 1.8e308, the largest that is read: ${quotable(token)}, of ${token.length} characters`,
      );
}

function jsonIn(text: string): { state: unknown } | undefined {
  try {
    return { state: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function parsePythonJson(text: string): { state: unknown } | undefined {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  );
  return jsonIn(quoted);
}

function describe(text: string): string {
  if (text.startsWith('PK')) {
    return 'it looks like a PyTorch checkpoint; save json.dumps({"history": accountant.history}) instead';
  }
  const { at, why } = firstSlip(text);
  if (at >= text.trimEnd().length)
    return `it ends too early, after ${text.length} characters; is it truncated?`;
  if (text.slice(0, at).trim() === '') return `it starts with ${startOf(text)}`;
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}: ${why}`;
}

/** Whether a text is JSON, or the beginning of a JSON text. */
export function endsEarly(text: string): boolean {
  // a number may be cut before it is valid: '1e'
  const begun = text.replace(/[-+.\deE]+$/, '');
  return firstSlip(begun).at >= begun.length;
}

/** A bracket, comma, colon, string, number or word, with the space before it. */
const TOKEN =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\t\n\r]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null|NaN|-?Infinity)(?!\w)))/y;

/** The place where a text stops being JSON, and why; NaN and Infinity count as numbers. Engines differ in their own messages. */
function firstSlip(text: string): { at: number; why: string } {
  const open: ('{' | '[')[] = [];
  /** What is allowed next: a value, a name, the colon after it, or what may follow a value. */
  let next: 'value' | 'name' | 'colon' | 'after' = 'value';
  let last = '';
  for (TOKEN.lastIndex = 0; ; ) {
    const from = TOKEN.lastIndex;
    const [, mark, string, word] = TOKEN.exec(text) ?? [];
    const token = mark ?? string ?? word ?? '';
    const at = token === '' ? from + text.slice(from).search(/[^ \t\n\r]|$/) : TOKEN.lastIndex - token.length;
    if (token === '') {
      const cut = /^"(?:[^"\\\t\n\r]|\\.)*\\?$/.test(text.slice(at));
      const over = next === 'after' && open.length === 0;
      return cut
        ? { at: text.length, why: '' }
        : { at, why: over ? `${startOf(text.slice(at))} after the end` : strange(text, at) };
    }
    const closes = token === (open.at(-1) === '{' ? '}' : ']');
    if (next === 'value' && (string ?? word) !== undefined) next = 'after';
    else if (next === 'value' && (token === '{' || token === '[')) {
      open.push(token);
      next = token === '{' ? 'name' : 'value';
    } else if (next === 'name' && string !== undefined) next = 'colon';
    else if (next === 'colon' && token === ':') next = 'value';
    else if (next === 'after' && token === ',' && open.length > 0)
      next = open.at(-1) === '{' ? 'name' : 'value';
    else if (open.length > 0 && closes && (next === 'after' || last === '{' || last === '[')) {
      open.pop();
      next = 'after';
    } else return { at, why: misplaced(token, next, last, open.length) };
    last = token;
  }
}

function misplaced(token: string, next: string, last: string, depth: number): string {
  const seen = JSON.stringify(token.length > 24 ? `${token.slice(0, 24)}…` : token);
  if (/[}\]]/.test(token) && last === ',') return `a comma before ${seen}`;
  if (next === 'after') return depth === 0 ? `${seen} after the end` : `a comma is missing before ${seen}`;
  if (next === 'colon') return `a colon is missing before ${seen}`;
  return next === 'name'
    ? `${seen} where a name in double quotes is expected`
    : `${seen} where a value is expected`;
}

/** A description of the text at a place where no token of JSON begins. */
function strange(text: string, at: number): string {
  const rest = text.slice(at);
  if (/^(?:\/\/|\/\*|#)/.test(rest)) return 'a comment, which JSON does not have';
  if (rest.startsWith("'")) return 'a text in single quotes; JSON has double ones';
  if (rest.startsWith('"')) return 'a text that does not end, or has a character it may not';
  const word = /^[\w.+-]+/.exec(rest)?.[0];
  return `${startOf(word ?? rest.slice(0, 1))} is no value of JSON`;
}

export function startOf(text: string): string {
  const start = text.trimStart();
  return JSON.stringify(start.length > 24 ? `${start.slice(0, 24)}…` : start);
}
