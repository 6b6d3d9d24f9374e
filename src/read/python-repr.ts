/** Python literals and constructor calls, as `repr` prints them; nothing is evaluated. */

import { InputSyntaxError, quotable } from '../errors.js';
import { underflows } from '../text/typed.js';
import { MechanismMethod, Opaque } from './opaque.js';
import { numbersOf, PythonCall, type PythonValue } from './python-numbers.js';

/** Greatest nesting, which limits the stack. */
const MAX_DEPTH = 100;
const TOKEN =
  /\s*(?:([A-Za-z_][\w.]*)|([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf\b)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(<[^<>]*(?:<[^<>]*>[^<>]*)*>)|([()[\]{},=:]))/y;
/** Kinds of token, in the order of the groups of `TOKEN`; an 'object' is what Python prints as `<…>`. */
const KINDS = ['name', 'number', 'string', 'object', 'mark'] as const;

type Token = { readonly kind: (typeof KINDS)[number] | 'end'; readonly text: string };

/**
 * The value of a text that Python's `repr` printed.
 *
 * @param what What the text seems to be, for messages.
 * @throws SyntaxError, with the position, if the text is not one such value, or nested more than 100 deep.
 */
export function parsePythonRepr(text: string, what = 'a DpEvent'): PythonValue {
  const parser = new Parser(text, what);
  const value = parser.value(0);
  if (parser.next.kind !== 'end') throw parser.unexpected();
  return value;
}

class Parser {
  next: Token = { kind: 'end', text: '' };
  private start = 0;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly what: string,
  ) {
    this.advance();
  }

  unexpected(): SyntaxError {
    const seen =
      this.next.kind === 'end' ? 'it ends too early' : `"${quotable(this.next.text.slice(0, 24))}"`;
    return new InputSyntaxError(
      `it is ${this.what} as Python prints it, but not at character ${this.start}: ${seen}`,
    );
  }

  private repeated(name: string): SyntaxError {
    return new InputSyntaxError(`it is ${this.what}, but names "${quotable(name)}" twice`);
  }

  value(depth: number): PythonValue {
    if (depth > MAX_DEPTH)
      throw new InputSyntaxError(`it is ${this.what} nested more than ${MAX_DEPTH} deep`);
    const { kind, text } = this.next;
    if (kind === 'number') {
      const x = Number(text.replace(/_/g, '').replace('inf', 'Infinity'));
      // rounded to 0, a number would be on the unsafe side
      if (underflows(x, text)) throw this.unexpected();
      this.advance();
      return x;
    }
    if (kind === 'string') {
      this.advance();
      return text.slice(1, -1);
    }
    if (kind === 'object') {
      this.advance();
      return MechanismMethod.printed(text) ?? new Opaque(text);
    }
    if (kind === 'name') return this.named(depth);
    if (text === '{') return this.dictionary(depth);
    if (text === '[' || text === '(') return this.list(text === '[' ? ']' : ')', depth);
    throw this.unexpected();
  }

  private named(depth: number): PythonValue {
    const { text } = this.next;
    this.advance();
    if (this.next.text === '(') return this.call(text, depth);
    if (text === 'None') return null;
    if (text === 'True' || text === 'False') return text === 'True';
    if (text === 'inf') return Infinity;
    if (text === 'nan') return Number.NaN;
    throw this.unexpected();
  }

  private call(name: string, depth: number): PythonValue {
    const positional: PythonValue[] = [];
    const fields: Record<string, PythonValue> = Object.create(null);
    this.until(')', () => {
      const first = this.next;
      const isField = first.kind === 'name' && /\s*=/y.test(this.text.slice(this.at, this.at + 8));
      if (!isField) {
        positional.push(this.value(depth + 1));
        return;
      }
      this.advance();
      this.advance();
      if (first.text in fields) throw this.repeated(first.text);
      fields[first.text] = first.text === 'dtype' ? this.type(depth) : this.value(depth + 1);
    });
    const call = new PythonCall(name, positional, fields);
    return numbersOf(call) ?? call;
  }

  /** The name of a type of numbers, printed without quotes after `dtype=`. */
  private type(depth: number): PythonValue {
    const { kind, text } = this.next;
    if (kind !== 'name') return this.value(depth + 1);
    this.advance();
    return text;
  }

  private list(close: string, depth: number): PythonValue[] {
    const items: PythonValue[] = [];
    this.until(close, () => items.push(this.value(depth + 1)));
    return items;
  }

  private dictionary(depth: number): ReadonlyMap<PythonValue, PythonValue> {
    const items = new Map<PythonValue, PythonValue>();
    this.until('}', () => {
      const key = this.value(depth + 1);
      if (items.has(key)) throw this.repeated(String(key));
      if (this.next.text !== ':') throw this.unexpected();
      this.advance();
      items.set(key, this.value(depth + 1));
    });
    return items;
  }

  /** Items separated by commas, after the opening bracket and up to the closing one. */
  private until(close: string, item: () => void): void {
    this.advance();
    while (this.next.text !== close) {
      item();
      if (this.next.text === ',') this.advance();
      else if (this.next.text !== close) throw this.unexpected();
    }
    this.advance();
  }

  private advance(): void {
    TOKEN.lastIndex = this.at;
    const match = TOKEN.exec(this.text);
    if (match === null) {
      const rest = this.text.slice(this.at).trimStart();
      this.start = this.text.length - rest.length;
      if (rest !== '') {
        this.next = { kind: 'mark', text: rest.slice(0, 24) };
        throw this.unexpected();
      }
      this.next = { kind: 'end', text: '' };
      return;
    }
    this.at = TOKEN.lastIndex;
    const [, ...groups] = match;
    const place = groups.findIndex((group) => group !== undefined);
    const [kind, text] = [KINDS[place], groups[place]];
    this.start = this.at - text.length;
    this.next = { kind, text };
  }
}

/**
 * A printed dictionary or list as parsed JSON would have it: `OrderedDict` too, tuples as arrays, and numbers of NumPy as numbers.
 *
 * @throws SyntaxError if the text is neither.
 */
export function parsePythonData(text: string): object {
  return plain(parsePythonRepr(text, 'a dictionary')) as object;
}

function plain(value: PythonValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof PythonCall)) return value;
  const [first = []] = value.positional;
  if (/^(?:collections\.)?OrderedDict$/.test(value.name)) {
    if (first instanceof Map) return plain(first);
    if (Array.isArray(first) && first.every((pair) => Array.isArray(pair) && pair.length === 2))
      return plain(new Map(first as [PythonValue, PythonValue][]));
  }
  throw new InputSyntaxError(
    `it is a dictionary as Python prints it, but holds ${quotable(value.name)}(…), which stands for no number`,
  );
}
