import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDpTradeoff,
  calibrate,
  calibrateShares,
  compose,
  discreteGaussian,
  dpSgd,
  type gaussian,
  gaussianTradeoff,
  laplace,
  unknownIn,
} from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';
import { scaleUnknown } from '../helpers/unknowns.js';

const TRAINING = { kind: 'dp-sgd', noiseMultiplier: '?', samplingRate: 0.02, steps: 200 };
const HISTOGRAM = { kind: 'laplace', scale: { times: 40 }, sensitivity: 2 };
const COUNT = { kind: 'discrete-gaussian', sigma: { times: 10 }, sensitivity: 1 };
const TARGET = { epsilon: 2, delta: 1e-5 };

/** P[Z > x], by a sum: no function of the library. */
function tail(x: number): number {
  const h = 1e-2;
  let sum = 0;
  for (let z = x + h / 2; z < x + 12; z += h) sum += h * Math.exp(-0.5 * z * z);
  return sum / Math.sqrt(2 * Math.PI);
}

/** δ(ε) of a Gaussian (Balle, Wang 2018). */
const gaussianDelta = (mu: number, epsilon: number): number =>
  tail(epsilon / mu - mu / 2) - Math.exp(epsilon) * tail(epsilon / mu + mu / 2);

describe('a common scale', () => {
  test.each([wasm, reference])('training, a histogram and a count meet one target together', (engine) => {
    const template = { kind: 'compose', parts: [TRAINING, HISTOGRAM, COUNT] };
    const found = calibrate(engine, unknownIn(template), TARGET, { tolerance: 1e-4 });
    if (!found.reached) throw new Error(found.reason);
    const at = (s: number) =>
      account(
        engine,
        compose([
          dpSgd({ noiseMultiplier: s, samplingRate: 0.02, steps: 200 }),
          laplace({ scale: 40 * s, sensitivity: 2 }),
          discreteGaussian({ sigma: 10 * s, sensitivity: 1 }),
        ]),
      ).epsilon(1e-5);
    expect(at(found.value).upper).toBeLessThanOrEqual(2 * (1 + 1e-9));
    // with a little less noise the target is missed for certain
    expect(at(found.value * 0.999).lower).toBeGreaterThan(2);
  });

  test('Gaussians have a closed form: noise σ and 2σ are μ √1.25/σ', () => {
    const parts = [
      { kind: 'gaussian', noiseMultiplier: '?' },
      { kind: 'gaussian', noiseMultiplier: { times: 2 } },
    ];
    const { value } = calibrate(wasm, unknownIn({ kind: 'compose', parts }), { mu: 0.7 });
    expect(value / (Math.sqrt(1.25) / 0.7)).toBeCloseTo(1, 6);
    expect(value).toBeGreaterThanOrEqual((Math.sqrt(1.25) / 0.7) * (1 - 1e-15));
  });

  test('what is no such mechanism is refused by name', () => {
    expect(() => unknownIn({ kind: 'gaussian', noiseMultiplier: 1 })).toThrow(/"mechanism".*"\?"/);
    expect(() => unknownIn({ kind: 'gaussian', noiseMultiplier: { times: -1 } })).toThrow(/times" must be/);
    expect(() => unknownIn({ kind: 'gaussian', noiseMultiplier: '?', colour: 1 })).toThrow(/colour/);
  });
});

describe('shares of a budget', () => {
  test('of μ²: Gaussians spend them exactly', () => {
    const shares = [
      { share: 0.64, mechanism: { kind: 'gaussian', noiseMultiplier: '?' } },
      { share: 0.36, mechanism: { kind: 'gaussian', noiseMultiplier: '?' } },
    ];
    const found = calibrateShares(wasm, shares, { mu: 1 });
    if (!found.reached) throw new Error(found.reason);
    const [a, b] = (found.mechanism as ReturnType<typeof compose>).parts as ReturnType<typeof gaussian>[];
    expect(a!.noiseMultiplier).toBeCloseTo(1 / 0.8, 4);
    expect(b!.noiseMultiplier).toBeCloseTo(1 / 0.6, 4);
    expect(found.value).toBeCloseTo(1, 4);
    expect(Math.hypot(1 / a!.noiseMultiplier, 1 / b!.noiseMultiplier)).toBeLessThanOrEqual(1 + 1e-12);
  });

  test('of (ε, δ): each part spends its own share of a budget that the whole just meets', () => {
    const shares = [
      { share: 0.7, mechanism: TRAINING },
      { share: 0.2, mechanism: HISTOGRAM },
      { share: 0.1, mechanism: COUNT },
    ];
    const found = calibrateShares(wasm, shares, TARGET, { tolerance: 1e-3 });
    if (!found.reached) throw new Error(found.reason);
    const run = account(wasm, found.mechanism).epsilon(1e-5);
    expect(run.upper).toBeLessThanOrEqual(2 * (1 + 1e-9));
    expect(run.lower).toBeGreaterThan(2 * 0.995);
    // together they cost less than one by one
    expect(found.value).toBeGreaterThan(1);
    const { parts } = found.mechanism as ReturnType<typeof compose>;
    for (const [i, { share }] of shares.entries()) {
      const alone = account(wasm, parts[i]!).epsilon(share * 1e-5);
      expect(alone.upper / (share * found.value * 2)).toBeCloseTo(1, 3);
    }
  });

  test.each([wasm, reference])(
    'of a curve: the whole is above it, and each part spends its share',
    (engine) => {
      const [s1, s2] = [0.8, 0.2];
      const shares = [s1, s2].map((share) => ({
        share,
        mechanism: { kind: 'gaussian', noiseMultiplier: '?' },
      }));
      const found = calibrateShares(engine, shares, { tradeoff: gaussianTradeoff(1), alphaMin: 1e-4 });
      if (!found.reached) throw new Error(found.reason);
      // basic composition: a budget of 1 meets the target
      expect(found.value).toBeGreaterThan(1);
      const { parts } = found.mechanism as ReturnType<typeof compose>;
      const mu = (parts as ReturnType<typeof gaussian>[]).map(({ noiseMultiplier }) => 1 / noiseMultiplier);
      // Gaussians compose to one, and G_1 is the curve: the window of 1e-4 and 256 tests of it cost less than 1e-3
      expect(Math.hypot(...mu)).toBeLessThanOrEqual(1 + 1e-9);
      expect(Math.hypot(...mu)).toBeGreaterThan(1 - 2e-3);
      // by their formula: the largest delta of a part, over its share of the curve's, at (1000 points of) the window
      for (const [i, share] of [s1, s2].entries()) {
        const t = share * found.value;
        let worst = 0;
        for (let epsilon = 0; epsilon <= 3.2; epsilon += 3.2e-3)
          worst = Math.max(worst, gaussianDelta(mu[i]!, t * epsilon) / (t * gaussianDelta(1, epsilon)));
        expect(worst).toBeCloseTo(1, 2);
      }
    },
  );

  test('of the curve of (1, 1e-5)-DP: two Laplace queries have half of epsilon each, a budget of 1 and little more', () => {
    const part = { share: 0.5, mechanism: { kind: 'laplace', scale: '?', sensitivity: 1 } };
    const target = { tradeoff: approximateDpTradeoff(1, 1e-5) };
    const found = calibrateShares(wasm, [part, part], target, { tolerance: 1e-4 });
    if (!found.reached) throw new Error(found.reason);
    expect(found.value).toBeGreaterThanOrEqual(1);
    expect(found.value).toBeLessThan(1.02);
    expect(account(wasm, found.mechanism).epsilon(1e-5).upper).toBeLessThanOrEqual(1);
  });

  test('a curve of (1, 1e-5)-DP is met where (1, 1e-5) is: its first segment enters the window from alpha 0', () => {
    const found = calibrate(wasm, scaleUnknown({ sensitivity: 1, count: 1 }), {
      tradeoff: approximateDpTradeoff(1, 1e-5),
    });
    if (!found.reached) throw new Error(found.reason);
    // δ(1) = 1 − e^{(1 − 1/b)/2} of one Laplace query
    const exact = 1 / (1 - 2 * Math.log1p(-1e-5));
    expect(found.value).toBeGreaterThanOrEqual(exact * (1 - 1e-14));
    expect(found.value).toBeLessThan(exact * (1 + 1e-5));
  });

  test('two parts of one share are one noise: sqrt 2 for the curve of 1-GDP', () => {
    const part = { share: 0.5, mechanism: { kind: 'gaussian', noiseMultiplier: '?' } };
    const found = calibrateShares(wasm, [part, part], { tradeoff: gaussianTradeoff(1), alphaMin: 1e-4 });
    if (!found.reached) throw new Error(found.reason);
    const [a, b] = (found.mechanism as ReturnType<typeof compose>).parts as ReturnType<typeof gaussian>[];
    expect(a).toEqual(b);
    expect(a!.noiseMultiplier).toBeGreaterThanOrEqual(Math.SQRT2 * (1 - 1e-9));
    expect(a!.noiseMultiplier).toBeLessThan(Math.SQRT2 * (1 + 2e-3));
  });

  test('wrong shares are refused by name', () => {
    const part = { share: 0.6, mechanism: TRAINING };
    expect(() => calibrateShares(wasm, [part, part], TARGET)).toThrow(/"shares" must be at most 1/);
    expect(() => calibrateShares(wasm, [{ ...part, share: 0 }], TARGET)).toThrow(/"shares\[0\].share"/);
    expect(() => calibrateShares(wasm, [part], { advantage: 0.1 })).toThrow(/"target"/);
  });
});
