import { expect, test } from 'vitest';
import { gaussianTradeoff } from '../../src/index.js';
import { atomicPair } from '../../src/law/atomic-pair.js';
import { polygonsAround } from '../../src/tradeoff/polygons-around.js';

test('a polygon above a curve stays above it where 1 − β has a digit or none', () => {
  for (const mu of [0.01, 0.05, 0.3]) {
    const f = gaussianTradeoff(mu);
    const { below, above } = polygonsAround(f, { logLeast: -690, segments: 2000 });
    const [low, high] = [atomicPair(above).forward, atomicPair(below).forward];
    for (let epsilon = 0; epsilon < 12 * mu; epsilon += mu / 20) {
      const exact = f.curve.logDelta(epsilon);
      expect(low.logDelta(epsilon).lower).toBeLessThanOrEqual(exact.upper);
      expect(high.logDelta(epsilon).upper).toBeGreaterThanOrEqual(exact.lower);
    }
  }
});
