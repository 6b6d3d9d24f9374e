import type { Bracket } from '../../src/numeric/bracket.js';

/** (upper − lower)/upper; 0 where both ends are equal, ∞ or 1 where only the upper end is infinite or the lower is 0. */
export function relativeWidth(b: Bracket): number {
  if (b.lower === b.upper) return 0;
  if (!Number.isFinite(b.upper)) return Infinity;
  return (b.upper - b.lower) / Math.max(Math.abs(b.upper), Math.abs(b.lower));
}

/** Whether two brackets have a number in common. */
export function intersects(a: Bracket, b: Bracket): boolean {
  return a.lower <= b.upper && b.lower <= a.upper;
}
