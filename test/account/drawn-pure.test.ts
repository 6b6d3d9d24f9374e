import { expect, test } from 'vitest';
import {
  account,
  laplace,
  type Mechanism,
  pureDp,
  randomizedResponse,
  repeat,
  withoutReplacement,
} from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

function drawn(inner: Mechanism, share: number, count: number): Mechanism {
  const datasetSize = 1000;
  return repeat(
    withoutReplacement(inner as never, { sampleSize: Math.round(share * datasetSize), datasetSize }),
    count,
  );
}

/** Chances of some outputs where the record is not drawn, and where one of two records is. */
type Laws = readonly (readonly [none: number, first: number, second: number])[];

/** E[W(uq/p)] of a step on a share, p its law in one world and q in the other. */
function meanOf(laws: Laws, share: number, u: number, w: (u: number) => number): number {
  return laws.reduce((sum, [a, b, c]) => {
    const p = (1 - share) * a + share * b;
    return sum + p * w((u * ((1 - share) * a + share * c)) / p);
  }, 0);
}

/** Laws of which no two are more than ε apart: outputs with chances 1 and e^ε, and mixtures of them. */
function randomLaws(random: () => number, epsilon: number): Laws {
  for (;;) {
    const outputs = Array.from({ length: 3 + Math.floor(3 * random()) }, () => {
      const size = random();
      const inside = random() < 0.5;
      return [0, 1, 2].map(() =>
        inside ? size * Math.exp(epsilon * random()) : random() < 0.5 ? size : size * Math.exp(epsilon),
      ) as [number, number, number];
    });
    const sums = [0, 1, 2].map((i) => outputs.reduce((sum, output) => sum + output[i], 0));
    const laws = outputs.map(([a, b, c]) => [a / sums[0], b / sums[1], c / sums[2]] as const);
    const apart = laws.flatMap((law) => law.map((x) => Math.log(Math.max(...law) / x)));
    if (Math.max(...apart) <= epsilon) return laws;
  }
}

/** Each of the four worst steps. */
function worst(epsilon: number): Laws[] {
  const e = Math.exp(epsilon);
  const over = (laws: number[][]): Laws => {
    const sums = [0, 1, 2].map((i) => laws.reduce((sum, law) => sum + law[i], 0));
    return laws.map(([a, b, c]) => [a / sums[0], b / sums[1], c / sums[2]]);
  };
  return [
    over([
      [1, e, 1],
      [e, 1, e],
    ]),
    over([
      [1, 1, e],
      [e, e, 1],
    ]),
    over([
      [e, 1, 1],
      [1, e, 1],
      [1, 1, e],
    ]),
    over([
      [1, e, e],
      [e, 1, e],
      [e, e, 1],
    ]),
  ];
}

test.each([
  [0.5, 0.3],
  [2, 0.1],
  [1, 0.02],
])(
  'two steps: no three laws are worse than the programme says, and the four worst attain it: epsilon %d, share %d',
  (epsilon, share) => {
    const random = seeded(66);
    const run = account(wasm, drawn(pureDp({ epsilon }), share, 2), { adjacency: 'replace-one' });
    const all = worst(epsilon);
    const others = Array.from({ length: 300 }, () => randomLaws(random, epsilon));
    const first = (u: number): number => Math.max(0, u - 1);
    const of = (among: readonly Laws[], w: (u: number) => number) => (u: number) =>
      Math.max(...among.map((laws) => meanOf(laws, share, u, w)));
    const largest = 2 * Math.log1p(share * Math.expm1(epsilon));
    for (const part of [0, 0.2, 0.6]) {
      const at = part * largest;
      const { lower, upper } = run.delta(at);
      const deltaBy = (among: readonly Laws[]): number =>
        Math.exp(at) * of(among, of(among, first))(Math.exp(-at));
      const attained = deltaBy(all);
      expect(attained, `${at}`).toBeLessThanOrEqual(upper * (1 + 1e-9));
      expect(attained, `${at}`).toBeGreaterThanOrEqual(lower * (1 - 1e-9));
      expect(upper - lower).toBeLessThan(2e-3 * upper);
      expect(deltaBy(others), `${at}`).toBeLessThanOrEqual(attained * (1 + 1e-9));
    }
  },
);

// by a recursion of its own in numpy on meshes of two widths, extrapolated
test.each([
  [2, 0.1, 10, 3.64821, 1e-4],
  [2, 0.01, 100, 1.10272, 1e-4],
  [2, 0.01, 1000, 3.9709, 2e-3],
])(
  'values of an independent recursion lie in the bracket: epsilon %d, share %d, %d steps',
  (epsilon, share, count, exact, width) => {
    const [a, b] = [wasm, reference].map((engine) =>
      account(engine, drawn(pureDp({ epsilon }), share, count), { adjacency: 'replace-one' }).epsilon(1e-5),
    );
    expect(a).toEqual(b);
    expect(a.lower).toBeLessThan(exact);
    expect(a.upper).toBeGreaterThan(exact);
    expect(a.upper).toBeLessThan((1 + width) * a.lower);
  },
);

/** δ of several steps of a three-output law, by all paths. */
function deltaOf(laws: Laws, share: number, count: number, epsilon: number): number {
  let paths = new Map<string, readonly [p: number, q: number]>([['', [1, 1]]]);
  for (let k = 0; k < count; k++) {
    const next = new Map<string, readonly [number, number]>();
    for (const [key, [p, q]] of paths)
      laws.forEach(([a, b, c], i) => {
        const name = [...key, `${i}`].sort().join('');
        const [sumP, sumQ] = next.get(name) ?? [0, 0];
        next.set(name, [sumP + p * ((1 - share) * a + share * b), sumQ + q * ((1 - share) * a + share * c)]);
      });
    paths = next;
  }
  return [...paths.values()].reduce((sum, [p, q]) => sum + Math.max(0, p - Math.exp(epsilon) * q), 0);
}

test.each([3, 5])(
  'responses of %d answers attain both sides at once: three records with answers of their own',
  (categories) => {
    const [epsilon, share, count] = [1.2, 0.2, 6];
    const run = account(wasm, drawn(randomizedResponse({ epsilon, categories }), share, count), {
      adjacency: 'replace-one',
    });
    const unit = 1 / (Math.exp(epsilon) + categories - 1);
    const own = 1 - (categories - 1) * unit;
    const laws: Laws = Array.from({ length: categories }, (_, i) => [
      i === 0 ? own : unit,
      i === 1 ? own : unit,
      i === 2 ? own : unit,
    ]);
    for (const at of [0, 0.4, 0.9]) {
      const { lower, upper } = run.delta(at);
      const exact = deltaOf(laws, share, count, at);
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
      expect(upper).toBeLessThan(1.001 * lower);
    }
  },
);

test('responses of two answers and Laplace noise lie below what is pure, and brackets of extremes are in order', () => {
  const pure = account(wasm, drawn(pureDp({ epsilon: 1 }), 0.1, 20), { adjacency: 'replace-one' });
  for (const inner of [randomizedResponse({ epsilon: 1 }), laplace({ scale: 2, sensitivity: 1 })]) {
    const run = account(wasm, drawn(inner, 0.1, 20), { adjacency: 'replace-one' });
    expect(run.epsilon(1e-5).lower).toBeLessThan(pure.epsilon(1e-5).upper);
    expect(run.epsilon(1e-5).upper).toBeLessThan(pure.epsilon(1e-5).upper * (1 + 1e-4));
  }
  for (const [epsilon, share, count] of [
    [300, 0.5, 2],
    [1e-9, 0.001, 1e6],
    [50, 0.999, 3],
    [2, 0.01, 1e9],
  ]) {
    const run = account(wasm, drawn(pureDp({ epsilon }), share, count), { adjacency: 'replace-one' });
    const [found, zero] = [run.epsilon(1e-5), run.delta(0)];
    expect(found.lower).toBeLessThanOrEqual(found.upper);
    expect(zero.lower).toBeLessThanOrEqual(zero.upper);
  }
});
