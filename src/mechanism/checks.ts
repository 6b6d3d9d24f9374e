import { requireFields, requireNumber, wrongType, wrongValue } from '../errors.js';

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

export function within(option: string, value: unknown, low: number, high: number): number {
  return requireNumber(option, value, `a number in [${low}, ${high}]`, (x) => x >= low && x <= high);
}

export function zeroOr(option: string, value: unknown, low: number, high: number): number {
  const expected = `0 or a number from ${low} to ${high}`;
  return requireNumber(option, value, expected, (x) => x === 0 || (x >= low && x <= high));
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
