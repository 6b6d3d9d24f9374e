import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  account,
  type ComposedRun,
  compose,
  dpSgd,
  gaussian,
  gaussianMixture,
  gdp,
  laplace,
  type Mechanism,
  measure,
  parseMechanism,
  poissonSubsampled,
  repeat,
  replacedGaussian,
} from '../../src/index.js';
import { NOTHING, type Side } from '../../src/law/mixture-side.js';
import { mixtureStep } from '../../src/methods/contour/kernel-step.js';
import { dpEventRun } from '../../src/read/dp-event.js';
import { epsilonOf } from '../../src/run/epsilon.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';
import { lawOfStep } from '../helpers/step-laws.js';
import { within } from '../helpers/stretches.js';

interface Golden {
  readonly points: { case: string; c: number; tau: number; logModulus: number; phase: number }[];
  readonly epsilons: { name: string; delta: number; direction: 'remove' | 'add'; epsilon: number }[];
}
const GOLDEN: Golden = JSON.parse(readFileSync('test/golden/sampling.json', 'utf8'));

const sideOf = (shift: number[], weight: number[]): Side => ({
  shift: Float64Array.from(shift),
  weight: Float64Array.from(weight),
});
const LAWS: Readonly<Record<string, readonly [Side, Side]>> = {
  two: [sideOf([0, 1], [0.9, 0.1]), NOTHING],
  'user-3': [sideOf([0, 0.5, 1, 1.5], [0.729, 0.243, 0.027, 0.001]), NOTHING],
  away: [sideOf([0.4, 2], [0.7, 0.3]), NOTHING],
  replaced: [sideOf([0, 1], [0.8, 0.2]), sideOf([0, 1], [0.8, 0.2])],
  'replaced-wide': [sideOf([0, 2.5], [0.97, 0.03]), sideOf([0, 2.5], [0.97, 0.03])],
};

describe('the transform of a mixture', () => {
  test.each(GOLDEN.points)('$case at $c + $tau i', ({ case: name, c, tau, logModulus, phase }) => {
    const law = lawOfStep(mixtureStep(...LAWS[name]));
    const { value, error } = law.cumulant(c);
    const size = Math.abs(tau);
    const line = law.line({ c, dTau: size, n: 2 });
    const [modulus, turn, doubt] =
      tau === 0
        ? [0, 0, 0]
        : [line!.logModulus[1], Math.sign(tau) * line!.phase[1], line!.error[1] + line!.quadrature[1]];
    expect((error + doubt) * Math.exp(modulus)).toBeLessThan(3e-11);
    expect(Math.abs(value + modulus - logModulus)).toBeLessThan(error + doubt + 1e-15);
    expect(Math.abs(Math.sin((turn - phase) / 2))).toBeLessThan(doubt + 1e-15);
    // what ends a line holds at this point
    if (tau === 0) return;
    const decay = law.decay(c);
    const far = decay.far!(Float64Array.of(size, 30));
    for (const bound of [within(decay, size, size), far[0], decay.beyond(size).log])
      expect(bound).toBeGreaterThan(modulus - 1e-11);
    expect(within(decay, size, size)).toBeLessThan(0);
    expect(far[1]).toBeLessThan(-0.3);
  });
});

const RUNS: Readonly<Record<string, readonly [Mechanism, 'add-remove' | 'replace-one']>> = {
  'user 2': [
    dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000, recordsPerPerson: 2 }),
    'add-remove',
  ],
  'user 8': [
    dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000, recordsPerPerson: 8 }),
    'add-remove',
  ],
  'replaced 1 .01 1000': [dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 }), 'replace-one'],
  'replaced 9.4 .32768 2000': [
    dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 }),
    'replace-one',
  ],
  event: [
    dpEventRun(
      'ComposedDpEvent([SelfComposedDpEvent(MixtureOfGaussiansDpEvent(1, [0, 1, 2], [.2, .6, .2]), 3), SelfComposedDpEvent(MixtureOfGaussiansDpEvent(2, [0, 2, 3], [.33, .34, .33]), 2)])',
    ).mechanism,
    'add-remove',
  ],
};
const runOf = (mechanism: Mechanism, adjacency: 'add-remove' | 'replace-one' = 'add-remove', engine = wasm) =>
  account(engine, mechanism, { adjacency });

describe('epsilon, by a contour that shares no code', () => {
  test.each(GOLDEN.epsilons)('$name, $direction', ({ name, delta, direction, epsilon }) => {
    const run = runOf(...RUNS[name]);
    expect(run.method).toBe('spectral');
    const one = run.directions[direction === 'remove' ? 0 : 1];
    const { lower, upper } = epsilonOf(one, Math.log(delta), 1e-9);
    // the other contour is good to some 1e-10
    expect(lower).toBeLessThan(epsilon * (1 + 3e-10));
    expect(upper).toBeGreaterThan(epsilon * (1 - 3e-10));
    expect(upper - lower).toBeLessThan(1e-8 * epsilon);
  });

  test('the worse direction, by one call of the kernel, and μ in its bracket by δ at many ε', () => {
    for (const name of Object.keys(RUNS)) {
      const known = GOLDEN.epsilons.filter((each) => each.name === name);
      const delta = known[0]!.delta;
      const worst = Math.max(...known.filter((each) => each.delta === delta).map(({ epsilon }) => epsilon));
      const [run, other] = [wasm, reference].map((engine) => runOf(...RUNS[name], engine));
      const { lower, upper } = run!.epsilon(delta);
      expect(lower).toBeLessThan(worst * (1 + 3e-10));
      expect(upper).toBeGreaterThan(worst * (1 - 3e-10));
      expect(upper - lower).toBeLessThan(1e-8 * worst);
      expect(other!.epsilon(delta)).toEqual(run!.epsilon(delta));
      // by both directions' own contours
      const ends = run!.directions.map((one) => one.logDelta(worst / 2, 1e-9));
      const { lower: least, upper: most } = run!.logDelta(worst / 2);
      expect(least).toBeLessThanOrEqual(Math.max(...ends.map((end) => end.upper)));
      expect(most).toBeGreaterThanOrEqual(Math.max(...ends.map((end) => end.lower)));
      const gaussianRun = account(wasm, gdp({ mu: measure(run!).mu.upper }));
      // thresholds at which both error rates are in the window of μ
      for (const x of [0, 0.1, 0.3, 0.5])
        expect(run!.logDelta(x).lower).toBeLessThanOrEqual(gaussianRun.logDelta(x).upper);
    }
  });

  test('as published, and in both engines', () => {
    const { upper } = runOf(...RUNS['event']).epsilon(1e-6);
    expect(Math.abs(upper - 17.193115)).toBeLessThan(1e-6);
    const other = runOf(...RUNS['event'], reference).epsilon(1e-6);
    expect(other).toOverlap(runOf(...RUNS['event']).epsilon(1e-6));
  });
});

const same = (a: ComposedRun, b: ComposedRun): void => {
  for (const epsilon of [-0.2, 0, 0.7, 3]) expect(a.logDelta(epsilon)).toEqual(b.logDelta(epsilon));
};

describe('what is something else by another name', () => {
  test('one record a person is DP-SGD, bit by bit', () => {
    const setting = { noiseMultiplier: 1.1, samplingRate: 0.02, steps: 200 };
    expect(dpSgd({ ...setting, recordsPerPerson: 1 })).toEqual(dpSgd(setting));
    const rate = 0.02;
    const mixture = gaussianMixture({
      noiseMultiplier: 1.1,
      sensitivities: [1, 0],
      probabilities: [rate, 1 - rate],
    });
    same(runOf(repeat(mixture, 200)), runOf(dpSgd(setting)));
  });

  test('at rate 1 all records of a person count', () => {
    const all = dpSgd({ noiseMultiplier: 6, samplingRate: 1, steps: 5, recordsPerPerson: 3 });
    same(runOf(all), runOf(repeat(gaussian({ noiseMultiplier: 2 }), 5)));
    const replaced = repeat(replacedGaussian({ noiseMultiplier: 6, rate: 1 }), 5);
    same(runOf(replaced, 'replace-one'), runOf(repeat(gaussian({ noiseMultiplier: 3 }), 5)));
  });

  test('a sample of a mixture is a mixture', () => {
    const inner = gaussianMixture({
      noiseMultiplier: 2,
      sensitivities: [0, 1, 3],
      probabilities: [0.5, 0.25, 0.25],
    });
    const outer = gaussianMixture({
      noiseMultiplier: 2,
      sensitivities: [0, 1, 3],
      probabilities: [0.75, 0.125, 0.125],
    });
    same(runOf(repeat(poissonSubsampled(inner, { rate: 0.5 }), 4)), runOf(repeat(outer, 4)));
  });

  test.each([
    [
      [0, 40],
      [1e-14, 1 - 1e-14],
    ],
    [
      [0, 20, 40],
      [3e-16, 0.5, 0.5],
    ],
    [
      [0, 20, 40],
      [1e-13, 0.25, 0.75 - 1e-13],
    ],
    [
      [0, 20, 40],
      [0.01, 0.25, 0.74],
    ],
  ])(
    'a rare part at 0 is what is stated, not what the others leave of 1: %j, %j',
    (sensitivities, probabilities) => {
      const mechanism = gaussianMixture({ noiseMultiplier: 1, sensitivities, probabilities });
      const [rest] = probabilities;
      const [direction] = account(wasm, mechanism, { adjacency: 'add-remove' }).directions.filter(
        (one) => one.direction === 'add',
      );
      // far parts tell all: δ(ε) is 1 − e^ε rest but for tails of 8 deviations
      for (const below of [0.1, 1, 3])
        expect(direction.logDelta(-Math.log(rest) - below)).toContainValue(Math.log1p(-Math.exp(-below)));
    },
  );

  test('parts of probability 0 and order do not matter', () => {
    const a = gaussianMixture({
      noiseMultiplier: 1,
      sensitivities: [2, 0, 1, 5],
      probabilities: [0.1, 0.5, 0.4, 0],
    });
    const b = gaussianMixture({
      noiseMultiplier: 1,
      sensitivities: [0, 1, 2],
      probabilities: [0.5, 0.4, 0.1],
    });
    expect(a).toEqual(b);
    const silent = gaussianMixture({ noiseMultiplier: 1, sensitivities: [0], probabilities: [1] });
    expect(runOf(silent).epsilon(1e-9).upper).toBe(0);
  });

  test('the grid and the contours agree, single steps and their closed form too', () => {
    const pairs: [Mechanism, 'add-remove' | 'replace-one'][] = [
      [dpSgd({ noiseMultiplier: 2, samplingRate: 0.2, steps: 20, recordsPerPerson: 3 }), 'add-remove'],
      [dpSgd({ noiseMultiplier: 2, samplingRate: 0.2, steps: 20 }), 'replace-one'],
    ];
    for (const [mechanism, adjacency] of pairs) {
      const [spectral, grid] = (['spectral', 'grid'] as const).map((method) =>
        account(wasm, mechanism, { adjacency, method, tolerance: 1e-3 }),
      );
      for (const epsilon of [-0.5, 0, 1, 4]) expect(spectral.delta(epsilon)).toOverlap(grid.delta(epsilon));
    }
    const once = replacedGaussian({ noiseMultiplier: 1.5, rate: 0.3 });
    const [closed, grid] = (['auto', 'grid'] as const).map((method) =>
      account(wasm, once, { adjacency: 'replace-one', method, tolerance: 1e-3 }),
    );
    for (const epsilon of [-0.5, 0, 0.3, 1]) expect(closed.delta(epsilon)).toOverlap(grid.delta(epsilon));
  });
});

/** H_γ of two densities on a plane or a line, by sums over a mesh: [P, Q] of each node with its volume. */
type Mixture = readonly { readonly at: readonly number[]; readonly weight: number }[];

function divergence(p: Mixture, q: Mixture, gamma: number, sigma: number, h: number): number {
  const dimension = p[0].at.length;
  const reach = 3 + 7 * sigma;
  const n = Math.ceil((2 * reach) / h);
  const density = (mixture: Mixture, x: readonly number[]): number =>
    mixture.reduce((sum, { at, weight }) => {
      const square = at.reduce((s, a, i) => s + (x[i] - a) ** 2, 0);
      return sum + weight * Math.exp(-square / (2 * sigma * sigma));
    }, 0);
  const norm = (h / (sigma * Math.sqrt(2 * Math.PI))) ** dimension;
  let sum = 0;
  for (let i = 0; i < n ** dimension; i++) {
    const x = Array.from({ length: dimension }, (_, d) => -reach + h * ((Math.floor(i / n ** d) % n) + 0.5));
    sum += Math.max(0, density(p, x) - gamma * density(q, x)) * norm;
  }
  return sum;
}

/** Every subset that Poisson sampling may draw, summed: one data set of vectors. */
function sampled(records: readonly (readonly number[])[], rate: number): Mixture {
  return Array.from({ length: 2 ** records.length }, (_, subset) => {
    const drawn = records.filter((__, i) => (subset >> i) & 1);
    return {
      at: records[0].map((__, d) => drawn.reduce((sum, record) => sum + record[d], 0)),
      weight: rate ** drawn.length * (1 - rate) ** (records.length - drawn.length),
    };
  });
}

const EPSILONS = [-1, -0.3, 0, 0.4, 1.2];

describe('all small data sets', () => {
  test('one record replaced, Poisson sample: none is worse than the pair, and one is as bad', () => {
    const values = [-1, -0.5, 0, 0.5, 1];
    const [sigma, rate, h] = [0.8, 0.3, 0.02];
    const { directions } = runOf(replacedGaussian({ noiseMultiplier: sigma, rate }), 'replace-one');
    for (const epsilon of EPSILONS) {
      const { lower, upper } = directions[0].logDelta(epsilon);
      let worst = 0;
      for (const a of values)
        for (const b of values)
          for (const [g, other] of [
            [1, -1],
            [1, 0],
            [0.5, -1],
            [-1, 1],
          ]) {
            const with_ = sampled([[g], [a], [b]], rate);
            const without = sampled([[other], [a], [b]], rate);
            worst = Math.max(worst, divergence(with_, without, Math.exp(epsilon), sigma, h));
          }
      expect(worst).toBeLessThan(Math.exp(upper) + 2e-5);
      expect(worst).toBeGreaterThan(Math.exp(lower) - 2e-5);
    }
  });

  test('a person of three records, on a line: both directions', () => {
    const values = [-1, -0.4, 0.5, 1];
    const [sigma, rate, h] = [1, 0.25, 0.03];
    const person = dpSgd({ noiseMultiplier: sigma, samplingRate: rate, steps: 1, recordsPerPerson: 3 });
    const [remove, add] = runOf(person).directions;
    for (const epsilon of EPSILONS) {
      let [removed, added] = [0, 0];
      for (const a of values)
        for (const b of values)
          for (const c of values) {
            const with_ = sampled([[0.7], [a], [b], [c]], rate);
            const without = sampled([[0.7]], rate);
            removed = Math.max(removed, divergence(with_, without, Math.exp(epsilon), sigma, h));
            added = Math.max(added, divergence(without, with_, Math.exp(epsilon), sigma, h));
          }
      expect(removed).toBeLessThan(Math.exp(remove.logDelta(epsilon).upper) + 2e-5);
      expect(added).toBeLessThan(Math.exp(add.logDelta(epsilon).upper) + 2e-5);
    }
    // attained by a data set of the person alone
    const alone = divergence(sampled([[1], [1], [1]], rate), sampled([[0]], rate), Math.exp(0.4), sigma, h);
    expect(Math.abs(alone - Math.exp(remove.logDelta(0.4).upper))).toBeLessThan(2e-5);
  });

  test('a person of three records, in the plane', () => {
    const random = seeded(16);
    const [sigma, rate, h] = [1, 0.4, 0.25];
    const person = dpSgd({ noiseMultiplier: sigma, samplingRate: rate, steps: 1, recordsPerPerson: 3 });
    const [remove, add] = runOf(person).directions;
    for (let i = 0; i < 20; i++) {
      const records = Array.from({ length: 3 }, () => {
        const angle = 2 * Math.PI * random();
        const size = Math.sqrt(random());
        return [size * Math.cos(angle), size * Math.sin(angle)];
      });
      const with_ = sampled(records, rate);
      const without = [{ at: [0, 0], weight: 1 }];
      for (const epsilon of [-0.3, 0.4]) {
        const [p, q] = [remove, add].map((one) => Math.exp(one.logDelta(epsilon).upper));
        expect(divergence(with_, without, Math.exp(epsilon), sigma, h)).toBeLessThan(p + 2e-4);
        expect(divergence(without, with_, Math.exp(epsilon), sigma, h)).toBeLessThan(q + 2e-4);
      }
    }
  });
});

describe('what is refused', () => {
  test.each<[object, string]>([
    [{ sensitivities: [0, 1], probabilities: [0.5, 0.4] }, '"probabilities" must be numbers with sum 1'],
    [{ sensitivities: [0, 1], probabilities: [1] }, '"probabilities" must be as many as sensitivities (2)'],
    [{ sensitivities: [-1, 1], probabilities: [0.5, 0.5] }, '"sensitivities[0]"'],
    [{ sensitivities: [0, 1], probabilities: [0.5, Number.NaN] }, '"probabilities[1]"'],
    [{ sensitivities: 1, probabilities: [1] }, '"sensitivities" must be an array'],
    [{ sensitivities: [], probabilities: [] }, '"sensitivities" must be an array of 1 to'],
  ])('%o', (fields, message) => {
    const options = { noiseMultiplier: 1, ...fields } as Parameters<typeof gaussianMixture>[0];
    expect(() => gaussianMixture(options)).toThrow(message);
  });

  test('people, adjacencies', () => {
    const setting = { noiseMultiplier: 1, samplingRate: 1e-5, steps: 10 };
    expect(() => dpSgd({ ...setting, recordsPerPerson: 100 })).toThrow('1e-290');
    expect(() => dpSgd({ ...setting, recordsPerPerson: 0 })).toThrow('"recordsPerPerson"');
    const person = dpSgd({ ...setting, recordsPerPerson: 2 });
    expect(() => runOf(person, 'replace-one')).toThrow('"adjacency" must be add-remove');
    expect(() => runOf(replacedGaussian({ noiseMultiplier: 1, rate: 0.1 }))).toThrow(
      '"adjacency" must be replace-one',
    );
    const noisy = poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 });
    expect(() => runOf(noisy, 'replace-one')).toThrow(
      'add-remove or zero-out for Poisson-subsampled steps that are not Gaussian',
    );
    const bare = compose([dpSgd({ noiseMultiplier: 0, samplingRate: 0.1, steps: 1 })]);
    expect(runOf(bare, 'replace-one').delta(5)).toContainValue(0.1);
  });

  test('JSON', () => {
    const json = { kind: 'dp-sgd', noiseMultiplier: 1, samplingRate: 0.01, steps: 10, recordsPerPerson: 2 };
    expect(parseMechanism(json).kind).toBe('repeat');
    expect(() => parseMechanism({ ...json, recordsPerPerson: 1.5 })).toThrow('"mechanism.recordsPerPerson"');
  });

  test('a tree is one Gaussian', () => {
    const { mechanism } = dpEventRun(
      'SingleEpochTreeAggregationDpEvent(noise_multiplier=1.0, step_counts=[7, 1000])',
    );
    const run = account(wasm, mechanism, { adjacency: 'zero-out' });
    expect(Math.abs(run.epsilon(1e-5).upper - 17.85658683)).toBeLessThan(1e-8);
  });
});
