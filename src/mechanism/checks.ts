import { requireFields, requireNumber, requireProbability, wrongType, wrongValue } from '../errors.js';

/** Points of a table: more is a mistake, not a mechanism. */
export const MAX_POINTS = 100_000;

export function requirePoints(points: unknown, names: readonly string[]): Record<string, unknown>[] {
  const expected = `an array of {"${names[0]}", …} objects`;
  if (!Array.isArray(points)) throw wrongType('points', expected, points);
  if (points.length === 0 || points.length > MAX_POINTS) {
    throw wrongValue('points', `1 to ${MAX_POINTS} points`, points);
  }
  points.forEach((point, i) => {
    requireFields(`points[${i}]`, point, names);
  });
  return points;
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
  return requireNumber(option, value, `a number in [${low}, ${high}]`);
}

export function zeroOr(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, `0 or a number from ${low} to ${high}`);
}

export function requireRatio(
  option: string,
  noise: number,
  sensitivity: number,
  low: number,
  high: number,
): void {
  const ratio = sensitivity / noise;
  if (!(ratio >= low && ratio <= high)) {
    const expected = `such that sensitivity/${option} is in [${low}, ${high}] (sensitivity is ${sensitivity})`;
    throw wrongValue(option, expected, noise);
  }
}
