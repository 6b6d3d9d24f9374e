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

/** A point (ε, δ) of a table, and a bound of the amount by which rounding has raised δ. */
interface Point extends Guarantee {
  readonly rounding?: number;
}

/** Largest relative error with which single masses are stated; with a larger one, only the error of δ is stated. Only width depends on it. */
const KNOWN = 1e-11;
/** Masses below this may have lost digits to underflow. Correctness depends on it. */
const SMALLEST = 1e-290;

/**
 * The pair that dominates everything with δ(εᵢ) ≤ δᵢ at all points, in both directions (Dong, Roth, Su 2022, prop. 2.11). Its δ curve is the lower convex hull,
 * in x = e^ε, of (0, 1), the points and their mirror images. Mirror images are the values δ(−ε) = 1 − e^{−ε}(1 − δ(ε)) of a symmetric pair. The curve is
 * constant from the last point on.
 *
 * The part at ε ≥ 0 determines a symmetric pair. From the last point to the left, the hull runs through points. It ends where the segment from a point to its
 * own mirror image, of slope −(1 − δ)/(1 + e^ε), is the flatter one. Slopes in x are multiplied by e^ε of a point, so that no e^ε is formed.
 *
 * A mass is the difference of two slopes, with the error of `massError`. If masses have errors of at most `KNOWN` and no rounding decided which points are in
 * the hull, `relative` bounds them, too (docs/proofs/composition.md 7).
 *
 * Ensures: δ of the pair is within `relative` of the hull, and of the hull of points that were rounded up.
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
  // a first point at ε = 0 is its own mirror image; its atom has the remaining mass
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
  // points with ε < 0 were rounded up: the hull is raised, relatively, by at most the largest of these amounts
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

/** Bound of the relative error of a mass `before` − `after`. Either slope has an error of 12u; the second has 2u more per unit of ε of `gap`. */
function massError(before: number, after: number, gap: number): number {
  return (12 * U * before + (12 + 2 * gap) * U * after) / Math.max(0, before - after) + 8 * U;
}

/** Distance in ε from vertex i of the hull to the next one. */
function gapAfter(hull: readonly Guarantee[], i: number): number {
  return i < hull.length - 1 ? hull[i + 1].epsilon - hull[i].epsilon : 0;
}

/**
 * The lower convex hull, in e^ε, of the points, up to the first with the least δ. Points with ε < 0 are replaced by their mirror images.
 * `isClear`: all decisions about which points belong to it had margins above rounding errors. Points of the hull are exact, or rounded up by `rounding`.
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

/** (δ_a − δ_b)/(fall of the segment from a to c up to e^{ε_b}) − 1: positive if b is below that segment. A few roundings. */
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
 * Largest relative distance between δ of the rounded atoms, Σ q(1 − e^{ε−y})⁺ plus the mass at infinity, and the hull. It is attained at vertices.
 *
 * Ensures: no smaller than that distance.
 */
function departure(hull: readonly Guarantee[], loss: Float64Array, q: Float64Array): number {
  const n = hull.length;
  let worst = 0;
  let delta = n > 0 ? hull[n - 1].delta : 0;
  // Σ q e^{ε−y} over the atoms above loss[i]
  let tail = 0;
  for (let i = n - 1; i > 0; i--) {
    const gap = loss[i - 1] - loss[i];
    delta += (tail + q[i]) * -expm1(gap);
    tail = (tail + q[i]) * exp(gap);
    worst = Math.max(worst, Math.abs(delta / hull[i - 1].delta - 1));
  }
  return worst + ROUNDINGS + 8 * U * n;
}

/** The arrays without their entries at the index `middle`. */
function withoutMiddle<T extends Record<string, Float64Array>>(arrays: T, middle: number): T {
  const cut = Object.entries(arrays).map(([name, values]) => [
    name,
    Float64Array.from([...values.subarray(0, middle), ...values.subarray(middle + 1)]),
  ]);
  return Object.fromEntries(cut) as T;
}
