/** Python literals and constructor calls, as `repr` prints them; nothing is evaluated. */

import { InputSyntaxError, quotable } from '../errors.js';
import { underflows } from '../text/typed.js';

/** `Name(1, field=2)`. */
export class Call {
  constructor(
    readonly name: string,
    readonly positional: readonly PythonValue[],
    readonly fields: Readonly<Record<string, PythonValue>>,
  ) {}
}

type PythonValue =
  | null
  | boolean
  | number
  | string
  | Call
  | readonly PythonValue[]
  | ReadonlyMap<PythonValue, PythonValue>;

/** Deeper nesting is refused: it takes stack. */
const MAX_DEPTH = 100;
const TOKEN =
  /\s*(?:([A-Za-z_][\w.]*)|([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf\b)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([()[\]{},=:]))/y;

type Token = { readonly kind: 'name' | 'number' | 'string' | 'mark' | 'end'; readonly text: string };

/**
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
      // to 0 it would be rounded to the unsafe side
      if (underflows(x, text)) throw this.unexpected();
      this.advance();
      return x;
    }
    if (kind === 'string') {
      this.advance();
      return text.slice(1, -1);
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

  private call(name: string, depth: number): Call {
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
      fields[first.text] = this.value(depth + 1);
    });
    return new Call(name, positional, fields);
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

  /** Items with commas between them, from behind the opening mark to behind the closing one. */
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
    const [, name, number, string, mark] = match;
    const text = name ?? number ?? string ?? mark;
    this.start = this.at - text.length;
    const kind =
      name !== undefined ? 'name' : number !== undefined ? 'number' : mark !== undefined ? 'mark' : 'string';
    this.next = { kind, text };
  }
}

const NUMBER = /^(?:(?:np|numpy)\.(?:float|int|uint)\d+|tensor|(?:torch\.)?tensor|float|int)$/;

/**
 * A printed dictionary as parsed JSON would have it: `OrderedDict` too, and numbers of NumPy as numbers.
 *
 * @throws SyntaxError if the text is not such a dictionary.
 */
export function parsePythonDictionary(text: string): unknown {
  return plain(parsePythonRepr(text, 'a dictionary'));
}

function plain(value: PythonValue): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Call)) return value;
  const [first = []] = value.positional;
  if (NUMBER.test(value.name) && typeof first === 'number') return first;
  if (/^(?:collections\.)?OrderedDict$/.test(value.name)) {
    if (first instanceof Map) return plain(first);
    if (Array.isArray(first) && first.every((pair) => Array.isArray(pair) && pair.length === 2))
      return plain(new Map(first as [PythonValue, PythonValue][]));
  }
  throw new InputSyntaxError(
    `it is a dictionary as Python prints it, but holds ${quotable(value.name)}(…), which stands for no number`,
  );
}
