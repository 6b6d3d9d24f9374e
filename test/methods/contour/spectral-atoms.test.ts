import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  compose,
  dpSgd,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
} from '../../../src/index.js';
import { atomicPair } from '../../../src/law/atomic-pair.js';
import { laplaceShape } from '../../../src/law/exponential-pair.js';
import { exponentialStep } from '../../../src/methods/contour/kernel-step.js';
import { logInfinityOf } from '../../../src/methods/contour/seen-step.js';
import { intersects } from '../../helpers/brackets.js';
import { sideOf } from '../../helpers/contours.js';
import { reference, wasm } from '../../helpers/runs.js';

const options = { adjacency: 'add-remove' } as const;
const laplace50 = repeat(laplace({ scale: 5, sensitivity: 1 }), 50);

/** The smallest ε at δ = 1e-1 … 1e-4, exact. */
const LAPLACE_50: readonly [delta: number, epsilon: number][] = [
  [1e-1, 2.00202248],
  [1e-2, 3.50344102],
  [1e-3, 4.550633],
  [1e-4, 5.37941589],
];

describe('Laplace noise through the smoothing', () => {
  test.each(LAPLACE_50)('ε at δ = %s', (delta, exact) => {
    const { lower, upper } = account(wasm, laplace50, {
      ...options,
      method: 'spectral',
      tolerance: 1e-6,
    }).epsilon(delta);
    expect(lower).toBeLessThanOrEqual(exact + 5e-9);
    expect(upper).toBeGreaterThanOrEqual(exact - 5e-9);
    // the smoothing costs only its second order, and it is no more than the tolerance lets it be
    expect(upper - lower).toBeLessThan(5e-6);
  });

  test('inflates δ by the square of η', () => {
    const phases = [{ ...exponentialStep(laplaceShape(0.2), 1)!, count: 50 }];
    const upper = (eta: number): number =>
      sideOf(wasm.kernel, { phases, square: eta * eta }, 0).delta(3.50344102, 1e-9).upper;
    const exact = Math.log(1e-2);
    const [coarse, fine, finest] = [0.08, 0.04, 0.02].map((eta) => upper(eta) - exact);
    expect(finest).toBeGreaterThan(0);
    expect(coarse / fine).toBeGreaterThan(3.9);
    expect(coarse / fine).toBeLessThan(4.1);
    expect(fine / finest).toBeGreaterThan(3.9);
    expect(fine / finest).toBeLessThan(4.1);
  });
});

describe('against the lattice and the grid', () => {
  const runs: readonly (readonly [string, Mechanism])[] = [
    ['randomised response', repeat(randomizedResponse({ epsilon: 0.2, categories: 2 }), 50)],
    ['three answers', repeat(randomizedResponse({ epsilon: 0.5, categories: 5 }), 30)],
    ['pure DP beside Laplace', compose([repeat(pureDp({ epsilon: 0.1 }), 40), laplace50])],
    ['approximate DP', repeat(approximateDp({ epsilon: 0.3, delta: 1e-6 }), 20)],
    [
      'sampled randomised response',
      repeat(poissonSubsampled(randomizedResponse({ epsilon: 1, categories: 2 }), { rate: 0.1 }), 200),
    ],
    [
      'sampled approximate DP',
      repeat(poissonSubsampled(approximateDp({ epsilon: 1, delta: 1e-5 }), { rate: 0.2 }), 50),
    ],
    [
      'Gaussian noise beside atoms',
      compose([gaussian({ noiseMultiplier: 2 }), repeat(approximateDp({ epsilon: 0.2, delta: 1e-7 }), 10)]),
    ],
    [
      'DP-SGD beside Laplace',
      compose([dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 3000 }), laplace50]),
    ],
  ];

  test.each(runs)('%s', (_, mechanism) => {
    const spectral = account(wasm, mechanism, { ...options, method: 'spectral', tolerance: 1e-3 });
    const grid = account(wasm, mechanism, { ...options, method: 'grid', tolerance: 1e-3 });
    expect(spectral.directions.length).toBe(grid.directions.length);
    spectral.directions.forEach((direction, i) => {
      for (const epsilon of [-0.3, 0.4, 2]) {
        const a = direction.logDelta(epsilon);
        const b = grid.directions[i].logDelta(epsilon);
        expect(intersects(a, b), `${direction.direction} ε ${epsilon}: ${JSON.stringify([a, b])}`).toBe(true);
        const { logFpr, logTpr } = direction.test(epsilon);
        // TPR − e^ε FPR ≤ δ(ε)
        const gain = Math.exp(logTpr) - Math.exp(epsilon + logFpr);
        expect(gain).toBeLessThanOrEqual(Math.exp(b.upper) * (1 + 1e-9) + 1e-15);
      }
      expect(intersects(direction.logInfinity, grid.directions[i].logInfinity)).toBe(true);
    });
  });

  test('Gaussian noise beside atoms needs no smoothing', () => {
    const run = account(wasm, runs[6][1], { ...options, method: 'spectral', tolerance: 1e-6 });
    const { lower, upper } = run.logDelta(1.3);
    expect(upper - lower).toBeLessThan(1e-6);
    expect(run.explain(1.3)[0]!.smoothing).toBe(0);
  });
});

test('below every finite loss δ is 1 less e^ε times the mass that may be there', () => {
  const delta = 0.01;
  const sampled = poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 });
  const run = account(wasm, compose([approximateDp({ epsilon: 1, delta }), sampled]), options);
  for (const direction of run.directions)
    for (const epsilon of [-4, -8]) {
      const { lower, upper } = direction.logDelta(epsilon);
      const exact = Math.log1p(-Math.exp(epsilon) * (1 - delta));
      expect(lower).toBeLessThanOrEqual(exact * (1 - 1e-14));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 + 1e-14));
      expect(lower / upper - 1).toBeLessThan(1e-10);
    }
});

test('losses of 1e-9: what is known of aliases keeps its digits', () => {
  for (const scale of [7.5e8, 753579598.3299197]) {
    const run = account(reference, laplace({ scale, sensitivity: 1 }), {
      ...options,
      method: 'spectral',
      tolerance: 1e-9,
    });
    const { lower, upper } = run.directions[0].logDelta(0);
    const exact = Math.log(-Math.expm1(-1 / scale / 2));
    expect(lower).toBeLessThanOrEqual(exact);
    expect(upper).toBeGreaterThanOrEqual(exact);
    expect(upper - exact).toBeLessThan(1e-9);
  }
});

test('each direction has the mass at +∞ of its own pair', () => {
  const [loss, p, q] = [[Math.log(8 / 9)], [0.9], [0.8]].map((values) => Float64Array.from(values));
  const pair = atomicPair({ loss, p, q, infinity: 0.2, minusInfinity: 0.1, gdpMu: Infinity, tailMu: 0 });
  const step = { pair, sampling: 'all', rate: 1, count: 2 } as const;
  for (const [direction, mass] of [
    ['remove', 1 - 0.8 ** 2],
    ['add', 1 - 0.9 ** 2],
  ] as const) {
    const { lower, upper } = logInfinityOf([step], direction);
    expect(lower).toBeLessThanOrEqual(Math.log(mass));
    expect(upper).toBeGreaterThanOrEqual(Math.log(mass));
    expect(upper - lower).toBeLessThan(1e-9);
  }
});
