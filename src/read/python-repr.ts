/** Python literals and constructor calls, as `repr` prints them; nothing is evaluated. */

import { InputSyntaxError, quotable } from '../errors.js';

/** `Name(1, field=2)`. */
export class Call {
  constructor(
    readonly name: string,
    readonly positional: readonly PythonValue[],
    readonly fields: Readonly<Record<string, PythonValue>>,
  ) {}
}

export type PythonValue = null | boolean | number | string | Call | readonly PythonValue[];

const MAX_DEPTH = 100;
const TOKEN =
  /\s*(?:([A-Za-z_][\w.]*)|([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf\b)|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([()[\],=]))/y;

type Token = { readonly kind: 'name' | 'number' | 'string' | 'mark' | 'end'; readonly text: string };

/** @throws SyntaxError, with the position, if the text is not one such value, or nested more than 100 deep. */
export function parsePythonRepr(text: string): PythonValue {
  const parser = new Parser(text);
  const value = parser.value(0);
  if (parser.next.kind !== 'end') throw parser.unexpected();
  return value;
}

class Parser {
  next: Token = { kind: 'end', text: '' };
  private start = 0;
  private at = 0;

  constructor(private readonly text: string) {
    this.advance();
  }

  unexpected(): SyntaxError {
    const seen =
      this.next.kind === 'end' ? 'it ends too early' : `"${quotable(this.next.text.slice(0, 24))}"`;
    return new InputSyntaxError(
      `it is a DpEvent as Python prints it, but not at character ${this.start}: ${seen}`,
    );
  }

  value(depth: number): PythonValue {
    if (depth > MAX_DEPTH) throw new InputSyntaxError(`it is a DpEvent nested more than ${MAX_DEPTH} deep`);
    const { kind, text } = this.next;
    if (kind === 'number') {
      this.advance();
      return Number(text.replace(/_/g, '').replace('inf', 'Infinity'));
    }
    if (kind === 'string') {
      this.advance();
      return text.slice(1, -1);
    }
    if (kind === 'name') return this.named(depth);
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
    this.advance();
    while (this.next.text !== ')') {
      const first = this.next;
      const isField = first.kind === 'name' && /\s*=/y.test(this.text.slice(this.at, this.at + 8));
      if (isField) {
        this.advance();
        this.advance();
        fields[first.text] = this.value(depth + 1);
      } else {
        positional.push(this.value(depth + 1));
      }
      this.separator(')');
    }
    this.advance();
    return new Call(name, positional, fields);
  }

  private list(close: string, depth: number): PythonValue[] {
    const items: PythonValue[] = [];
    this.advance();
    while (this.next.text !== close) {
      items.push(this.value(depth + 1));
      this.separator(close);
    }
    this.advance();
    return items;
  }

  private separator(close: string): void {
    if (this.next.text === ',') this.advance();
    else if (this.next.text !== close) throw this.unexpected();
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
