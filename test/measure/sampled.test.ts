import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  approximateDpClt,
  fixedBatches,
  gaussian,
  laplace,
  profileOfRun,
  repeat,
  withoutReplacement,
  withoutReplacementAmplified,
  withReplacementAmplified,
} from '../../src/index.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { deltaOf } from '../../src/profile/profile.js';
import { wasm } from '../helpers/runs.js';

const replaced = (mechanism: Parameters<typeof account>[1]) =>
  account(wasm, mechanism, { adjacency: 'replace-one' });

describe('samples of a fixed size (Balle, Barthe, Gaboardi 2018)', () => {
  test.each([gaussian({ noiseMultiplier: 2 }), laplace({ scale: 4, sensitivity: 1 })])(
    'theorem 9 against the account of the sampled $kind',
    (inner) => {
      const sizes = { sampleSize: 30, datasetSize: 100 };
      const made = withoutReplacementAmplified(replaced(inner), sizes);
      const exact = replaced(withoutReplacement(inner, sizes));
      for (const epsilon of [0, 0.1, 0.3, 0.8])
        expect(deltaOf(made, epsilon)).toOverlap(exact.delta(epsilon));
      expect(made).toMatchObject({ adjacency: 'replace-one', standing: 'bound' });
    },
  );

  test('theorem 10 against its sum, written out with the groups of Gaussian noise', () => {
    const [m, n, mu] = [8, 20, 1];
    const made = withReplacementAmplified(replaced(gaussian({ noiseMultiplier: 2 })), {
      sampleSize: m,
      datasetSize: n,
    });
    const rate = 1 - (1 - 1 / n) ** m;
    for (const inner of [0.2, 1, 2]) {
      let sum = 0;
      let choose = 1;
      for (let k = 1; k <= m; k++) {
        choose = (choose * (m - k + 1)) / k;
        sum += choose * n ** -k * (1 - 1 / n) ** (m - k) * deltaGdp(k * mu, inner);
      }
      const found = deltaOf(made, Math.log(1 + rate * (Math.exp(inner) - 1)));
      expect(found.upper).toBeGreaterThanOrEqual(sum * (1 - 1e-12));
      expect(found.upper).toBeLessThan(sum * (1 + 1e-9));
      expect(found.lower).toBe(0);
    }
  });

  test('a fixed order is refused: 2 of 3 records in batches of one are worse than theorem 9', () => {
    const base = replaced(fixedBatches({ noiseMultiplier: 1, bins: 2 }));
    const sizes = { sampleSize: 2, datasetSize: 3 };
    for (const amplified of [withoutReplacementAmplified, withReplacementAmplified])
      expect(() => amplified(base, sizes)).toThrow(/in the order of the data set/);
    // others have −1 and 1, the record has 1 or −1, and whoever is drawn stands in this order
    const density = (parts: number[][], x: number, y: number): number =>
      parts.reduce((sum, [w, a, b]) => sum + w * Math.exp(-((x - a) ** 2 + (y - b) ** 2) / 2), 0);
    let sum = 0;
    for (let x = -9; x <= 9; x += 0.1)
      for (let y = -9; y <= 9; y += 0.1) {
        const p = density(
          [
            [1, -1, 1],
            [1, 1, -1],
            [1, 1, 1],
          ],
          x,
          y,
        );
        const q = density(
          [
            [2, -1, 1],
            [1, -1, -1],
          ],
          x,
          y,
        );
        sum += Math.max(0, p - Math.exp(3) * q);
      }
    const formula = (2 / 3) * deltaGdp(2, Math.log(1 + Math.expm1(3) * 1.5));
    expect((sum * 0.01) / (6 * Math.PI)).toBeGreaterThan(1.03 * formula);
  });

  test('one draw is one record of n; many draws of a single record give it away', () => {
    const base = replaced(gaussian({ noiseMultiplier: 2 }));
    const sizes = { sampleSize: 1, datasetSize: 50 };
    const [a, b] = [withReplacementAmplified(base, sizes), withoutReplacementAmplified(base, sizes)];
    expect(deltaOf(a, 0.1).upper / deltaOf(b, 0.1).upper).toBeCloseTo(1, 9);
    const alone = withReplacementAmplified(base, { sampleSize: 100, datasetSize: 1 });
    expect(deltaOf(alone, 1).upper).toBe(1);
  });

  test('what is below the smallest double is no 0', () => {
    const base = replaced(gaussian({ noiseMultiplier: 1 }));
    const sizes = { sampleSize: 1, datasetSize: 2 };
    // thm 9 in logarithms: far out e^{ε'} = 1 + (e^ε − 1)/2 is ε = ε' + log 2
    const exact = base.logDelta(90 + Math.LN2).upper - Math.LN2;
    for (const made of [withoutReplacementAmplified(base, sizes), withReplacementAmplified(base, sizes)])
      expect(made.logDelta(90).upper - exact).toBeCloseTo(0, 9);
    expect(withoutReplacementAmplified(base, sizes).logDelta(90).lower - exact).toBeCloseTo(0, 9);
    expect(withReplacementAmplified(base, sizes).logDelta(Infinity).upper).toBe(-Infinity);
  });

  test('refuses the wrong neighbours and sizes', () => {
    const run = account(wasm, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' });
    const sizes = { sampleSize: 3, datasetSize: 2 };
    expect(() => withoutReplacementAmplified(profileOfRun(run), { sampleSize: 1, datasetSize: 2 })).toThrow(
      /"adjacency"/,
    );
    expect(() => withoutReplacementAmplified(replaced(gaussian({ noiseMultiplier: 2 })), sizes)).toThrow(
      /"sampleSize"/,
    );
  });
});

describe('the central limit theorem for (ε, δ)-DP (GDP thm 3.7)', () => {
  test('100 times (0.05, 1e-7) beside the exact answer', () => {
    const limit = approximateDpClt([{ epsilon: 0.05, delta: 1e-7, count: 100 }]);
    const sum = 1e-5;
    const revealed = -Math.expm1(-sum);
    expect(limit.mu).toBeCloseTo(0.5, 15);
    expect(limit.f.delta(1)).toContainValue(revealed + (1 - revealed) * deltaGdp(0.5, 1), {
      relative: 1e-14,
    });
    expect(limit.f.delta(1).upper).toBeCloseTo(0.00683953, 8);
    const run = account(wasm, repeat(approximateDp({ epsilon: 0.05, delta: 1e-7 }), 100), {
      adjacency: 'add-remove',
    });
    expect(run.delta(1)).toContainValue(0.00658527, { absolute: 5e-9 });
    expect(limit.label).toBe('approximation');
  });

  test('each part its own; nothing composed is nothing', () => {
    const limit = approximateDpClt([
      { epsilon: 0.3, delta: 0 },
      { epsilon: 0.4, delta: 1e-3 },
    ]);
    expect(limit.mu).toBeCloseTo(0.5, 15);
    expect(limit.f.fnr(0).upper).toBeCloseTo(Math.exp(-1e-3), 12);
    expect(approximateDpClt([{ epsilon: 0, delta: 0 }]).f.delta(0).upper).toBe(0);
    expect(() => approximateDpClt([])).toThrow(/"parts"/);
    expect(() => approximateDpClt([{ epsilon: 1, delta: 2 }])).toThrow(/"parts\[0\].delta"/);
  });
});
