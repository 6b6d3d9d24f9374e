/** Checks of user input. TypeError for a wrong type, RangeError for a wrong value; the message names the option, what was expected and what was got. */

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

/** A name from a user's data as messages may quote it: short, and on one line. */
export function quotable(name: string): string {
  const short = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return JSON.stringify(short)
    .slice(1, -1)
    .replace(/[\x7f-\x9f\u2028\u2029]/g, '?');
}

export function wrongType(option: string, expected: string, value: unknown): TypeError {
  return new TypeError(`"${option}" must be ${expected}, got ${shown(value)}`);
}

export function wrongValue(option: string, expected: string, value: unknown): RangeError {
  return new RangeError(`"${option}" must be ${expected}, got ${shown(value)}`);
}

/** A number that satisfies `holds`, described by `expected`; NaN never passes. */
export function requireNumber(
  option: string,
  value: unknown,
  expected: string,
  holds: (x: number) => boolean,
): number {
  if (typeof value !== 'number') throw wrongType(option, expected, value);
  if (Number.isNaN(value) || !holds(value)) throw wrongValue(option, expected, value);
  return value;
}

export function requireProbability(option: string, value: unknown): number {
  return requireNumber(option, value, 'a number in [0, 1]', (x) => x >= 0 && x <= 1);
}

/** A whole number of steps or compositions, 0 … 2⁵³ − 1. */
export function requireCount(option: string, value: unknown): number {
  return requireNumber(
    option,
    value,
    'a whole number from 0 to 2^53 - 1',
    (x) => x >= 0 && Number.isSafeInteger(x),
  );
}

/** A whole number from `low` to `high`. */
export function requireWhole(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(
    option,
    value,
    `a whole number from ${low} to ${high}`,
    (x) => Number.isInteger(x) && x >= low && x <= high,
  );
}

export function requireOneOf<T extends string>(option: string, value: unknown, allowed: readonly T[]): T {
  const expected = `one of ${allowed.join(', ')}`;
  if (typeof value !== 'string') throw wrongType(option, expected, value);
  if (!(allowed as readonly string[]).includes(value)) throw wrongValue(option, expected, value);
  return value as T;
}
