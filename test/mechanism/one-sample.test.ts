import { expect, test } from 'vitest';
import {
  account,
  compose,
  discreteLaplace,
  gaussian,
  joint,
  poissonSubsampled,
  randomizedResponse,
  repeat,
  tabulated,
  withoutReplacement,
} from '../../src/index.js';
import { meshedAbove } from '../../src/law/meshed-atoms.js';
import type { GaussianPair } from '../../src/law/pair.js';
import { productAtoms } from '../../src/law/product-atoms.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { recognise } from '../../src/read/index.js';
import { reference, wasm } from '../helpers/runs.js';

const [Q, S1, S2] = [0.1, 1, 2];
const BOTH = 1 / Math.sqrt(S1 ** -2 + S2 ** -2);
const of = (noiseMultiplier: number) => poissonSubsampled(gaussian({ noiseMultiplier }), { rate: Q });
const ONE_SAMPLE = of(BOTH);
const TWO_SAMPLES = compose([of(S1), of(S2)]);

/** δ(ε) of adding and removing, of two numbers released: the joint densities integrated in the plane. */
function inThePlane(epsilon: number, isOneSample: boolean): { add: number; remove: number } {
  const h = 0.02;
  let [add, remove] = [0, 0];
  for (let x = -8; x < 10; x += h) {
    for (let y = -16; y < 18; y += h) {
      const p0 = Math.exp(-0.5 * ((x / S1) ** 2 + (y / S2) ** 2)) / (2 * Math.PI * S1 * S2);
      const [a, b] = [Math.exp((x - 0.5) / S1 ** 2), Math.exp((y - 0.5) / S2 ** 2)];
      const ratio = isOneSample ? 1 - Q + Q * a * b : (1 - Q + Q * a) * (1 - Q + Q * b);
      remove += Math.max(0, ratio - Math.exp(epsilon)) * p0 * h * h;
      add += Math.max(0, 1 - Math.exp(epsilon) * ratio) * p0 * h * h;
    }
  }
  return { add, remove };
}

test.each([
  ['one sample', true, ONE_SAMPLE],
  ['two samples', false, TWO_SAMPLES],
] as const)('two Gaussians on %s are the joint law in the plane', (_, isOneSample, mechanism) => {
  for (const engine of [wasm, reference]) {
    const { directions } = account(engine, mechanism, { adjacency: 'add-remove' });
    for (const epsilon of [0.05, 0.5]) {
      const exact = inThePlane(epsilon, isOneSample);
      for (const run of directions) {
        const { lower, upper } = run.logDelta(epsilon);
        const found = exact[run.direction as 'add' | 'remove'];
        // a midpoint-like sum over a kink: an error of h squared
        expect(Math.abs(Math.exp(upper) - found)).toBeLessThan(2e-5 + 1e-4 * found);
        expect(Math.exp(lower)).toBeLessThanOrEqual(Math.exp(upper));
      }
    }
  }
});

test('amplified apart, one and the same sample is undercounted', () => {
  const [joint, apart] = [ONE_SAMPLE, TWO_SAMPLES].map((each) =>
    account(wasm, each, { adjacency: 'add-remove' }).epsilon(1e-5),
  );
  expect(apart!.upper).toBeLessThan(joint!.lower * 0.95);
});

test('a DpEvent says which of the two it is', () => {
  const noise = (sigma: number) => `GaussianDpEvent(noise_multiplier=${sigma})`;
  const drawn = (event: string) => `PoissonSampledDpEvent(sampling_probability=${Q}, event=${event})`;
  const together = recognise(drawn(`ComposedDpEvent(events=[${noise(S1)}, ${noise(S2)}])`));
  const apart = recognise(`ComposedDpEvent(events=[${drawn(noise(S1))}, ${drawn(noise(S2))}])`);
  const epsilon = (mechanism: typeof ONE_SAMPLE | typeof apart.mechanism) => ({
    ...account(wasm, mechanism, { adjacency: 'add-remove' }).epsilon(1e-5),
  });
  expect(epsilon(together.mechanism)).toEqual(epsilon(ONE_SAMPLE));
  expect(epsilon(apart.mechanism)).toEqual(epsilon(TWO_SAMPLES));
  expect(together.notes.join(' ')).toContain('releases on one sample are composed first');
  expect(apart.notes.join(' ')).not.toContain('on one sample');
});

test('two randomised responses on one sample: what is composed goes on the sample as a table, by all four outputs', () => {
  const [rate, epsilon0] = [0.1, 1];
  const yes = Math.exp(epsilon0) / (1 + Math.exp(epsilon0));
  // losses of the two together are -2, 0 and 2
  const points = [
    { epsilon: 0, delta: 2 * yes - 1 },
    { epsilon: 2 * epsilon0, delta: 0 },
  ];
  const together = poissonSubsampled(tabulated({ points }), { rate });
  const outputs = [0, 1].flatMap((a) => [0, 1].map((b) => [a, b] as const));
  const mass = (truth: number, output: readonly number[]) =>
    output.reduce((product, bit) => product * (bit === truth ? yes : 1 - yes), 1);
  for (const engine of [wasm, reference]) {
    const { directions } = account(engine, together, { adjacency: 'add-remove' });
    for (const epsilon of [0, 0.05, 0.2, 0.4]) {
      for (const run of directions) {
        const exact = outputs.reduce((sum, output) => {
          const without = mass(0, output);
          const used = (1 - rate) * without + rate * mass(1, output);
          const [p, q] = run.direction === 'add' ? [used, without] : [without, used];
          return sum + Math.max(0, q - Math.exp(epsilon) * p);
        }, 0);
        const { lower, upper } = run.logDelta(epsilon);
        expect(Math.exp(lower)).toBeLessThanOrEqual(exact + 1e-13);
        expect(Math.exp(upper)).toBeGreaterThanOrEqual(exact - 1e-13);
        expect(Math.exp(upper) - Math.exp(lower)).toBeLessThan(1e-9);
      }
    }
  }
  // amplified apart, as opendp#2933 does, the same sample is undercounted
  const apart = repeat(poissonSubsampled(randomizedResponse({ epsilon: epsilon0 }), { rate }), 2);
  const [one, two] = [together, apart].map((each) =>
    account(wasm, each, { adjacency: 'add-remove' }).epsilon(0),
  );
  expect(two!.upper).toBeLessThan(one!.lower * 0.75);
});

const SIZES = { sampleSize: 1, datasetSize: 10 };

test.each([0.02, 0.025, 0.03, 0.035, 0.04])(
  'little noise beside another release is never less than alone: σ = %d',
  (noiseMultiplier) => {
    const noise = gaussian({ noiseMultiplier });
    const both = joint({ parts: [noise, randomizedResponse({ epsilon: 0.01 })] });
    for (const [alone, together, adjacency] of [
      [poissonSubsampled(noise, { rate: Q }), poissonSubsampled(both, { rate: Q }), 'add-remove'],
      [withoutReplacement(noise, SIZES), withoutReplacement(both, SIZES), 'replace-one'],
    ] as const) {
      const [one, two] = [alone, together].map((each) => account(wasm, each, { adjacency }));
      for (const epsilon of [0, 0.05, 0.3, 3, 100, 600])
        expect(two!.delta(epsilon).upper).toBeGreaterThanOrEqual(one!.delta(epsilon).lower);
      for (const delta of [1e-4, 1e-3, 1e-2])
        expect(two!.epsilon(delta).upper).toBeGreaterThanOrEqual(one!.epsilon(delta).lower);
    }
  },
);

test('the product of releases is formed once, however often accounts ask for it', () => {
  const made = () =>
    account(
      wasm,
      poissonSubsampled(
        joint({
          parts: [
            repeat(discreteLaplace({ scale: 4, sensitivity: 1 }), 60),
            repeat(discreteLaplace({ scale: 2, sensitivity: 1 }), 40),
          ],
        }),
        { rate: Q },
      ),
    );
  const { filter } = Float64Array.prototype;
  const formedBy = (ask: () => unknown): number => {
    let formed = 0;
    const counting = function (this: Float64Array, ...given: Parameters<typeof filter>): Float64Array {
      formed++;
      return filter.apply(this, given) as Float64Array;
    };
    Object.defineProperty(Float64Array.prototype, 'filter', {
      value: counting,
      configurable: true,
      writable: true,
    });
    try {
      ask();
    } finally {
      Object.defineProperty(Float64Array.prototype, 'filter', {
        value: filter,
        configurable: true,
        writable: true,
      });
    }
    return formed;
  };
  expect(formedBy(made)).toBeGreaterThan(0);
  expect(formedBy(made)).toBe(0);
});

test.each([0.01, 0.02, 0.03, 0.1])(
  'all mass of little noise is on the mesh or counted beside it: σ = %d',
  (noiseMultiplier) => {
    const { p, q, beyond = 0 } = meshedAbove(pairOf(gaussian({ noiseMultiplier })) as GaussianPair, 0.5);
    for (const masses of [p, q]) {
      const listed = masses.reduce((sum, mass) => sum + mass, 0);
      expect(listed).toBeLessThan(1 + 1e-9);
      expect(listed + beyond).toBeGreaterThan(1 - 1e-9);
    }
  },
);

test('products of losses of hundreds count the mass that doubles lose', () => {
  const loss = Float64Array.of(-400, -10, 30);
  const rare = Math.exp(-30);
  const p = Float64Array.of(0.5, 0.5 - rare, rare);
  const q = p.map((mass, i) => mass * Math.exp(loss[i]!));
  q[2] = 1 - q[0]! - q[1]!;
  const atoms = { loss, p, q, infinity: 0, minusInfinity: 0, gdpMu: 1, tailMu: 0 };
  // a quarter of P is where Q has e^{-800}
  const product = productAtoms([{ atoms, count: 2 }], 10)!;
  for (const masses of [product.p, product.q]) {
    const listed = masses.reduce((sum, mass) => sum + mass, 0);
    expect(listed + product.beyond!).toBeGreaterThan(1 - 1e-9);
  }
  expect(product.beyond).toBeCloseTo(0.25, 9);
});
