import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type Integral,
  type IntegralErrors,
  integrate,
  type Starved,
} from '../../src/certificate/integral.js';
import { gaussianLaw, type Law, laplaceLaw } from '../../src/certificate/laws.js';
import { flatten, type VerifiedPhase } from '../../src/certificate/phases.js';
import { atomsLaw, sampledGaussianLaw, sampledLaplaceLaw } from '../../src/certificate/sums.js';
import {
  account,
  discreteGaussian,
  discreteLaplace,
  dpSgd,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  repeat,
} from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const WORK = 1e8;

function integralOf(mechanism: Mechanism, epsilon: number, starved?: Starved, remove = true): Integral {
  const phases: VerifiedPhase[] = [];
  expect(flatten(mechanism, 1, 'add-remove', phases)).toBeUndefined();
  return integrate(phases, epsilon, remove, { left: WORK }, starved);
}

const sum = ({ aliasing, truncation, quadrature, rounding }: IntegralErrors) =>
  aliasing + truncation + quadrature + rounding;

const lap = (e0: number, n: number) => repeat(laplace({ scale: 1, sensitivity: e0 }), n);
const sampledLap = repeat(poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 }), 200);

describe('the integral of verify against mpmath, 100 to 1e6 steps', () => {
  const all = JSON.parse(readFileSync('test/golden/many-steps.json', 'utf8')) as readonly {
    readonly kind: string;
    readonly e0: number;
    readonly s: number;
    readonly q: number;
    readonly n: number;
    readonly epsilon: number;
    readonly logDelta: string;
  }[];

  test.each(all.filter(({ n }) => n < 1e12))(
    '$kind e0 $e0 s $s q $q, $n steps, ε $epsilon: within its error',
    (row) => {
      const { kind, e0, s, q, n, epsilon } = row;
      const mechanism =
        kind === 'laplace'
          ? lap(e0, n)
          : kind === 'gauss'
            ? repeat(gaussian({ noiseMultiplier: s }), n)
            : dpSgd({ noiseMultiplier: s, samplingRate: q, steps: n });
      const [first, second] = [true, false].map((remove) => integralOf(mechanism, epsilon, {}, remove)) as [
        Integral,
        Integral,
      ];
      const better = first.value > second.value ? first : second;
      const error = sum(better.errors);
      expect(error).toBeLessThan(1e-9);
      expect(Math.abs(better.value - Number(row.logDelta))).toBeLessThan(error);
    },
  );

  test('rounding of count·log M is counted: 1e12 steps', () => {
    const { s, q, n, epsilon, logDelta } = all.find((row) => row.n === 1e12)!;
    const { value, errors } = integralOf(dpSgd({ noiseMultiplier: s, samplingRate: q, steps: n }), epsilon);
    expect(Math.abs(value - Number(logDelta))).toBeGreaterThan(1e-7);
    expect(Math.abs(value - Number(logDelta))).toBeLessThan(sum(errors));
    expect(sum(errors)).toBeLessThan(1e-2);
  });
});

describe('starved: each error of the integral is counted', () => {
  const runs: readonly (readonly [string, Mechanism, number])[] = [
    ['Laplace', lap(0.5, 1000), 12],
    ['Gaussian', repeat(gaussian({ noiseMultiplier: 2 }), 5), 1],
    ['sampled Laplace', sampledLap, 1],
    ['sampled Gaussian', dpSgd({ noiseMultiplier: 3, samplingRate: 0.3, steps: 100 }), 5],
    ['discrete Laplace', repeat(discreteLaplace({ scale: 4, sensitivity: 3 }), 8), 2],
    ['discrete Gaussian', repeat(discreteGaussian({ sigma: 3, sensitivity: 2 }), 3), 2],
    ['pure', repeat(pureDp({ epsilon: 0.1 }), 1000), 7],
    ['rare large losses', dpSgd({ noiseMultiplier: 0.8, samplingRate: 0.001, steps: 20_000 }), 2],
  ];

  test.each(runs)('aliasing, frequencies too far apart: %s', (name, mechanism, epsilon) => {
    const exact = integralOf(mechanism, epsilon).value;
    const spacing = name === 'rare large losses' ? 4 : 2.5;
    const { value, errors } = integralOf(mechanism, epsilon, { spacing });
    // trapezoids are never too low
    expect(value - exact).toBeGreaterThan(100 * (sum(errors) - errors.aliasing));
    expect(value - exact).toBeLessThan(sum(errors));
  });

  test.each(runs.filter(([name]) => !name.startsWith('discrete')))(
    'truncation, ended at a thousandth: %s',
    (_, mechanism, epsilon) => {
      const exact = integralOf(mechanism, epsilon).value;
      const { value, errors } = integralOf(mechanism, epsilon, { level: 1e-3 });
      expect(Math.abs(value - exact)).toBeGreaterThan(100 * (sum(errors) - errors.truncation));
      expect(Math.abs(value - exact)).toBeLessThan(errors.truncation);
    },
  );

  test('what comes into phase again for ever is charged as one: 100 Laplace steps', () => {
    const exact = -0.97625517764;
    const { value, errors } = integralOf(lap(0.2, 100), 1.6);
    expect(Math.abs(value - exact)).toBeGreaterThan(100 * (sum(errors) - errors.truncation));
    expect(Math.abs(value - exact)).toBeLessThan(errors.truncation);
  });

  test.each([1e-6, -1e-6])('the place of a lattice is known to its error: off by %d', (place) => {
    const exact = integralOf(repeat(pureDp({ epsilon: 0.1 }), 1000), 7).value;
    const { value, errors } = integralOf(repeat(pureDp({ epsilon: 0.1 }), 1000), 7, { place });
    expect(Math.abs(value - exact)).toBeGreaterThan(1e-9);
    expect(Math.abs(value - exact)).toBeLessThan(sum(errors));
  });

  test('the largest loss a hundredth above ε', () => {
    const epsilon = 299.99;
    const { value, errors } = integralOf(repeat(pureDp({ epsilon: 0.3 }), 1000), epsilon);
    // the double .3 lies below 3/10 by 1.1102e-17
    const gap = 300 - epsilon - 1.1102230246e-14;
    const exact = -1000 * Math.log1p(Math.exp(-0.3)) + Math.log(-Math.expm1(-gap));
    expect(Math.abs(value - exact)).toBeLessThan(sum(errors));
    expect(sum(errors)).toBeLessThan(1e-6);
  });
});

describe('a step under a tilt: quadratures against closed forms, at a rate of 1', () => {
  const pairs: readonly (readonly [string, Law, Law])[] = [
    ['Gaussian, σ 0.7', sampledGaussianLaw(0.7, 1), gaussianLaw(0.7)],
    ['Gaussian, σ 6', sampledGaussianLaw(6, 1), gaussianLaw(6)],
    ['Laplace, ε 3', sampledLaplaceLaw(3, 1), laplaceLaw(3)],
    ['Laplace, ε 12', sampledLaplaceLaw(12, 1), laplaceLaw(12)],
  ];

  /** How far apart both are, and the most that they may be by what they state. */
  function compared(law: Law, closed: Law, coarse?: number) {
    let [off, share, least] = [0, 0, Infinity];
    for (const remove of [true, false])
      for (const c of [1.01, 2, 9]) {
        const [found, exact] = [law, closed].map((each) =>
          each.tilted(c, remove, { left: WORK }, coarse),
        ) as [ReturnType<Law['tilted']>, ReturnType<Law['tilted']>];
        const stated = found.errors.quadrature + found.errors.rounding + exact.errors.rounding;
        share = Math.max(share, Math.abs(found.log - exact.log) / stated);
        for (const tau of [0.01, 0.5, 3, 17]) {
          const [p, q] = [found.at(tau), exact.at(tau)];
          const [x, y] = [Math.exp(p.log), Math.exp(q.log)];
          const apart = Math.hypot(
            x * Math.cos(p.argument) - y * Math.cos(q.argument),
            x * Math.sin(p.argument) - y * Math.sin(q.argument),
          );
          off = Math.max(off, apart / (p.rounding + q.rounding));
          share = Math.max(share, apart / (p.quadrature + p.rounding + q.rounding));
          least = Math.min(least, p.quadrature);
        }
      }
    return { off, share, least };
  }

  test.each(pairs)(
    '%s: within rounding as planned, within what is stated where nodes are too few',
    (_, law, closed) => {
      const planned = compared(law, closed);
      expect(planned.share).toBeLessThan(1);
      expect(planned.share).toBeGreaterThan(1e-4);
      const starved = [3, 6, 12, 24, 48].map((coarse) => compared(law, closed, coarse));
      for (const { share } of starved) expect(share).toBeLessThan(1);
      // rounding does not explain them
      expect(Math.max(...starved.map(({ off }) => off))).toBeGreaterThan(10);
    },
  );

  test('φ beyond a frequency is below its bound, and the bound falls', () => {
    const laws: readonly (readonly [string, Law, number])[] = [
      ['gaussian', gaussianLaw(2), 1],
      ['laplace', laplaceLaw(0.7), 0.9],
      ['sampled gaussian', sampledGaussianLaw(0.9, 0.02), 0.05],
      ['sampled laplace', sampledLaplaceLaw(2, 0.2), 0.85],
    ];
    for (const [name, law, limit] of laws)
      for (const remove of [true, false])
        for (const c of [1.2, 4]) {
          const tilted = law.tilted(c, remove, { left: WORK });
          for (let from = 0.25; from < 3000; from *= 2) {
            const bound = tilted.beyond(from);
            for (const tau of [from, 1.3 * from, 1.9 * from])
              expect(Math.exp(tilted.at(tau).log), `${name} ${c} ${tau}`).toBeLessThanOrEqual(
                bound * (1 + 1e-9),
              );
          }
          expect(tilted.beyond(1e5), `${name} ${c}`).toBeLessThan(limit);
        }
  });

  test('|φ| changes no faster than the spread', () => {
    for (const law of [
      laplaceLaw(0.4),
      laplaceLaw(20),
      sampledGaussianLaw(1.1, 0.1),
      atomsLaw(
        [
          [0.5, -1],
          [0.3, 0.4],
          [0.2, 1],
        ],
        0.3,
      ),
    ]) {
      const tilted = law.tilted(2.5, true, { left: WORK });
      let [steepest, other] = [0, 0];
      for (let tau = 0; tau < 40; tau += 0.05) {
        const [a, b] = [tau, tau + 0.05].map((t) => Math.exp(tilted.at(t).log)) as [number, number];
        steepest = Math.max(steepest, Math.abs(a - b) / 0.05);
        other = Math.max(other, Math.abs(Math.sqrt(1 - a * a) - Math.sqrt(1 - b * b)) / 0.05);
      }
      expect(steepest).toBeLessThan(tilted.spread);
      expect(other).toBeLessThan(tilted.spread * (1 + 1e-9));
      expect(steepest).toBeGreaterThan(0.1 * tilted.spread);
    }
  });
});

test('one release, whose transform hardly falls, is given up early: what is found holds to its error', () => {
  const mechanism = poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 });
  const phases: VerifiedPhase[] = [];
  expect(flatten(mechanism, 1, 'add-remove', phases)).toBeUndefined();
  const work = { left: WORK };
  const found = [true, false].map((remove) => integrate(phases, 0.1, remove, work));
  expect(WORK - work.left).toBeLessThan(5e6);
  const exact = account(wasm, mechanism).logDelta(0.1);
  for (const { errors } of found) expect(sum(errors)).toBeGreaterThan(1e-4);
  const known = found.filter(({ errors }) => sum(errors) < 0.1);
  expect(known).toHaveLength(1);
  for (const { value, errors } of known) {
    expect(value - sum(errors)).toBeLessThanOrEqual(exact.upper);
    expect(value + sum(errors)).toBeGreaterThanOrEqual(exact.lower);
  }
});
