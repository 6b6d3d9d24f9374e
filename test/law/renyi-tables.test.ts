import { expect, test } from 'vitest';
import { account, gaussian, measure, rdp, zcdp } from '../../src/index.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { reference, wasm } from '../helpers/runs.js';

const points = Array.from({ length: 150 }, (_, i) => {
  const order = 1.1 + 0.4 * i;
  return { order, epsilon: order / 50 };
});

test('a table is made once for one content, however often and by whichever object it is asked for', () => {
  const law = pairOf(rdp({ points }));
  expect(pairOf(rdp({ points: [...points].reverse() }))).toBe(law);
  const other = points.map(({ order, epsilon }) => ({ order, epsilon: epsilon * 2 }));
  expect(pairOf(rdp({ points: other }))).not.toBe(law);
  expect(pairOf(rdp({ points: other })).forward.logDelta(1).upper).toBeGreaterThan(
    law.forward.logDelta(1).upper,
  );
});

test.each([
  ['rdp', rdp({ points })],
  ['zcdp', zcdp({ rho: 0.02 })],
])(
  '%s: δ is above that of the Gaussian with these divergences, μ is measured within 1e-9',
  (_, mechanism) => {
    const sigma = 1 / Math.sqrt(2 * 0.02);
    for (const engine of [wasm, reference]) {
      const run = account(engine, mechanism, { adjacency: 'add-remove' });
      const inside = account(engine, gaussian({ noiseMultiplier: sigma }), { adjacency: 'add-remove' });
      for (const epsilon of [0, 0.1, 0.5, 1, 2, 3])
        expect(run.logDelta(epsilon).upper).toBeGreaterThan(inside.logDelta(epsilon).lower);
      // many lines of support meet in the corners of a piecewise linear curve
      const { lower, upper } = measure(run, { alphaMin: 1e-6 }).mu;
      expect(upper).toBeGreaterThan(1 / sigma);
      expect(upper / lower - 1).toBeLessThan(1e-9);
    }
  },
);
