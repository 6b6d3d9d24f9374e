import { requireList, requireNumber, wrongValue } from '../../errors.js';
import { gaussianPair } from '../../law/gaussian-pair.js';
import { GAUSSIAN } from '../../methods/families/gaussian.js';
import type { Bracket } from '../../numeric/bracket.js';
import { LruCache } from '../../numeric/lru-cache.js';
import { down, FUNCTION_ERROR, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import { columnSensitivity, matrixSensitivity } from '../factor-sensitivity.js';
import type { Places } from '../fixed-order.js';
import { built, type Kind, made, oneOf, PLACES, unless, whole, zeroOr } from '../kind.js';
import { GDP_KIND } from './gaussian.js';

/**
 * DP-FTRL by a matrix mechanism without sampling: Cx + Z is released row by row. C is lower triangular, x has the sums of the
 * steps' clipped gradients, and Z ~ N(0, σ²), which is equivalent to noise C⁻¹Z. Which steps a record is in does not depend on
 * what was released; where it does not depend on the other records either, its `places` are 'kept'.
 */
export interface MatrixMechanism {
  readonly kind: 'matrix-mechanism';
  /** σ over the clipping norm of one gradient: 0 or 1e-9 … 1e9. */
  readonly noiseMultiplier: number;
  /** First column of a Toeplitz C, 0 beyond the numbers given; at most 65536, each 0 or of size 1e-100 … 1e100. This or `matrix`. */
  readonly column?: readonly number[];
  /** Rows and columns of the Toeplitz C, 1 … 65536; the column's length unless given. */
  readonly steps?: number;
  /** C by rows, at most 512. */
  readonly matrix?: readonly (readonly number[])[];
  /** Steps that one record is in, at most; 1 unless given. */
  readonly participations?: number;
  /** Steps from one of them to the next, at least; 1 unless given. */
  readonly separation?: number;
  /** Left out: which steps a record is in hangs on its place in the data set. */
  readonly places?: Places;
}

/** More are refused: the sensitivity takes their square. */
export const MOST_STEPS = 65536;
const MOST_ROWS = 512;

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
  const { column, matrix, steps } = mechanism;
  if ((column === undefined) === (matrix === undefined))
    throw wrongValue('column', 'given, or else "matrix", and not both', column);
  if (matrix !== undefined && steps !== undefined)
    throw wrongValue('steps', 'left out beside "matrix", which has its own', steps);
  return mechanism;
}

export function requireEntries(option: string, list: unknown, most: number): number[] {
  return Array.from(requireList(option, list, 'numbers', 1, most), (x, i) =>
    requireNumber(
      `${option}[${i}]`,
      x,
      '0 or a number of size 1e-100 to 1e100',
      (c) => c === 0 || (Math.abs(c) >= 1e-100 && Math.abs(c) <= 1e100),
    ),
  );
}

export function requireTriangle(_: string, matrix: unknown): number[][] {
  const rows = requireList('matrix', matrix, 'rows', 1, MOST_ROWS);
  return Array.from(rows, (row, i) => {
    const entries = requireEntries(`matrix[${i}]`, row, MOST_ROWS);
    if (entries.length !== rows.length)
      throw wrongValue(`matrix[${i}]`, `as long as the matrix (${rows.length})`, entries.length);
    const above = entries.findIndex((x, j) => j > i && x !== 0);
    if (above >= 0) throw wrongValue(`matrix[${i}][${above}]`, '0, above the diagonal', entries[above]);
    return entries;
  });
}

type Strategy = readonly number[] | readonly (readonly number[])[];

/** Sensitivities by pattern, by the array that copies of a mechanism share: of the numbers that it had then. */
const known = new WeakMap<
  Strategy,
  { readonly of: Strategy; readonly patterns: LruCache<string, Bracket> }
>();

function patternsOf(strategy: Strategy): LruCache<string, Bracket> {
  const held = known.get(strategy);
  if (held !== undefined && isSame(held.of, strategy)) return held.patterns;
  const patterns = new LruCache<string, Bracket>(Infinity);
  known.set(strategy, { of: structuredClone(strategy), patterns });
  return patterns;
}

function isSame(a: Strategy, b: Strategy): boolean {
  return (
    a.length === b.length &&
    a.every((x, i) => x === b[i] || (Array.isArray(x) && isSame(x, b[i] as number[])))
  );
}

/** How far one record moves Cx. */
function factorSensitivity(mechanism: MatrixMechanism): Bracket {
  const { column, matrix, participations: parts = 1, separation: apart = 1 } = mechanism;
  const steps = mechanism.steps ?? column?.length ?? 0;
  const strategy = column ?? matrix!;
  return patternsOf(strategy).of(`${steps} ${parts} ${apart}`, () =>
    column === undefined
      ? matrixSensitivity(matrix!, { parts, apart })
      : columnSensitivity(column, steps, { parts, apart }),
  );
}

function muOf(m: MatrixMechanism): number {
  return up(factorSensitivity(m).upper / m.noiseMultiplier, FUNCTION_ERROR);
}

export const MATRIX_MECHANISM_KIND: Kind<MatrixMechanism> = {
  name: 'matrix-mechanism',
  families: [GAUSSIAN],
  title: 'Matrix mechanism',
  standing: 'bound',
  adjacency: PLACES,
  tail: 'Gaussian, mu_t = sensitivity/noiseMultiplier',
  source: 'Denisov et al. 2022; docs/proofs/factorisations.md',
  fields: {
    noiseMultiplier: zeroOr(1e-9, 1e9),
    'column?': (name, value) => requireEntries(name, value, MOST_STEPS),
    'steps?': (name, value, { column }: { column?: readonly number[] }) =>
      Array.isArray(column) ? unless(column.length, whole(1, MOST_STEPS))(name, value) : value,
    'matrix?': requireTriangle,
    'participations?': unless(1, whole(1, MOST_STEPS)),
    'separation?': unless(1, whole(1, MOST_STEPS)),
    'places?': oneOf('kept'),
  },
  build: matrixMechanism,
  describe: (m) =>
    `matrix mechanism of ${m.matrix?.length ?? m.steps ?? m.column!.length} steps, sensitivity ${shortDecimal(factorSensitivity(m).upper)}, noise multiplier ${shortDecimal(m.noiseMultiplier)}`,
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
