import { expect } from 'vitest';
import {
  type Adjacency,
  account,
  approximateDp,
  type Bracket,
  boundedRange,
  type ComposedRun,
  compose,
  discreteGaussian,
  discreteLaplace,
  gaussian,
  gdp,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  rdp,
  repeat,
  tabulated,
  tradeoffPoints,
  withoutReplacement,
  zcdp,
} from '../../src/index.js';
import type { Basic } from '../../src/mechanism/pairs.js';
import { wasm } from './runs.js';

/** One of every kind. */
export const BASIC: readonly Basic[] = [
  gaussian({ noiseMultiplier: 2 }),
  laplace({ scale: 5, sensitivity: 1 }),
  discreteGaussian({ sigma: 2, sensitivity: 1 }),
  discreteLaplace({ scale: 3, sensitivity: 1 }),
  randomizedResponse({ epsilon: 0.4, categories: 4 }),
  pureDp({ epsilon: 0.3 }),
  approximateDp({ epsilon: 0.2, delta: 1e-7 }),
  gdp({ mu: 0.5 }),
  zcdp({ rho: 0.02 }),
  rdp({ points: [{ order: 4, epsilon: 0.1 }] }),
  boundedRange({ epsilon: 0.5 }),
  tabulated({
    points: [
      { epsilon: 0.1, delta: 0.05 },
      { epsilon: 1, delta: 1e-6 },
    ],
  }),
  tradeoffPoints({
    points: [
      { alpha: 0.1, beta: 0.7 },
      { alpha: 0.4, beta: 0.35 },
    ],
  }),
];

/** Every sampling of a mechanism that some adjacency has a theorem for. */
export const SUBJECTS: [string, Mechanism, Adjacency][] = BASIC.flatMap(
  (inner): [string, Mechanism, Adjacency][] => [
    [inner.kind, inner, 'add-remove'],
    [inner.kind, inner, 'replace-one'],
    [`sampled ${inner.kind}`, poissonSubsampled(inner, { rate: 0.1 }), 'add-remove'],
    [
      `${inner.kind} without replacement`,
      withoutReplacement(inner, { sampleSize: 10, datasetSize: 100 }),
      'replace-one',
    ],
  ],
);

/**
 * Six steps are six steps, however they are written, and more than one.
 *
 * @returns log δ(0) of the six, on a grid of few points.
 */
export function expectCountsAgree(mechanism: Mechanism, adjacency: Adjacency): Bracket {
  const flat = repeat(mechanism, 6);
  const listed = compose([mechanism, repeat(mechanism, 2), compose([mechanism, mechanism]), mechanism]);
  const nested = repeat(repeat(mechanism, 2), 3);
  const [a, b, c] = [flat, listed, nested].map((m) => {
    const run = coarse(m, adjacency);
    return [run.logDelta(0), run.logDelta(0.7), run.tradeoff(0.05)];
  });
  expect(b).toEqual(a);
  expect(c).toEqual(a);
  expect(a[0].lower).toBeGreaterThan(coarse(mechanism, adjacency).logDelta(0).upper);
  return a[0];
}

/** Grids of few points. */
export const COARSE = { tolerance: 1e-2, maxGridLength: 2 ** 12 };

export const coarse = (mechanism: Mechanism, adjacency: Adjacency): ComposedRun =>
  account(wasm, mechanism, { ...COARSE, adjacency });
