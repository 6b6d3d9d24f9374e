/**
 * Checks of input and the classes of their errors. InputTypeError, InputRangeError and InputSyntaxError are about values; UnreadableInput and
 * UnwritableOutput are about files. Any other error that leaves the library is a bug. Messages name the option, the expected values and the given one.
 */

/** An option, argument or field of a wrong type, a missing or an unknown one. */
export class InputTypeError extends TypeError {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'InputTypeError';
}

/** A value outside its range, or a combination for which there is no theorem. */
export class InputRangeError extends RangeError {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'InputRangeError';
}

/** Text or bytes that are not what they should be. */
export class InputSyntaxError extends SyntaxError {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'InputSyntaxError';
}

/** A file that cannot be read; the message is one sentence that names it. */
export class UnreadableInput extends Error {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'UnreadableInput';
}

/** A file that cannot or must not be written; the message is one sentence that names it. */
export class UnwritableOutput extends Error {
  /** Its name, in minified bundles too. */
  static override readonly name: string = 'UnwritableOutput';
}

/** Errors have the name of their class, as `console.log` prints it. A subclass declares its own static name. */
for (const { prototype } of [
  InputTypeError,
  InputRangeError,
  InputSyntaxError,
  UnreadableInput,
  UnwritableOutput,
])
  Object.defineProperty(prototype, 'name', { get: classNameOf });

function classNameOf(this: Error): string {
  return this.constructor.name;
}

/**
 * Whether an error is about what was passed in, rather than a bug.
 *
 * @throws Nothing, whatever it is given.
 * @example
 * isInputError(new InputRangeError('"steps" must be a whole number')); // true
 */
export function isInputError(error: unknown): error is InputTypeError | InputRangeError | InputSyntaxError {
  return (
    error instanceof InputTypeError || error instanceof InputRangeError || error instanceof InputSyntaxError
  );
}

/** An error on an option, with `place` put before the option's name. An error that already names the place, or of another class, is returned unchanged. */
export function placed(error: unknown, place: string): unknown {
  if (!(error instanceof InputTypeError || error instanceof InputRangeError)) return error;
  const root = place.split('.')[0];
  const { message } = error;
  if (message.startsWith(`"${root}"`) || message.startsWith(`"${root}.`)) return error;
  const longer = message.replace(/^"/, `"${place}.`);
  return error instanceof InputTypeError ? new InputTypeError(longer) : new InputRangeError(longer);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isPromise(value)) return 'a promise: "await" is missing before it';
  if (isPlain(value)) return 'an object';
  return typeof value === 'object' && value !== null
    ? `an object of ${quotable(tagOf(value))}`
    : String(value);
}

/** Whether `Object.prototype.toString` calls a value Object or Module, as it does object literals and most instances, but not arrays, dates and maps. */
export function isPlain(value: unknown): value is object {
  return typeof value === 'object' && /^(Object|Module)$/.test(tagOf(value));
}

/** The type in `Object.prototype.toString`: 'Map' for a map. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function isPromise(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** A name from the user's data, shortened and on one line for a message. */
export function quotable(name: string): string {
  const short = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return JSON.stringify(short)
    .slice(1, -1)
    .replace(/[\x7f-\x9f\u2028\u2029]/g, '?');
}

/** The first few of some names, in quotation marks. */
export function someNames(names: readonly string[]): string {
  const few = names.slice(0, 5).map((name) => `"${quotable(name)}"`);
  return `${few.join(', ')}${names.length > 5 ? ' and more' : ''}`;
}

export function wrongType(option: string, expected: string, value: unknown): InputTypeError {
  return new InputTypeError(`"${option}" must be ${expected}, got ${shown(value)}`);
}

export function wrongValue(option: string, expected: string, value: unknown): InputRangeError {
  return new InputRangeError(`"${option}" must be ${expected}, got ${shown(value)}`);
}

/**
 * The error for a name that is none of `names`; it suggests the nearest of them.
 *
 * @param subject What introduces the names in the message: 'a grid has'.
 * @param place Where the name stands, with its dot: 'mechanism.'.
 */
export function unknownName(
  name: string,
  subject: string,
  names: readonly string[],
  place = '',
): InputTypeError {
  const near = nearest(name, names);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return new InputTypeError(`"${place}${quotable(name)}" is unknown: ${subject} ${names.join(', ')}${hint}`);
}

/** The name meant by a misspelt one: at most two letters wrong (one in a short name), swapped, missing or added. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > 40) return undefined;
  let best: string | undefined;
  let least = name.length > 4 ? 2.5 : 1.5;
  for (const each of names) {
    // of two equally near names, the one with the same first letter
    const begins = each[0] === name[0]?.toLowerCase() ? 0.1 : 0;
    const distance = editDistance(name.toLowerCase(), each.toLowerCase()) - begins;
    if (distance < least) [best, least] = [each, distance];
  }
  return best;
}

/** Least number of letters to insert, drop, replace or swap with the next one (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      row[j] = Math.min(row[j - 1] + 1, rows[i - 1][j] + 1, rows[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}

/**
 * Checks that options are an object without unknown names. `undefined` passes, as required options are checked one by one elsewhere.
 *
 * @param taker Who takes them, for the message.
 */
export function requireOptions<T extends object>(
  taker: string,
  options: T | undefined,
  names: readonly (keyof T & string)[],
): void {
  if (options === undefined) return;
  if (!isPlain(options) || isPromise(options)) {
    throw wrongType('options', `an object with any of ${names.join(', ')}`, options);
  }
  for (const name of Object.keys(options)) {
    if (!(names as readonly string[]).includes(name)) throw unknownName(name, `${taker} takes`, names);
  }
}
/** Descriptions such as 'a number in [0, 1)', '0 or a number from 1e-9 to 1e9', 'a whole number >= 1'. Words after a comma or colon are not parsed. */
const NUMBERS =
  /^(0 or )?(?:a )?(finite |whole )?numbers?(?: in ([[(])([^,]+), ([^,]+)([\])])| from ([^,]+) to ([^,]+)| (>=|<=|>) ([^,]+))?(?:[,:] .*)?$/;

/** Parsed tests by their descriptions. Descriptions may hold numbers of the user, so the map is emptied at `MOST_READ` entries. */
const READ = new Map<string, (x: number) => boolean>();
const MOST_READ = 512;

/** The test that a description of the form `NUMBERS` states. It is parsed from the description, so that test and message cannot differ. */
export function saidBy(words: string): (x: number) => boolean {
  let test = READ.get(words);
  if (test === undefined) {
    test = readFrom(words);
    if (READ.size >= MOST_READ) READ.clear();
    READ.set(words, test);
  }
  return test;
}

function readFrom(words: string): (x: number) => boolean {
  const found = NUMBERS.exec(words);
  if (found === null) throw new Error(`no test is said by "${words}"`);
  const [, zero, kind, opened, from, to, closed, first, last, sign, than] = found;
  const low = sign === '<=' ? -Infinity : boundOf(from ?? first ?? than ?? '-Infinity');
  const high = boundOf(to ?? last ?? (sign === '<=' ? than : 'Infinity'));
  const [above, below] = [opened === '(' || sign === '>', closed === ')'];
  return (x) => {
    if (zero !== undefined && x === 0) return true;
    if (kind !== undefined && !(kind === 'whole ' ? Number.isSafeInteger(x) : Number.isFinite(x)))
      return false;
    return (above ? x > low : x >= low) && (below ? x < high : x <= high);
  };
}

/** The number in '1e-9' or '2^53 - 1'. */
function boundOf(words: string): number {
  const [value, less = 0] = words.split(' - ').map((part) => (part === '2^53' ? 2 ** 53 : Number(part)));
  return value - less;
}

/**
 * A number that satisfies `holds`, which `expected` describes; without `holds`, the test that `expected` describes. NaN never passes, and −0 becomes
 * 0, as in JSON.
 */
export function requireNumber(
  option: string,
  value: unknown,
  expected: string,
  holds: (x: number) => boolean = saidBy(expected),
): number {
  if (typeof value !== 'number') throw wrongType(option, expected, value);
  if (Number.isNaN(value) || !holds(value)) throw wrongValue(option, expected, value);
  return value + 0;
}

export function requireProbability(option: string, value: unknown): number {
  return requireNumber(option, value, 'a number in [0, 1]', (x) => x >= 0 && x <= 1);
}

export function requireShare(option: string, value: unknown): number {
  return requireNumber(option, value, 'a number in (0, 1)', (x) => x > 0 && x < 1);
}

export function requirePositive(option: string, value: unknown): number {
  return requireNumber(option, value, 'a positive number', (x) => x > 0 && x < Infinity);
}

/** A whole number of steps or compositions, 0 … 2⁵³ − 1. */
export function requireCount(option: string, value: unknown): number {
  const expected = 'a whole number from 0 to 2^53 - 1';
  const next = typeof value === 'number' ? wholeAbove(value) : undefined;
  if (next !== undefined)
    throw new InputRangeError(`${wrongValue(option, expected, value).message}; rounded up it is ${next}`);
  return requireNumber(option, value, expected);
}

/** A fractional number of steps rounded up, so that no step is left out; undefined for whole numbers, and outside (0, 2⁵²). */
export function wholeAbove(x: number): number | undefined {
  return x > 0 && x < 2 ** 52 && !Number.isInteger(x) ? Math.ceil(x) : undefined;
}

export function requireWhole(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, `a whole number from ${low} to ${high}`);
}

/** A message lists at most this many allowed names; of more it states their number and the one most like the given name. */
const MOST_LISTED = 20;

/** @param where What the names are and where they are listed ('kinds of docs/mechanisms.md'), for a message that cannot list them. */
export function requireOneOf<T extends string>(
  option: string,
  value: unknown,
  allowed: readonly T[],
  where: string = 'names',
): T {
  if ((allowed as readonly unknown[]).includes(value)) return value as T;
  const near = (typeof value === 'string' ? nearest(value, allowed) : undefined) ?? allowed[0];
  const expected =
    allowed.length > MOST_LISTED
      ? `one of the ${allowed.length} ${where}, such as "${near}"`
      : `one of ${allowed.join(', ')}`;
  throw (typeof value === 'string' ? wrongValue : wrongType)(option, expected, value);
}

/** The kind stated by data, one of `kinds`; `where` as in `requireOneOf`. */
export function requireKind<K extends string>(
  place: string,
  value: unknown,
  kinds: readonly K[],
  where?: string,
): K {
  if (!isPlain(value)) throw wrongType(place, 'an object with a "kind"', value);
  return requireOneOf(`${place}.kind`, (value as { kind?: unknown }).kind, kinds, where);
}

export function requireText(option: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongType(option, 'a string', value);
  return value;
}

export function requireBoolean(option: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(option, 'true or false', value);
  return value;
}

/** An array with `least` to `most` elements, which `what` names in messages. */
export function requireList(
  option: string,
  value: unknown,
  what: string,
  least: number = 0,
  most: number = Infinity,
): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(option, `an array of ${what}`, value);
  if (value.length < least || value.length > most) {
    const some =
      most === Infinity ? `at least ${least}` : least === 0 ? `at most ${most}` : `${least} to ${most}`;
    throw wrongValue(option, `an array of ${least === most ? least : some} ${what}`, value);
  }
  return value;
}

/** Checks that data have no fields other than those of `names`. */
export function requireFields(
  place: string,
  value: unknown,
  names: readonly string[],
  subject = `${place} has`,
): void {
  if (!isPlain(value)) throw wrongType(place, 'an object', value);
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw unknownName(name, subject, names, `${place}.`);
  }
}

/** The name of a field written as 'steps', or as 'bins?' if it is optional. */
export const fieldName = (written: string): string => written.replace('?', '');

/** Checks that data have all of the fields written down, except optional ones, and no others. */
export function requireStated(place: string, value: object, written: readonly string[], what: string): void {
  requireFields(place, value, written.map(fieldName), `${what} has`);
  for (const name of written)
    if (!name.endsWith('?') && (value as Readonly<Record<string, unknown>>)[name] === undefined)
      throw new InputTypeError(`"${place}.${name}" is missing: ${what} needs it`);
}

/**
 * What a field may hold: a number described as `NUMBERS` reads it, one of some names, or what a function accepts and returns.
 * The function's `found` has the fields checked before.
 */
export type Check =
  | string
  | readonly string[]
  | ((name: string, value: never, found: Readonly<Record<string, never>>) => unknown);

/** Checks by the names of fields, in order; a name that ends in `?` may be left out. */
export type Checks = Readonly<Record<string, Check>>;

/** The fields as their checks return them; `place` is put before their names in messages, with its dot. */
export function fieldsOf(
  given: object | undefined,
  checks: Checks,
  place: string = '',
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [written, check] of Object.entries(checks)) {
    const name = fieldName(written);
    const value = (given as Readonly<Record<string, unknown>> | undefined)?.[name];
    if (value === undefined && name !== written) continue;
    const checked =
      typeof check === 'string'
        ? requireNumber(place + name, value, check)
        : typeof check === 'function'
          ? check(place + name, value as never, found as never)
          : requireOneOf(place + name, value, check);
    if (checked !== undefined) found[name] = checked;
  }
  return found;
}

/** Data with the fields that have checks, and no others. */
export function dataOf<T>(place: string, value: unknown, checks: Checks): T {
  requireFields(place, value, Object.keys(checks).map(fieldName));
  return fieldsOf(value as object, checks, `${place}.`) as T;
}
