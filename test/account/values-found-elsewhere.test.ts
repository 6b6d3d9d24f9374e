/** Values of other programs, of 9 to 17 digits, or of simulations with four of their standard errors. */
import { expect, test } from 'vitest';
import {
  type Adjacency,
  account,
  ballsAndBins,
  binnedMatrix,
  binomial,
  compose,
  gaussian,
  gdp,
  laplace,
  lastIterate,
  type Mechanism,
  matrixMechanism,
  parallel,
  skellam,
} from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

type Row = readonly [
  name: string,
  mechanism: Mechanism,
  adjacency: Adjacency,
  delta: number,
  epsilon: number,
  error: number,
];

const FIRST = { noiseMultiplier: 4, column: unit([1, 0.5, 0.25, 0.125]), steps: 100, bins: 10 };
const SECOND = { noiseMultiplier: 4, column: unit(rootCoefficients(8)), steps: 1000, bins: 100 };

function unit(column: readonly number[]): number[] {
  const norm = Math.hypot(...column);
  return column.map((c) => c / norm);
}

/** The first coefficients of (1 − x)^{−½}. */
function rootCoefficients(n: number): number[] {
  const found = [1];
  for (let k = 1; k < n; k++) found.push((found[k - 1] * (2 * k - 1)) / (2 * k));
  return found;
}

const parts = parallel({
  parts: [gaussian({ noiseMultiplier: 2 }), laplace({ scale: 1.5, sensitivity: 1 })],
});
const after = compose([parts, gaussian({ noiseMultiplier: 4 })]);
const coins = (trials: number) => binomial({ trials, sensitivity: 1 });
const skellamOf = (variance: number) => skellam({ variance, sensitivity: 1 });
const iterate = (noiseMultiplier: number, batches: number, epochs: number, contraction: number) =>
  lastIterate({ noiseMultiplier, batches, epochs, contraction });
// what two bins share at most of what each moves, of 10 bins with 10 steps each
const shared = (10 * 0.65625) / 1.328125 / 16;

const ROWS: readonly Row[] = [
  ['4 bands, 10 bins', binnedMatrix(FIRST), 'zero-out', 1e-2, 0.7553, 4 * 4e-4],
  ['4 bands, 10 bins', binnedMatrix(FIRST), 'zero-out', 1e-3, 1.152, 4e-3],
  ['4 bands, 10 bins', binnedMatrix(FIRST), 'zero-out', 1e-5, 1.78, 0.04],
  ['8 bands, 100 bins', binnedMatrix(SECOND), 'zero-out', 1e-2, 0.2735, 4 * 3e-4],
  ['8 bands, 100 bins', binnedMatrix(SECOND), 'zero-out', 1e-3, 0.476, 4e-3],
  ['8 bands, 100 bins', binnedMatrix(SECOND), 'zero-out', 1e-5, 0.78, 0.04],
  [
    '10 takings part',
    matrixMechanism({
      noiseMultiplier: 4,
      column: FIRST.column,
      steps: 100,
      participations: 10,
      separation: 10,
    }),
    'zero-out',
    1e-5,
    3.341409469,
    1e-9,
  ],
  [
    'a Gaussian and bins',
    compose([
      gdp({ mu: Math.sqrt(shared) }),
      ballsAndBins({ noiseMultiplier: 1 / Math.sqrt(0.625 - shared), bins: 10 }),
    ]),
    'zero-out',
    1e-5,
    2.391850812733,
    1e-9,
  ],
  ['last iterate, 100 batches', iterate(1, 100, 10, 1), 'zero-out', 1e-5, 4.60142771682163, 1e-12],
  ['last iterate, 40 batches', iterate(1.5, 40, 50, 0.9999), 'zero-out', 1e-5, 4.33915857229527, 1e-12],
  ['last iterate, 1000 epochs', iterate(1, 100, 1000, 0.999), 'zero-out', 1e-5, 4.82081087037684, 1e-12],
  ['2000 coins', coins(2000), 'add-remove', 1e-6, 0.16825335867933, 1e-12],
  ['80 coins', coins(80), 'add-remove', 1e-6, 0.998572259524837, 1e-12],
  ['79 coins', coins(79), 'add-remove', 1e-6, 1.01035685413975, 1e-12],
  ['1483 coins', coins(1483), 'add-remove', 1e-6, 0.1974859317244323, 1e-12],
  ['Skellam, variance 25', skellamOf(25), 'add-remove', 1e-6, 0.7757004376616692, 1e-12],
  ['Skellam, variance 100', skellamOf(100), 'add-remove', 1e-6, 0.3894584007009332, 1e-12],
  ['Skellam, variance 400', skellamOf(400), 'add-remove', 1e-6, 0.1883793436291062, 1e-12],
  ['disjoint parts', parts, 'add-remove', 1e-5, 1.993091404, 1e-9],
  ['disjoint parts', parts, 'add-remove', 0.05, 0.5640800778, 1e-9],
  ['disjoint parts, then all', after, 'add-remove', 1e-5, 2.258145363, 1e-9],
  ['disjoint parts, then all', after, 'add-remove', 0.05, 0.6815991603, 1e-9],
];

test.each(ROWS)('%s', (_, mechanism, adjacency, delta, epsilon, error) => {
  const { lower, upper } = account(wasm, mechanism, { adjacency }).epsilon(delta);
  expect(lower).toBeLessThanOrEqual(epsilon + error);
  expect(upper).toBeGreaterThanOrEqual(epsilon - error);
});

test('profiles', () => {
  const at = (mechanism: Mechanism, epsilon: number) =>
    account(wasm, mechanism, { adjacency: 'add-remove' }).delta(epsilon);
  for (const [found, value] of [
    [at(coins(2000), 0.1), 2.080958902236574e-4],
    [at(parts, 0.5), 0.07995558537],
    [at(after, 0.5), 0.103334472],
  ] as const) {
    const { lower, upper } = found;
    expect(lower).toBeLessThanOrEqual(value * (1 + 1e-9));
    expect(upper).toBeGreaterThanOrEqual(value * (1 - 1e-9));
  }
});
