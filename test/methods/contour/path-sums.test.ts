/** Sums along paths whose losses are hardly known: what they say of their error holds, or they say nothing. */
import { expect, it } from 'vitest';
import { sumsOfRows } from '../../../src/methods/contour/step/path-sums.js';
import { describeKernels } from '../../helpers/kernels.js';

describeKernels('sums along a path', (kernel) => {
  it.each([1e-9, 1e-3, 0.1, 3])('angles that are too large by up to %d', (off) => {
    const [alpha, n] = [3, 64];
    // two equal terms, of which either is half of the sum at 0
    const path = Float64Array.from([0, alpha, -Math.LN2, 0, 1e-15, 2 * off].flatMap((own) => [own, own]));
    for (const dTau of [1e-4, 0.02, 0.2]) {
      const sums = sumsOfRows(kernel, path, { dTau, n }, 0);
      for (let k = 1; k < n && sums !== undefined; k++) {
        const true_ = Math.exp(-k * dTau * (alpha - off));
        expect(Math.abs(1 + sums.re[k]! - true_)).toBeLessThanOrEqual(sums.wrong[k]! + sums.missing);
      }
      expect(sums === undefined).toBe(2 * off * dTau * n > 0.9);
    }
  });
});
