/**
 * Refuses three things that JSON.parse accepts: repeated names, nesting that exhausts the stack, and numbers that underflow. The texts are valid JSON.
 */

import { InputSyntaxError, quotable } from '../errors.js';
import { underflows } from '../text/typed.js';

/** Greatest nesting: code that walks the value uses the stack. No format read here is a tenth as deep. */
const MAX_DEPTH = 1000;
/** Texts that match may contain numbers below the least double. */
const TINY = /e-\d{3}|0{300}/i;
/** A string or a number. */
const SCALAR = /"(?:[^"\\]|\\.)*"|\d[\d.eE+-]*/g;
/** A bracket or brace; or a string, with the colon after it if it is a name. */
const MARK = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"([ \t\n\r]*:)?/g;

/** The names in a text, in order, each with the set of names seen in its object, its depth, and the position behind its colon. */
function* namesIn(text: string) {
  /** The names of each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  for (const { 0: mark, 1: colon, index } of text.matchAll(MARK)) {
    if (mark === '{' || mark === '[') {
      open.push(mark === '{' ? new Set() : undefined);
      if (open.length > MAX_DEPTH) throw new InputSyntaxError(`it is nested more than ${MAX_DEPTH} deep`);
    } else if (mark === '}' || mark === ']') open.pop();
    else if (colon !== undefined) {
      const quoted = mark.slice(0, -colon.length);
      const name: string = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1);
      yield { name, names: open.at(-1)!, depth: open.length, behind: index + mark.length };
    }
  }
}

/**
 * @throws SyntaxError if an object has two fields of one name, of which JSON.parse keeps the last alone; if values are nested
 *   more than 1,000 deep, or a number that is not 0 is too small for a double.
 */
export function requireOneMeaning(text: string): void {
  for (const { name, names } of namesIn(text)) {
    if (names.has(name))
      throw new InputSyntaxError(`it has "${quotable(name)}" twice in one object: one of the two is lost`);
    names.add(name);
  }
  for (const [token] of TINY.test(text) ? text.matchAll(SCALAR) : [])
    if (underflows(Number(token), token))
      throw new InputSyntaxError(
        `it has the number ${quotable(token)}, which is smaller than any double but 0`,
      );
}

/** The number in a field of the outermost object, as written; undefined if the field has none. */
export function numberAt(text: string, field: string): string | undefined {
  for (const { name, depth, behind } of namesIn(text)) {
    if (depth === 1 && name === field) return /^\s*(-?\d[\d.eE+-]*)/.exec(text.slice(behind))?.[1];
  }
  return undefined;
}
