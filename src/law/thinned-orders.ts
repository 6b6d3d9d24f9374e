import { down, ROUNDING } from '../numeric/rounding.js';

/** A bound of the Rényi divergence of an order > 1, in nats. */
interface Bound {
  readonly order: number;
  readonly epsilon: number;
}

/** Two tables with fewer orders than a given one: `stricter` implies that one, which implies `looser`. */
export interface Thinned {
  readonly looser: readonly Bound[];
  readonly stricter: readonly Bound[];
}

/** Largest number of orders of a table that is not thinned. Only speed and width depend on it. */
export const MOST_ORDERS = 2048;
/** Number of orders of a thinned table, at most. Only speed and width depend on it. */
const KEPT = 768;
/** Thinning ends if each omitted bound is at least this fraction of the interpolated one. Only width depends on it. */
const IMPLIED = 1 - 1e-12;

/** The omitted orders between two that are kept, `from` and `to`. `share` is the least ratio of a stated bound to the interpolated one, at `at`. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly share: number;
}

/**
 * A long table by few of its orders (docs/proofs/renyi.md, 8). K(t) = (t − 1)D_t is convex in t, so between two orders it is below the chord of their
 * bounds. Let c ≤ 1 be the least ratio of an omitted bound to that chord. Then c times the bounds of the two orders imply those between them.
 *
 * Ensures: `looser` holds bounds of the table; `stricter` implies every bound of the table, and their rounding.
 */
export function thinnedOrders(points: readonly Bound[]): Thinned {
  const sorted = distinct(points);
  if (sorted.length <= MOST_ORDERS) return { looser: points, stricter: points };
  const segments = [segment(sorted, 0, sorted.length - 1)];
  while (segments.length < KEPT) {
    const worst = segments.reduce((best, { share }, i) => (share < segments[best].share ? i : best), 0);
    const { from, to, at, share } = segments[worst];
    if (!(share < IMPLIED)) break;
    segments.splice(worst, 1, segment(sorted, from, at), segment(sorted, at, to));
  }
  const places = [0, ...segments.map(({ to }) => to)];
  const shares = [1, ...segments.map(({ share }) => share), 1];
  return {
    looser: places.map((at) => sorted[at]),
    stricter: places.map((at, i) => {
      const { order, epsilon } = sorted[at];
      return { order, epsilon: epsilon * Math.min(shares[i], shares[i + 1]) };
    }),
  };
}

/** The bounds sorted by order, ascending; of equal orders the least bound alone. */
function distinct(points: readonly Bound[]): Bound[] {
  const sorted = [...points].sort((a, b) => a.order - b.order || a.epsilon - b.epsilon);
  return sorted.filter(({ order }, i) => i === 0 || order > sorted[i - 1].order);
}

/** The least ratio, at most 1, of a bound of (t − 1)D_t to the chord between two orders, and where it is. Ensures: the ratio is rounded down. */
function segment(points: readonly Bound[], from: number, to: number): Segment {
  const [a, b] = [points[from], points[to]];
  const [left, right] = [a, b].map(({ order, epsilon }) => (order - 1) * epsilon);
  let [at, share] = [from, 1];
  for (let i = from + 1; i < to; i++) {
    const { order, epsilon } = points[i];
    const chord = (left * (b.order - order) + right * (order - a.order)) / (b.order - a.order);
    // a few roundings of positive terms
    const stated = down(((order - 1) * epsilon) / chord, ROUNDING);
    if (stated < share) [at, share] = [i, stated];
  }
  return { from, to, at, share };
}
