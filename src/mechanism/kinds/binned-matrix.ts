import { wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { GAUSSIAN } from '../../methods/families/gaussian.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { down, FUNCTION_ERROR, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import {
  type BinnedProducts,
  columnProducts,
  type Exchangeable,
  exchangeableBelow,
  MOST_BINNED,
  matrixProducts,
  sumAttack,
  tightestAbove,
} from '../binned-products.js';
import { built, type Kind, made, type Part, unless, whole, zeroOr } from '../kind.js';
import { BALLS_AND_BINS_KIND } from './balls-and-bins.js';
import { GDP_KIND } from './gaussian.js';
import { MOST_STEPS, requireEntries, requireTriangle } from './matrix-mechanism.js';

/**
 * DP-FTRL by a matrix mechanism whose batches are drawn by balls and bins. Each record is put in one of `bins` batches, uniformly and independently of the others. Batch j is used
 * in the steps j, j + bins, j + 2 bins, … of the run. C and Z are those of `MatrixMechanism`.
 */
export interface BinnedMatrix {
  readonly kind: 'binned-matrix';
  /** σ over the clipping norm of one gradient: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** First column of a Toeplitz C, 0 beyond the numbers given. This or `matrix`. */
  readonly column?: readonly number[];
  /** Rows and columns of the Toeplitz C; the column's length unless given. */
  readonly steps?: number;
  /** C by rows, at most 512. */
  readonly matrix?: readonly (readonly number[])[];
  /** Batches that the records are put in, 1 … 2048; those beyond the steps are not used. */
  readonly bins: number;
  /** Set by the account: a data set that attains what is below. */
  readonly side?: 'below';
}

/** More are refused: their products fill a table. */
const MOST_BINS = 2048;

/**
 * A matrix mechanism on batches drawn by balls and bins, between bounds (docs/proofs/factorisations.md, 5 to 8).
 *
 * @throws TypeError | RangeError if a number is outside the range its field states; if not exactly one of `column` and `matrix` is given; or if the column's length times
 *   `steps` is above 5e7.
 * @example
 * const banded = binnedMatrix({ noiseMultiplier: 4, column: [1, 0.5, 0.25, 0.125], steps: 100, bins: 10 });
 * account(engine, banded, { adjacency: 'zero-out' }).epsilon(1e-5).upper; // 2.58574
 */
export function binnedMatrix(options: Omit<BinnedMatrix, 'kind' | 'side'>): BinnedMatrix {
  const mechanism = built(BINNED_MATRIX_KIND, options);
  const { column, matrix, steps } = mechanism;
  if ((column === undefined) === (matrix === undefined))
    throw wrongValue('column', 'given, or else "matrix", and not both', column);
  if (matrix !== undefined && steps !== undefined)
    throw wrongValue('steps', 'left out beside "matrix", which has its own', steps);
  const rows = stepsIn(mechanism);
  if ((column?.length ?? 0) * rows > MOST_BINNED)
    throw wrongValue(
      'column',
      `such that its length times the steps (${rows}) is at most 5e7`,
      column?.length,
    );
  return mechanism;
}

function stepsIn({ column, matrix, steps }: BinnedMatrix): number {
  return matrix?.length ?? steps ?? column?.length ?? 0;
}

/** Products last formed, by content: an account asks for its parts and its attacks. */
const products = new LruCache<string, BinnedProducts>(16);

function productsOf(m: BinnedMatrix): BinnedProducts {
  const { column, matrix, bins } = m;
  return products.of(JSON.stringify([column, matrix, stepsIn(m), bins]), () =>
    column === undefined ? matrixProducts(matrix!, bins) : columnProducts(column, stepsIn(m), bins),
  );
}

/** Of these bins noise is in the range that balls and bins take; beside it they are one Gaussian. */
const [LEAST_NOISE, MOST_NOISE] = [1e-3, 1e6];

/**
 * One Gaussian of what all bins share, and one epoch of balls and bins of the rest.
 *
 * Ensures: they dominate, or are dominated by, the mixture with these products, after `round` has raised or lowered each.
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

function largestMu(m: BinnedMatrix): number {
  const { own } = tightestAbove(productsOf(m), m.noiseMultiplier ** 2);
  return up(Math.sqrt(own) / m.noiseMultiplier, FUNCTION_ERROR);
}

export const BINNED_MATRIX_KIND: Kind<BinnedMatrix> = {
  name: 'binned-matrix',
  families: [GAUSSIAN],
  title: 'Matrix mechanism on balls-and-bins batches',
  standing: 'bound',
  adjacency: 'add-remove and zero-out',
  tail: 'Gaussian, mu_t = the largest move of a bin over noiseMultiplier in the direction of removal',
  source: 'Choquette-Choo et al. 2024; docs/proofs/factorisations.md',
  wide: 'the products of the bins are raised to exchangeable ones above, and lowered below: 4 bands in 10 bins are 40 % wide in epsilon, 8 bands in 100 bins a factor of 2',
  drawing: 'balls-and-bins',
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    'column?': (name, value) => requireEntries(name, value, MOST_STEPS),
    'steps?': (name, value, { column }: { column?: readonly number[] }) =>
      Array.isArray(column) ? unless(column.length, whole(1, MOST_STEPS))(name, value) : value,
    'matrix?': requireTriangle,
    bins: whole(1, MOST_BINS),
  },
  build: binnedMatrix,
  describe: (m) =>
    `matrix mechanism of ${stepsIn(m)} steps on ${m.bins} balls-and-bins batches, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: (m) => gaussianPair(1 / largestMu(m), largestMu(m)),
  parts: (m) => {
    if (m.noiseMultiplier === 0) return undefined;
    const below = m.side === 'below' ? exchangeableBelow(productsOf(m)) : undefined;
    if (below !== undefined) return partsOf(below, m.noiseMultiplier, down);
    return partsOf(tightestAbove(productsOf(m), m.noiseMultiplier ** 2), m.noiseMultiplier, up);
  },
  attacks: (m) => {
    if (m.noiseMultiplier === 0) return [];
    const known = productsOf(m);
    const mu = down(sumAttack(known) / m.noiseMultiplier, FUNCTION_ERROR);
    const sum = made(GDP_KIND, { mu });
    return exchangeableBelow(known) === undefined ? [sum] : [sum, { ...m, side: 'below' as const }];
  },
  revealsNothing: (m) => productsOf(m).moduli.every((product) => product === 0),
  revealsAll: (m) => m.noiseMultiplier === 0,
};
