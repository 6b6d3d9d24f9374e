import { describe, expect, it } from 'vitest';
import { atan2Of as atan2 } from '../../assembly/functions/scalar.js';
import { seeded } from '../helpers/random.js';
import { steps } from '../helpers/step-kernel.js';

const U = 2 ** -53;

describe('characteristicLine', () => {
  it('is Σ w (e^{ikτy} − 1) within its stated error', () => {
    const random = seeded(5);
    for (const [m, n, scale] of [
      [1, 1, 1],
      [3, 33, 1e-9],
      [40, 100, 0.01],
      [200, 257, 3],
    ]) {
      const loss = Float64Array.from({ length: m }, () => scale * (random() - 0.4));
      const weight = Float64Array.from({ length: m }, () => random() / m);
      const { re, im } = steps.characteristicLine(loss, weight, 0.37, n);
      expect([re.length, im.length]).toEqual([n, n]);
      for (let k = 0; k < n; k++) {
        let wantRe = 0;
        let wantIm = 0;
        let allowed = 1e-320;
        for (let j = 0; j < m; j++) {
          const x = k * 0.37 * loss[j];
          wantRe += weight[j] * -2 * Math.sin(x / 2) ** 2;
          wantIm += weight[j] * Math.sin(x);
          allowed += U * weight[j] * (52 * Math.abs(x) + (40 + m / 32 + m) * Math.min(2, Math.abs(x)));
        }
        expect(Math.abs(re[k] - wantRe)).toBeLessThanOrEqual(allowed);
        expect(Math.abs(im[k] - wantIm)).toBeLessThanOrEqual(allowed);
      }
    }
  });

  it('refuses weights of another length', () => {
    expect(() => steps.characteristicLine(new Float64Array(2), new Float64Array(3), 1, 4)).toThrow(
      '"weight.length" must be 2, like "loss", got 3',
    );
  });
});

describe('atan2', () => {
  it('is within 4 ulp of the angle, in every quadrant', () => {
    const random = seeded(9);
    for (let i = 0; i < 20000; i++) {
      const x = (random() - 0.5) * 10 ** (8 * random() - 4);
      const y = (random() - 0.5) * 10 ** (8 * random() - 4);
      const want = Math.atan2(y, x);
      expect(Math.abs(atan2(y, x) - want)).toBeLessThanOrEqual(10 * U * Math.abs(want));
    }
    expect(atan2(0, 1)).toBe(0);
    expect(atan2(-1, 0)).toBe(-Math.PI / 2);
  });
});
