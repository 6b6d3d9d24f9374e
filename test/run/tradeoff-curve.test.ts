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

test('where no test tells anything the line of slope -1 still bounds the curve', () => {
  const whole = gaussianRun(0.01);
  const curve = new TradeoffCurve({
    ...whole,
    test: () => ({ logFpr: 0, logTpr: -Infinity }),
    logDelta: (epsilon) => whole.logDelta(Math.min(epsilon, 0)),
  });
  const delta = normalCdf(0.005) - normalCdf(-0.005);
  for (const alpha of [1e-5, 0.0048, 0.1, 0.5, 0.9]) {
    const power = curve.tpr(alpha);
    expect(power.upper).toBeLessThanOrEqual((alpha + delta) * (1 + 1e-12));
    expect(power.upper).toBeGreaterThanOrEqual(normalCdf(normalQuantile(alpha) + 0.01));
    expect(curve.fnr(alpha).lower).toBeGreaterThanOrEqual(1 - alpha - delta - 1e-12);
    expect(curve.fnr(alpha).lower).toBeLessThanOrEqual(normalCdf(-normalQuantile(alpha) - 0.01));
  }
});

test('where every test has power alone its mirror image does the same', () => {
  const whole = gaussianRun(0.01);
  const curve = new TradeoffCurve({ ...whole, test: () => ({ logFpr: 0, logTpr: 0 }) });
  const delta = normalCdf(0.005) - normalCdf(-0.005);
  for (const alpha of [0.7, 0.9, 0.99]) {
    expect(curve.fnr(alpha).lower).toBeGreaterThanOrEqual(1 - alpha - delta - 1e-12);
    expect(curve.fnr(alpha).lower).toBeLessThanOrEqual(normalCdf(-normalQuantile(alpha) - 0.01));
  }
});
