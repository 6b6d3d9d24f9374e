import { describe, expect, test } from 'vitest';
import { dominatingRuns } from '../../src/account/run-of-mechanism.js';
import {
  type Adjacency,
  account,
  approximateDp,
  boundedRange,
  discreteGaussian,
  discreteLaplace,
  gdp,
  laplace,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  rdp,
  repeat,
  tabulated,
  zcdp,
} from '../../src/index.js';
import { COARSE, coarse, expectCountsAgree, SUBJECTS } from '../helpers/mechanism-subjects.js';
import { wasm } from '../helpers/runs.js';

/** Guarantees that no mechanism attains at every ε at once, and one that meets each (docs/proofs/renyi.md, 3). */
function met(mechanism: Mechanism): Mechanism | undefined {
  switch (mechanism.kind) {
    case 'zcdp':
      return gdp({ mu: Math.sqrt(2 * mechanism.rho) });
    case 'rdp':
      return gdp({
        mu: Math.sqrt(2 * Math.min(...mechanism.points.map(({ order, epsilon }) => epsilon / order))),
      });
    case 'bounded-range':
      return pureDp({ epsilon: mechanism.epsilon / 2 });
    case 'poisson-subsampled':
    case 'without-replacement': {
      const inner = met(mechanism.inner);
      return inner && parseMechanism({ ...mechanism, inner });
    }
    default:
      return undefined;
  }
}

describe('counts are never dropped', () => {
  test.each(SUBJECTS)('%s, %o, %s: repeat is compose is nested repeats', (_, mechanism, adjacency) => {
    const six = expectCountsAgree(mechanism, adjacency);
    const one = met(mechanism);
    if (one === undefined) {
      expect(six.upper - six.lower).toBeLessThan(0.05);
      return;
    }
    const below = coarse(repeat(one, 6), adjacency).logDelta(0);
    const above = dominatingRuns(wasm, repeat(mechanism, 6), { ...COARSE, adjacency });
    expect(six.lower).toBeGreaterThan(below.lower - 1e-9);
    expect(six.upper).toBeLessThanOrEqual(Math.max(...above.map((run) => run.logDelta(0).upper)));
    expect(below.upper - below.lower).toBeLessThan(0.05);
  });
});

describe('edges', () => {
  test.each([
    laplace({ scale: 1, sensitivity: 1e-9 }),
    laplace({ scale: 1, sensitivity: 300 }),
    discreteLaplace({ scale: 1e9, sensitivity: 1 }),
    discreteLaplace({ scale: 1 / 300, sensitivity: 1 }),
    discreteGaussian({ sigma: 0.05, sensitivity: 1 }),
    discreteGaussian({ sigma: 1e4, sensitivity: 1 }),
    randomizedResponse({ epsilon: 1e-12 }),
    randomizedResponse({ epsilon: 300, categories: 2 ** 53 - 1 }),
    pureDp({ epsilon: 1e-12 }),
    approximateDp({ epsilon: 1, delta: 1e-300 }),
    approximateDp({ epsilon: 0, delta: 0.5 }),
    approximateDp({ epsilon: 1, delta: 1 - 2 ** -53 }),
    boundedRange({ epsilon: 1e-12 }),
    boundedRange({ epsilon: 300 }),
    zcdp({ rho: 1e-12 }),
    zcdp({ rho: 1e4 }),
    rdp({ points: [{ order: 1e6, epsilon: 1e6 }] }),
    tabulated({ points: [{ epsilon: 1, delta: 1e-300 }] }),
  ])('%o', (mechanism) => {
    for (const count of [1, 3]) {
      const samplings: [Mechanism, Adjacency][] = [
        [mechanism, 'add-remove'],
        [mechanism, 'replace-one'],
        [poissonSubsampled(mechanism, { rate: 1e-3 }), 'add-remove'],
      ];
      for (const [subject, adjacency] of samplings) {
        const run = account(wasm, repeat(subject, count), {
          adjacency,
          tolerance: 0.1,
          maxGridLength: 2 ** 10,
        });
        for (const epsilon of [-1, 0, 1, 50]) {
          const { lower, upper } = run.delta(epsilon);
          expect(lower).toBeLessThanOrEqual(upper);
          expect(upper).toBeLessThanOrEqual(1);
          if (epsilon < 0) expect(upper).toBeGreaterThanOrEqual(-Math.expm1(epsilon) * (1 - 1e-12));
        }
      }
    }
  });
});
