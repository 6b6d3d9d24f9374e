import { subsampledLoss } from '../law/subsampling.js';
import { exp, expm1 } from '../scalar.js';

const INVERSE_SQRT_2PI = 0.3989422804014327;

/** Where nodes lie, and how fast log φu^c falls (at least) beyond either end. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly slope: number;
}

/** Tilts of so little drift are not worth a search. */
const NEAR = 3;
/** Halvings of a range: its ends need no more than a few digits. */
const HALVINGS = 24;

/** Everything within `reach` of the peaks of φ, φu and φu^c. */
function wideRange(mu: number, c: number, reach: number): Range {
  return { from: Math.min(0, c * mu) - reach, to: Math.max(mu, c * mu) + reach, slope: reach };
}

/**
 * The range that matters to φu^c alone: the wide one where that is as good. For c < 0 its logarithm is concave (y is convex): beyond a point where it has
 * fallen by `depth` it falls at least as fast as there.
 */
export function narrowRange(mu: number, q: number, c: number, depth: number, reach: number): Range {
  const wide = wideRange(mu, c, reach);
  if (c * mu > -NEAR) return wide;
  const height = (x: number): number => c * subsampledLoss(mu * x - (mu * mu) / 2, q) - (x * x) / 2;
  const slope = (x: number): number => {
    const s = mu * x - (mu * mu) / 2;
    return -x + c * mu * (s > 30 ? 1 : (q * exp(s)) / (1 + q * expm1(s)));
  };
  const where = (low: number, high: number, before: (x: number) => boolean): number => {
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (before(middle)) low = middle;
      else high = middle;
    }
    return low;
  };
  const peak = where(wide.from, wide.to, (x) => slope(x) > 0);
  const floor = height(peak) - depth;
  const from = where(wide.from, peak, (x) => height(x) < floor);
  const to = where(peak, wide.to, (x) => height(x) > floor);
  return { from, to, slope: 0.99 * Math.min(slope(from), -slope(to)) };
}

/** cos x on [0, 1.5], rounded down: 1 − x²/2 + x⁴/24 − x⁶/720 + x⁸/40320 − x¹⁰/3628800 is below it. */
export function cosine(x: number): number {
  const z = x * x;
  return (1 - z * (1 / 2 - z * (1 / 24 - z * (1 / 720 - z * (1 / 40320 - z / 3628800))))) * (1 - 1e-12);
}

/** Bound on Σ beyond the nodes, of a function that falls like e^{−slope·|x|} from its values at both ends. */
export function cutTails(ends: number, h: number, slope: number): number {
  return (h * INVERSE_SQRT_2PI * ends * 1.001) / -expm1(-slope * h);
}
