import { describe, expect, test } from 'vitest';
import {
  account,
  type Bracket,
  contractionOf,
  type Gdp,
  gaussian,
  type IteratePhases,
  iteratePhases,
  lastIterate,
  measure,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import { LAST_ITERATE_KIND } from '../../src/mechanism/kinds/last-iterate.js';
import { deltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

type Options = Parameters<typeof lastIterate>[0];

function muOf(options: Options): Bracket {
  const mechanism = lastIterate(options);
  const [attained] = LAST_ITERATE_KIND.attacks!(mechanism, 'zero-out') as unknown as Gdp[];
  return { lower: attained!.mu, upper: LAST_ITERATE_KIND.gaussianMu!(mechanism)! };
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

/** The least Σ a² of shifts, by the greatest convex minorant of the points (Σ P⁻², Σ s/P); the record's place in each epoch is its last unless given. */
function byMinorant(batches: number, epochs: number, c: number, places?: readonly number[]): number {
  const points: [number, number][] = [[0, 0]];
  let [x, y, power] = [0, 0, 1];
  for (let k = 1; k <= batches * epochs; k++) {
    power *= c;
    x += power ** -2;
    y += (k - 1) % batches === (places?.[Math.floor((k - 1) / batches)] ?? batches - 1) ? 1 / power : 0;
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

  test('logistic regression simulated a million times: no threshold tells more', () => {
    const random = seeded(2026);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const [count, epochs, sigma, step] = [1_000_000, 3, 1, 0.8];
    // batches of one record each: gradients of log(1 + e^{-yx}) have length 1 at most, and change no faster than 1/4
    const gradient = (x: number, y: number): number => -y / (1 + Math.exp(y * x));
    const last = (inside: boolean): number => {
      let x = 0;
      for (let e = 0; e < epochs; e++) {
        x -= step * (gradient(x, -1) + sigma * normal());
        x -= step * ((inside ? gradient(x, 1) : 0) + sigma * normal());
      }
      return x;
    };
    const worlds = [false, true].map((inside) => Float64Array.from({ length: count }, () => last(inside)));
    const options = {
      noiseMultiplier: sigma,
      batches: 2,
      epochs,
      contraction: contractionOf({ smoothness: 0.25, stepSize: step }),
    };
    const counts = (world: Float64Array, threshold: number): number => {
      let found = 0;
      for (let i = 0; i < count; i++) if (world[i]! > threshold) found++;
      return found;
    };
    const { upper } = muOf(options);
    let informative = 0;
    for (let threshold = -3; threshold <= 4; threshold += 0.25) {
      const [fpr, tpr] = worlds.map((world) => counts(world, threshold) / count);
      const least = Math.max(1e-9, fpr! - 4 * Math.sqrt((fpr! * (1 - fpr!)) / count));
      const best = normalCdf(normalQuantile(Math.min(1 - 1e-9, 2 * fpr! - least)) + upper);
      expect(tpr! - 4 * Math.sqrt((tpr! * (1 - tpr!)) / count)).toBeLessThanOrEqual(best);
      if (tpr! > fpr! + 0.05) informative++;
    }
    expect(informative).toBeGreaterThan(5);
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

  const SHUFFLED = { noiseMultiplier: 1, epochs: 10, contraction: 1, order: 'shuffled' } as const;
  const zeroOut = { adjacency: 'zero-out' } as const;

  test('shuffled epochs: the mean over the place in the last, of the least shifts of any other places', () => {
    for (const [batches, epochs, contraction] of [
      [2, 3, 0.9],
      [3, 3, 1],
      [4, 2, 0.97],
      [5, 2, 0.3],
      [3, 4, 0.8],
      [6, 1, 1],
      [300, 3, 0.999],
    ] as const) {
      const worst = Array.from({ length: batches }, (_, place) =>
        byMinorant(batches, epochs, contraction, [...Array<number>(epochs - 1).fill(batches - 1), place]),
      );
      if (batches < 10) {
        const visit = (places: number[]): void => {
          if (places.length === epochs)
            expect(byMinorant(batches, epochs, contraction, places)).toBeLessThanOrEqual(
              worst[places.at(-1)!]! * (1 + 1e-12),
            );
          else for (let place = 0; place < batches; place++) visit([...places, place]);
        };
        visit([]);
      }
      const run = account(wasm, lastIterate({ ...SHUFFLED, batches, epochs, contraction }), zeroOut);
      for (const epsilon of [0.2, 1, 2.5]) {
        const mean = worst.reduce((sum, mu) => sum + deltaGdp(mu, epsilon) / batches, 0);
        const { upper } = run.delta(epsilon);
        expect(upper).toBeGreaterThanOrEqual(mean * (1 - 1e-10));
        expect(upper).toBeLessThanOrEqual(mean * (batches < 10 ? 1 + 1e-9 : 1.03));
      }
    }
  });

  test('shuffled epochs: linear contractions lie between the ends, all orders of the batches enumerated', () => {
    const random = seeded(9);
    const [step, reach] = [0.01, 14];
    for (let round = 0; round < 40; round++) {
      const [batches, epochs] = [2 + (round % 3), 1 + (round % 2)];
      const c = round % 3 === 0 ? 1 : 0.4 + 0.6 * random();
      const factors = Array.from({ length: batches * epochs }, () =>
        round % 4 === 1 ? c : c * random() ** 0.2,
      );
      // the record's place in each epoch, all as probable
      const means: number[] = [];
      let variance = 0;
      for (const factor of factors) variance = factor * factor * variance + 1;
      const visit = (places: number[]): void => {
        if (places.length < epochs) for (let p = 0; p < batches; p++) visit([...places, p]);
        else {
          let mean = 0;
          factors.forEach((factor, i) => {
            mean = factor * mean + (i % batches === places[Math.floor(i / batches)] ? 1 : 0);
          });
          means.push(mean);
        }
      };
      visit([]);
      const run = account(wasm, lastIterate({ ...SHUFFLED, batches, epochs, contraction: c }), zeroOut);
      for (const epsilon of [0.1, 0.6, 1.5]) {
        let [remove, add] = [0, 0];
        for (let x = -reach; x <= reach; x += step) {
          const density = (mean: number): number =>
            (Math.exp(-((x - mean) ** 2) / (2 * variance)) * step) / Math.sqrt(2 * Math.PI * variance);
          const within = means.reduce((sum, mean) => sum + density(mean), 0) / means.length;
          remove += Math.max(0, within - Math.exp(epsilon) * density(0));
          add += Math.max(0, density(0) - Math.exp(epsilon) * within);
        }
        const found = Math.max(remove, add);
        const { lower, upper } = run.delta(epsilon);
        expect(found).toBeLessThanOrEqual(upper + 1e-5);
        // maps that bring points together by c at every step lose at least the lower end's sum
        if (round % 4 === 1) {
          const [ofSum] = LAST_ITERATE_KIND.attacks!(
            lastIterate({ ...SHUFFLED, batches, epochs, contraction: c }),
            'zero-out',
          ) as unknown as Gdp[];
          expect(found).toBeGreaterThanOrEqual(deltaGdp(ofSum!.mu, epsilon) - 1e-5);
        }
        expect(lower).toBeLessThanOrEqual(upper);
      }
    }
  });

  test('shuffled epochs: values known, one record replaced, one batch, and what is refused', () => {
    const at = (options: Options, adjacency: 'zero-out' | 'replace-one' = 'zero-out') =>
      account(wasm, lastIterate(options), { adjacency }).epsilon(1e-5);
    for (const [batches, expected] of [
      [100, 3.3129117],
      [1000, 2.3444488],
    ] as const) {
      const { lower, upper } = at({ ...SHUFFLED, batches });
      expect(Math.abs(upper - expected)).toBeLessThan(1e-7 * (batches === 100 ? 1 : 2));
      expect(lower).toBeGreaterThan(0);
    }
    // the sum of what the record adds is a Gaussian of sqrt(epochs/batches)
    expect(at({ ...SHUFFLED, batches: 10 }).lower).toBeGreaterThan(4.37);
    const replaced = at({ ...SHUFFLED, batches: 100 }, 'replace-one');
    expect(replaced.upper).toBeCloseTo(at({ ...SHUFFLED, batches: 100, noiseMultiplier: 0.5 }).upper, 8);
    expect(replaced.lower).toBeGreaterThan(at({ ...SHUFFLED, batches: 100 }).lower);
    const { order: _, ...fixed } = SHUFFLED;
    expect(at({ ...SHUFFLED, batches: 1 })).toEqual(at({ ...fixed, batches: 1 }));
    expect(at({ ...SHUFFLED, batches: 7 }).upper).toBeLessThan(at({ ...fixed, batches: 7 }).lower);
    expect(() => lastIterate({ ...SHUFFLED, batches: 7, noiseMultiplier: 1e-5 })).toThrow('noiseMultiplier');
    expect(() => lastIterate({ ...fixed, batches: 7, order: 'random' as never })).toThrow('order');
  });

  test('phases: no linear contractions lose more, some lose as much, and equal phases are one run', () => {
    const random = seeded(21);
    const muOfPhases = (options: IteratePhases): number => 1 / iteratePhases(options).noiseMultiplier;
    for (let round = 0; round < 60; round++) {
      const batches = 1 + Math.floor(3 * random());
      const phases = Array.from({ length: 1 + (round % 3) }, () => ({
        noiseMultiplier: 0.5 + 2 * random(),
        stepSize: 0.2 + random(),
        epochs: 1 + Math.floor(3 * random()),
        contraction: random() < 0.3 ? 1 : 0.5 + 0.5 * random(),
      }));
      const upper = muOfPhases({ batches, phases });
      const steps = phases.flatMap((phase) => Array<typeof phase>(batches * phase.epochs).fill(phase));
      const losing = (factors: readonly number[], from: number): number => {
        let [mean, variance] = [0, 0];
        for (const [k, { stepSize, noiseMultiplier }] of steps.entries()) {
          mean = factors[k]! * mean + (k % batches === from ? stepSize : 0);
          variance = factors[k]! ** 2 * variance + (stepSize * noiseMultiplier) ** 2;
        }
        return mean / Math.sqrt(variance);
      };
      // coordinates one by one: the most that linear steps lose
      const factors = steps.map(({ contraction }, k) => (k < batches ? 0 : contraction));
      let most = losing(factors, batches - 1);
      for (let pass = 0; pass < 60; pass++)
        for (let k = 0; k < factors.length; k++) {
          const kept = factors[k]!;
          factors[k] = steps[k]!.contraction * (pass % 3 === 0 ? 1 : random());
          const found = losing(factors, batches - 1);
          for (let from = 0; from < batches; from++)
            expect(losing(factors, from)).toBeLessThanOrEqual(upper * (1 + 1e-11));
          if (found > most) most = found;
          else factors[k] = kept;
        }
      expect(most).toBeGreaterThan(upper * 0.97);
    }
    const phase = { noiseMultiplier: 1.5, stepSize: 0.7, epochs: 5, contraction: 0.99 };
    const { stepSize: _, ...options } = { ...phase, epochs: 10 };
    for (const batches of [1, 40]) {
      const { upper } = muOf({ ...options, batches });
      expect(muOfPhases({ batches, phases: [phase, phase] }) / upper).toBeCloseTo(1, 10);
    }
    expect(() => iteratePhases({ batches: 0, phases: [phase] })).toThrow('batches');
    expect(() => iteratePhases({ batches: 2, phases: [{ ...phase, contraction: 2 }] })).toThrow(
      'contraction',
    );
    expect(() => iteratePhases({ batches: 2, phases: [{ ...phase, epochs: 2e6 }] })).toThrow('epochs');
  });

  test('phases: one epoch of one batch is the Gaussian step, and unknown names of a phase are refused', () => {
    const phase = { noiseMultiplier: 1, stepSize: 1, epochs: 1, contraction: 1 };
    for (const [epochs, noiseMultiplier] of [
      [1, 1],
      [1e6, 1e-3],
    ] as const) {
      const fit = iteratePhases({ batches: 1, phases: [{ ...phase, epochs }] });
      const run = account(wasm, fit, { adjacency: 'zero-out' });
      const told = run.epsilon(1e-6);
      const exact = account(wasm, gaussian({ noiseMultiplier }), { adjacency: 'zero-out' }).epsilon(1e-6);
      expect(told.lower).toBeLessThanOrEqual(exact.upper);
      expect(told.upper).toBeGreaterThanOrEqual(exact.lower);
      expect(told.upper - told.lower).toBeLessThan(1e-7 * told.upper);
      const { mu } = measure(run);
      expect(mu.lower).toBeLessThanOrEqual(1 / noiseMultiplier);
      expect(mu.upper).toBeGreaterThanOrEqual(1 / noiseMultiplier);
    }
    expect(() => iteratePhases({ batches: 1, phases: [{ ...phase, contracton: 0.5 } as never] })).toThrow(
      'contracton',
    );
    expect(() => iteratePhases({ batches: 1, phases: [3 as never] })).toThrow('an object');
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

test.each([1e-6, 1e-17, 1e-170, 5e-324])('a contraction of %d keeps its digits', (contraction) => {
  const squares = [1, 2].map((batches) => {
    const fit = lastIterate({ noiseMultiplier: 1, batches, epochs: 2, contraction });
    const { mu } = measure(account(wasm, fit, { adjacency: 'zero-out' }));
    return { lower: mu.lower ** 2, upper: mu.upper ** 2 };
  });
  // one batch: (1 + c)²/(1 + c²); two: 1 + c⁴/(c² + c⁴)
  const c = contraction;
  const exact = [(1 + c) ** 2 / (1 + c * c), 1 + (c * c) / (1 + c * c)];
  squares.forEach(({ lower, upper }, i) => {
    expect(lower).toBeLessThanOrEqual(exact[i]! * (1 + 1e-15));
    expect(upper).toBeGreaterThanOrEqual(exact[i]! * (1 - 1e-15));
    expect(upper - lower).toBeLessThan(1e-11);
  });
});
