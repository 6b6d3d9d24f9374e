import { gaussianPair } from '../../law/gaussian-pair.js';
import type { Bracket } from '../../numeric/bracket.js';
import { down, FUNCTION_ERROR, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import { columnSensitivity, matrixSensitivity } from '../factor-sensitivity.js';
import type { Places } from '../fixed-order.js';
import { built, type Kind, made, oneOf, PLACES, unless, whole } from '../kind.js';
import {
  KnownOfStrategy,
  MOST_STEPS,
  requireOneForm,
  STRATEGY_FIELDS,
  type StrategyMatrix,
  sizeOf,
} from '../strategy-matrix.js';
import { GDP_KIND } from './gaussian.js';

/**
 * DP-FTRL by a matrix mechanism without sampling: Cx + Z is released row by row. C is lower triangular, x holds the sums of the steps' clipped
 * gradients, and Z ~ N(0, σ²I). This is equivalent to releasing x with noise C⁻¹Z.
 *
 * Which steps a record is in may not depend on earlier releases. If it does not depend on other records either, its `places` are 'kept'.
 */
export interface MatrixMechanism extends StrategyMatrix {
  readonly kind: 'matrix-mechanism';
  /** Largest number of steps that one record is in; 1 unless given. */
  readonly participations?: number;
  /** Least distance between two steps that one record is in; 1 unless given. */
  readonly separation?: number;
  /** If absent, which steps a record is in depends on its place in the data set. */
  readonly places?: Places;
}

/**
 * A matrix mechanism whose sensitivity is computed from C. It is exact for a first column that falls and is nowhere negative, and
 * for matrices with no more bands than `separation`. Otherwise it has an upper bound, and a lower bound that is attained. Without
 * `places` nothing is proved of a record that is added or removed.
 *
 * @throws TypeError | RangeError if a number is outside the range its field states; if not exactly one of `column` and `matrix`
 *   is given, or `matrix` is not square and lower triangular.
 * @example
 * const tree = matrixMechanism({ noiseMultiplier: 4, column: [1, 0.5, 0.25], steps: 100, participations: 5, separation: 20 });
 * account(engine, tree, { adjacency: 'zero-out' }).epsilon(1e-5).upper; // 2.63134
 */
export function matrixMechanism(options: Omit<MatrixMechanism, 'kind'>): MatrixMechanism {
  const mechanism = built(MATRIX_MECHANISM_KIND, options);
  requireOneForm(mechanism);
  return mechanism;
}

/** Sensitivities, cached by strategy matrix. */
const sensitivities = new KnownOfStrategy<Bracket>();

/** Bracket of the sensitivity: the largest 2-norm by which one record moves Cx. Ensures: the sensitivity lies in the bracket. */
function factorSensitivity(mechanism: MatrixMechanism): Bracket {
  const { column, matrix, participations: parts = 1, separation: apart = 1 } = mechanism;
  const steps = sizeOf(mechanism);
  return sensitivities.of(mechanism, `${steps} ${parts} ${apart}`, () =>
    column === undefined
      ? matrixSensitivity(matrix!, { parts, apart })
      : columnSensitivity(column, steps, { parts, apart }),
  );
}

/** An upper bound of μ: sensitivity/σ, rounded up. */
function muOf(m: MatrixMechanism): number {
  return up(factorSensitivity(m).upper / m.noiseMultiplier, FUNCTION_ERROR);
}

export const MATRIX_MECHANISM_KIND: Kind<MatrixMechanism> = {
  name: 'matrix-mechanism',
  families: ['gaussian'],
  title: 'Matrix mechanism',
  standing: 'bound',
  adjacency: PLACES,
  tail: 'Gaussian, mu_t = sensitivity/noiseMultiplier',
  source: 'Denisov et al. 2022; docs/proofs/factorisations.md',
  fields: {
    ...STRATEGY_FIELDS,
    'participations?': unless(1, whole(1, MOST_STEPS)),
    'separation?': unless(1, whole(1, MOST_STEPS)),
    'places?': oneOf('kept'),
  },
  build: matrixMechanism,
  describe: (m) =>
    `matrix mechanism of ${sizeOf(m)} steps, sensitivity ${shortDecimal(factorSensitivity(m).upper)}, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
  pair: (m) => gaussianPair(1 / muOf(m), muOf(m)),
  doubled: (m) => ({ ...m, noiseMultiplier: m.noiseMultiplier / 2 }),
  revealsNothing: (m) => factorSensitivity(m).upper === 0,
  revealsAll: (m) => m.noiseMultiplier === 0,
  gaussianMu: muOf,
  attacks: (m, adjacency) => {
    if (m.noiseMultiplier === 0) return [];
    const times = adjacency === 'replace-one' ? 2 : 1;
    const mu = down((times * factorSensitivity(m).lower) / m.noiseMultiplier, FUNCTION_ERROR);
    return [made(GDP_KIND, { mu })];
  },
};
