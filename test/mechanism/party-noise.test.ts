import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  account,
  calibrate,
  compose,
  discreteGaussian,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  repeat,
  unknownOf,
} from '../../src/index.js';
import { atomicPair, discreteGaussianAtoms } from '../../src/law/atomic-pair.js';
import { discreteSumAtoms } from '../../src/law/discrete-sum.js';
import { reference, wasm } from '../helpers/runs.js';

interface Golden {
  readonly sigma: number;
  readonly parties: number;
  readonly sensitivity: number;
  readonly epsilon: string;
}
const GOLDENS: Golden[] = JSON.parse(readFileSync('test/golden/party-noise.json', 'utf8'));

const runOf = (mechanism: Mechanism, engine = wasm) =>
  account(engine, mechanism, { adjacency: 'add-remove' });

test.each(GOLDENS)('values of 17 digits, from masses that are added up: %o', ({ epsilon, ...noise }) => {
  for (const engine of [wasm, reference]) {
    const { lower, upper } = runOf(discreteGaussian(noise), engine).epsilon(1e-6);
    expect(lower).toBeLessThanOrEqual(Number(epsilon));
    expect(upper).toBeGreaterThanOrEqual(Number(epsilon));
    expect(upper / lower - 1).toBeLessThan(1e-9);
  }
});

/** Masses of the sum at −most … most, added up one party after the other. */
function massesOf(sigma: number, parties: number, most: number): number[] {
  const one = Array.from({ length: 2 * most + 1 }, (_, i) => Math.exp(-((i - most) ** 2) / (2 * sigma ** 2)));
  const total = one.reduce((a, b) => a + b);
  let sum = one.map((w) => w / total);
  for (let i = 1; i < parties; i++)
    sum = sum.map((_, k) => one.reduce((all, w, j) => all + (w / total) * (sum[k - j + most] ?? 0), 0));
  return sum;
}

/** δ(ε) where a record adds `change`. */
function deltaOf(masses: readonly number[], change: number, epsilon: number): number {
  return masses.reduce(
    (sum, _, i) => sum + Math.max(0, (masses[i - change] ?? 0) - Math.exp(epsilon) * masses[i]),
    0,
  );
}

test('every change of at most the sensitivity: none is worse, the largest is as bad', () => {
  for (const [sigma, parties] of [
    [0.6, 4],
    [1, 3],
    [2, 5],
  ] as const) {
    const masses = massesOf(sigma, parties, 45);
    const run = runOf(discreteGaussian({ sigma, parties, sensitivity: 3 }));
    for (const epsilon of [-1, 0, 0.5, 2]) {
      const { lower, upper } = run.delta(epsilon);
      for (const change of [-3, -2, -1, 1, 2, 3])
        expect(deltaOf(masses, change, epsilon)).toBeLessThanOrEqual(upper * (1 + 1e-10));
      expect(deltaOf(masses, 3, epsilon)).toBeGreaterThanOrEqual(lower * (1 - 1e-10));
      expect(upper / lower - 1).toBeLessThan(1e-9);
    }
  }
});

// the first is added up, the others are near one discrete Gaussian: those have masses of their own beside them
test.each([
  [1.3, 3000],
  [1.7, 2],
  [2, 1000],
] as const)('both ways to the law agree: %o', (sigma, parties) => {
  const spread = sigma * Math.sqrt(parties);
  const one = atomicPair(discreteGaussianAtoms(spread, 2)).forward;
  const sum = atomicPair(discreteSumAtoms(sigma, parties, 2)).forward;
  for (const epsilon of [0, 1 / spread, 8 / spread]) {
    const [a, b] = [one.logDelta(epsilon), sum.logDelta(epsilon)];
    expect(b.lower).toBeLessThanOrEqual(a.upper + 1e-8);
    expect(b.upper).toBeGreaterThanOrEqual(a.lower - 1e-8);
  }
});

describe('discrete Gaussians of parties', () => {
  test('are sampled, composed and calibrated, and one party is none beside itself', () => {
    const mechanism = discreteGaussian({ sigma: 1, sensitivity: 2, parties: 50 });
    const whole = runOf(repeat(mechanism, 10)).epsilon(1e-6);
    expect(whole.upper / whole.lower - 1).toBeLessThan(1e-5);
    const sampled = runOf(repeat(poissonSubsampled(mechanism, { rate: 0.1 }), 10)).epsilon(1e-6);
    expect(sampled.upper).toBeLessThan(whole.lower / 2);
    const noise = { sensitivity: 1, parties: 20 };
    const sigma = unknownOf('sigma', (x) => discreteGaussian({ sigma: x, ...noise }));
    const found = calibrate(wasm, sigma, { epsilon: 1, delta: 1e-6 }, { adjacency: 'add-remove' });
    if (!found.reached) throw new Error('not reached');
    const { lower, upper } = runOf(discreteGaussian({ sigma: found.value, ...noise })).epsilon(1e-6);
    expect(upper).toBeLessThanOrEqual(1);
    expect(lower).toBeGreaterThan(1 - 1e-5);
    const alone = { kind: 'discrete-gaussian', sigma: 1, sensitivity: 1 };
    expect(parseMechanism({ ...alone, parties: 1 })).toEqual(parseMechanism(alone));
  });

  test('hundreds of unlike ones are those of one party with the noise of all', () => {
    const sigmas = Array.from({ length: 200 }, (_, i) => 4 + i / 100);
    const [many, one] = [9, undefined].map((parties) =>
      runOf(
        compose(
          sigmas.map((sigma) =>
            discreteGaussian(
              parties === undefined
                ? { sigma: 3 * sigma, sensitivity: 1 }
                : { sigma, sensitivity: 1, parties },
            ),
          ),
        ),
      ).epsilon(1e-6),
    );
    expect(many!.lower).toBeLessThanOrEqual(one!.upper * (1 + 1e-12));
    expect(many!.upper).toBeGreaterThanOrEqual(one!.lower * (1 - 1e-12));
  });

  test.each([
    [{ sigma: 0.3, sensitivity: 1, parties: 100 }, 'σ is at least 0.5'],
    [{ sigma: 0.5, sensitivity: 1, parties: 1e6 }, 'σ²·parties at most 4e4'],
    [{ sigma: 1, sensitivity: 60, parties: 100 }, 'sensitivity/(σ√parties) is at most 4 '],
    [{ sigma: 5, sensitivity: 6000, parties: 100 }, 'sensitivity/(σ√parties) is at most 50 '],
    [{ sigma: 1e3, sensitivity: 1, parties: 1000 }, 'σ√parties is at most 1e4'],
  ])('%o is refused', (noise, message) => {
    expect(() => discreteGaussian(noise)).toThrow(RangeError);
    expect(() => discreteGaussian(noise)).toThrow(`"parties" must be such that `);
    expect(() => discreteGaussian(noise)).toThrow(message);
  });
});
