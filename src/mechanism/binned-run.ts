/** Runs of binned matrices and Gaussians by the moments of what bins leave beside one Gaussian (docs/proofs/factorisations.md, 9 to 11). */
import { type Ends, endsByMoments, type Factored } from '../law/moment-bounds.js';
import { type Moments, ringMoments } from '../law/ring-moments.js';
import { FEW_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { wholePower } from '../numeric/whole-power.js';

/** A ring of products, how often it is run, and the variance of its noise. */
export interface RingRun {
  readonly products: Float64Array;
  readonly square: number;
  readonly count: number;
}

/** W of a ring as a Gaussian of μ² = mu² beside V. */
interface Split {
  readonly square: number;
  readonly logLeast: number;
  readonly moments: Moments;
}

/** Products beyond this have moments that say nothing. Only speed hangs on it. */
const MOST_PRODUCT = 20;
/** Of V: cells reach down to it. Only speed hangs on it. */
const LEAST_LOG = -150;

/**
 * A ring as one Gaussian, of what all bins share, and the rest, whose moments are those of the ring without it.
 *
 * Ensures: moments to their relative error, for the products in units of the noise as they are rounded.
 */
function split({ products, square }: RingRun, side: 1 | -1): Split | undefined {
  const ring = products.map((x) => (x / square) * (1 + side * (x < 0 ? -1 : 1) * FEW_ROUNDINGS));
  if (!(ring[0] > 0 && ring[0] <= MOST_PRODUCT)) return undefined;
  const found = ringMoments({ products: ring });
  if (found === undefined) return undefined;
  const size = ring.reduce((sum, x) => sum + Math.abs(x), 0) / ring.length;
  const shared = Math.max(0, ring.reduce((sum, x) => sum + x, 0) / ring.length);
  const order = found.values.length - 1;
  // the mean is off by a rounding for each product
  const off = 2 * (ring.length + 8) * FEW_ROUNDINGS * size;
  return {
    square: Math.max(0, shared + side * off),
    logLeast: -Math.max(0, ring[0] - shared + off) / 2,
    moments: {
      values: found.values.map((x, k) => x * exp((-k * (k - 1) * shared) / 2)),
      relative: found.relative + order * order * off + ROUNDINGS,
    },
  };
}

/**
 * Bounds of log δ of rings and Gaussians of that μ² in all, composed; undefined where moments are too dear.
 *
 * Ensures: the end of that side is a bound of the composition.
 */
export function ringRunEnd(
  rings: readonly RingRun[],
  gaussian: number,
  side: 1 | -1,
): Ends[keyof Ends] | undefined {
  const splits = rings.map((ring) => split(ring, side));
  const order = Math.min(...splits.map((each) => (each ? each.moments.values.length - 1 : 0)));
  if (order === 0) return undefined;
  const whole = { square: gaussian, logLeast: 0, relative: ROUNDINGS };
  const moments = new Float64Array(order + 1).fill(1);
  for (const [i, each] of splits.entries()) {
    const { count } = rings[i];
    const { square, logLeast, moments: own } = each!;
    whole.square += count * square;
    whole.logLeast += count * logLeast * (1 + ROUNDINGS);
    whole.relative += count * (own.relative + ROUNDINGS);
    for (let k = 2; k <= order; k++) moments[k] *= wholePower(own.values[k], count);
  }
  const mu = Math.sqrt(whole.square) * (1 + side * ROUNDINGS);
  // with next to no Gaussian in it, of a least value that is none of a double, or of moments that are not known
  if (
    !(mu > 1e-6 && mu < 1e3 && whole.logLeast > LEAST_LOG && whole.relative < 1e-6 && moments[order] < 1e100)
  )
    return undefined;
  const of: Factored = { mu, logLeast: whole.logLeast, moments, relative: whole.relative };
  const ends = endsByMoments(of);
  return side > 0 ? ends.above : ends.below;
}
