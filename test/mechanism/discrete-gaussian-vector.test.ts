import { expect, test } from 'vitest';
import {
  account,
  compose,
  discreteGaussian,
  discreteGaussianVector,
  laplace,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  repeat,
  withoutReplacement,
} from '../../src/index.js';
import { atomicPair, discreteGaussianAtoms } from '../../src/law/atomic-pair.js';
import { worstShifts } from '../../src/law/discrete-vector.js';
import { productAtoms } from '../../src/law/product-atoms.js';
import { recognise } from '../../src/read/index.js';
import { reference, wasm } from '../helpers/runs.js';

/** Outputs of one number with noise σ about `mean`, from −reach to reach. */
function masses(sigma: number, mean: number, reach: number): number[] {
  const weight = (k: number) => Math.exp(-(k * k) / (2 * sigma * sigma));
  let total = 0;
  for (let k = -60; k <= 60; k++) total += weight(k);
  return Array.from({ length: 2 * reach + 1 }, (_, i) => weight(i - reach - mean) / total);
}

/** Every outcome of the numbers, with its probabilities without and with the change. */
function outcomes(sigma: number, shift: readonly number[], reach: number): [number, number][] {
  const p = masses(sigma, 0, reach);
  let all: [number, number][] = [[1, 1]];
  for (const s of shift) {
    const q = masses(sigma, s, reach);
    all = all.flatMap(([a, b]) => p.map((mass, i): [number, number] => [a * mass, b * q[i]]));
  }
  return all;
}

/** δ(ε) of outcomes, sampled at a rate. */
function deltaOf(all: readonly [number, number][], epsilon: number, rate = 1, adds = false): number {
  return all.reduce((sum, [p, one]) => {
    const q = (1 - rate) * p + rate * one;
    return sum + Math.max(0, adds ? p - Math.exp(epsilon) * q : q - Math.exp(epsilon) * p);
  }, 0);
}

/** Every vector of `dimension` whole numbers within the norms. */
function vectors(dimension: number, squared: number, sum = Infinity): number[][] {
  const most = Math.floor(Math.sqrt(squared));
  let all: number[][] = [[]];
  for (let i = 0; i < dimension; i++)
    all = all.flatMap((v) => Array.from({ length: 2 * most + 1 }, (_, k) => [...v, k - most]));
  return all.filter(
    (v) => v.reduce((n, s) => n + s * s, 0) <= squared && v.reduce((n, s) => n + Math.abs(s), 0) <= sum,
  );
}

const EPSILONS = [0, 0.3, 1, 1.7, 2.5, 4];
const ENGINES = [wasm, reference];
const options = { adjacency: 'add-remove' } as const;

test.each([
  { sigma: 1, squared: 4, dimension: 2, sum: undefined },
  { sigma: 0.7, squared: 5, dimension: 2, sum: undefined },
  { sigma: 1.3, squared: 9, dimension: 2, sum: 3 },
  { sigma: 1, squared: 3, dimension: 3, sum: undefined },
  { sigma: 1.6, squared: 4, dimension: 3, sum: 2 },
])(
  'one release, every change listed: $sigma, $squared in $dimension, $sum',
  ({ sigma, squared, dimension, sum }) => {
    const reach = dimension === 3 ? 14 : 20;
    const all = vectors(dimension, squared, sum).map((shift) => outcomes(sigma, shift, reach));
    const mechanism = discreteGaussianVector({
      sigma,
      sensitivity: Math.sqrt(squared),
      dimension,
      ...(sum !== undefined && { sensitivityL1: sum }),
    });
    for (const epsilon of EPSILONS) {
      const exact = Math.max(...all.map((each) => deltaOf(each, epsilon)));
      for (const engine of ENGINES) {
        const { lower, upper } = account(engine, mechanism, options).logDelta(epsilon);
        // what lies beyond the outcomes listed
        expect(Math.exp(lower)).toBeLessThanOrEqual(exact * (1 + 1e-11) + 1e-14);
        expect(Math.exp(upper)).toBeGreaterThanOrEqual(exact * (1 - 1e-11));
        expect(upper - lower).toBeLessThan(0.05);
      }
    }
  },
);

test('the worst changes are those of which no entry can grow', () => {
  for (const [dimension, squared, sum] of [
    [1, 7, Infinity],
    [2, 10, Infinity],
    [3, 9, 4],
    [4, 8, Infinity],
    [4, 6, 3],
  ] as const) {
    const all = vectors(dimension, squared, sum).filter((v) =>
      v.every((s, i) => s >= 0 && s <= (v[i - 1] ?? 9)),
    );
    const worst = all.filter((v) => !all.some((w) => w !== v && w.every((s, i) => s >= v[i])));
    const found = worstShifts({ squared, sum, dimension })!;
    const text = (v: readonly number[]) => v.filter((s) => s > 0).join(' ');
    expect(found.map((each) => text(each.flatMap(([s, n]) => Array(n).fill(s)))).sort()).toEqual(
      worst.map(text).sort(),
    );
  }
});

test('two releases, the second change chosen by what the first one showed', () => {
  const [sigma, squared] = [1, 4];
  // four ones, or a two: neither is the worse at every epsilon
  const shifts = [[2], [1, 1, 1, 1]];
  const laws = shifts.map((shift) => outcomes(sigma, shift, shift.length > 1 ? 7 : 14));
  const twice = repeat(discreteGaussianVector({ sigma, sensitivity: Math.sqrt(squared) }), 2);
  const runs = ENGINES.map((engine) => account(engine, twice, options));
  const profile = laws.map((law) => {
    const known = new Map<number, number>();
    return (epsilon: number) => {
      const key = Math.round(epsilon * 1e6);
      if (!known.has(key)) known.set(key, deltaOf(law, epsilon));
      return known.get(key)!;
    };
  });
  for (const epsilon of [1, 2.3, 4]) {
    const adaptive = Math.max(
      ...laws.map((law) => {
        // outcomes of one loss together
        const byLoss = new Map<number, number>();
        for (const [p, q] of law) {
          const loss = Math.round(1e6 * Math.log(q / p)) / 1e6;
          byLoss.set(loss, (byLoss.get(loss) ?? 0) + q);
        }
        return [...byLoss].reduce(
          (sum, [loss, q]) => sum + q * Math.max(...profile.map((of) => of(epsilon - loss))),
          0,
        );
      }),
    );
    const fixed = Math.max(
      ...shifts.map(([entry, ...others]) => {
        const one = discreteGaussian({ sigma, sensitivity: entry! });
        return account(wasm, repeat(one, 2 * (1 + others.length)), options).delta(epsilon).upper;
      }),
    );
    for (const run of runs) {
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(fixed);
      expect(lower).toBeGreaterThan(fixed * 0.999);
      expect(upper).toBeGreaterThanOrEqual(adaptive * (1 - 1e-5));
      expect(upper).toBeLessThan(fixed * 1.1);
    }
  }
});

test('on a Poisson sample, both directions', () => {
  const [sigma, squared, dimension, rate] = [1, 4, 2, 0.2];
  const all = vectors(dimension, squared).map((shift) => outcomes(sigma, shift, 18));
  const release = discreteGaussianVector({ sigma, sensitivity: Math.sqrt(squared), dimension });
  for (const engine of ENGINES) {
    const { directions } = account(engine, poissonSubsampled(release, { rate }), options);
    expect(directions.length).toBe(2);
    for (const run of directions)
      for (const epsilon of [0, 0.2, 0.8, 1.5]) {
        const exact = Math.max(...all.map((each) => deltaOf(each, epsilon, rate, run.direction === 'add')));
        const { lower, upper } = run.logDelta(epsilon);
        expect(Math.exp(lower)).toBeLessThanOrEqual(exact * (1 + 1e-10) + 1e-14);
        expect(Math.exp(upper)).toBeGreaterThanOrEqual(exact * (1 - 1e-10));
        expect(exact < 1e-9 || upper - lower < 0.1).toBe(true);
      }
  }
});

test('one record replaced: changes that differ by two vectors, below twice the norm', () => {
  const [sigma, squared, dimension] = [2, 2, 2];
  const single = vectors(dimension, squared);
  const pairs = single.flatMap((a) => single.map((b) => a.map((s, i) => s - b[i]!)));
  const all = pairs.map((shift) => outcomes(sigma, shift, 30));
  const release = discreteGaussianVector({ sigma, sensitivity: Math.sqrt(squared), dimension });
  for (const engine of ENGINES)
    for (const epsilon of [0, 0.5, 1.5, 3]) {
      const exact = Math.max(...all.map((each) => deltaOf(each, epsilon)));
      const { lower, upper } = account(engine, release, { adjacency: 'replace-one' }).delta(epsilon);
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-11));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-11));
      expect(upper).toBeLessThan(exact * 1.05);
    }
});

test('one change that is the worst at every epsilon is its numbers, one by one, to the bit', () => {
  for (const [sensitivity, entries] of [
    [Math.SQRT2, 2],
    [Math.sqrt(3), 3],
  ] as const) {
    const together = account(wasm, discreteGaussianVector({ sigma: 3, sensitivity }), options);
    const apart = account(wasm, repeat(discreteGaussian({ sigma: 3, sensitivity: 1 }), entries), options);
    for (const epsilon of [0.1, 1, 3]) expect(together.logDelta(epsilon)).toEqual(apart.logDelta(epsilon));
  }
});

test('many changes that could be worst: zCDP from above, vectors that are admissible from below', () => {
  for (const given of [
    { sigma: 100, sensitivity: 100 },
    { sigma: 100, sensitivity: 100, dimension: 3 },
    { sigma: 500, sensitivity: 300.5, dimension: 7, sensitivityL1: 500 },
  ]) {
    for (const count of [1, 3]) {
      const run = account(wasm, repeat(discreteGaussianVector(given), count), options);
      const { lower, upper } = run.epsilon(1e-5);
      // discrete Gaussians of so much noise are as good as continuous ones
      const mu = (Math.sqrt(count) * given.sensitivity) / given.sigma;
      const gaussian = account(wasm, parseMechanism({ kind: 'gdp', mu }), options).epsilon(1e-5);
      expect(lower).toBeLessThan(gaussian.upper * (1 + 1e-5));
      expect(lower).toBeGreaterThan(gaussian.lower * 0.9);
      expect(upper).toBeGreaterThan(gaussian.lower);
      expect(upper).toBeLessThan(gaussian.upper * 1.15);
    }
  }
});

test('what is left out of a product is counted as giving all away', () => {
  const sigma = 1.5;
  const exact = outcomes(sigma, [2, 1], 25);
  const parts = [2, 1].map((entry) => ({ atoms: discreteGaussianAtoms(sigma, entry), count: 1 }));
  for (const logRare of [-3, -6, -12]) {
    const atoms = productAtoms(parts, 1 / (2 * sigma * sigma), { logRare })!;
    expect(atoms.beyond).toBeGreaterThan(0);
    const { forward, backward } = atomicPair(atoms);
    for (const epsilon of [-1, 0, 1, 3])
      for (const run of [forward, backward]) {
        const { lower, upper } = run.logDelta(epsilon);
        expect(Math.exp(lower)).toBeLessThanOrEqual(deltaOf(exact, epsilon) * (1 + 1e-12));
        expect(Math.exp(upper)).toBeGreaterThanOrEqual(deltaOf(exact, epsilon) * (1 - 1e-12));
      }
  }
});

test('an event of dp_accounting, alone, composed and with others', () => {
  const text = 'DiscreteGaussianDpEvent(sigma=4.0, sensitivity=3.0, dimension=2)';
  const given = { sigma: 4, sensitivity: 3, dimension: 2 };
  expect(recognise(text).mechanism).toEqual(discreteGaussianVector(given));
  expect(parseMechanism({ kind: 'discrete-gaussian-vector', ...given })).toEqual(
    discreteGaussianVector(given),
  );
  const both = recognise(`ComposedDpEvent([${text}, SelfComposedDpEvent(${text}, 2), LaplaceDpEvent(4.0)])`);
  const spelled: Mechanism = compose([
    repeat(discreteGaussianVector(given), 3),
    laplace({ scale: 4, sensitivity: 1 }),
  ]);
  expect({ ...account(wasm, both.mechanism, options).epsilon(1e-5) }).toEqual({
    ...account(wasm, spelled, options).epsilon(1e-5),
  });
});

test('numbers that are refused', () => {
  expect(() => discreteGaussianVector({ sigma: 1, sensitivity: 0.5 })).toThrow('"sensitivity"');
  expect(() => discreteGaussianVector({ sigma: 1, sensitivity: 2, dimension: 1.5 })).toThrow('"dimension"');
  expect(() => discreteGaussianVector({ sigma: 1, sensitivity: 2, sensitivityL1: 0 })).toThrow(
    '"sensitivityL1"',
  );
});

/** A replaced record moves each of two whole coordinates by 2 at most, as two vectors no longer than 1.5 are at most 1 there. */
test('on samples of a fixed size several steps lose no more than all coordinates at their most', () => {
  const vector = discreteGaussianVector({ sigma: 0.6, sensitivity: 1.5, dimension: 2 });
  const sampled = withoutReplacement(vector, { sampleSize: 9999, datasetSize: 10_000 });
  const run = account(wasm, repeat(sampled, 2), { adjacency: 'replace-one' });
  const apart = repeat(discreteGaussian({ sigma: 0.6, sensitivity: 2 }), 4);
  const ceiling = account(wasm, apart, { adjacency: 'add-remove' });
  for (const epsilon of [0.1, 4])
    expect(run.delta(epsilon).lower).toBeLessThanOrEqual(ceiling.delta(epsilon).upper);
});
