import { describe, expect, test } from 'vitest';
import { Contour } from '../../../assembly/bound/contour.js';
import { Exchanged } from '../../../assembly/law/law.js';
import { Layout } from '../../../assembly/plan/layout.js';
import { saddleAt, saddleOnEitherSide } from '../../../assembly/plan/saddle.js';
import { account, dpSgd } from '../../../src/index.js';
import { answerOf, type Functional, sampledRun, sideOf } from '../../helpers/contours.js';
import { composed, cutLaw, roomy } from '../../helpers/run-laws.js';
import { type PhaseTriple, reference, runOf, wasm } from '../../helpers/runs.js';

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

test.each([
  [0.8, 0.12, 1500],
  [1.2, 0.2, 4000],
] as const)(
  'sigma %d, q %d, %d steps: what is lacking to 1 is known as well as what is there',
  (sigma, q, count) => {
    const mu = 1 / sigma;
    roomy();
    const { mean, variance } = cutLaw({ mu, q, cut: 9, width: 0.5 }, 42, count).approximate(1);
    const side = sideOf(reference.kernel, sampledRun([[sigma, q, count]]), 0);
    for (const below of [1.5, 2.5, 3.5]) {
      const x = Math.max(0, mean - below * Math.sqrt(variance));
      const missed = distribution(mu, q, count, 'mixture', x);
      const { falsePositive, power } = side.rates(x, 1e-7);
      const [least, most] = [-Math.expm1(power.upper), -Math.expm1(power.lower)];
      expect(most - least).toBeLessThan(1e-7 * most);
      expect(Math.abs(least - missed)).toBeLessThan(1e-7 * missed + 3e-12);
      const fpr = 1 - distribution(mu, q, count, 'base', x);
      expect(Math.abs(Math.exp(falsePositive.lower) - fpr)).toBeLessThan(1e-7 * fpr + 3e-12);
      expect(falsePositive.upper - falsePositive.lower).toBeLessThan(1e-7);
      // Q − δ = E_Q min(1, e^{x−L}) = Q(L ≤ x) + e^x P(L > x)
      const delta = side.delta(x, 1e-7);
      const lacking = missed + Math.exp(x) * Math.exp(falsePositive.lower);
      expect(-Math.expm1(delta.upper) / lacking).toBeLessThan(1 + 1e-6);
      expect(-Math.expm1(delta.lower) / lacking).toBeGreaterThan(1 - 1e-6);
    }
  },
);

test('lines on either side of the pole agree where both serve', () => {
  for (const mirrored of [false, true]) {
    roomy();
    const law = cutLaw({ mu: 1 / 0.8, q: 0.12, cut: 9, width: 0.5 }, 42, 300);
    const run = composed(mirrored ? new Exchanged(law) : law);
    const { mean, variance } = run.approximate(1);
    for (const away of [1, 1.5, 2]) {
      const x = Math.max(0, mean - away * Math.sqrt(variance));
      const saddles = [saddleOnEitherSide(run, x), saddleAt(run, x)];
      expect(saddles.map(({ s }) => Math.sign(s))).toEqual([-1, 1]);
      const lines = saddles.map((saddle) => {
        const place = { epsilon: saddle.epsilon, logDelta: saddle.logDelta };
        return new Contour(run, new Layout(run, saddle, -10, place, place, true), 1);
      });
      for (const functional of ['delta', 'power', 'falsePositive'] as Functional[]) {
        const [left, right] = lines.map((line) => answerOf(line, functional, x));
        expect(left!.upper - left!.lower, functional).toBeLessThan(1e-6);
        expect(left).toOverlap(right!);
      }
    }
  }
});

/**
 * log of Q(L ≤ x), or of P(L > x), of an uncut run where it is small: (1/2πi)∫ M(z) e^{(1−z)x}/(1 − z) dz, or M(z) e^{−zx}/z, on Re z = c between 0 and 1, the c where
 * M(c) e^{−cx} is least; plain sums of equal steps over outputs and frequencies, good to about 1e-10.
 */
function logTail(sigma: number, q: number, count: number, tail: 'Q below' | 'P above', x: number): number {
  const mu = 1 / sigma;
  const losses: number[] = [];
  const masses: number[] = [];
  for (let o = -12; o <= 12 + mu; o += 1 / 64) {
    losses.push(Math.log1p(q * Math.expm1(mu * o - (mu * mu) / 2)));
    masses.push(Math.exp(-(o * o) / 2) / 64 / Math.sqrt(2 * Math.PI));
  }
  const logMOf = (c: number): number =>
    Math.log(masses.reduce((m, p, j) => m + p * Math.exp(c * losses[j]!), 0));
  let [c, least] = [0.5, Infinity];
  for (let k = 1; k < 400; k++) {
    const here = count * logMOf(k / 400) - (k / 400) * x;
    if (here < least) [c, least] = [k / 400, here];
  }
  const logM = logMOf(c);
  const [mean, square] = [1, 2].map((n) =>
    masses.reduce((m, p, j) => m + p * Math.exp(c * losses[j]! - logM) * losses[j]! ** n, 0),
  );
  const step = 0.05 / Math.sqrt(count * (square! - mean! ** 2));
  let sum = 0;
  for (let k = 0; ; k++) {
    let re = 0;
    let im = 0;
    for (const [j, p] of masses.entries()) {
      const size = p * Math.exp(c * losses[j]! - logM);
      re += size * Math.cos(k * step * losses[j]!);
      im += size * Math.sin(k * step * losses[j]!);
    }
    const size = Math.hypot(re, im) ** count;
    if (size < 1e-17) break;
    const turn = count * Math.atan2(im, re) - k * step * x;
    const pole = tail === 'Q below' ? 1 - c : c;
    const along = tail === 'Q below' ? -k * step : k * step;
    sum +=
      ((k === 0 ? 0.5 : 1) * step * size * (pole * Math.cos(turn) + along * Math.sin(turn))) /
      (pole * pole + along * along);
  }
  return least + (tail === 'Q below' ? x : 0) + Math.log(sum / Math.PI);
}

test.each([
  [0.411, 0.0492, 3658],
  [0.898, 0.168, 9000],
  [0.466, 0.126, 28_070],
] as const)(
  'sigma %d, q %d, %d steps: what a test errs by is known however near to 1 its power is',
  (noiseMultiplier, samplingRate, steps) => {
    const { directions } = account(reference, dpSgd({ noiseMultiplier, samplingRate, steps }), {
      adjacency: 'add-remove',
    });
    for (const run of directions)
      for (const x of [0, 10]) {
        const { logFpr, logTpr } = run.test(x);
        const tailOf = (tail: 'Q below' | 'P above', at: number): number =>
          logTail(noiseMultiplier, samplingRate, steps, tail, at);
        const [fpr, fnr] =
          run.direction === 'remove'
            ? [tailOf('P above', x), tailOf('Q below', x)]
            : [tailOf('Q below', -x), tailOf('P above', -x)];
        // the safe side, to what the oracle's own sums are good for
        expect(logFpr).toBeGreaterThan(fpr - 1e-8);
        expect(logFpr).toBeLessThan(fpr + 1e-6);
        expect(Math.log(-logTpr)).toBeGreaterThan(fnr - 1e-8);
        expect(Math.log(-logTpr)).toBeLessThan(fnr + 1e-6);
      }
  },
);

describe('stages reach', () => {
  const deltaOf = (x: number, ...phases: PhaseTriple[]) => {
    const { end, lower, upper } = sideOf(wasm.kernel, sampledRun(phases), 0).delta(x);
    return { end, isNarrow: upper - lower < 1e-6 };
  };

  test('what is asked of runs so private that delta is small everywhere', () => {
    expect(deltaOf(3.9e-6, [19.14, 1.091e-5, 12])).toEqual({ end: 'answered', isNarrow: true });
  });

  test('across the losses between those of the bulk and the rare large ones', () => {
    const found = deltaOf(14.46, [1.997, 0.001618, 13_400], [1.14, 0.0001995, 10_910]);
    expect(found).toEqual({ end: 'answered', isNarrow: true });
  });

  test('the epsilon of a delta next to 1, by what it lacks', () => {
    const epsilon = runOf([[0.2752, 0.4017, 252]]).epsilon(0.999999).upper;
    const guessed = sideOf(wasm.kernel, sampledRun([[0.2752, 0.4017, 252]]), 0).guess(Math.log(0.999999));
    expect(Math.abs(guessed / epsilon - 1)).toBeLessThan(0.1);
  });

  test('where rare losses decide, the first guess comes from the bands of the run', () => {
    // approximations at saddles guess 3.5 and 2.6 times too far out, where a line costs 4e6 units
    for (const run of [runOf([[1.119, 0.00171, 170]]), runOf([[0.965, 0.00256, 349]])]) {
      run.epsilon(1e-5);
      expect(run.cost).toBeLessThan(7e6);
    }
  });

  test('laws that are never cut', () => {
    const side = sideOf(wasm.kernel, { phases: [], square: 0.3 }, 0);
    for (const x of [0, 0.5, 5, 50]) {
      const { end, lower, upper } = side.delta(x);
      expect(end, `x = ${x}`).toBe('answered');
      expect(upper - lower).toBeLessThan(1e-6);
    }
  });
});

describe('Chernoff bounds of stages', () => {
  // where they are below a floor, no contour is laid
  test('lie above delta of a Gaussian run, at the best tilt', () => {
    const [mu, count] = [0.1, 30];
    const whole = mu * Math.sqrt(count);
    const side = sideOf(wasm.kernel, { phases: [], square: whole * whole }, 0);
    for (const x of [0.3, 1, 3, 6]) {
      const [exact] = wasm.kernel.logDeltaGdp(Float64Array.of(whole), Float64Array.of(x));
      let least = 0;
      for (let s = 0.01; s < 60; s *= 1.001) {
        const logM = 0.5 * whole * whole * s * (1 + s);
        least = Math.min(least, logM - s * x - s * Math.log1p(1 / s) - Math.log1p(s));
      }
      const bound = side.delta(x, 1e-6, 0);
      expect(bound.lower).toBe(-Infinity);
      expect(bound.upper, `${x}`).toBeGreaterThan(exact!);
      expect(bound.upper).toBeGreaterThan(least - 1e-4);
      expect(bound.upper).toBeLessThan(least + 0.2);
      // what lies above a floor need not be worked out
      expect(side.delta(x, 1e-6, bound.upper - 1).lower).toBeGreaterThan(-Infinity);
      expect(side.delta(x, 1e-6, bound.upper + 1).upper).toBeLessThanOrEqual(bound.upper + 1);
    }
  });

  test('of a run with rare large losses lie above delta, no further than at the best tilt, in both directions', () => {
    const run = runOf([[0.9, 0.004, 3000]]);
    for (const side of [0, 1] as const) {
      const own = sideOf(wasm.kernel, sampledRun([[0.9, 0.004, 3000]]), side);
      for (const x of [0.2, 1, 3, 9]) {
        const { lower } = run.directions[side]!.logDelta(x);
        const bound = own.delta(x, 1e-6, 0).upper;
        expect(bound, `${side} ${x}`).toBeGreaterThan(lower);
        let least = 0;
        for (let s = 0.05; s < 100; s *= 1.03) {
          const c = side === 0 ? 1 + s : -s;
          const { most } = wasm.kernel.questions!.runMoment(sampledRun([[0.9, 0.004, 3000]]), c, Infinity);
          least = Math.min(least, most - s * x - s * Math.log1p(1 / s) - Math.log1p(s));
        }
        expect(bound).toBeLessThan(least + 0.5);
      }
    }
  });
});
