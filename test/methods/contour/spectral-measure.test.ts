import { describe, expect, test } from 'vitest';
import { measure } from '../../../src/measure/measure.js';
import { runOf } from '../../helpers/runs.js';

const LN_10 = 2.302585092994046;

describe('μ of the CIFAR-10 run over ever wider windows', () => {
  const run = runOf([[9.4, 16384 / 50000, 2000]], { tolerance: 1e-9 });
  const measured = [10, 100, 300].map((digits) => measure(run, { logAlphaMin: -digits * LN_10 }));

  test.each([
    [0, 1.566948, 5e-7],
    [1, 1.5857, 5e-5],
  ])('window %s', (i, exact, known) => {
    expect(measured[i].mu.lower).toBeLessThanOrEqual(exact + known);
    expect(measured[i].mu.upper).toBeGreaterThanOrEqual(exact - known);
  });

  test('is narrow, grows, and stays below its limit √T/σ', () => {
    measured.forEach(({ mu, method }, i) => {
      expect(method).toBe('spectral');
      expect(mu.upper - mu.lower).toBeLessThan(1e-8);
      if (i > 0) expect(mu.lower).toBeGreaterThan(measured[i - 1].mu.upper);
      expect(mu.upper).toBeLessThan(Math.sqrt(2000) / 9.4);
    });
  });

  test('holds what the grid says', () => {
    const grid = measure(runOf([[9.4, 16384 / 50000, 2000]], { method: 'grid', tolerance: 1e-3 }));
    expect(grid.mu.lower).toBeLessThanOrEqual(measured[0].mu.upper);
    expect(grid.mu.upper).toBeGreaterThanOrEqual(measured[0].mu.lower);
    expect(grid.regret.lower).toBeLessThanOrEqual(measured[0].regret.upper);
    expect(grid.regret.upper).toBeGreaterThanOrEqual(measured[0].regret.lower);
    expect(measured[0].regret.upper - measured[0].regret.lower).toBeLessThan(1e-6);
  });
});
