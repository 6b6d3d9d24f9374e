import { expect, test } from 'vitest';
import {
  certify,
  dpSgd,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  repeat,
  verify,
} from '../../src/index.js';
import { account } from '../helpers/certify.js';

const STEPS = [100, 1000, 1e4, 1e5, 1e6];

/** A run, the ε's asked, and how many of their certificates may be out of reach. */
function* runs(): Generator<readonly [string, Mechanism, readonly number[]]> {
  for (const n of STEPS) {
    for (const e0 of [1, 2, 5, 10, 20, 30, 50, 80, 100]) {
      const [mean, deviation] = [n * (e0 - 1 + Math.exp(-e0)), Math.sqrt(n)];
      const epsilons = [-1, 1, 3, 5, 8].map((z) => Math.min(mean + z * deviation, 0.999 * n * e0));
      yield ['Laplace', repeat(laplace({ scale: 1, sensitivity: e0 }), n), epsilons];
    }
    for (const s of [0.5, 1, 5, 50]) {
      const mu = Math.sqrt(n) / s;
      yield [
        'Gaussian',
        repeat(gaussian({ noiseMultiplier: s }), n),
        [-1, 2, 6, 10].map((z) => mu * (mu / 2 + z)),
      ];
    }
    for (const [s, q] of [
      [0.5, 0.01],
      [0.8, 0.001],
      [1, 0.01],
      [2, 0.1],
      [5, 0.5],
      [10, 0.004],
    ] as const) {
      const mu = q * Math.sqrt(n * Math.expm1(1 / s ** 2));
      const mechanism = dpSgd({ noiseMultiplier: s, samplingRate: q, steps: n });
      yield ['sampled Gaussian', mechanism, [0.5, 2, 5].map((z) => mu * (mu / 2 + z))];
    }
    for (const [e0, q] of [
      [1, 0.1],
      [0.5, 0.5],
    ] as const) {
      const mechanism = repeat(poissonSubsampled(laplace({ scale: 1, sensitivity: e0 }), { rate: q }), n);
      const mu = 0.7 * q * Math.expm1(e0) * Math.sqrt(n);
      yield ['sampled Laplace', mechanism, [1, 3].map((z) => mu * (mu / 2 + z))];
    }
  }
}

test('of 435 certificates of 100 to 1e6 steps none is refuted, and few are out of reach', () => {
  const known: Record<string, number> = { confirmed: 0, undecided: 0, unsupported: 0, refuted: 0 };
  for (const [name, mechanism, epsilons] of runs())
    for (const epsilon of epsilons) {
      const certificate = certify(account(mechanism), { epsilon });
      const found = verify(certificate);
      known[found.verdict]!++;
      expect(found.verdict, `${name} ${JSON.stringify(mechanism)} ${epsilon}`).not.toBe('refuted');
    }
  expect(known['confirmed']).toBeGreaterThan(410);
});
