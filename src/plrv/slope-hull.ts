import { exp, expm1 } from '../scalar.js';

/** A stretch of the polygon merged into one segment; slopes relative to its own first one. */
interface Segment {
  start: number;
  end: number;
  /** Length in units of its first cell. */
  width: number;
  /** ∫ (slope − first slope) over the stretch. */
  area: number;
  /** Last slope − first slope. */
  rise: number;
}

/**
 * Lower convex hull of a polygon with corners at e^{step·i}, given by its slope jumps.
 *
 * `jump[i]` is the change of slope at corner i times e^{step·i} (a mass when it is ≥ 0). The hull's
 * slopes are the isotonic regression of the polygon's slopes, weighted by the segments' lengths:
 * pool adjacent violators. Jumps that are ≥ 0 already, with no violation near, are returned unchanged.
 *
 * Segment −1, from e^ε = 0 to corner 0, takes part with its true length.
 */
export function lowerConvexHull(jump: Float64Array, step: number): Float64Array {
  const n = jump.length;
  const mass = new Float64Array(n);
  const stack: Segment[] = [{ start: -1, end: -1, width: exp(step) / expm1(step), area: 0, rise: 0 }];
  for (let i = 0; i < n; i++) {
    let top: Segment = { start: i, end: i, width: 1, area: 0, rise: 0 };
    for (;;) {
      const below = stack[stack.length - 1];
      const c = exp(-step * (top.start - below.start));
      const corner = jump[top.start] + top.area / top.width + (below.rise - below.area / below.width) / c;
      if (corner >= 0) {
        mass[top.start] = corner;
        break;
      }
      if (stack.length === 1) {
        // everything so far lies on one line through the origin side: no corner is left
        mass[top.start] = 0;
        top = join(below, top, jump[top.start] * c, c);
        stack.pop();
        break;
      }
      mass[top.start] = 0;
      stack.pop();
      top = join(below, top, jump[top.start] * c, c);
    }
    stack.push(top);
  }
  return mass;
}

/** `below` and `top` as one segment, in units of `below`; c = e^{−step·(top.start − below.start)}. */
function join(below: Segment, top: Segment, jump: number, c: number): Segment {
  const width = top.width / c;
  return {
    start: below.start,
    end: top.end,
    width: below.width + width,
    area: below.area + top.area + width * (below.rise + jump),
    rise: below.rise + jump + top.rise * c,
  };
}
