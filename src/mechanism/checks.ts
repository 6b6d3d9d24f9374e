import { requireFields, requireList, requireProbability, wrongType, wrongValue } from '../errors.js';

/** Largest number of points of a table: more points are taken for a mistake. */
export const MAX_POINTS = 100_000;

/** Returns `points` as objects with the fields `names`. @throws TypeError | RangeError unless it is a list of 1 to 100,000 of them. */
export function requirePoints(points: unknown, names: readonly string[]): Record<string, unknown>[] {
  const given = requireList('points', points, `{"${names[0]}", …} objects`, 1, MAX_POINTS);
  for (const [i, point] of given.entries()) requireFields(`points[${i}]`, point, names);
  return given as Record<string, unknown>[];
}

/** Returns `value` if it has a `kind`; its other fields were checked when it was made. @throws TypeError otherwise. */
export function requireMechanism<M extends { readonly kind: string }>(name: string, value: M): M {
  if (typeof value?.kind !== 'string') throw wrongType(name, 'a mechanism', value);
  return value;
}

/** Returns `value` if it is a list of mechanisms. @throws TypeError | RangeError otherwise. */
export function requireMechanisms<M extends { readonly kind: string }>(
  name: string,
  value: readonly M[],
): readonly M[] {
  requireList(name, value, 'mechanisms');
  for (const [i, part] of value.entries()) requireMechanism(`${name}[${i}]`, part);
  return value;
}

/** Returns a total number of steps or releases. @throws RangeError if it is 2⁵³ or more, so that no double holds it exactly. */
export function requireTotal(total: number, of: string = 'steps'): number {
  if (Number.isSafeInteger(total)) return total;
  throw wrongValue('count', `a total below 2^53 ${of}`, total);
}

/** Returns point number `i` of a trade-off function. @throws TypeError | RangeError unless both rates are in [0, 1] and beta ≤ 1 − alpha. */
export function requireRates(point: unknown, i: number): { alpha: number; beta: number } {
  requireFields(`points[${i}]`, point, ['alpha', 'beta']);
  const given = point as { alpha?: unknown; beta?: unknown };
  const alpha = requireProbability(`points[${i}].alpha`, given.alpha);
  const beta = requireProbability(`points[${i}].beta`, given.beta);
  if (beta > 1 - alpha) throw wrongValue(`points[${i}].beta`, 'at most 1 - alpha', beta);
  return { alpha, beta };
}

/** Checks the masses of two laws on the same outputs. @throws TypeError | RangeError unless both lists have 1 to 10⁶ numbers in [0, 1], equally many. */
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
