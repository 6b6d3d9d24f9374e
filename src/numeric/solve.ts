/**
 * Root finding on functions that are monotone except for rounding. The ends returned are points at which the function was evaluated, with the sign
 * stated; nothing is assumed about it elsewhere.
 */
import { charge } from './meter.js';

/** Where a search starts, its limits, and its tolerance. Ends are within `relative`·|x| + `absolute`, or neighbouring doubles. */
export interface Search {
  readonly guess: number;
  /** Distance from the guess that is tried first; default 1. */
  readonly reach?: number;
  /** The least x considered; default 0. */
  readonly floor?: number;
  readonly ceiling: number;
  readonly relative?: number;
  readonly absolute?: number;
  /** Ends the search at a point for which it is true: that is then both ends. */
  readonly enough?: (point: Probe) => boolean;
}

/** A point and the function's value there. */
export interface Probe {
  readonly x: number;
  readonly value: number;
}

/** A function whose value may come with the point where it was evaluated, which may differ a little from x. */
type Valued = (x: number) => number | Probe;

function pointOf(value: Valued, x: number): Probe {
  const found = value(x);
  return typeof found === 'number' ? { x, value: found } : found;
}

/** Two points low < high with value(low) > 0 and value(high) ≤ 0. */
export interface Ends {
  readonly low: Probe;
  readonly high: Probe;
}

/**
 * Bisection for a predicate that turns true as x grows: low < high with holds(low) false and holds(high) true, as close as `search` asks. The search
 * starts around `guess` and expands.
 *
 * @returns `low` = −∞ or `high` = +∞ if the predicate does not turn within [floor, ceiling].
 */
export function turningPoint(holds: (x: number) => boolean, search: Search): { low: number; high: number } {
  const ends = open((x) => (holds(x) ? -1 : 1), search);
  let low = ends.low.x;
  let high = ends.high.x;
  if (!(low > -Infinity && high < Infinity)) return { low, high };
  for (let i = 0; i < 200; i++) {
    const middle = low + (high - low) / 2;
    if (high - low <= allowed(low, high, search)) break;
    if (middle <= low || middle >= high) break;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return { low, high };
}

/** The first i in 0 … n − 1 from which on a monotone condition holds, by bisection; n if there is none. */
export function firstWhere(n: number, holds: (i: number) => boolean): number {
  return firstBetween(-1, n, holds);
}

/** The first integer above `low` from which on a monotone condition holds, by bisection; `high` if there is none below it. */
export function firstBetween(low: number, high: number, holds: (i: number) => boolean): number {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * A root of a smooth decreasing function: low < high with value(high) ≤ 0 and value(low) > 0, as close as `search` asks. T. R. Chandrupatla's mixture
 * of inverse quadratic interpolation and bisection (Adv. Eng. Softw. 28 (1997) 145–149).
 */
export function crossing(value: Valued, search: Search): { low: number; high: number } {
  return crossingBetween(value, open(value, search), search);
}

/** `crossing` between two known ends. */
export function crossingBetween(
  value: Valued,
  { low, high }: Ends,
  search: Pick<Search, 'relative' | 'absolute' | 'enough'>,
): { low: number; high: number } {
  if (!(low.x > -Infinity && high.x < Infinity)) return { low: low.x, high: high.x };
  let [a, b] = [low, high];
  let share = within(a.value / (a.value - b.value));
  for (let i = 0; i < 200; i++) {
    const width = Math.abs(b.x - a.x);
    const close = allowed(a.x, b.x, search);
    if (width <= close) break;
    const least = Math.min(0.5, (0.5 * close) / width);
    const x = a.x + Math.min(1 - least, Math.max(least, share)) * (b.x - a.x);
    if (!(x > Math.min(a.x, b.x) && x < Math.max(a.x, b.x))) break;
    const next = pointOf(value, x);
    if (search.enough?.(next)) return { low: next.x, high: next.x };
    const other = falls(next) === falls(a) ? a : b;
    if (other === b) b = a;
    a = next;
    share = interpolated(a, b, other);
  }
  return falls(a) ? { low: a.x, high: b.x } : { low: b.x, high: a.x };
}

/** The fraction of the way from a to b at which the inverse parabola through three points is 0; ½ if Chandrupatla's criterion rejects it. */
function interpolated(a: Probe, b: Probe, c: Probe): number {
  const place = (a.x - b.x) / (c.x - b.x);
  const rise = (a.value - b.value) / (c.value - b.value);
  if (!(rise * rise < place && (1 - rise) * (1 - rise) < 1 - place)) return 0.5;
  const straight = (a.value / (b.value - a.value)) * (c.value / (b.value - c.value));
  const bent = (a.value / (c.value - a.value)) * (b.value / (c.value - b.value));
  // between 0 and 1 up to rounding: the caller keeps it inside
  const share = straight + ((c.x - a.x) / (b.x - a.x)) * bent;
  return Number.isNaN(share) ? 0.5 : share;
}

/** The share if it is between 0 and 1, else ½. */
function within(share: number): number {
  return share > 0 && share < 1 ? share : 0.5;
}

/** Whether the value at a point is above 0, so that the point is to the left of the root; true for NaN. */
function falls({ value }: Probe): boolean {
  return !(value <= 0);
}

/** The distance of the ends at which a search ends. */
function allowed(
  a: number,
  b: number,
  { relative = 0, absolute = 0 }: Pick<Search, 'relative' | 'absolute'>,
): number {
  return absolute + relative * Math.max(Math.abs(a), Math.abs(b));
}

/** The first step if `reach` is not positive. */
const LEAST_REACH = 1e-9;
/** Least and largest factor by which steps grow. A step goes to BEYOND times the distance at which a chord is 0. Only speed depends on them. */
const [LEAST_GROWTH, MOST_GROWTH, BEYOND] = [4, 256, 1.25];

/** Two points around the root, value(low) > 0 and value(high) ≤ 0, by growing steps from the guess; low = −∞ or high = ∞ if there are none. */
function open(value: Valued, search: Search): Ends {
  const { floor = 0, ceiling, reach: near = 1, enough } = search;
  // charges the work of scalar functions counted since the last charge
  charge(0);
  const guess = Number.isNaN(search.guess) ? floor : Math.min(Math.max(search.guess, floor), ceiling);
  const first = pointOf(value, guess);
  if (enough?.(first)) return { low: first, high: first };
  const up = falls(first);
  let last = first;
  for (let reach = near > 0 ? near : LEAST_REACH; ; ) {
    if (up && last.x >= ceiling) return { low: last, high: { x: Infinity, value: Number.NaN } };
    if (!up && last.x <= floor) return { low: { x: -Infinity, value: Number.NaN }, high: last };
    const next = pointOf(value, up ? Math.min(ceiling, guess + reach) : Math.max(floor, guess - reach));
    if (enough?.(next)) return { low: next, high: next };
    if (falls(next) !== up) return up ? { low: last, high: next } : { low: next, high: last };
    // distance from the guess at which the chord through the two last points is 0
    const away =
      Math.abs(next.x - guess) + (next.value / (last.value - next.value)) * Math.abs(next.x - last.x);
    const wanted = (BEYOND * away) / reach;
    reach *= wanted > LEAST_GROWTH ? Math.min(MOST_GROWTH, wanted) : LEAST_GROWTH;
    last = next;
  }
}
