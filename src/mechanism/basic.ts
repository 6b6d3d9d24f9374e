import type { Kind } from './kind.js';
import { ADAPTIVE_CLIPPING_KIND } from './kinds/adaptive-clipping.js';
import { APPROXIMATE_DP_KIND } from './kinds/approximate-dp.js';
import { BALLS_AND_BINS_KIND } from './kinds/balls-and-bins.js';
import { BOUNDED_RANGE_KIND } from './kinds/bounded-range.js';
import { CAPPED_POISSON_KIND } from './kinds/capped-poisson.js';
import { DISCRETE_GAUSSIAN_KIND } from './kinds/discrete-gaussian.js';
import { DISCRETE_LAPLACE_KIND } from './kinds/discrete-laplace.js';
import { DIVIDED_SGD_KIND } from './kinds/divided-sgd.js';
import { GAUSSIAN_KIND } from './kinds/gaussian.js';
import { GAUSSIAN_MIXTURE_KIND } from './kinds/gaussian-mixture.js';
import { GDP_KIND } from './kinds/gdp.js';
import { LAPLACE_KIND } from './kinds/laplace.js';
import { MATRIX_MECHANISM_KIND } from './kinds/matrix-mechanism.js';
import { MCDP_KIND } from './kinds/mcdp.js';
import { NOISY_MAX_KIND } from './kinds/noisy-max.js';
import { PURE_DP_KIND } from './kinds/pure-dp.js';
import { RANDOMIZED_RESPONSE_KIND } from './kinds/randomized-response.js';
import { RDP_KIND } from './kinds/rdp.js';
import { REPLACED_GAUSSIAN_KIND } from './kinds/replaced-gaussian.js';
import { SELECT_KIND } from './kinds/select.js';
import { SHUFFLED_KIND } from './kinds/shuffled.js';
import { TABULATED_KIND } from './kinds/tabulated.js';
import { TCDP_KIND } from './kinds/tcdp.js';
import { TRADEOFF_KIND } from './kinds/trade-off.js';
import { WITH_REPLACEMENT_KIND } from './kinds/with-replacement.js';
import { ZCDP_KIND } from './kinds/zcdp.js';
import type { Basic } from './pairs.js';

export { MAX_POINTS } from './checks.js';
export { type AdaptiveClipping, adaptiveClipping } from './kinds/adaptive-clipping.js';
export { type ApproximateDp, approximateDp } from './kinds/approximate-dp.js';
export { type BallsAndBins, ballsAndBins } from './kinds/balls-and-bins.js';
export { type BoundedRange, boundedRange } from './kinds/bounded-range.js';
export { type CappedPoisson, cappedPoisson } from './kinds/capped-poisson.js';
export { type DiscreteGaussian, discreteGaussian } from './kinds/discrete-gaussian.js';
export { type DiscreteLaplace, discreteLaplace } from './kinds/discrete-laplace.js';
export { type DividedSgd, dividedSgd } from './kinds/divided-sgd.js';
export { type Gaussian, gaussian } from './kinds/gaussian.js';
export { type GaussianMixture, gaussianMixture } from './kinds/gaussian-mixture.js';
export { type Gdp, gdp } from './kinds/gdp.js';
export { type Laplace, laplace } from './kinds/laplace.js';
export { type MatrixMechanism, matrixMechanism } from './kinds/matrix-mechanism.js';
export { type Mcdp, mcdp } from './kinds/mcdp.js';
export { type NoisyMax, noisyMax } from './kinds/noisy-max.js';
export { type PureDp, pureDp } from './kinds/pure-dp.js';
export { type RandomizedResponse, randomizedResponse } from './kinds/randomized-response.js';
export { type Rdp, rdp } from './kinds/rdp.js';
export { type ReplacedGaussian, replacedGaussian } from './kinds/replaced-gaussian.js';
export { type Select, select } from './kinds/select.js';
export { type Shuffled, shuffled } from './kinds/shuffled.js';
export { type Tabulated, tabulated } from './kinds/tabulated.js';
export { type Tcdp, tcdp } from './kinds/tcdp.js';
export { type TradeoffPoints, tradeoffPoints } from './kinds/trade-off.js';
export { type WithReplacement, withReplacement } from './kinds/with-replacement.js';
export { type Zcdp, zcdp } from './kinds/zcdp.js';
export type { Basic } from './pairs.js';

type KindOf<K extends Basic['kind']> = Kind<Extract<Basic, { kind: K }>>;

/** Every kind, a line each: a missing one does not compile. The parser takes them all along. */
export const ALL_KINDS: { readonly [K in Basic['kind']]: KindOf<K> } = {
  gaussian: GAUSSIAN_KIND,
  laplace: LAPLACE_KIND,
  'discrete-gaussian': DISCRETE_GAUSSIAN_KIND,
  'discrete-laplace': DISCRETE_LAPLACE_KIND,
  'randomized-response': RANDOMIZED_RESPONSE_KIND,
  'pure-dp': PURE_DP_KIND,
  'approximate-dp': APPROXIMATE_DP_KIND,
  gdp: GDP_KIND,
  zcdp: ZCDP_KIND,
  rdp: RDP_KIND,
  'bounded-range': BOUNDED_RANGE_KIND,
  tabulated: TABULATED_KIND,
  'gaussian-mixture': GAUSSIAN_MIXTURE_KIND,
  'replaced-gaussian': REPLACED_GAUSSIAN_KIND,
  'trade-off': TRADEOFF_KIND,
  select: SELECT_KIND,
  'balls-and-bins': BALLS_AND_BINS_KIND,
  tcdp: TCDP_KIND,
  mcdp: MCDP_KIND,
  'capped-poisson': CAPPED_POISSON_KIND,
  shuffled: SHUFFLED_KIND,
  'adaptive-clipping': ADAPTIVE_CLIPPING_KIND,
  'divided-sgd': DIVIDED_SGD_KIND,
  'matrix-mechanism': MATRIX_MECHANISM_KIND,
  'noisy-max': NOISY_MAX_KIND,
  'with-replacement': WITH_REPLACEMENT_KIND,
};
