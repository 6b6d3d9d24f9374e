import { U } from '../numeric/constants.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1 } from '../numeric/scalar.js';
import { pureMu } from './exponential-pair.js';
import type { Atoms } from './pair.js';

/** A statement (ε, δ)-DP. */
interface Guarantee {
  readonly epsilon: number;
  readonly delta: number;
}

/** A point, and a bound of what rounding added to its δ. */
interface Point extends Guarantee {
  readonly rounding?: number;
}

/** Relative error up to which single masses count as known. Only width depends on it. */
const KNOWN = 1e-11;
/** Masses below this may have lost relative accuracy to underflow. */
const SMALLEST = 1e-290;

/**
 * The pair that dominates everything with δ(εᵢ) ≤ δᵢ at all points, in both roles. Its profile is the lower convex hull, in x = e^ε, of the points,
 * their mirror images and (0, 1). Beyond the last point it is constant (GDP prop. 2.11).
 *
 * The pair is symmetric, so the part at ε ≥ 0 determines it. From the right, the hull runs through the points up to the segment to a point's own
 * mirror image. That segment has the slope −(1 − δ)/(1 + e^ε), and is taken once it is the flatter. Slopes are stored in units of e^{−ε} of the point
 * they start from; no e^ε is formed.
 *
 * A mass is the difference of two slopes, each with an error of 12u; the one left of a gap loses 2u more per unit of it. `relative` bounds single
 * masses too if every mass is thereby known to `KNOWN` and no rounding decides what belongs to the hull (docs/proofs/composition.md 7).
 *
 * Ensures: the pair's profile is the hull of the points to `relative`, and no smaller where points were rounded up.
 */
export function tabulatedAtoms(points: readonly Guarantee[]): Atoms {
  const { hull, isClear } = descendingHull(points);
  const n = hull.length;
  const { delta: infinity, rounding } = hull[n - 1];
  let from = n - 1;
  let ownError = isClear ? 0 : Infinity;
  while (from > 0 && crossing(hull[from]) >= slopeAtRight(hull[from - 1], hull[from])) from--;
  if (from > 0 && crossing(hull[from]) >= (1 - KNOWN) * slopeAtRight(hull[from - 1], hull[from]))
    ownError = Infinity;
  // a first point at ε = 0 is its own mirror image: its mass is the remainder
  const start = hull[from].epsilon === 0 ? from + 1 : from;
  const count = n - start;
  const loss = new Float64Array(2 * count + 1);
  const p = new Float64Array(2 * count + 1);
  const q = new Float64Array(2 * count + 1);
  let finite = 0;
  for (let k = count; k >= 1; k--) {
    const i = start + k - 1;
    const before = i > from ? slopeAtRight(hull[i - 1], hull[i]) : crossing(hull[i]);
    const after = i < n - 1 ? slopeAtLeft(hull[i], hull[i + 1]) : 0;
    const mass = Math.max(0, before - after);
    const rare = mass * exp(-hull[i].epsilon);
    ownError = Math.max(ownError, rare < SMALLEST ? Infinity : massError(before, after, gapAfter(hull, i)));
    loss[count + k] = hull[i].epsilon;
    loss[count - k] = -hull[i].epsilon;
    q[count + k] = mass;
    p[count - k] = mass;
    p[count + k] = rare;
    q[count - k] = rare;
    finite += mass + rare;
  }
  p[count] = start > from ? Math.max(0, 1 - infinity - finite) : 0;
  if (start > from) ownError = (ownError + (4 * count + 4) * U) / p[count];
  q[count] = p[count];
  // rounding of points folded from ε < 0 raises the curve by at most the largest rise of one of them
  const folded = hull.reduce(
    (most, { rounding = 0, delta }) => (rounding > 0 ? Math.max(most, rounding / delta) : most),
    0,
  );
  const off = departure(hull.slice(start), loss.subarray(count + 1), q.subarray(count + 1));
  return {
    ...(start > from ? { loss, p, q } : withoutMiddle({ loss, p, q }, count)),
    ...(ownError <= KNOWN && rounding === undefined && folded === 0
      ? { relative: Math.max(off, ownError) }
      : { relative: off + folded, differences: true }),
    infinity,
    ...(rounding === undefined ? { exactInfinity: true } : { infinityError: rounding }),
    minusInfinity: infinity,
    gdpMu: infinity > 0 ? Infinity : pureMu(loss[2 * count]),
    tailMu: infinity > 0 ? Infinity : 0,
  };
}

/** Relative error of a mass between two slopes. */
function massError(before: number, after: number, gap: number): number {
  return (12 * U * before + (12 + 2 * gap) * U * after) / Math.max(0, before - after) + 8 * U;
}

function gapAfter(hull: readonly Guarantee[], i: number): number {
  return i < hull.length - 1 ? hull[i + 1].epsilon - hull[i].epsilon : 0;
}

/**
 * The lower convex hull of the points folded to ε ≥ 0, from its first point to the first of the lowest. `isClear`: no rounding decided what belongs
 * to it.
 */
function descendingHull(points: readonly Guarantee[]): { hull: Point[]; isClear: boolean } {
  const folded: Point[] = points.map(({ epsilon, delta }) => {
    if (epsilon >= 0) return { epsilon, delta };
    // δ(−ε) = 1 − e^{−ε} + e^{−ε} δ(ε), rounded up
    const [fall, part] = [expm1(-epsilon), exp(-epsilon) * delta];
    const slack = 4 * U * (part + fall);
    return { epsilon: -epsilon, delta: Math.min(1, Math.max(0, part - fall) + slack), rounding: 2.5 * slack };
  });
  folded.sort((a, b) => a.epsilon - b.epsilon || a.delta - b.delta);
  const hull: Point[] = [];
  let isClear = true;
  for (const point of folded) {
    const last = hull.at(-1);
    if (last !== undefined && point.delta >= last.delta) continue;
    while (hull.length > 1) {
      const below = depthBelow(hull[hull.length - 2], hull[hull.length - 1], point);
      if (!(Math.abs(below) > KNOWN)) isClear = false;
      if (below > 0) break;
      hull.pop();
    }
    hull.push(point);
  }
  return { hull, isClear };
}

/** Distance of b below the segment from a to c, relative to the segment's fall. */
function depthBelow(a: Guarantee, b: Guarantee, c: Guarantee): number {
  const ratio = expm1(a.epsilon - c.epsilon) / expm1(a.epsilon - b.epsilon);
  return ((a.delta - b.delta) * ratio * exp(c.epsilon - b.epsilon)) / (a.delta - c.delta) - 1;
}

/** −dδ/de^ε of the segment from a to b, times e^{ε_a}. */
function slopeAtLeft(a: Guarantee, b: Guarantee): number {
  return (a.delta - b.delta) / expm1(b.epsilon - a.epsilon);
}

/** −dδ/de^ε of the segment from a to b, times e^{ε_b}. */
function slopeAtRight(a: Guarantee, b: Guarantee): number {
  return (a.delta - b.delta) / -expm1(a.epsilon - b.epsilon);
}

/** −dδ/de^ε of the segment from a point to its mirror image, times e^ε. */
function crossing({ epsilon, delta }: Guarantee): number {
  return (1 - delta) / (1 + exp(-epsilon));
}

/**
 * Largest relative distance of the profile of the rounded atoms from the hull, attained at corners.
 *
 * Ensures: no smaller than that distance.
 */
function departure(hull: readonly Guarantee[], loss: Float64Array, q: Float64Array): number {
  const n = hull.length;
  let worst = 0;
  let delta = n > 0 ? hull[n - 1].delta : 0;
  // Σ q e^{ε−y} over the atoms above
  let tail = 0;
  for (let i = n - 1; i > 0; i--) {
    const gap = loss[i - 1] - loss[i];
    delta += (tail + q[i]) * -expm1(gap);
    tail = (tail + q[i]) * exp(gap);
    worst = Math.max(worst, Math.abs(delta / hull[i - 1].delta - 1));
  }
  return worst + ROUNDINGS + 8 * U * n;
}

function withoutMiddle<T extends Record<string, Float64Array>>(arrays: T, middle: number): T {
  const cut = Object.entries(arrays).map(([name, values]) => [
    name,
    Float64Array.from([...values.subarray(0, middle), ...values.subarray(middle + 1)]),
  ]);
  return Object.fromEntries(cut) as T;
}
