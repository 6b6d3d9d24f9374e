import { expect, test } from 'vitest';
import { Contour, layOut } from '../../../src/methods/contour/line/contour.js';
import { type StagedWindow, Stages } from '../../../src/methods/contour/line/stages.js';
import { exchanged } from '../../../src/methods/contour/step/spectral-law.js';
import { subsampledGaussianSpectrum } from '../../../src/methods/contour/step/subsampled-gaussian.js';
import { wasm } from '../../helpers/runs.js';

/**
 * The rates of an uncut run by Gil-Pelaez: P(L ≤ x) = 1/2 − (1/π)∫_0^∞ Im(e^{−itx} φ(t))/t dt, φ = E[e^{itL}]; plain sums of equal steps over outputs and frequencies,
 * good to about 1e-12.
 */
function distribution(mu: number, q: number, count: number, side: 'base' | 'mixture', x: number): number {
  const losses: number[] = [];
  const masses: number[] = [];
  const h = 1 / 64;
  for (let o = -10; o <= 10 + mu; o += h) {
    const u = 1 + q * Math.expm1(mu * o - (mu * mu) / 2);
    losses.push(Math.log(u));
    masses.push((h * Math.exp(-(o * o) / 2) * (side === 'mixture' ? u : 1)) / Math.sqrt(2 * Math.PI));
  }
  let sum = 0;
  const step = 0.002;
  for (let k = 0; k < 20_000; k++) {
    const t = step * (k + 0.5);
    let re = 0;
    let im = 0;
    for (let j = 0; j < losses.length; j++) {
      re += masses[j] * Math.cos(t * losses[j]);
      im += masses[j] * Math.sin(t * losses[j]);
    }
    const size = Math.hypot(re, im) ** count;
    if (size < 1e-17) break;
    sum += (size * Math.sin(count * Math.atan2(im, re) - t * x) * step) / t;
  }
  return 0.5 - sum / Math.PI;
}

function lineOf({ stage, plan, spacing }: StagedWindow): Contour {
  const layout = layOut(stage.laws, stage.axis, plan, 2 ** 12, spacing);
  return Contour.on(wasm.kernel, stage.laws, stage.axis, plan, layout!)!;
}

test.each([
  [0.8, 0.12, 1500],
  [1.2, 0.2, 4000],
] as const)(
  'sigma %d, q %d, %d steps: what is lacking to 1 is known as well as what is there',
  (sigma, q, count) => {
    const mu = 1 / sigma;
    const law = subsampledGaussianSpectrum(sigma, q);
    const forward = new Stages(wasm.kernel, [{ law, count }]);
    const mean = forward.stageAt(0, -10)!.axis.near(1).mean;
    const deviation = Math.sqrt(forward.stageAt(0, -10)!.axis.near(1).variance);
    for (const below of [1.5, 2.5, 3.5]) {
      const x = Math.max(0, mean - below * deviation);
      const window = forward.at(x, -10, 'test')!;
      expect(window.plan.saddle.s, 'a line between the poles').toBeLessThan(0);
      const line = lineOf(window);
      // outputs that the cut takes are of no weight here: both ends are the run's to 1e-9 of what is lacking
      const missed = distribution(mu, q, count, 'mixture', x);
      const power = line.answer('power', x);
      const [least, most] = [-Math.expm1(power.upper), -Math.expm1(power.lower)];
      expect(most - least).toBeLessThan(1e-7 * most);
      expect(Math.abs(least - missed)).toBeLessThan(1e-7 * missed + 3e-12);
      const { lower, upper } = line.answer('falsePositive', x);
      const fpr = 1 - distribution(mu, q, count, 'base', x);
      expect(Math.abs(Math.exp(lower) - fpr)).toBeLessThan(1e-7 * fpr + 3e-12);
      expect(upper - lower).toBeLessThan(1e-7);
      // Q − δ = E_Q min(1, e^{x−L}) = Q(L ≤ x) + e^x P(L > x)
      const delta = line.answer('delta', x);
      const lacking = missed + Math.exp(x) * Math.exp(lower);
      expect(-Math.expm1(delta.upper) / lacking).toBeLessThan(1 + 1e-6);
      expect(-Math.expm1(delta.lower) / lacking).toBeGreaterThan(1 - 1e-6);
    }
  },
);

test('lines on either side of the pole agree where both serve', () => {
  const law = subsampledGaussianSpectrum(0.8, 0.12);
  for (const mirrored of [false, true]) {
    const stage = new Stages(wasm.kernel, [{ law: mirrored ? exchanged(law) : law, count: 300 }]).stageAt(
      0,
      -10,
    )!;
    const pole = stage.windows.findIndex(({ plan }) => plan.saddle.s > 0);
    expect(pole).toBeGreaterThan(0);
    const [left, right] = [stage.windows[pole - 1]!, stage.windows[pole]!];
    for (const x of [left.top, right.plan.ends[0]!.x])
      for (const functional of ['delta', 'power', 'falsePositive'] as const)
        expect(lineOf(left).answer(functional, x)).toOverlap(lineOf(right).answer(functional, x));
  }
});
