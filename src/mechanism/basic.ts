import { wrongValue } from '../errors.js';
import type { Pair } from '../law/pair.js';
import { Once, Recent } from '../numeric/recent.js';
import type { Kind } from './kind.js';
import { ADAPTIVE_CLIPPING_KIND, type AdaptiveClipping } from './kinds/adaptive-clipping.js';
import { APPROXIMATE_DP_KIND, type ApproximateDp } from './kinds/approximate-dp.js';
import { BALLS_AND_BINS_KIND, type BallsAndBins } from './kinds/balls-and-bins.js';
import { BOUNDED_RANGE_KIND, type BoundedRange } from './kinds/bounded-range.js';
import { CAPPED_POISSON_KIND, type CappedPoisson } from './kinds/capped-poisson.js';
import { DISCRETE_GAUSSIAN_KIND, type DiscreteGaussian } from './kinds/discrete-gaussian.js';
import { DISCRETE_LAPLACE_KIND, type DiscreteLaplace } from './kinds/discrete-laplace.js';
import { GAUSSIAN_KIND, type Gaussian } from './kinds/gaussian.js';
import { GAUSSIAN_MIXTURE_KIND, type GaussianMixture } from './kinds/gaussian-mixture.js';
import { GDP_KIND, type Gdp } from './kinds/gdp.js';
import { LAPLACE_KIND, type Laplace } from './kinds/laplace.js';
import { MATRIX_MECHANISM_KIND, type MatrixMechanism } from './kinds/matrix-mechanism.js';
import { MCDP_KIND, type Mcdp } from './kinds/mcdp.js';
import { NOISY_MAX_KIND, type NoisyMax } from './kinds/noisy-max.js';
import { PURE_DP_KIND, type PureDp } from './kinds/pure-dp.js';
import { RANDOMIZED_RESPONSE_KIND, type RandomizedResponse } from './kinds/randomized-response.js';
import { RDP_KIND, type Rdp } from './kinds/rdp.js';
import { REPLACED_GAUSSIAN_KIND, type ReplacedGaussian } from './kinds/replaced-gaussian.js';
import { SELECT_KIND, type Select } from './kinds/select.js';
import { SHUFFLED_KIND, type Shuffled } from './kinds/shuffled.js';
import { TABULATED_KIND, type Tabulated } from './kinds/tabulated.js';
import { TCDP_KIND, type Tcdp } from './kinds/tcdp.js';
import { TRADEOFF_KIND, type TradeoffPoints } from './kinds/trade-off.js';
import { ZCDP_KIND, type Zcdp } from './kinds/zcdp.js';

export { MAX_POINTS } from './checks.js';
export { type AdaptiveClipping, adaptiveClipping } from './kinds/adaptive-clipping.js';
export { type ApproximateDp, approximateDp } from './kinds/approximate-dp.js';
export { type BallsAndBins, ballsAndBins } from './kinds/balls-and-bins.js';
export { type BoundedRange, boundedRange } from './kinds/bounded-range.js';
export { type CappedPoisson, cappedPoisson } from './kinds/capped-poisson.js';
export { type DiscreteGaussian, discreteGaussian } from './kinds/discrete-gaussian.js';
export { type DiscreteLaplace, discreteLaplace } from './kinds/discrete-laplace.js';
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
export { type Zcdp, zcdp } from './kinds/zcdp.js';

/**
 * Single releases. Sensitivities are those of adding or removing one record; replacing one is counted as
 * both at once, so it doubles them. What is stated by its guarantee alone (pure-dp, approximate-dp, gdp, zcdp,
 * rdp, tcdp, mcdp, bounded-range, noisy-max, tabulated, trade-off) and randomised response, which is about changing one's answer, is taken to
 * hold under the adjacency of the account, whichever that is.
 */
export type Basic =
  | Gaussian
  | Laplace
  | DiscreteGaussian
  | DiscreteLaplace
  | RandomizedResponse
  | PureDp
  | ApproximateDp
  | Gdp
  | Zcdp
  | Rdp
  | BoundedRange
  | Tabulated
  | GaussianMixture
  | ReplacedGaussian
  | TradeoffPoints
  | Select
  | BallsAndBins
  | Tcdp
  | Mcdp
  | CappedPoisson
  | Shuffled
  | AdaptiveClipping
  | MatrixMechanism
  | NoisyMax;

type KindOf<K extends Basic['kind']> = Kind<Extract<Basic, { kind: K }>>;

/** One line a kind: a missing one does not compile. */
export const BASIC_KINDS: { readonly [K in Basic['kind']]: KindOf<K> } = {
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
  'matrix-mechanism': MATRIX_MECHANISM_KIND,
  'noisy-max': NOISY_MAX_KIND,
};

/** What the house knows of the kind of `mechanism`. */
export function kindOf<M extends Basic>(mechanism: M): Kind<M> {
  const kind = BASIC_KINDS[mechanism.kind] as unknown as Kind<M> | undefined;
  if (kind === undefined) throw wrongValue('mechanism.kind', 'a known mechanism', mechanism.kind);
  return kind;
}

const pairs = new WeakMap<Basic, Once<Pair>>();
/** Pairs last made, by content: tables take their time, and accounts of one question ask for the same. */
const recent = new Recent<string, Once<Pair>>(16);
/** Longer descriptions are not remembered by content. */
const LONGEST_KEY = 200_000;

/** The dominating pair of one release, before sampling: made once for each object, and for what was last asked for. */
export function pairOf(mechanism: Basic): Pair {
  const known = pairs.get(mechanism);
  if (known !== undefined) return known.value;
  const key = JSON.stringify(mechanism);
  const make = (): Once<Pair> => new Once(() => kindOf(mechanism).pair(mechanism));
  const pair = key.length > LONGEST_KEY ? make() : recent.of(key, make);
  pairs.set(mechanism, pair);
  return pair.value;
}

/** μ of what is exactly Gaussian; ∞ for noise 0; undefined for the rest. */
export function gaussianMuOf(mechanism: Basic): number | undefined {
  return kindOf(mechanism).gaussianMu?.(mechanism);
}

/** A mechanism in a few words, as a table cell: 'Laplace, scale 5, sensitivity 1'. */
export function describeMechanism(mechanism: Basic): string {
  return kindOf(mechanism).describe(mechanism);
}
