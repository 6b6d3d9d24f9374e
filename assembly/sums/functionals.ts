/**
 * What a contour answers about the finite losses L at a threshold x. δ(x) has the factor 1/(z(z − 1)) in its integrand. The power Q(L > x) has 1/(z −
 * 1), the false positive rate P(L > x) has 1/z.
 */
export const DELTA: i32 = 0;
export const POWER: i32 = 1;
export const FALSE_POSITIVE: i32 = 2;

/** The pole a of a functional's factor that its integrand M(z)e^{−(z−a)x} refers to: 1 for δ and power, 0 for the false positive rate. */
export function poleOf(functional: i32): f64 {
  return functional === FALSE_POSITIVE ? 0 : 1;
}
