/** arctan and complex log1p, scalar: they are needed above the kernel seam only, a few thousand times a query. */
import { log1p } from '../../assembly/elementary.js';

/** arctan(j/4), j = 0 … 4. */
const ATAN_QUARTERS = [
  0, 0.24497866312686414, 0.4636476090008061, 0.6435011087932844, 0.7853981633974483,
] as const;

/**
 * arctan t, t ∈ [0, 1]: arctan(j/4) + arctan((t − j/4)/(1 + t·j/4)) with the nearest quarter, then the odd
 * Taylor polynomial on |z| ≤ 1/8, whose first omitted term is below 4e-18 relative. Error ≤ 3 ulp.
 */
function atanUnit(t: number): number {
  const j = Math.round(4 * t);
  const z = (t - j / 4) / (1 + (t * j) / 4);
  const w = z * z;
  const tail =
    w *
    (-1 / 3 +
      w * (1 / 5 + w * (-1 / 7 + w * (1 / 9 + w * (-1 / 11 + w * (1 / 13 + w * (-1 / 15 + w / 17)))))));
  return ATAN_QUARTERS[j] + (z + z * tail);
}

/** The angle of x + iy in [−π, π]; relative error ≤ 4 ulp. atan2(0, x ≥ 0) = 0. */
export function atan2(y: number, x: number): number {
  const a = Math.abs(x);
  const b = Math.abs(y);
  if (!(a > 0 || b > 0)) return a + b;
  const acute = b <= a ? atanUnit(b / a) : Math.PI / 2 - atanUnit(a / b);
  const angle = x < 0 ? Math.PI - acute : acute;
  return y < 0 ? -angle : angle;
}

/** log|1 + z| for z = re + i·im: ½ log1p(2re + re² + im²). Absolute error ≤ 5u|z|/|1 + z|² for |z| ≤ 2. */
export function logModulus1p(re: number, im: number): number {
  return 0.5 * log1p(2 * re + (re * re + im * im));
}
