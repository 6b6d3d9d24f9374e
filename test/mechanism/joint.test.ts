import { describe, expect, test } from 'vitest';
import { calibrate } from '../../src/calibrate/calibrate.js';
import { unknownIn } from '../../src/calibrate/unknown.js';
import {
  account,
  approximateDp,
  boundedRange,
  compose,
  discreteGaussian,
  discreteLaplace,
  gaussian,
  gaussianMixture,
  gdp,
  joint,
  laplace,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  randomizedResponse,
  repeat,
  withoutReplacement,
  zcdp,
} from '../../src/index.js';
import { atomicPair } from '../../src/law/atomic-pair.js';
import { meshedAbove, meshedBelow, splitAtoms } from '../../src/law/meshed-atoms.js';
import { atomsOf, type ExponentialPair, type GaussianPair } from '../../src/law/pair.js';
import { productAtoms } from '../../src/law/product-atoms.js';
import { type Basic, pairOf } from '../../src/mechanism/pairs.js';
import { Allowance } from '../../src/numeric/meter.js';
import { recognise } from '../../src/read/index.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

const ENGINES = [wasm, reference];
const options = { adjacency: 'add-remove' } as const;
const EPSILONS = [0, 0.1, 0.4, 0.9, 2];

/** ∫ (q − t p)⁺ of Laplace noise whose loss is at most `most`. */
function laplaceAbove(most: number, t: number): number {
  if (t <= Math.exp(-most)) return 1 - t;
  return t >= Math.exp(most) ? 0 : 1 - Math.exp((Math.log(t) - most) / 2);
}

/** δ(ε) of one sampled release whose outputs come with ratio a, and then one with Laplace noise, given a. */
function givenRatio(a: number, most: number, rate: number, epsilon: number, adds: boolean): number {
  const factor = Math.exp(epsilon);
  if (!adds) {
    const t = (factor - 1 + rate) / (rate * a);
    // below 0 there is no output that counts for less than nothing
    return rate * a * (t > 0 ? laplaceAbove(most, t) : 1 - t);
  }
  const left = 1 - factor * (1 - rate);
  return left > 0 ? left * laplaceAbove(most, (factor * rate * a) / left) : 0;
}

/** δ(ε) of Gaussian noise σ and Laplace noise of ε₀ on one sample, integrated over the first. */
function gaussianAndLaplace(
  sigma: number,
  most: number,
  rate: number,
  epsilon: number,
  adds: boolean,
): number {
  const h = 5e-4;
  let sum = 0;
  for (let x = -9; x < 12; x += h) {
    const density = Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI);
    const ratio = Math.exp(x / sigma - 0.5 / sigma ** 2);
    sum += h * density * givenRatio(ratio, most, rate, epsilon, adds);
  }
  return sum;
}

/** δ(ε) of two Laplace releases on one sample. */
function twoLaplaces(first: number, second: number, rate: number, epsilon: number, adds: boolean): number {
  const given = (y: number) => givenRatio(Math.exp(y), second, rate, epsilon, adds);
  const n = 40000;
  const h = (2 * first) / n;
  let sum = 0.5 * given(-first) + 0.5 * Math.exp(-first) * given(first);
  for (let i = 0; i < n; i++) {
    const y = -first + h * (i + 0.5);
    sum += h * 0.25 * Math.exp(-first / 2 - y / 2) * given(y);
  }
  return sum;
}

/** Both ends of both directions are on their sides of what was integrated, and close to it. */
function expectBrackets(
  mechanism: Mechanism,
  exact: (epsilon: number, adds: boolean) => number,
  { error, width }: { error: number; width: number },
): void {
  for (const engine of ENGINES) {
    const { directions } = account(engine, mechanism, options);
    expect(directions.map(({ direction }) => direction).sort()).toEqual(['add', 'remove']);
    for (const run of directions)
      for (const epsilon of EPSILONS) {
        const found = exact(epsilon, run.direction === 'add');
        const { lower, upper } = run.logDelta(epsilon);
        expect(Math.exp(lower)).toBeLessThanOrEqual(found * (1 + error) + 1e-12);
        expect(Math.exp(upper)).toBeGreaterThanOrEqual(found * (1 - error) - 1e-12);
        expect(Math.exp(upper) - Math.exp(lower)).toBeLessThan(width * Math.exp(upper) + 1e-12);
      }
  }
}

test.each([
  { sigma: 1, most: 1, rate: 0.1 },
  { sigma: 0.6, most: 0.3, rate: 0.4 },
  { sigma: 4, most: 3, rate: 0.01 },
])('Gaussian and Laplace noise on one sample, integrated: $sigma, $most, $rate', ({ sigma, most, rate }) => {
  const both = joint({
    parts: [gaussian({ noiseMultiplier: sigma }), laplace({ scale: 1, sensitivity: most })],
  });
  expectBrackets(
    poissonSubsampled(both, { rate }),
    (epsilon, adds) => gaussianAndLaplace(sigma, most, rate, epsilon, adds),
    { error: 1e-5, width: 1e-3 },
  );
});

test.each([
  { first: 1, second: 0.6, rate: 0.2 },
  { first: 0.5, second: 0.5, rate: 0.05 },
])('two Laplace releases on one sample, integrated: $first, $second, $rate', ({ first, second, rate }) => {
  const parts = [first, second].map((sensitivity) => laplace({ scale: 1, sensitivity }));
  expectBrackets(
    poissonSubsampled(joint({ parts }), { rate }),
    (epsilon, adds) => twoLaplaces(first, second, rate, epsilon, adds),
    { error: 1e-5, width: 1e-3 },
  );
});

type Law = readonly (readonly [p: number, q: number])[];

/** Outputs of discrete noise about 0 and about `shift`. */
function outputs(weight: (k: number) => number, shift: number, reach: number): Law {
  const all = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  const total = all.reduce((sum, k) => sum + weight(k), 0);
  return all.map((k) => [weight(k) / total, weight(k - shift) / total]);
}

const response = (epsilon: number): Law => {
  const yes = Math.exp(epsilon) / (1 + Math.exp(epsilon));
  return [
    [yes, 1 - yes],
    [1 - yes, yes],
  ];
};
const geometric = (scale: number, shift: number) =>
  outputs((k) => Math.exp(-Math.abs(k) / scale), shift, 40 * scale);
const normal = (sigma: number, shift: number) =>
  outputs((k) => Math.exp(-(k * k) / (2 * sigma * sigma)), shift, 20 * sigma);

const times = (a: Law, b: Law): Law => a.flatMap(([p, q]) => b.map(([r, s]) => [p * r, q * s] as const));
const sampledLaw = (law: Law, rate: number): Law =>
  law.map(([p, q]) => [p, (1 - rate) * p + rate * q] as const);
const deltaOf = (law: Law, epsilon: number, adds: boolean) =>
  law.reduce(
    (sum, [p, q]) => sum + Math.max(0, adds ? p - Math.exp(epsilon) * q : q - Math.exp(epsilon) * p),
    0,
  );

const dl = discreteLaplace({ scale: 3, sensitivity: 2 });
const dg = discreteGaussian({ sigma: 2, sensitivity: 1 });
const rr = randomizedResponse({ epsilon: 1 });

test.each<[string, readonly Mechanism[], Law]>([
  ['off any lattice', [dl, rr], times(geometric(3, 2), response(1))],
  [
    'on one lattice',
    [dg, discreteLaplace({ scale: 8, sensitivity: 1 })],
    times(normal(2, 1), geometric(8, 1)),
  ],
  [
    'several of one kind',
    [repeat(rr, 3), dl],
    times(times(response(1), response(1)), times(response(1), geometric(3, 2))),
  ],
])('finitely many losses on one sample, every output listed: %s', (_, parts, law) => {
  for (const rate of [0.1, 0.6]) {
    const drawn = sampledLaw(law, rate);
    expectBrackets(
      poissonSubsampled(joint({ parts }), { rate }),
      (epsilon, adds) => deltaOf(drawn, epsilon, adds),
      {
        error: 1e-9,
        width: 1e-8,
      },
    );
  }
});

test('two steps, each with two releases on its sample', () => {
  const rate = 0.3;
  const drawn = sampledLaw(times(response(1), response(0.4)), rate);
  const parts = [rr, randomizedResponse({ epsilon: 0.4 })];
  expectBrackets(
    repeat(poissonSubsampled(joint({ parts }), { rate }), 2),
    (epsilon, adds) => deltaOf(times(drawn, drawn), epsilon, adds),
    { error: 1e-10, width: 1e-9 },
  );
});

test('without replacement, one record replaced: twice the sensitivities', () => {
  const law = sampledLaw(times(normal(2, 2), geometric(8, 2)), 0.25);
  const parts = [dg, discreteLaplace({ scale: 8, sensitivity: 1 })];
  const step = withoutReplacement(joint({ parts }), { sampleSize: 10, datasetSize: 40 });
  for (const engine of ENGINES)
    for (const epsilon of [0, 0.1, 0.5, 1]) {
      const { lower, upper } = account(engine, step, { adjacency: 'replace-one' }).delta(epsilon);
      const exact = deltaOf(law, epsilon, false);
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-10));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-10));
      expect(upper - lower).toBeLessThan(1e-8 * upper);
    }
});

test('twenty steps of noise of two kinds agree with simulated outputs', () => {
  const [sigma, rate, steps] = [1.5, 0.1, 20];
  const both = joint({
    parts: [gaussian({ noiseMultiplier: sigma }), laplace({ scale: 2, sensitivity: 1 })],
  });
  const [remove] = account(wasm, repeat(poissonSubsampled(both, { rate }), steps), options).directions;
  expect(remove!.direction).toBe('remove');
  const random = seeded(5);
  const runs = 60_000;
  const losses = new Float64Array(runs);
  for (let i = 0; i < runs; i++) {
    for (let step = 0; step < steps; step++) {
      const drawn = random() < rate ? 1 : 0;
      const x = drawn + sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
      const z = drawn + (random() < 0.5 ? -2 : 2) * Math.log(1 - random());
      const loss = (x - 0.5) / sigma ** 2 + (Math.abs(z) - Math.abs(z - 1)) / 2;
      losses[i]! += Math.log(1 - rate + rate * Math.exp(loss));
    }
  }
  for (const epsilon of [0, 0.5, 1.5]) {
    const each = losses.map((loss) => Math.max(0, 1 - Math.exp(epsilon - loss)));
    const mean = each.reduce((sum, x) => sum + x, 0) / runs;
    const deviation = Math.sqrt(each.reduce((sum, x) => sum + (x - mean) ** 2, 0)) / runs;
    const { lower, upper } = remove!.logDelta(epsilon);
    expect(Math.exp(upper)).toBeGreaterThan(mean - 4.5 * deviation);
    expect(Math.exp(lower)).toBeLessThan(mean + 4.5 * deviation);
    expect(upper - lower).toBeLessThan(1e-3);
  }
});

describe('meshes too coarse for use', () => {
  const pairs: [string, Basic][] = [
    ['gaussian', gdp({ mu: 1 })],
    ['little noise', gdp({ mu: 4 })],
    ['laplace', laplace({ scale: 1, sensitivity: 1.3 })],
    ['bounded range', boundedRange({ epsilon: 2 })],
  ];
  test.each(pairs)('ends of cells dominate, cells are dominated: %s', (_, mechanism) => {
    const pair = pairOf(mechanism) as GaussianPair | ExponentialPair;
    for (const step of [0.9, 0.25, 0.01]) {
      const above = atomicPair(meshedAbove(pair, step));
      const told = [{ atoms: meshedBelow(pair, step), count: 1 }];
      const below = atomicPair(productAtoms(told, step, { merged: true })!);
      for (const side of ['forward', 'backward'] as const)
        for (const epsilon of [-2, -0.3, 0, 0.2, 0.77, 1.2, 3]) {
          const exact = pair[side].logDelta(epsilon);
          expect(above[side].logDelta(epsilon).upper).toBeGreaterThanOrEqual(exact.lower);
          expect(below[side].logDelta(epsilon).lower).toBeLessThanOrEqual(exact.upper);
          if (step === 0.01 && exact.lower > -3) {
            expect(above[side].logDelta(epsilon).upper).toBeLessThan(exact.upper + 1e-3);
            expect(below[side].logDelta(epsilon).lower).toBeGreaterThan(exact.lower - 1e-3);
          }
        }
    }
  });

  test('atoms are split between the multiples next to them', () => {
    for (const mechanism of [dl, rr, approximateDp({ epsilon: 0.7, delta: 0.01 })]) {
      const pair = pairOf(mechanism);
      for (const step of [0.9, 0.25, 0.01]) {
        const split = atomicPair(splitAtoms(atomsOf(pair)!, step));
        for (const side of ['forward', 'backward'] as const)
          for (const epsilon of [-0.5, 0, 0.1, 0.5, 0.9]) {
            const exact = pair[side].logDelta(epsilon);
            expect(split[side].logDelta(epsilon).upper).toBeGreaterThanOrEqual(exact.lower);
            if (step === 0.01)
              expect(split[side].logDelta(epsilon).upper).toBeLessThanOrEqual(exact.upper + 0.02);
          }
      }
    }
  });
});

test('on all records it is a composition, on a sample it has no order: to the bit', () => {
  const parts = [gaussian({ noiseMultiplier: 2 }), laplace({ scale: 3, sensitivity: 1 }), repeat(rr, 2)];
  const answer = (mechanism: Mechanism) => ({ ...account(wasm, mechanism, options).epsilon(1e-5) });
  expect(answer(joint({ parts }))).toEqual(answer(compose(parts)));
  const nested = joint({ parts: [rr, compose([parts[1]!, joint({ parts: [rr, parts[0]!] })])] });
  const drawn = (one: Basic) => poissonSubsampled(one, { rate: 0.1 });
  expect(answer(drawn(nested))).toEqual(answer(drawn(joint({ parts }))));
  expect(answer(drawn(joint({ parts: [rr] })))).toEqual(answer(drawn(rr)));
});

test('Gaussians on one sample are one, under every adjacency it has', () => {
  const two = joint({ parts: [gaussian({ noiseMultiplier: 1 }), gaussian({ noiseMultiplier: 2 })] });
  const one = gaussian({ noiseMultiplier: 1 / Math.sqrt(1 + 1 / 4) });
  for (const adjacency of ['add-remove', 'zero-out', 'replace-one'] as const) {
    const [together, single] = [two, one].map((each) =>
      account(wasm, repeat(poissonSubsampled(each, { rate: 0.1 }), 9), { adjacency }).epsilon(1e-5),
    );
    expect({ ...together! }).toEqual({ ...single! });
  }
  const mixed = poissonSubsampled(joint({ parts: [one, rr] }), { rate: 0.1 });
  expect(() => account(wasm, mixed, { adjacency: 'replace-one' })).toThrow('"adjacency" must be add-remove');
});

test('a guarantee among the parts: from below what meets it', () => {
  const [rho, rate] = [0.1, 0.2];
  const noise = laplace({ scale: 2, sensitivity: 1 });
  const ask = (part: Basic) =>
    account(wasm, poissonSubsampled(joint({ parts: [noise, part] }), { rate }), options).epsilon(1e-4);
  const [stated, met] = [ask(zcdp({ rho })), ask(gdp({ mu: Math.sqrt(2 * rho) }))];
  expect(stated.lower).toBeLessThanOrEqual(met.upper);
  expect(stated.lower).toBeGreaterThan(met.lower * 0.999);
  expect(stated.upper).toBeGreaterThan(met.upper);
  expect(stated.upper).toBeLessThan(met.upper * 1.4);
});

test('losses of thousands: from above the record is given away, from below one release alone', () => {
  const noise = gaussian({ noiseMultiplier: 1e-3 });
  const both = poissonSubsampled(joint({ parts: [noise, laplace({ scale: 1, sensitivity: 1 })] }), {
    rate: 0.25,
  });
  const alone = account(wasm, poissonSubsampled(noise, { rate: 0.25 }), options);
  for (const engine of ENGINES)
    for (const epsilon of [1, 1e5]) {
      const { lower, upper } = account(engine, both, options).delta(epsilon);
      expect(lower).toBeLessThanOrEqual(alone.delta(epsilon).upper);
      expect(lower).toBeGreaterThanOrEqual(alone.delta(epsilon).lower * (1 - 1e-9));
      expect(upper).toBeGreaterThanOrEqual(0.25 * (1 - 1e-12));
    }
  // a mesh that is coarse for its range
  const wide = poissonSubsampled(joint({ parts: [gaussian({ noiseMultiplier: 0.03 }), rr] }), { rate: 0.1 });
  const { lower, upper } = account(wasm, wide, options).epsilon(1e-3);
  expect(upper - lower).toBeLessThan(0.01 * upper);
});

test('noise beside another release on the sample is solved for', () => {
  const unknown = unknownIn({
    kind: 'poisson-subsampled',
    rate: 0.1,
    inner: {
      kind: 'joint',
      parts: [{ kind: 'gaussian', noiseMultiplier: '?' }, laplace({ scale: 4, sensitivity: 1 })],
    },
  });
  const found = calibrate(wasm, unknown, { epsilon: 0.5, delta: 1e-5 }, { ...options, tolerance: 1e-3 });
  expect(found.reached).toBe(true);
  const at = (value: number) => account(wasm, unknown.mechanismAt(value), options).epsilon(1e-5);
  expect(at(found.value!).upper).toBeLessThanOrEqual(0.5 * (1 + 1e-9));
  expect(at(found.value! * 0.99).lower).toBeGreaterThan(0.5);
});

test('a thousand steps on a mesh: as narrow as the mesh is, at the usual effort', () => {
  const both = joint({ parts: [gaussian({ noiseMultiplier: 1 }), laplace({ scale: 5, sensitivity: 1 })] });
  const run = account(wasm, repeat(poissonSubsampled(both, { rate: 0.01 }), 1000), options);
  const { lower, upper } = run.epsilon(1e-8);
  expect(upper - lower).toBeLessThan(1e-4 * upper);
});

test('no noise, no answer, no loss', () => {
  const drawn = (parts: readonly Mechanism[]) => poissonSubsampled(joint({ parts }), { rate: 0.25 });
  const bare = account(wasm, drawn([rr, gaussian({ noiseMultiplier: 0 })]), options);
  expect(bare.delta(100)).toContainValue(0.25);
  expect(account(wasm, drawn([repeat(rr, 0)]), options).epsilon(0).upper).toBe(0);
});

test('an event of dp_accounting with unlike releases on one sample', () => {
  const text =
    'PoissonSampledDpEvent(0.1, ComposedDpEvent([GaussianDpEvent(2.0), SelfComposedDpEvent(LaplaceDpEvent(3.0), 2)]))';
  const spelled = poissonSubsampled(
    joint({ parts: [gaussian({ noiseMultiplier: 2 }), repeat(laplace({ scale: 3, sensitivity: 1 }), 2)] }),
    { rate: 0.1 },
  );
  const found = recognise(text);
  expect(found.notes.join(' ')).toContain('releases on one sample are composed first');
  const answer = (mechanism: Mechanism) => ({ ...account(wasm, mechanism, options).epsilon(1e-5) });
  expect(answer(found.mechanism!)).toEqual(answer(spelled));
  expect(answer(parseMechanism(JSON.parse(JSON.stringify(spelled))))).toEqual(answer(spelled));
  const apart = compose([
    poissonSubsampled(gaussian({ noiseMultiplier: 2 }), { rate: 0.1 }),
    repeat(poissonSubsampled(laplace({ scale: 3, sensitivity: 1 }), { rate: 0.1 }), 2),
  ]);
  expect(answer(apart).upper).toBeLessThan(answer(spelled).lower * 0.9);
});

test('what cannot be on one sample is refused', () => {
  expect(() => joint({ parts: [{ kind: 'laplace', scale: -1, sensitivity: 1 } as never] })).toThrow(
    'made by a builder',
  );
  expect(() => joint({ parts: [] })).toThrow('"parts" must be one mechanism or more');
  expect(() => joint({ parts: [poissonSubsampled(rr, { rate: 0.1 })] })).toThrow('the sample is drawn once');
  const capped = parseMechanism({
    kind: 'capped-poisson',
    noiseMultiplier: 2,
    rate: 0.1,
    datasetSize: 100,
    batchCap: 15,
  });
  expect(() => joint({ parts: [capped] })).toThrow('the sample is drawn once');
  const mixture = gaussianMixture({ noiseMultiplier: 2, sensitivities: [0, 1], probabilities: [0.5, 0.5] });
  const drawn = poissonSubsampled(joint({ parts: [mixture, rr] }), { rate: 0.1 });
  expect(() => account(wasm, drawn, options).epsilon(1e-5)).toThrow('"parts" must be releases with Gaussian');
  expect(() =>
    parseMechanism({ kind: 'joint', parts: [{ kind: 'laplace', scale: -1, sensitivity: 1 }] }),
  ).toThrow('mechanism.parts[0].scale');
});

describe('two lattices whose common one is far finer than either', () => {
  const both = (sigma: number, scale: number) =>
    joint({
      parts: [discreteGaussian({ sigma, sensitivity: 1 }), discreteLaplace({ scale, sensitivity: 1 })],
    });

  test.each([
    [0.766, 1.09],
    [0.7, 1.1],
    [0.913, 2.07],
    [1.31, 0.77],
  ])('σ = %f, scale = %f: sums are listed one by one, at the price of a few', (sigma, scale) => {
    const mechanism = both(sigma, scale);
    const allowance = new Allowance(Number.POSITIVE_INFINITY);
    const { forward } = allowance.askAll(() => pairOf(mechanism));
    expect(allowance.cost).toBeLessThan(1e6);
    // by all outputs of both, exactly
    const [gaussians, laplaces] = [
      discreteGaussian({ sigma, sensitivity: 1 }),
      discreteLaplace({ scale, sensitivity: 1 }),
    ].map((part) => atomsOf(pairOf(part))!);
    for (const epsilon of [0, 0.5, 2, 5]) {
      let exact = 0;
      for (let i = 0; i < gaussians.p.length; i++)
        for (let j = 0; j < laplaces.p.length; j++)
          exact += Math.max(
            0,
            gaussians.q[i] * laplaces.q[j] - Math.exp(epsilon) * gaussians.p[i] * laplaces.p[j],
          );
      expect(forward.logDelta(epsilon)).toContainValue(Math.log(exact), { absolute: 1e-11 });
    }
  });

  test('a long run of samples of both is answered', () => {
    const run = account(wasm, repeat(poissonSubsampled(both(0.766, 1.09), { rate: 7e-4 }), 10_000), {
      ...options,
      tolerance: 1e-3,
    });
    const epsilon = run.epsilon(1e-5);
    // by FFTs of losses split between points 3.5e-6 and 2.5e-6 apart, which are above; of points 1.4e-5 apart they are 2e-5 of δ too large
    expect(epsilon.lower).toBeLessThan(0.984632);
    expect(epsilon.upper).toBeGreaterThan(0.984631);
    // as narrow as asked for
    expect(epsilon.upper - epsilon.lower).toBeLessThan(1e-3 * epsilon.upper);
    const delta = run.delta(1);
    expect(delta.lower).toBeLessThan(8.619933e-6);
    expect(delta.upper).toBeGreaterThan(8.6199e-6);
    expect(delta.upper).toBeLessThan(1.001 * delta.lower);
  });
});
