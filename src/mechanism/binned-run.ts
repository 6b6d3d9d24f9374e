/**
 * Compositions of matrix mechanisms with records in random bins, and of Gaussians. The shift of a record's bin is a Gaussian that all bins share plus
 * an independent variable whose moments are known (docs/proofs/factorisations.md, 9 to 11).
 */
import { type Ends, endsByMoments, type Factored } from '../law/moment-bounds.js';
import { type Moments, ringMoments } from '../law/ring-moments.js';
import { FEW_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { wholePower } from '../numeric/whole-power.js';

/**
 * Releases of one matrix mechanism on random bins. `products`: inner products of the directions in which two bins move the output, by their distance
 * around the circle of bins, the "ring". `square`: the variance of the noise. `count`: the number of releases.
 */
export interface RingRun {
  readonly products: Float64Array;
  readonly square: number;
  readonly count: number;
}

/** The likelihood ratio W of one release of a `RingRun` as a product X·V of independent factors. X is that of a Gaussian with μ² = `square`; `moments` are E V^k, and log V ≥ `logLeast`. */
interface Split {
  readonly square: number;
  readonly logLeast: number;
  readonly moments: Moments;
}

/**
 * Largest product of a bin with itself, over the noise variance, for which `split` is tried: for larger ones bounds by moments are useless. Only speed
 * depends on it.
 */
const MOST_PRODUCT = 20;
/** Least lower bound of log V (`Split`), summed over the releases, for which bounds by moments are computed. Only speed depends on it. */
const LEAST_LOG = -150;

/**
 * Splits the likelihood ratio W of one release into that of a Gaussian of μ = ν and a factor V (docs/proofs/factorisations.md, 10). ν² is the mean product
 * over the noise variance; E V^k is E W^k·e^{−k(k−1)ν²/2}. Undefined if products are too large for moments.
 *
 * Ensures: moments are within their relative error, for products that are rounded up (side 1) or down (side −1).
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
 * A bound of log δ(ε) of a composition of releases on random bins and of Gaussians, from above (side 1) or below (side −1). It is by moments:
 * docs/proofs/factorisations.md, 10 and 11. Undefined if moments cost too much or are not accurate.
 *
 * Ensures: the end of that side is a bound of the composition.
 *
 * @param gaussian Σ μ² of the Gaussians.
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
  // the Gaussian's μ is out of range, e^{logLeast} is too small, or moments are inaccurate
  if (
    !(mu > 1e-6 && mu < 1e3 && whole.logLeast > LEAST_LOG && whole.relative < 1e-6 && moments[order] < 1e100)
  )
    return undefined;
  const of: Factored = { mu, logLeast: whole.logLeast, moments, relative: whole.relative };
  const ends = endsByMoments(of);
  return side > 0 ? ends.above : ends.below;
}
