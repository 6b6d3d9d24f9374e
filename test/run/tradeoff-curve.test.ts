import { expect, test } from 'vitest';
import { normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { gaussianRun } from '../../src/run/gaussian-run.js';
import { TradeoffCurve } from '../../src/run/tradeoff-curve.js';

test('a test asked for roughly may be another one: no part of the curve is taken beyond its ends', () => {
  const whole = gaussianRun(1);
  // the rough test at 0 is one far from it, or known to a tenth
  for (const [away, doubt] of [
    [0.7, 0],
    [1.9, 0],
    [0, 0.1],
  ] as const) {
    const curve = new TradeoffCurve({
      ...whole,
      test: (omega, width) => {
        if (omega !== 0 || width === undefined) return whole.test(omega);
        const { logFpr, logTpr } = whole.test(away);
        return { logFpr: logFpr + doubt, logTpr: logTpr - doubt };
      },
    });
    for (let alpha = 1e-3; alpha < 1; alpha += 0.0123) {
      const exact = normalCdf(-normalQuantile(alpha) - 1);
      const { lower, upper } = curve.fnr(alpha);
      expect(lower, `${alpha}`).toBeLessThanOrEqual(exact + 1e-14);
      expect(upper, `${alpha}`).toBeGreaterThanOrEqual(exact - 1e-14);
      expect(upper - lower, `${alpha}`).toBeLessThan(1e-9);
    }
  }
});
