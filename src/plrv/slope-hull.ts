import { exp, expm1 } from '../scalar.js';

/**
 * Lower convex hull of a polygon with corners at e^{step·i}, given by its slope jumps.
 *
 * `jump[i]` is the change of slope at corner i times e^{step·i} (a mass when it is ≥ 0). The hull's
 * slopes are the isotonic regression of the polygon's slopes, weighted by the segments' lengths: pool
 * adjacent violators. Jumps that are ≥ 0 already, with no violation near, are returned unchanged.
 * Segment −1, from e^ε = 0 to corner 0, takes part with its true length.
 */
export function lowerConvexHull(jump: Float64Array, step: number): Float64Array {
  const n = jump.length;
  const mass = new Float64Array(n);
  // a stack of merged segments, slopes relative to each one's first: its first corner (−1 at the bottom),
  // its length in units of its first cell, the integral of its slopes, and its last slope
  const start = new Int32Array(n + 1);
  const width = new Float64Array(n + 1);
  const area = new Float64Array(n + 1);
  const rise = new Float64Array(n + 1);
  let top = 0;
  start[0] = -1;
  width[0] = exp(step) / expm1(step);
  for (let i = 0; i < n; i++) {
    top++;
    start[top] = i;
    width[top] = 1;
    area[top] = 0;
    rise[top] = 0;
    while (top > 0) {
      const below = top - 1;
      const at = start[top];
      const plain = area[top] === 0 && area[below] === 0 && rise[below] === 0;
      const c = plain && jump[at] >= 0 ? 1 : exp(-step * (at - start[below]));
      const corner = plain
        ? jump[at]
        : jump[at] + area[top] / width[top] + (rise[below] - area[below] / width[below]) / c;
      if (corner >= 0) {
        mass[at] = corner;
        break;
      }
      // merge the two, in units of the lower one
      mass[at] = 0;
      const length = width[top] / c;
      const lift = rise[below] + jump[at] * c;
      area[below] += area[top] + length * lift;
      rise[below] = lift + rise[top] * c;
      width[below] += length;
      top = below;
    }
  }
  return mass;
}
