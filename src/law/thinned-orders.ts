import { down, ROUNDING } from '../numeric/rounding.js';

/** A bound of the Rényi divergence of an order > 1, in nats. */
interface Bound {
  readonly order: number;
  readonly epsilon: number;
}

/** Two tables of fewer orders: what meets `stricter` meets the whole table, and what meets that meets `looser`. */
export interface Thinned {
  readonly looser: readonly Bound[];
  readonly stricter: readonly Bound[];
}

/** Orders of a table that each answer looks at, and those that a longer one is thinned to. Speed and width hang on them. */
export const MOST_ORDERS = 2048;
const KEPT = 768;
/** Orders left out whose bound the others imply to this share are left out. */
const IMPLIED = 1 - 1e-12;

/** Orders between two that are kept: the least share of what these imply that is stated, and where. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly share: number;
}

/**
 * A long table by few of its orders. K(t) = (t − 1)D_t is convex in t, so between two orders it lies below the chord of their
 * bounds. Suppose the bound of every order left out is at least c times the chord. Then bounds that are c times those of the two
 * imply all of them (docs/proofs/renyi.md, 8).
 *
 * Ensures: `looser` holds bounds of the table; what meets `stricter` meets every bound of the table, and their rounding.
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

/** By order, ascending; of equal ones the least bound. */
function distinct(points: readonly Bound[]): Bound[] {
  const sorted = [...points].sort((a, b) => a.order - b.order || a.epsilon - b.epsilon);
  return sorted.filter(({ order }, i) => i === 0 || order > sorted[i - 1].order);
}

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
