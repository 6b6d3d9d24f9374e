/** arctan and log|1 + z|, element by element. */
import { vlog1p } from './elementary.js';
import * as pool from '../lane/pool.js';
import { abs, add, all, at, div, eq, flip, gt, lt, mul, or, select, sub } from '../lane/lanes.js';

/**
 * arctan t, t ∈ [0, 1]: arctan(j/4) + arctan((t − j/4)/(1 + t·j/4)) with the nearest quarter. The second is
 * an odd Taylor polynomial on |z| ≤ 1/8; its first omitted term is below 4e-18 relative. Error ≤ 3 ulp.
 */
function atanUnit(t: v128): v128 {
  const j = mul(sub(add(mul(all(4), t), at(pool.ROUND)), at(pool.ROUND)), all(0.25));
  const z = div(sub(t, j), add(all(1), mul(t, j)));
  const w = mul(z, z);
  let tail = add(all(-1.0 / 15), div(w, all(17)));
  tail = add(all(1.0 / 13), mul(w, tail));
  tail = add(all(-1.0 / 11), mul(w, tail));
  tail = add(all(1.0 / 9), mul(w, tail));
  tail = add(all(-1.0 / 7), mul(w, tail));
  tail = add(all(1.0 / 5), mul(w, tail));
  tail = mul(w, add(all(-1.0 / 3), mul(w, tail)));
  let quarters = select(all(0.24497866312686414), all(0), eq(j, all(0.25)));
  quarters = select(all(0.4636476090008061), quarters, eq(j, all(0.5)));
  quarters = select(all(0.6435011087932844), quarters, eq(j, all(0.75)));
  quarters = select(all(0.7853981633974483), quarters, eq(j, all(1)));
  return add(quarters, add(z, mul(z, tail)));
}

/** The angle of x + iy in [−π, π]; relative error ≤ 4 ulp. atan2(0, x ≥ 0) = 0. */
export function vatan2(y: v128, x: v128): v128 {
  const a = abs(x);
  const b = abs(y);
  const steep = gt(b, a);
  const unit = atanUnit(div(select(a, b, steep), select(b, a, steep)));
  const acute = select(sub(all(1.5707963267948966), unit), unit, steep);
  const angle = flip(select(sub(all(3.141592653589793), acute), acute, lt(x, all(0))), lt(y, all(0)));
  return select(angle, add(a, b), or(gt(a, all(0)), gt(b, all(0))));
}

/** log|1 + z| for z = re + i·im, by ½ log1p(2re + re² + im²). Absolute error ≤ 5·2⁻⁵³·|z|/|1 + z|² for |z| ≤ 2. */
export function vlogModulus1p(re: v128, im: v128): v128 {
  return mul(all(0.5), vlog1p(add(mul(all(2), re), add(mul(re, re), mul(im, im)))));
}
