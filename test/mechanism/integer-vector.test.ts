import { describe, expect, test } from 'vitest';
import {
  account,
  binomial,
  compose,
  discreteGaussian,
  joint,
  laplace,
  type Mechanism,
  parallel,
  poissonSubsampled,
  repeat,
  skellam,
  withoutReplacement,
} from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

type Adjacency = 'add-remove' | 'replace-one';
const of = (mechanism: Mechanism, adjacency: Adjacency = 'add-remove', engine = wasm) =>
  account(engine, mechanism, { adjacency });

/** Masses at −reach … reach from the middle. */
type Masses = ReadonlyMap<number, number>;

function coins(trials: number): Masses {
  let mass = 2 ** -trials;
  const found = new Map<number, number>();
  for (let j = 0; j <= trials; j++) {
    found.set(j - trials / 2, mass);
    mass *= (trials - j) / (j + 1);
  }
  return found;
}

function poissonDifference(variance: number): Masses {
  const poisson: number[] = [Math.exp(-variance / 2)];
  for (let j = 1; j < 80; j++) poisson.push((poisson[j - 1] * variance) / (2 * j));
  const found = new Map<number, number>();
  for (let i = 0; i < 80; i++)
    for (let j = 0; j < 80; j++) found.set(i - j, (found.get(i - j) ?? 0) + poisson[i] * poisson[j]);
  return found;
}

interface Limits {
  readonly dimension: number;
  readonly largest: number;
  readonly sum?: number;
  readonly norm?: number;
}

/** All whole vectors of the norms; entries fall, as neither signs nor order matter. */
function vectorsOf({ dimension, largest, sum = Infinity, norm = Infinity }: Limits): number[][] {
  const all: number[][] = [];
  const visit = (entries: number[]): void => {
    const l1 = entries.reduce((a, s) => a + s, 0);
    const l2 = Math.sqrt(entries.reduce((a, s) => a + s * s, 0));
    if (l1 > sum || l2 > norm * (1 + 1e-12)) return;
    if (entries.length === dimension) {
      all.push(entries);
      return;
    }
    for (let s = 0; s <= Math.min(largest, entries.at(-1) ?? Infinity); s++) visit([...entries, s]);
  };
  visit([]);
  return all.filter((entries) => entries.some((s) => s > 0));
}

/** Pairs of probabilities of all outcomes with and without the change. */
function outcomesOf(mass: Masses, change: readonly number[]): [p: number, q: number][] {
  let all: [number, number][] = [[1, 1]];
  for (const s of change.filter((entry) => entry > 0)) {
    const next: [number, number][] = [];
    const places = new Set([...mass.keys(), ...[...mass.keys()].map((x) => x + s)]);
    for (const x of places) {
      const [a, b] = [mass.get(x) ?? 0, mass.get(x - s) ?? 0];
      if (a < 1e-13 && b < 1e-13) continue;
      for (const [p, q] of all) next.push([p * a, q * b]);
    }
    all = next;
  }
  return all;
}

const deltaOf = (outcomes: readonly [number, number][], epsilon: number): number =>
  outcomes.reduce((sum, [p, q]) => sum + Math.max(0, q - Math.exp(epsilon) * p), 0);

const EPSILONS = [0, 0.25, 1, 2];
/** Of sums of doubles, and of what `outcomesOf` leaves out. */
const ERROR = 1e-9;

const CASES: readonly (readonly [Mechanism, Masses, Limits])[] = [
  [
    skellam({ variance: 3, sensitivity: 2, dimension: 3, sensitivityL2: 2.3 }),
    poissonDifference(3),
    { dimension: 3, largest: 2, norm: 2.3 },
  ],
  [
    skellam({ variance: 6, sensitivity: 3, dimension: 2, sensitivityL1: 4 }),
    poissonDifference(6),
    { dimension: 2, largest: 3, sum: 4 },
  ],
  [
    skellam({ variance: 2, sensitivity: 1, dimension: 3 }),
    poissonDifference(2),
    { dimension: 3, largest: 1 },
  ],
  [
    binomial({ trials: 24, sensitivity: 2, dimension: 3, sensitivityL2: 2.5, sensitivityL1: 4 }),
    coins(24),
    { dimension: 3, largest: 2, norm: 2.5, sum: 4 },
  ],
  [binomial({ trials: 15, sensitivity: 2, dimension: 2 }), coins(15), { dimension: 2, largest: 2 }],
  [
    binomial({ trials: 40, sensitivity: 4, dimension: 2, sensitivityL1: 5 }),
    coins(40),
    { dimension: 2, largest: 4, sum: 5 },
  ],
];

describe('vectors of binomial and Skellam noise', () => {
  test.each(CASES)('every change of the norms, listed: %o', (mechanism, mass, limits) => {
    const all = vectorsOf(limits).map((change) => outcomesOf(mass, change));
    for (const epsilon of EPSILONS) {
      const worst = Math.max(...all.map((outcomes) => deltaOf(outcomes, epsilon)));
      const { lower, upper } = of(mechanism).delta(epsilon);
      expect(lower).toBeLessThanOrEqual(worst + ERROR);
      expect(upper).toBeGreaterThanOrEqual(worst - ERROR);
      // one release: of the changes, not of the Gaussian
      expect(upper - lower).toBeLessThan(2e-3 * worst);
    }
  });

  test.each(CASES)('one record replaced, every difference of two changes: %o', (mechanism, mass, limits) => {
    // differences of vectors with signs
    const half = vectorsOf(limits);
    const signed = new Map<string, number[]>();
    const permuted = (entries: number[]): number[][] =>
      entries.length < 2
        ? [entries]
        : entries.flatMap((s, i) => permuted(entries.filter((_, j) => j !== i)).map((rest) => [s, ...rest]));
    const spread = half.flatMap((entries) =>
      permuted(entries).flatMap((order) =>
        order.reduce<number[][]>(
          (all, s) =>
            all.flatMap((own) => [
              [...own, s],
              [...own, -s],
            ]),
          [[]],
        ),
      ),
    );
    for (const a of half)
      for (const b of [...spread, a.map(() => 0)]) {
        const change = a.map((s, i) => Math.abs(s - b[i])).sort((x, y) => y - x);
        signed.set(change.join(), change);
      }
    const all = [...signed.values()].map((change) => outcomesOf(mass, change));
    for (const epsilon of EPSILONS) {
      const worst = Math.max(...all.map((outcomes) => deltaOf(outcomes, epsilon)));
      const { lower, upper } = of(mechanism, 'replace-one').delta(epsilon);
      expect(lower).toBeLessThanOrEqual(worst + ERROR);
      expect(upper).toBeGreaterThanOrEqual(worst - ERROR);
    }
  });

  test('on a Poisson sample, every change, both directions', () => {
    const [mass, rate] = [poissonDifference(3), 0.25];
    const vector = skellam({ variance: 3, sensitivity: 2, dimension: 3, sensitivityL2: 2.3 });
    const all = vectorsOf({ dimension: 3, largest: 2, norm: 2.3 }).flatMap((change) => {
      const outcomes = outcomesOf(mass, change).map(([p, q]): [number, number] => [
        p,
        (1 - rate) * p + rate * q,
      ]);
      return [outcomes, outcomes.map(([p, q]): [number, number] => [q, p])];
    });
    const run = of(poissonSubsampled(vector, { rate }));
    for (const epsilon of [0, 0.25, 0.7]) {
      const worst = Math.max(...all.map((outcomes) => deltaOf(outcomes, epsilon)));
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(worst + ERROR);
      expect(lower).toBeGreaterThan(0.97 * worst);
      expect(upper).toBeGreaterThanOrEqual(worst - ERROR);
    }
  });

  test('at epsilon 0 the Gaussian in place of the noise has the step of the middle', () => {
    for (const variance of [1, 3, 9]) {
      const vector = skellam({ variance, sensitivity: 1, sensitivityL1: 1 });
      const exact = 0.25 * (poissonDifference(variance).get(0) ?? 0);
      const { lower, upper } = of(poissonSubsampled(vector, { rate: 0.25 })).delta(0);
      expect(lower).toBeLessThanOrEqual(exact + 1e-15);
      expect(upper).toBeGreaterThanOrEqual(exact - 1e-15);
      expect(upper / lower).toBeLessThan(1.01);
    }
  });

  test('two vectors on one sample, every pair of changes', () => {
    const [mass, rate] = [coins(9), 0.25];
    const limits = { dimension: 2, largest: 2, sum: 3 };
    const vector = binomial({ trials: 9, sensitivity: 2, dimension: 2, sensitivityL1: 3 });
    const changes = vectorsOf(limits);
    const all = changes.flatMap((a) =>
      changes.map((b) =>
        outcomesOf(mass, [...a, ...b]).map(([p, q]): [number, number] => [p, (1 - rate) * p + rate * q]),
      ),
    );
    const run = of(poissonSubsampled(joint({ parts: [vector, vector] }), { rate }));
    for (const epsilon of [0, 0.25, 0.7]) {
      const worst = Math.max(...all.map((outcomes) => deltaOf(outcomes, epsilon)));
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(worst + ERROR);
      expect(upper).toBeGreaterThanOrEqual(worst - ERROR);
    }
  });

  test('outcomes of one world alone are charged', () => {
    // five coins and three numbers: what shows a change of two has 6/32 in each
    const vector = binomial({ trials: 5, sensitivity: 2, dimension: 3, sensitivityL1: 3 });
    const all = vectorsOf({ dimension: 3, largest: 2, sum: 3 }).map((change) =>
      change.reduce((hidden, s) => hidden * (1 - [0, 1 / 32, 6 / 32][s]), 1),
    );
    const shows = 1 - Math.min(...all);
    for (const run of [of(vector), of(poissonSubsampled(vector, { rate: 1 }))]) {
      expect(run.delta(Infinity).upper).toBeGreaterThanOrEqual(shows);
      expect(run.delta(Infinity).lower).toBeLessThanOrEqual(shows + 1e-12);
    }
  });

  test('noise that is not small: within a thousandth, however many changes could be the worst', () => {
    for (const mechanism of [
      skellam({ variance: 400, sensitivity: 20, sensitivityL2: 20, dimension: 1000 }),
      binomial({ trials: 80_000, sensitivity: 40, sensitivityL2: 40, dimension: 100 }),
      repeat(skellam({ variance: 1e6, sensitivity: 500, sensitivityL2: 500 }), 10),
    ]) {
      for (const engine of [wasm, reference]) {
        const { lower, upper } = of(mechanism, 'add-remove', engine).epsilon(1e-6);
        expect(upper).toBeGreaterThanOrEqual(lower);
        expect(upper / lower).toBeLessThan(1.001);
      }
    }
  });

  test('one change that is the worst is exact: its entries, one by one', () => {
    const pairs: [Mechanism, Mechanism][] = [
      [
        skellam({ variance: 9, sensitivity: 2, dimension: 7 }),
        repeat(skellam({ variance: 9, sensitivity: 2 }), 7),
      ],
      [
        binomial({ trials: 60, sensitivity: 1, dimension: 1e6, sensitivityL1: 3 }),
        repeat(binomial({ trials: 60, sensitivity: 1 }), 3),
      ],
      [
        compose([
          skellam({ variance: 9, sensitivity: 3, dimension: 4, sensitivityL2: 1 }),
          laplace({ scale: 2, sensitivity: 1 }),
        ]),
        compose([skellam({ variance: 9, sensitivity: 1 }), laplace({ scale: 2, sensitivity: 1 })]),
      ],
    ];
    for (const [vector, parts] of pairs)
      expect({ ...of(vector).epsilon(1e-6) }).toEqual({ ...of(parts).epsilon(1e-6) });
    const [vector, parts] = pairs[0];
    expect({ ...of(vector, 'replace-one').epsilon(1e-6) }).toEqual({
      ...of(parts, 'replace-one').epsilon(1e-6),
    });
  });

  test('on samples of a fixed size, and beside disjoint parts', () => {
    const vector = skellam({ variance: 9, sensitivity: 1, dimension: 2 });
    const sampled = of(withoutReplacement(vector, { sampleSize: 1, datasetSize: 1 }), 'replace-one').epsilon(
      1e-4,
    );
    const all = of(vector, 'replace-one').epsilon(1e-4);
    expect(sampled.lower).toBeLessThanOrEqual(all.upper);
    expect(sampled.upper).toBeGreaterThanOrEqual(all.lower);
    const beside = of(parallel({ parts: [vector, discreteGaussian({ sigma: 9, sensitivity: 1 })] }));
    expect({ ...beside.epsilon(1e-4) }).toEqual({ ...of(vector).epsilon(1e-4) });
  });

  test('numbers that are refused', () => {
    expect(() => skellam({ variance: 9, sensitivity: 1, dimension: 1.5 })).toThrow('"dimension"');
    expect(() => binomial({ trials: 9, sensitivity: 1, sensitivityL2: 0.5 })).toThrow('"sensitivityL2"');
    expect(() => binomial({ trials: 9, sensitivity: 1, sensitivityL1: 0 })).toThrow('"sensitivityL1"');
  });
});
