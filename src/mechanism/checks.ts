import {
  requireFields,
  requireList,
  requireNumber,
  requireOneOf,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';

/** Points of a table: more is a mistake, not a mechanism. */
export const MAX_POINTS = 100_000;

export function requirePoints(points: unknown, names: readonly string[]): Record<string, unknown>[] {
  const given = requireList('points', points, `{"${names[0]}", …} objects`, 1, MAX_POINTS);
  for (const [i, point] of given.entries()) requireFields(`points[${i}]`, point, names);
  return given as Record<string, unknown>[];
}

/** Anything with a kind: what it is made of was checked when it was made. */
export function requireMechanism<M extends { readonly kind: string }>(name: string, value: M): M {
  if (typeof value?.kind !== 'string') throw wrongType(name, 'a mechanism', value);
  return value;
}

export function requireMechanisms<M extends { readonly kind: string }>(
  name: string,
  value: readonly M[],
): readonly M[] {
  requireList(name, value, 'mechanisms');
  for (const [i, part] of value.entries()) requireMechanism(`${name}[${i}]`, part);
  return value;
}

/** One point of a trade-off function. @throws TypeError | RangeError unless both rates are in [0, 1] and beta ≤ 1 − alpha. */
export function requireRates(point: unknown, i: number): { alpha: number; beta: number } {
  requireFields(`points[${i}]`, point, ['alpha', 'beta']);
  const given = point as { alpha?: unknown; beta?: unknown };
  const alpha = requireProbability(`points[${i}].alpha`, given.alpha);
  const beta = requireProbability(`points[${i}].beta`, given.beta);
  if (beta > 1 - alpha) throw wrongValue(`points[${i}].beta`, 'at most 1 - alpha', beta);
  return { alpha, beta };
}

/** @throws TypeError | RangeError unless both are equally many numbers in [0, 1], 1 to 10⁶. */
export function requireMasses(x: unknown, y: unknown): void {
  for (const [name, given] of [
    ['x', x],
    ['y', y],
  ] as const) {
    const masses = given as ArrayLike<unknown> | null | undefined;
    if (typeof masses !== 'object' || typeof masses?.length !== 'number')
      throw wrongType(name, 'an array of probabilities', given);
    if (masses.length < 1 || masses.length > 1_000_000)
      throw wrongValue(name, '1 to 1000000 probabilities', given);
    for (let i = 0; i < masses.length; i++) requireProbability(`${name}[${i}]`, masses[i]);
  }
  const [a, b] = [(x as ArrayLike<number>).length, (y as ArrayLike<number>).length];
  if (a !== b) throw wrongValue('y', `as long as x (${a} masses)`, b);
}

export function within(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, between(low, high));
}

/** Fields of a kind, in words. */
export function between(low: number, high: number): string {
  return `a number in [${low}, ${high}]`;
}

export function zeroOr(low: number, high: number): string {
  return `0 or a number from ${low} to ${high}`;
}

export function whole(low: number, high: number): string {
  return `a whole number from ${low} to ${high}`;
}

export function oneOf(...allowed: readonly string[]): (name: string, value: unknown) => string {
  return (name, value) => requireOneOf(name, value, allowed);
}

/** A field that is left out where it is `usual`. */
export function unless<T>(
  usual: T,
  check: string | ((name: string, value: unknown) => T),
): (name: string, value: unknown) => T | number | undefined {
  return (name, value = usual) => {
    const checked = typeof check === 'string' ? requireNumber(name, value, check) : check(name, value);
    return checked === usual ? undefined : checked;
  };
}

/** A mechanism with `sensitivity`/`option` in the range, or no noise. */
export function requireRatio<O extends string, M extends { readonly [name in O | 'sensitivity']: number }>(
  mechanism: M,
  option: O,
  low: number,
  high: number,
): M {
  const { [option]: noise, sensitivity } = mechanism;
  const ratio = sensitivity / noise;
  if (noise === 0 || (ratio >= low && ratio <= high)) return mechanism;
  const expected = `such that sensitivity/${option} is in [${low}, ${high}] (sensitivity is ${sensitivity})`;
  throw wrongValue(option, expected, noise);
}
