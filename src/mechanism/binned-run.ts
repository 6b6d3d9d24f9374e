/**
 * Compositions of binned matrix mechanisms and Gaussians. A bin's shift is one Gaussian, shared by all bins, plus an independent rest of which
 * moments are known (docs/proofs/factorisations.md, 9 to 11).
 */
import { type Ends, endsByMoments, type Factored } from '../law/moment-bounds.js';
import { type Moments, ringMoments } from '../law/ring-moments.js';
import { FEW_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { wholePower } from '../numeric/whole-power.js';

/** Products of a ring of bins, the number of runs, and the variance of the noise. */
export interface RingRun {
  readonly products: Float64Array;
  readonly square: number;
  readonly count: number;
}

/** The likelihood ratio W of a ring, split into a Gaussian with μ² = mu² and an independent factor V. */
interface Split {
  readonly square: number;
  readonly logLeast: number;
  readonly moments: Moments;
}

/** Rings whose products exceed this times the square are not split: moments bound nothing useful there. Only speed depends on it. */
const MOST_PRODUCT = 20;
/** Lower end of the cells of log V. Only speed depends on it. */
const LEAST_LOG = -150;

/**
 * Splits a ring into one Gaussian, of the product that all bins share, and the rest, whose moments are those of the ring without it.
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
  // the mean product has an error of one rounding per product
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
 * Bound of log δ of the composition of rings and Gaussians of total `square`; undefined where moments cost too much.
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
  // the Gaussian is negligible, the least value underflows, or moments are unknown
  if (
    !(mu > 1e-6 && mu < 1e3 && whole.logLeast > LEAST_LOG && whole.relative < 1e-6 && moments[order] < 1e100)
  )
    return undefined;
  const of: Factored = { mu, logLeast: whole.logLeast, moments, relative: whole.relative };
  const ends = endsByMoments(of);
  return side > 0 ? ends.above : ends.below;
}
