import { log1p } from '../numeric/scalar.js';

/** A place on the logarithmic axis of a knob and how far the loss there is above (> 0) its target. */
export interface Place {
  readonly u: number;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  /** Tolerance of the account it was evaluated with. */
  readonly accountTolerance: number;
}

interface Approach {
  /** The least private place seen that meets the target, and the most private one seen that does not. */
  readonly safe?: Place;
  readonly unsafe?: Place;
  readonly last: Place;
  /** d(upper)/du near the last places; NaN if not known. */
  readonly slope: number;
}

/** Settings tried at most. Only speed hangs on it. */
const MAX_PLACES = 120;
/** Width of a bracket of the log-loss that slopes cannot be taken from, and no sharper account mends. */
export const TOO_WIDE = 3;

interface Search {
  start: number;
  range: readonly [number, number];
  towards: 1 | -1;
  zone: number;
  step: number;
  slope: number;
  /** Places are at whole values: neighbours end the search. */
  whole: boolean;
  /** Stops as soon as a place is this near the root, on whichever side, or ten times nearer along the axis. */
  rough?: number;
}

/**
 * Looks for a place whose `upper` lies in [−zone, 0]: secants through the last places on either side of the
 * middle of the zone (Illinois), bisection where a value is infinite, growing steps until both sides are seen.
 *
 * @param at Evaluates the place nearest to u that the knob can take.
 * @param towards +1 if larger u is more private, else −1.
 */
export function approach(at: (u: number) => Place, options: Search): Approach {
  const { range, towards, zone, whole, rough = 0 } = options;
  const clamp = (u: number): number => Math.min(Math.max(u, range[0]), range[1]);
  let { slope, step } = options;
  let safe: Place | undefined;
  let unsafe: Place | undefined;
  // weights of the Illinois rule: halved for an end that stays
  let safeWeight = 1;
  let unsafeWeight = 1;
  let u = clamp(options.start);
  let place = at(u);
  for (let i = 0; i < MAX_PLACES; i++) {
    if (i > 0) place = at(u);
    const before = place.upper <= 0 ? safe : unsafe;
    if (place.upper <= 0) {
      safe = place;
      if (before) unsafeWeight /= 2;
      safeWeight = 1;
    } else {
      unsafe = place;
      if (before) safeWeight /= 2;
      unsafeWeight = 1;
    }
    if (place.upper <= 0 && place.upper >= -zone) break;
    if (rough > 0 && Math.abs(place.upper + place.lower) / 2 <= rough) break;
    if (before && before.u !== place.u) slope = (place.upper - before.upper) / (place.u - before.u);
    if (safe && unsafe) {
      const gap = Math.abs(unsafe.u - safe.u);
      // nearer than the zone is wide by far: between the two the account jumps, from one mesh to another
      if (gap <= Math.max(rough / 10, 1e-5 * zone, 1e-15 * (1 + Math.abs(safe.u)))) break;
      if (whole && Math.abs(unsafe.value - safe.value) <= 1) break;
      slope = (unsafe.upper - safe.upper) / (unsafe.u - safe.u);
      const weights = i % 8 === 7 ? undefined : { safe: safeWeight, unsafe: unsafeWeight };
      const next = between(safe, unsafe, zone, weights);
      if (next === undefined) break;
      u = next;
    } else {
      const side = place.upper > 0 ? towards : -towards;
      if (place.u === (side > 0 ? range[1] : range[0])) break;
      // so wide a bracket says nothing of where the root is: only the most private end can tell whether there is one
      if (place.upper > 0 && place.upper - place.lower > TOO_WIDE) {
        u = side > 0 ? range[1] : range[0];
        continue;
      }
      const newton = -(place.upper + zone / 2) / slope;
      const move = newton * side > 0 && Math.abs(newton) < 8 ? 1.5 * Math.abs(newton) : step;
      // at least to the next value that the knob can take
      const least = whole ? side * log1p(side / place.value) : 1e-14 * (1 + Math.abs(place.u));
      u = clamp(place.u + side * Math.max(move, least));
      step = Math.max(step, Math.abs(u - place.u)) * 2;
      if (u === place.u) break;
    }
  }
  return { ...(safe && { safe }), ...(unsafe && { unsafe }), last: place, slope };
}

/**
 * The next place between two: where the line through them, weighted, meets the middle of the zone; their middle without
 * weights or where that falls outside. Undefined where no number lies between.
 */
function between(
  safe: Place,
  unsafe: Place,
  zone: number,
  weights: { safe: number; unsafe: number } | undefined,
): number | undefined {
  const middle = (safe.u + unsafe.u) / 2;
  if (middle === safe.u || middle === unsafe.u) return undefined;
  if (weights === undefined) return middle;
  const a = (safe.upper + zone / 2) * weights.safe;
  const b = (unsafe.upper + zone / 2) * weights.unsafe;
  const secant = safe.u - (a * (unsafe.u - safe.u)) / (b - a);
  const usable = Number.isFinite(secant) && a < 0 && b > 0;
  return usable && (secant - safe.u) * (secant - unsafe.u) < 0 ? secant : middle;
}
