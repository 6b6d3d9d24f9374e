import { expm1 } from '../../numeric/scalar.js';

/**
 * Lower convex hull of a polygon g with corners at e^{step·i}, i = 0 … n−1, that comes down to 0 at its last
 * corner and stays there: the masses of the lattice measure whose δ curve it is.
 *
 * @param jump Change of slope at each corner, times e^{step·i}: the masses, if the polygon is convex already.
 *   Used as they are wherever no segment was merged, since they carry more digits than the drops do.
 * @param drop g(corner i) − g(corner i+1), of any sign; 0 for the last.
 * @param before g(0) − g(corner 0): the drop from e^ε = 0 to the first corner.
 *
 * The hull's slopes are the isotonic regression of the polygon's (pool adjacent violators). A segment of
 * k cells from corner i drops at the mean rate D/(e^{step·k} − 1), in units of e^{−step·i}; no exponential of a
 * loss is ever formed.
 */
export function lowerConvexHull(
  jump: Float64Array,
  drop: Float64Array,
  before: number,
  step: number,
): Float64Array {
  const n = jump.length;
  const mass = new Float64Array(n);
  // a stack of merged segments: first corner (−1: from e^ε = 0) and total drop
  const start = new Int32Array(n + 1);
  const total = new Float64Array(n + 1);
  let top = 0;
  start[0] = -1;
  total[0] = before;
  for (let i = 0; i < n; i++) {
    top++;
    start[top] = i;
    total[top] = i === n - 1 ? 0 : drop[i];
    while (top > 0) {
      const at = start[top];
      const below = start[top - 1];
      const single = at === i && below === i - 1;
      // rate of the segment below in units of e^{−step·at}, less that of the segment on top
      const lower = total[top - 1] / (below < 0 ? 1 : -expm1(step * (below - at)));
      const upper = i === n - 1 && at === i ? 0 : total[top] / expm1(step * (i + 1 - at));
      const corner = single && below >= 0 ? jump[at] : lower - upper;
      if (corner >= 0) {
        mass[at] = corner;
        break;
      }
      mass[at] = 0;
      // rounding at a vanishing top: nothing is a lower bound too
      if (i === n - 1) return new Float64Array(n);
      top--;
      total[top] += total[top + 1];
    }
  }
  return mass;
}
