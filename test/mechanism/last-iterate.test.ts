import { describe, expect, test } from 'vitest';
import {
  account,
  type Bracket,
  contractionOf,
  type Gdp,
  gaussian,
  lastIterate,
  measure,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import { LAST_ITERATE_KIND } from '../../src/mechanism/kinds/last-iterate.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

type Options = Parameters<typeof lastIterate>[0];

function muOf(options: Options): Bracket {
  const mechanism = lastIterate(options);
  const [attained] = LAST_ITERATE_KIND.attacks!(mechanism, 'zero-out') as unknown as Gdp[];
  return { lower: attained!.mu, upper: LAST_ITERATE_KIND.gaussianMu!(mechanism) };
}

/** μ of x ← γ_k x + N(0, 1), the record adding 1 at every l-th step, `from` the first of them. */
function linearMu(factors: readonly number[], batches: number, from: number): number {
  let [mean, variance] = [0, 0];
  factors.forEach((factor, i) => {
    mean = factor * mean + (i % batches === from ? 1 : 0);
    variance = factor * factor * variance + 1;
  });
  return mean / Math.sqrt(variance);
}

/** The least Σ a² of shifts, by the greatest convex minorant of the points (Σ P⁻², Σ s/P). */
function byMinorant(batches: number, epochs: number, c: number): number {
  const points: [number, number][] = [[0, 0]];
  let [x, y, power] = [0, 0, 1];
  for (let k = 1; k <= batches * epochs; k++) {
    power *= c;
    x += power ** -2;
    y += k % batches === 0 ? 1 / power : 0;
    points.push([x, y]);
  }
  const hull: [number, number][] = [];
  const slope = ([a, b]: [number, number], [d, e]: [number, number]) => (e - b) / (d - a);
  for (const point of points) {
    while (hull.length > 1 && slope(hull.at(-2)!, hull.at(-1)!) >= slope(hull.at(-1)!, point)) hull.pop();
    hull.push(point);
  }
  let square = 0;
  for (let i = 1; i < hull.length; i++)
    square += (hull[i]![1] - hull[i - 1]![1]) ** 2 / (hull[i]![0] - hull[i - 1]![0]);
  return Math.sqrt(square);
}

describe('the last iterate of convex training', () => {
  test.each<[Options, number]>([
    [{ noiseMultiplier: 10, batches: 1, epochs: 10, contraction: 0.98 }, 0.315697082217606],
    [{ noiseMultiplier: 10, batches: 1, epochs: 100, contraction: 0.98 }, 0.8707237339805],
    [{ noiseMultiplier: 10, batches: 1, epochs: 1000, contraction: 0.98 }, 0.994987435432089],
    [{ noiseMultiplier: 1, batches: 100, epochs: 10, contraction: 1 }, 1.044030650891055],
    [{ noiseMultiplier: 1.5, batches: 40, epochs: 50, contraction: 0.9999 }, 0.9924913968982305],
    [{ noiseMultiplier: 1, batches: 100, epochs: 1000, contraction: 0.999 }, 1.0866913382726125],
  ])('values of the paper and of the general schedule: %o', (options, expected) => {
    const { lower, upper } = muOf(options);
    expect(lower).toBeLessThanOrEqual(expected * (1 + 1e-13));
    expect(upper).toBeGreaterThanOrEqual(expected * (1 - 1e-13));
    expect(upper - lower).toBeLessThan(1e-12);
  });

  test('the closed form is the least over all shifts', () => {
    for (const batches of [1, 2, 3, 7])
      for (const epochs of [1, 2, 5])
        for (const contraction of [0.5, 0.9, 0.99, 1]) {
          const { lower, upper } = muOf({ noiseMultiplier: 1, batches, epochs, contraction });
          const least = byMinorant(batches, epochs, contraction);
          expect(lower).toBeLessThanOrEqual(least * (1 + 1e-12));
          expect(upper).toBeGreaterThanOrEqual(least * (1 - 1e-12));
        }
  });

  test('no linear contractions lose more, whatever batch the record is in', () => {
    const random = seeded(4);
    for (let round = 0; round < 400; round++) {
      const [batches, epochs] = [1 + Math.floor(4 * random()), 1 + Math.floor(4 * random())];
      const contraction = random() < 0.3 ? 1 : 0.3 + 0.7 * random();
      const factors = Array.from({ length: batches * epochs }, () => contraction * random() ** 0.3);
      const { upper } = muOf({ noiseMultiplier: 1, batches, epochs, contraction });
      for (let from = 0; from < batches; from++)
        expect(linearMu(factors, batches, from)).toBeLessThanOrEqual(upper * (1 + 1e-13));
    }
  });

  test('linear contractions attain it', () => {
    for (const batches of [1, 2, 5])
      for (const epochs of [2, 3, 6])
        for (const c of [0.6, 0.95, 1]) {
          const { lower, upper } = muOf({ noiseMultiplier: 1, batches, epochs, contraction: c });
          const sum = (power: number, count: number) =>
            Array.from({ length: count }, (_, i) => c ** (power * (i + 1))).reduce((a, b) => a + b, 0);
          const last = batches === 1 ? c : (c * sum(batches, epochs - 1)) / sum(2, batches * (epochs - 1));
          const factors = Array.from({ length: batches * epochs }, (_, i) =>
            i === batches - 1 ? 0 : i === batches * epochs - 1 ? last : c,
          );
          const attained = linearMu(factors, batches, batches - 1);
          expect(attained).toBeGreaterThanOrEqual(lower * (1 - 1e-13));
          expect(attained).toBeLessThanOrEqual(upper * (1 + 1e-13));
        }
  });

  test('no contractions lose more: densities of random runs by quadrature', () => {
    const random = seeded(11);
    const [step, reach] = [0.05, 9];
    const size = Math.round((2 * reach) / step) + 1;
    const at = (i: number) => -reach + i * step;
    const normal = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    for (let round = 0; round < 12; round++) {
      const [batches, epochs] = [1 + Math.floor(3 * random()), 2];
      const c = random() < 0.5 ? 1 : 0.5 + 0.5 * random();
      // non-linear c-contractions, and projections on an interval
      const maps = Array.from({ length: batches * epochs }, () => {
        const [bend, shift] = [random(), 2 * random() - 1];
        return [
          (x: number) => c * x,
          (x: number) => c * (bend * x + (1 - bend) * Math.tanh(x + shift)),
          (x: number) => c * Math.max(-1, Math.min(1 + bend, x)),
          (x: number) => c * Math.sign(x) * Math.max(0, Math.abs(x) - bend),
        ][Math.floor(4 * random())]!;
      });
      const run = (moved: number): Float64Array => {
        let density: Float64Array | undefined;
        maps.forEach((map, k) => {
          const mean = (x: number) => map(x) + (k % batches === batches - 1 ? moved : 0);
          const next = new Float64Array(size);
          for (let j = 0; j < size; j++) {
            let sum = 0;
            if (density === undefined) sum = normal(at(j) - mean(0));
            else for (let i = 0; i < size; i++) sum += step * density[i]! * normal(at(j) - mean(at(i)));
            next[j] = sum;
          }
          density = next;
        });
        return density!;
      };
      // a record of either sign against none
      const [none, one] = [run(0), run(random() < 0.5 ? 1 : -1)];
      const { upper } = muOf({ noiseMultiplier: 1, batches, epochs, contraction: c });
      for (const epsilon of [0, 0.5, 1, 2]) {
        let [remove, add] = [0, 0];
        for (let i = 0; i < size; i++) {
          remove += step * Math.max(0, one[i]! - Math.exp(epsilon) * none[i]!);
          add += step * Math.max(0, none[i]! - Math.exp(epsilon) * one[i]!);
        }
        expect(Math.max(remove, add)).toBeLessThanOrEqual(deltaGdp(upper, epsilon) + 2e-5);
      }
    }
  });

  test('epsilon, one record replaced, and what is refused', () => {
    const options = { noiseMultiplier: 1, batches: 100, epochs: 10, contraction: 1 };
    const found = account(wasm, lastIterate(options), { adjacency: 'zero-out' }).epsilon(1e-5);
    expect(found.lower).toBeLessThanOrEqual(4.60142771682163);
    expect(found.upper).toBeGreaterThanOrEqual(4.60142771682163);
    expect(found.upper - found.lower).toBeLessThan(1e-11);
    const { mu } = measure(account(wasm, lastIterate(options), { adjacency: 'zero-out' }));
    expect(mu.lower).toBeLessThanOrEqual(muOf(options).upper);
    expect(mu.upper).toBeGreaterThanOrEqual(muOf(options).lower);
    expect(mu.upper - mu.lower).toBeLessThan(1e-8);
    const replaced = account(wasm, lastIterate(options), { adjacency: 'replace-one' }).epsilon(1e-5);
    const half = account(wasm, lastIterate({ ...options, noiseMultiplier: 0.5 }), { adjacency: 'zero-out' });
    expect(replaced.upper).toBeCloseTo(half.epsilon(1e-5).upper, 11);
    // every iterate published: 10 steps of a record
    const all = account(wasm, repeat(gaussian({ noiseMultiplier: 1 }), 10), { adjacency: 'zero-out' });
    expect(all.epsilon(1e-5).lower).toBeGreaterThan(17);
    expect(() => account(wasm, lastIterate(options), { adjacency: 'add-remove' })).toThrow(/adjacency/);
    expect(() =>
      account(wasm, poissonSubsampled(lastIterate(options), { rate: 0.1 }), { adjacency: 'zero-out' }),
    ).toThrow();
    expect(() => lastIterate({ ...options, contraction: 1.01 })).toThrow('contraction');
    expect(() => lastIterate({ ...options, epochs: 0 })).toThrow('epochs');
  });

  test('the factor of a step', () => {
    expect(contractionOf({ smoothness: 4, strongConvexity: 0.2, stepSize: 0.1 })).toBeCloseTo(0.98, 14);
    expect(contractionOf({ smoothness: 4, stepSize: 0.1 })).toBe(1);
    expect(contractionOf({ smoothness: 4, strongConvexity: 1, stepSize: 0.5 })).toBe(1);
    expect(() => contractionOf({ smoothness: 4, stepSize: 0.6 })).toThrow('stepSize');
    expect(() => contractionOf({ smoothness: 1, strongConvexity: 2, stepSize: 0.6 })).toThrow(
      'strongConvexity',
    );
    expect(() => contractionOf({ smoothness: 0, stepSize: 0.6 })).toThrow('smoothness');
  });
});
