import { describe, expect, test } from 'vitest';
import { addTables, tableOf } from '../../../src/methods/contour/line/line-table.js';
import type { Phase } from '../../../src/methods/contour/phases/phase.js';
import { lostMass } from '../../../src/methods/contour/step/lost-mass.js';
import { stretchOf } from '../../../src/methods/contour/step/output-window.js';
import { logarithms } from '../../../src/methods/contour/step/weighted-losses.js';
import { largestTilt } from '../../../src/methods/contour/step/windowed-gaussian.js';
import { normalCdf } from '../../../src/numeric/scalar.js';
import { reference, wasm } from '../../helpers/runs.js';
import { within } from '../../helpers/stretches.js';
import { averageOf, endedWindow, logProduct } from '../../helpers/windowed.js';

const DEPTH = 40;
const CUT = 8;
const phaseOf = (mu: number, q: number, count: number): Phase => ({ mu, q, count });

/** Few and many steps, small and large shifts and rates, and windows of either kind. */
const RUNS = {
  'small shifts': [0.1, 0.2, 0.15, 0.24, 0.12].map((mu, i) => phaseOf(mu, 0.005 * (1 + i), 7 + i)),
  'moderate ones': [0.5, 0.7, 0.9, 0.6].map((mu, i) => phaseOf(mu, 0.01 * (1 + 3 * i), 1 + 2 * i)),
  'large ones': [2.5, 3, 1.2, 3.9].map((mu, i) => phaseOf(mu, 0.15 / (1 + i), 1 + (i % 2))),
} as const;

describe.each(Object.entries(RUNS))('%s', (_name, phases) => {
  const extremes = { mu: Math.max(...phases.map(({ mu }) => mu)), q: Math.max(...phases.map(({ q }) => q)) };
  const all = phases.reduce((sum, { count }) => sum + count, 0);

  describe.each([0.5, 0.18, 0.05])('window of width %d', (width) => {
    const window = endedWindow(CUT, width);
    const law = averageOf(wasm.kernel, phases, window, DEPTH);

    const logOf = (c: number, tau: number) => logProduct(phases, window, c, tau);

    test('log M, lines and bounds hold sums on the real axis', () => {
      for (const c of [0.5, 1, 3, 9, -2, -30].filter((tilt) => tilt <= largestTilt(extremes, window))) {
        const { value, error } = law.cumulant(c, all);
        const { modulus } = logOf(c, 0);
        expect(Math.abs(value - modulus)).toBeLessThanOrEqual(error + 1e-13 * all * (1 + Math.abs(c)));
        expect(error).toBeLessThan(1e-10);
        const decay = law.decay(c);
        for (const [dTau, n] of [
          [0.7, 12],
          [9, 5],
        ] as const) {
          const line = law.line(wasm.kernel, { c, dTau, n }, all)!;
          for (let k = 0; k < n; k++) {
            const own = logOf(c, k * dTau);
            const known = own.modulus - modulus;
            const doubt = line.error[k]! + line.quadrature[k]! + 1e-12 * all * Math.exp(-known / all);
            if (line.error[k]! < Infinity) {
              expect(Math.abs(line.logModulus[k]! - known)).toBeLessThanOrEqual(doubt);
              const turns = (line.phase[k]! - own.turn) / (2 * Math.PI);
              expect(2 * Math.PI * Math.abs(turns - Math.round(turns))).toBeLessThanOrEqual(doubt);
            } else expect(known).toBeLessThanOrEqual(line.logModulus[k]! + 1e-9);
            if (known > -12)
              expect((line.error[k]! + line.quadrature[k]!) * Math.exp(known)).toBeLessThan(1e-7);
            if (k === 0) continue;
            for (const from of [1, 0.7]) {
              const bound = all * within(decay, from * k * dTau, 2 * k * dTau);
              expect(bound).toBeGreaterThanOrEqual(known - 1e-9);
              const { log, power } = decay.beyond(from * k * dTau);
              expect(all * (log + power * Math.log(from))).toBeGreaterThanOrEqual(known - 1e-9);
              expect(power).toBeGreaterThan(0);
            }
          }
        }
      }
    });

    test('what the window takes is what a sharp cut takes from noisier outputs', () => {
      const lost = phases.map(({ mu, q }) =>
        lostMass(mu / stretchOf(width), q, window.to / stretchOf(width)),
      );
      for (const [c, of] of [
        [0, 'logLostP'],
        [1, 'logLostQ'],
      ] as const)
        for (const [k, { mu, q }] of phases.entries()) {
          let sum = 0;
          for (let x = -14; x <= window.to + 14; x += 0.01)
            sum +=
              (0.01 / Math.sqrt(2 * Math.PI)) *
              Math.exp(-(x * x) / 2) *
              (1 + c * q * Math.expm1(mu * x - (mu * mu) / 2)) *
              normalCdf((x - window.to) / width);
          expect(Math.log(sum)).toBeCloseTo(lost[k]![of], 9);
        }
    });
  });

  test('both engines give the same bits', () => {
    const made = [wasm, reference].map(({ kernel }) => {
      const law = averageOf(kernel, phases, endedWindow(CUT, 0.25), DEPTH);
      const decay = law.decay(2);
      return [
        law.cumulant(2, all),
        law.line(kernel, { c: 2, dTau: 0.8, n: 40 }, all),
        decay.bounds(kernel, Float64Array.of(7, 8), -Infinity),
        decay.beyond(9),
      ];
    });
    expect(made[1]).toEqual(made[0]);
  });
});

test('outputs so far out that densities are too small for a double', () => {
  const phases = [phaseOf(0.9, 0.01, 3), phaseOf(1, 0.005, 2)];
  const window = endedWindow(48, 0.12);
  const law = averageOf(wasm.kernel, phases, window, DEPTH);
  for (const c of [1, 6, 30, 42]) {
    let known = 0;
    for (const { mu, q, count } of phases) {
      // logarithms of the terms, by steps of 1/100; W is 1 far before its end
      const terms: number[] = [];
      for (let x = -14; x <= window.to + 14; x += 0.01) {
        const s = mu * x - (mu * mu) / 2;
        const loss = s > 30 ? s + Math.log(q) + ((1 - q) / q) * Math.exp(-s) : Math.log1p(q * Math.expm1(s));
        const passed = normalCdf((window.to - x) / window.width);
        if (passed > 0) terms.push(c * loss - (x * x) / 2 + Math.log(passed));
      }
      const top = Math.max(...terms);
      known +=
        count *
        (top +
          Math.log(terms.reduce((sum, t) => sum + 0.01 * Math.exp(t - top), 0) / Math.sqrt(2 * Math.PI)));
    }
    const { value, error } = law.cumulant(c, 5);
    // the logarithm of the sum above has roundings of its own, near 0 as well
    expect(Math.abs(value - known)).toBeLessThanOrEqual(error + 1e-13 * (1 + Math.abs(known)));
    expect(error).toBeLessThan(1e-9);
    const near = law.near(Float64Array.of(c), 5)[0]!;
    expect(Math.abs(near.value - known)).toBeLessThan(1e-6 * (1 + Math.abs(known)));
  }
});

test('the bounds say about what is so', () => {
  const phases = Array.from({ length: 100 }, (_, i) => phaseOf(0.3 + i / 500, 0.02 + i / 2000, 10));
  const law = averageOf(wasm.kernel, phases, endedWindow(CUT, 0.5), DEPTH);
  const line = law.line(wasm.kernel, { c: 4, dTau: 0.5, n: 40 }, 1000)!;
  const k = line.logModulus.findIndex((x) => x < -30);
  expect(k).toBeGreaterThan(0);
  expect(1000 * within(law.decay(4), 0.5 * k, 0.5 * k)).toBeLessThan(-17);
});

test('the variation of many steps bounds their line', () => {
  const phases = [phaseOf(0.8, 0.2, 1), phaseOf(1.1, 0.3, 1)];
  const law = averageOf(wasm.kernel, phases, endedWindow(CUT, 0.5), DEPTH);
  const line = law.line(wasm.kernel, { c: 1.5, dTau: 1, n: 30 }, 2)!;
  const decay = law.decay(1.5);
  for (let k = 1; k < 30; k++) {
    const { log, power } = decay.beyond(k);
    // of two steps there is nothing but the variation
    expect(power).toBe(1);
    expect(2 * log).toBeGreaterThanOrEqual(line.logModulus[k]! - 1e-9);
  }
});

test('powers one after the other: whole ones, others, and factors of which a bound alone is known', () => {
  const [re, im] = [Float64Array.of(-0.4, -0.9), Float64Array.of(0.3, 0.1)];
  const { logModulus, phase, error } = [1, 3, 2.5, 40]
    .map((count) => {
      const wrong = Float64Array.of(1e-12, count === 3 ? 1 : 1e-12);
      return tableOf(logarithms(wasm.kernel, { re, im, wrong, missing: 0 }, count), { c: 1, dTau: 1 });
    })
    .reduce(addTables);
  const turn = 46.5 * Math.atan2(0.3, 0.6) - phase[0]!;
  expect(logModulus[0]).toBeCloseTo(46.5 * Math.log(Math.hypot(0.6, 0.3)), 9);
  expect(Math.abs(turn / (2 * Math.PI) - Math.round(turn / (2 * Math.PI)))).toBeLessThan(1e-9);
  expect(error[0]).toBeGreaterThan(46.5e-12);
  expect(error[1]).toBe(Infinity);
  expect(logModulus[1]).toBeGreaterThanOrEqual(43.5 * Math.log(Math.hypot(0.1, 0.1)));
});
