import { wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { isAffordable } from '../../law/ring-moments.js';
import { down, FUNCTION_ERROR, ROUNDINGS, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import {
  type BinnedProducts,
  choicesAbove,
  columnProducts,
  type Exchangeable,
  exchangeableBelow,
  MOST_BINNED,
  matrixProducts,
  ringAbove,
  ringBelow,
  sumAttack,
  tightestAbove,
} from '../binned-products.js';
import { type RingRun, ringRunEnd } from '../binned-run.js';
import { built, type Kind, kindMade, made, type Part, whole } from '../kind.js';
import {
  KnownOfStrategy,
  requireOneForm,
  STRATEGY_FIELDS,
  type StrategyMatrix,
  sizeOf,
} from '../strategy-matrix.js';
import { BALLS_AND_BINS_KIND } from './balls-and-bins.js';
import { GDP_KIND } from './gaussian.js';

/**
 * DP-FTRL by a matrix mechanism whose batches are drawn by balls and bins. Each record is in one of `bins` batches, chosen uniformly and
 * independently of the others. Batch j is used in the steps j, j + bins, j + 2 bins, …. C and Z are those of `MatrixMechanism`.
 */
export interface BinnedMatrix extends StrategyMatrix {
  readonly kind: 'binned-matrix';
  /** Number of batches, 1 … 2048; batches beyond the number of steps are not used. */
  readonly bins: number;
  /** Set by the account for lower bounds, which some data set attains. */
  readonly side?: 'below';
}

/** Largest number of bins: tables hold products of all pairs of bins. */
const MOST_BINS = 2048;

/**
 * A matrix mechanism on batches drawn by balls and bins, between bounds (docs/proofs/factorisations.md, 5 to 12).
 *
 * @throws TypeError | RangeError if a number is outside the range its field states; if not exactly one of `column` and `matrix` is given; or if the column's length times
 *   `steps` is above 5e7.
 * @example
 * const banded = binnedMatrix({ noiseMultiplier: 4, column: [1, 0.5, 0.25, 0.125], steps: 100, bins: 10 });
 * account(engine, banded, { adjacency: 'zero-out' }).epsilon(1e-5).upper; // 2.19699
 */
export function binnedMatrix(options: Omit<BinnedMatrix, 'kind' | 'side'>): BinnedMatrix {
  const mechanism = built(BINNED_MATRIX_KIND, options);
  requireOneForm(mechanism);
  const { column } = mechanism;
  const rows = sizeOf(mechanism);
  if ((column?.length ?? 0) * rows > MOST_BINNED)
    throw wrongValue(
      'column',
      `such that its length times the steps (${rows}) is at most 5e7`,
      column?.length,
    );
  return mechanism;
}

/** Inner products of the directions in which records of two bins move the output, from which bounds are made; none depends on the noise. */
interface Bounds {
  /** Products of exchangeable bins for upper bounds: of every `apart`-th bin (`exchangeableAbove`), for each `apart`. */
  readonly above: readonly Exchangeable[];
  /** Exchangeable bins that an attack attains; undefined if products may be negative. */
  readonly below: Exchangeable | undefined;
  /** μ·noiseMultiplier of the attack that looks at the projection of the output on the sum of all bins' directions (`sumAttack`). */
  readonly sum: number;
  /** First rows of circulant matrices of products for upper bounds, of every n-th bin (`ringAbove`), those with most bins first. */
  readonly ringsAbove: readonly Float64Array[];
  /** First row of a circulant matrix of products of all bins for lower bounds, which an attack attains (`ringBelow`). */
  readonly ringBelow: Float64Array | undefined;
}

/** Bounds cached by strategy matrix. */
const bounds = new KnownOfStrategy<Bounds>();

/**
 * The products of a mechanism's bins, raised and lowered for bounds (docs/proofs/factorisations.md, 6 to 9). For lower bounds all gradients are one
 * vector, or, if that is better, with alternating signs.
 */
function boundsOf(m: BinnedMatrix): Bounds {
  const { column, matrix, bins } = m;
  const steps = sizeOf(m);
  return bounds.of(m, `${steps} ${bins}`, () => {
    // the tables are large, so only what is made of them is cached
    const productsOf = (sign: (distance: number) => number): BinnedProducts =>
      column === undefined
        ? matrixProducts(
            matrix!.map((row, t) => row.map((c, s) => c * sign(t - s))),
            bins,
          )
        : columnProducts(
            column.map((c, t) => c * sign(t)),
            steps,
            bins,
          );
    const products = productsOf(() => 1);
    const hasNegative = products.signed.some((x, i) => x < products.moduli[i] * (1 - 4 * products.slack));
    const turned = hasNegative ? productsOf((t) => (t % 2 === 0 ? 1 : -1)) : products;
    const attacked = sumAttack(turned) > sumAttack(products) ? turned : products;
    return {
      above: choicesAbove(products),
      below: exchangeableBelow(attacked),
      sum: sumAttack(attacked),
      ringsAbove: divisors(bins).map((apart) => ringAbove(products, apart)),
      ringBelow: ringBelow(attacked),
    };
  });
}

/** The divisors of n, ascending. */
function divisors(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1).filter((d) => n % d === 0);
}

/**
 * A bound of log δ(ε) of a composition of binned matrices and Gaussians by moments (`ringRunEnd`), from above (side 1) or below (side −1); undefined
 * if there is none.
 *
 * Ensures: the end of that side is a bound of the run.
 */
function endOf(steps: readonly Part[], side: 1 | -1): ((epsilon: number) => number) | undefined {
  const rings: RingRun[] = [];
  let gaussian = 0;
  for (const { mechanism, count } of steps) {
    if (mechanism.kind === BINNED_MATRIX_KIND.name) {
      const m = mechanism as BinnedMatrix;
      if (m.noiseMultiplier === 0) return undefined;
      const ring = ringOf(m, side);
      if (ring === undefined) return undefined;
      rings.push({ ...ring, count });
      continue;
    }
    const mu = kindMade(mechanism.kind).gaussianMu?.(mechanism as never);
    if (mu === undefined) return undefined;
    gaussian += count * mu * mu * (1 + side * ROUNDINGS);
  }
  return ringRunEnd(rings, gaussian, side);
}

/** The circulant products of all bins; for the upper bound, of the most bins whose moments are affordable. Undefined if there are none. */
function ringOf(m: BinnedMatrix, side: 1 | -1): Omit<RingRun, 'count'> | undefined {
  const { ringsAbove, ringBelow } = boundsOf(m);
  const products = side > 0 ? ringsAbove.find(isAffordable) : ringBelow;
  return products && isAffordable(products) ? { products, square: m.noiseMultiplier ** 2 } : undefined;
}

/** The range of noise of balls-and-bins epochs; outside it the bins are replaced by one Gaussian. */
const [LEAST_NOISE, MOST_NOISE] = [1e-3, 1e6];

/**
 * A Gaussian for the product that all bins share, and a balls-and-bins epoch for the excess of a bin's own product (docs/proofs/factorisations.md, 6
 * and 8).
 *
 * Ensures: they dominate the mixture with these products if `round` raises, and are dominated by it if `round` lowers.
 */
function partsOf(
  { own, shared, bins }: Exchangeable,
  noise: number,
  round: (x: number, relative: number) => number,
): Part[] {
  const gaussianOf = (square: number): Part => ({
    mechanism: made(GDP_KIND, { mu: round(Math.sqrt(square) / noise, FUNCTION_ERROR) }),
    count: 1,
  });
  const rest = noise / round(Math.sqrt(own - shared), FUNCTION_ERROR);
  const isSpread = bins > 1 && rest >= LEAST_NOISE && rest <= MOST_NOISE;
  if (!isSpread) return [gaussianOf(round === up ? own : shared)];
  const epoch = made(BALLS_AND_BINS_KIND, { noiseMultiplier: rest, bins });
  return [...(shared > 0 ? [gaussianOf(shared)] : []), { mechanism: epoch, count: 1 }];
}

export const BINNED_MATRIX_KIND: Kind<BinnedMatrix> = {
  name: 'binned-matrix',
  families: ['gaussian'],
  title: 'Matrix mechanism on balls-and-bins batches',
  standing: 'bound',
  adjacency: 'add-remove and zero-out',
  tail: 'Gaussian, mu_t = the largest move of a bin over noiseMultiplier in the direction of removal',
  source: 'Choquette-Choo et al. 2024; docs/proofs/factorisations.md',
  wide: 'the products of the bins are raised to those of a ring above, and lowered below: 4 bands in 10 bins are 5 % wide in epsilon, 8 bands in 100 bins 7 %; to exchangeable ones beside mechanisms that are not Gaussian: 40 %, and a factor of 2',
  drawing: 'balls-and-bins',
  fields: {
    ...STRATEGY_FIELDS,
    bins: whole(1, MOST_BINS),
  },
  build: binnedMatrix,
  describe: (m) =>
    `matrix mechanism of ${sizeOf(m)} steps on ${m.bins} balls-and-bins batches, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: (m) => {
    // `own`, the largest product of a bin with itself, is the same for every `apart`
    const [{ own }] = boundsOf(m).above;
    const mu = up(Math.sqrt(own) / m.noiseMultiplier, FUNCTION_ERROR);
    return gaussianPair(1 / mu, mu);
  },
  parts: (m) => {
    const { noiseMultiplier: noise, side } = m;
    if (noise === 0) return undefined;
    const { above, below } = boundsOf(m);
    return side === 'below'
      ? partsOf(below!, noise, down)
      : partsOf(tightestAbove(above, noise ** 2), noise, up);
  },
  attacks: (m) => {
    if (m.noiseMultiplier === 0) return [];
    const { below, sum } = boundsOf(m);
    const mu = down(sum / m.noiseMultiplier, FUNCTION_ERROR);
    const ofSum = made(GDP_KIND, { mu });
    return below === undefined ? [ofSum] : [ofSum, { ...m, side: 'below' as const }];
  },
  between: (steps) => {
    const [above, below] = ([1, -1] as const).map((side) => endOf(steps, side));
    return {
      above: (epsilon) => above?.(epsilon) ?? 0,
      below: (epsilon) => below?.(epsilon) ?? -Infinity,
    };
  },
  revealsNothing: (m) => boundsOf(m).above[0].own === 0,
  revealsAll: (m) => m.noiseMultiplier === 0,
};
