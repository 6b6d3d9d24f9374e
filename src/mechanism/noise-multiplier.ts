import { requireOptions, requirePositive, requireWhole, wrongValue } from '../errors.js';
import { product, quotient, rootsAround, typedFraction } from '../numeric/exact-decimal.js';

/** Noise as training code states it: its standard deviation, and what it is added to. */
export interface NoiseScale {
  /** Standard deviation of the noise, in the unit of the query, ≥ 0. */
  readonly noiseStd: number;
  /** L2 norm to which each record's contribution is clipped, in that unit, > 0. */
  readonly clipNorm: number;
  /** Number of parts of a contribution that are clipped to that norm separately, such as the layers of a network, 1 … 1e9; default 1. */
  readonly clipGroups?: number;
  /** Number by which the sum is divided before noise is added, > 0; default 1: noise is added to the sum. */
  readonly meanOf?: number;
}

/**
 * Noise multiplier of a release: noiseStd·meanOf/(clipNorm·√clipGroups). The clipped parts of one record together have a norm of at most
 * clipNorm·√clipGroups.
 *
 * Ensures: the largest double whose square is at most the square of that quotient, so noise is not overstated. Numbers of at most 15 digits are read
 * as the decimals they were typed as.
 *
 * @throws TypeError | RangeError naming the option that is out of its range.
 * @example
 * noiseMultiplierOf({ noiseStd: 0.012, clipNorm: 15, meanOf: 5000 }); // 4
 */
export function noiseMultiplierOf(scale: NoiseScale): number {
  requireOptions('noiseMultiplierOf', scale, ['noiseStd', 'clipNorm', 'clipGroups', 'meanOf']);
  const { noiseStd, clipNorm, clipGroups = 1, meanOf = 1 } = scale;
  if (noiseStd === 0) return 0;
  const [std, norm, mean] = [
    requirePositive('noiseStd', noiseStd),
    requirePositive('clipNorm', clipNorm),
    requirePositive('meanOf', meanOf),
  ].map(typedFraction);
  const groups = typedFraction(requireWhole('clipGroups', clipGroups, 1, 1e9));
  const one = quotient(product(std, mean), norm);
  // no mechanism accepts a noise multiplier outside of this range
  const near = (noiseStd / clipNorm) * meanOf;
  if (!(near > 1e-150 && near < 1e150)) throw wrongValue('noiseStd', 'nearer to "clipNorm"', noiseStd);
  return rootsAround(quotient(product(one, one), groups)).lower;
}
