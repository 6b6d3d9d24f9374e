import { describe, expect, test } from 'vitest';
import type { KernelTable } from '../../../src/kernel/kernel-table.js';
import { subsampledLoss } from '../../../src/law/subsampling.js';
import { shiftedSums } from '../../../src/methods/contour/step/shifted-gaussian.js';
import type { Cumulant, LogPhiLine } from '../../../src/methods/contour/step/spectral-law.js';
import { subsampledGaussianSpectrum } from '../../../src/methods/contour/step/subsampled-gaussian.js';
import { logarithms } from '../../../src/methods/contour/step/weighted-losses.js';
import { normalCdf } from '../../../src/numeric/scalar.js';
import { seeded } from '../../helpers/random.js';
import { runOf, wasm } from '../../helpers/runs.js';
import { outputsOf, windowedStep } from '../../helpers/windowed.js';

/** Distance of two angles. */
function apart(a: number, b: number): number {
  const turns = (a - b) / (2 * Math.PI);
  return 2 * Math.PI * Math.abs(turns - Math.round(turns));
}

const LAWS = [
  [1, 0.01],
  [0.3, 0.01],
  [0.3, 0.5],
  [0.5, 0.95],
  [5, 0.1],
  [50, 0.9],
  [1, 1e-4],
] as const;

/** log φ by outputs off the real axis at equal steps, as windows have them. */
function shiftedLine(
  sigma: number,
  rate: number,
  { c, dTau, n }: { c: number; dTau: number; n: number },
  logM: Cumulant,
): LogPhiLine | undefined {
  const outputs = outputsOf(wasm.kernel, { mu: 1 / sigma, q: rate });
  const sums = shiftedSums(outputs, { c, logM }, { dTau, n }, 44);
  return sums && logarithms(wasm.kernel, sums, 1);
}

describe.each(LAWS)('σ %s, q %s', (sigma, rate) => {
  const law = subsampledGaussianSpectrum(wasm.kernel, sigma, rate);

  test.each([-5, -0.5, 0.3, 1.5, 9])('on Re z = %s both paths give one φ, below its bound', (c) => {
    const moments = law.cumulant(c, 1);
    const dTau = 0.2 / Math.sqrt(moments.variance);
    const n = 120;
    const straight = law.line(wasm.kernel, { c, dTau, n }, 1);
    const shifted = shiftedLine(sigma, rate, { c, dTau, n }, moments)!;
    const far = law.decay(c).far!(Float64Array.from({ length: n }, (_, k) => k * dTau));
    let known = 0;
    for (let k = 1; k < n; k++) {
      const bound = far[k]!;
      if (shifted.error[k] < Infinity) expect(shifted.logModulus[k]).toBeLessThanOrEqual(bound + 1e-9);
      if (straight === undefined || !(straight.error[k] + shifted.error[k] < Infinity)) continue;
      known++;
      const allowed = straight.error[k] + shifted.error[k] + straight.quadrature[k] + shifted.quadrature[k];
      expect(Math.abs(straight.logModulus[k] - shifted.logModulus[k])).toBeLessThanOrEqual(allowed);
      expect(apart(straight.phase[k], shifted.phase[k])).toBeLessThanOrEqual(allowed);
      // and where |φ| is not close to 1 the bound is no idle one
      const log = straight.logModulus[k];
      if (log > -6 && log < -0.1) expect(bound).toBeLessThan(0.2 * log);
    }
    if (straight !== undefined) expect(known).toBeGreaterThan(8);
  });
});

test('random lines, long ones included', () => {
  const random = seeded(5);
  for (let i = 0; i < 30; i++) {
    const sigma = 0.3 * 30 ** random();
    const rate = 10 ** (-4 * random());
    const c = 1 + 10 ** (-1 + 2.5 * random());
    const law = subsampledGaussianSpectrum(wasm.kernel, sigma, rate);
    const moments = law.cumulant(c, 1);
    const dTau = 0.02 / Math.sqrt(moments.variance);
    const n = 1500;
    const what = `${sigma} ${rate} ${c}`;
    const shifted = shiftedLine(sigma, rate, { c, dTau, n }, moments);
    const short = law.line(wasm.kernel, { c, dTau: 50 * dTau, n: 30 }, 1);
    if (shifted === undefined || short === undefined) continue;
    for (let k = 1; k < 30; k++) {
      const at = 50 * k;
      const allowed = shifted.error[at] + shifted.quadrature[at] + short.error[k] + short.quadrature[k];
      if (!(allowed < Infinity)) continue;
      expect(Math.abs(short.logModulus[k] - shifted.logModulus[at]), what).toBeLessThanOrEqual(allowed);
      expect(apart(short.phase[k], shifted.phase[at]), what).toBeLessThanOrEqual(allowed);
    }
  }
});

/** Few steps, or rare large losses: [σ, q, T] and ε(1e-5) as the grid had it before, in brackets about 1e-5 wide. */
test.each([
  [[1, 0.01, 3], 0.2753374, 0.2753381],
  [[1, 0.01, 10], 0.379901, 0.379903],
  [[0.3, 0.01, 1000], 69.81549, 69.81575],
  [[1, 0.1, 5], 2.354074, 2.354081],
  [[1, 0.01, 100], 0.718035, 0.718037],
] as const)('%s is answered by the contour', (phase, least, most) => {
  const run = runOf([phase], { tolerance: 1e-9 });
  expect(run.method).toBe('spectral');
  const { lower, upper } = run.epsilon(1e-5);
  expect(lower).toBeGreaterThan(least);
  expect(upper).toBeLessThan(most);
  expect(upper - lower).toBeLessThan(2e-9 * upper);
});

/** What terms of a bound come to at a frequency. */
function sumOf(
  { table, truncationError }: { table: KernelTable; truncationError: number },
  tau: number,
): number {
  const n = table.values.length / 2;
  const angles = table.values.subarray(n);
  return table.values
    .subarray(0, n)
    .reduce((all, own, j) => all + Math.exp(own - tau * angles[j]!), truncationError);
}

describe.each([
  [6.2, 1 - 1e-9],
  [8, 1 - 1e-12],
  [8, 1 - 1e-7],
  [8, 1 - 1e-5],
  [8, 1],
] as const)('mu %s, q %s, where |u| is small', (mu, q) => {
  const window = { from: -Infinity, to: 8, width: 0.5, end: 16.5 };
  const step = windowedStep(wasm.kernel, { mu, q }, window, 40);

  test.each([0.05, 0.3, 0.9, 2, -0.3])('at c = %s lines and bounds hold sums on the real axis', (c) => {
    const phi = (tau: number): { re: number; im: number } => {
      let [re, im, all] = [0, 0, 0];
      for (let x = -60; x <= window.end; x += 1 / 256) {
        const loss = subsampledLoss(mu * x - (mu * mu) / 2, q);
        const weight = Math.exp(c * loss - (x * x) / 2) * normalCdf((window.to - x) / window.width);
        re += weight * Math.cos(tau * loss);
        im += weight * Math.sin(tau * loss);
        all += weight;
      }
      return { re: re / all, im: im / all };
    };
    const dTau = 0.4 / Math.sqrt(step.moments(c).variance);
    const bound = step.bound(c);
    const near = step.boundTerms(c, step.furthest / 1000)!;
    expect(sumOf(near, 0)).toBeGreaterThan(1 - 1e-13);
    const line = step.line(c, dTau, 5, 40)!;
    for (let k = 1; k < 5; k++) {
      const { re, im } = phi(k * dTau);
      const terms = step.boundTerms(c, step.furthest / 10)!;
      expect(sumOf(terms, k * dTau)).toBeGreaterThan(Math.hypot(re, im) - 1e-13);
      expect(bound(Float64Array.of(k * dTau))[0]).toBeGreaterThan(Math.log(Math.hypot(re, im)) - 1e-12);
      const doubt = Math.SQRT2 * line.wrong[k] + line.missing + 1e-13;
      expect(Math.hypot(1 + line.re[k] - re, line.im[k] - im)).toBeLessThanOrEqual(doubt);
    }
  });
});
