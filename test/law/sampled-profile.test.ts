/** One release on a Poisson sample asks its inner law at losses that the question has, however near the end of the losses ε lies. */
import { expect, it } from 'vitest';
import { everyOrder } from '../../src/law/renyi-orders.js';
import { renyiPair } from '../../src/law/renyi-profile.js';
import { RenyiRegion } from '../../src/law/renyi-region.js';
import { subsampledRun } from '../../src/law/subsampling.js';

/** log(1 − q) and the doubles after it. */
function endsAfter(rate: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.log1p(-rate));
  return [0n, 1n, 2n, 5n].map((k) => {
    const next = new DataView(new ArrayBuffer(8));
    next.setBigUint64(0, view.getBigUint64(0) - k);
    return next.getFloat64(0);
  });
}

it.each([0.5, 0.1, 0.01, 1e-3, 1e-5, 1e-6])('rate %d', (rate) => {
  const { forward } = renyiPair({ kind: 'zcdp', rho: 0.5 });
  let [asked, furthest] = [0, 0];
  const watched = {
    ...forward,
    logDelta: (epsilon: number) => {
      asked++;
      if (Number.isFinite(epsilon)) furthest = Math.max(furthest, Math.abs(epsilon));
      return forward.logDelta(epsilon);
    },
  };
  const questions = endsAfter(rate);
  for (const direction of ['remove', 'add'] as const) {
    const run = subsampledRun({ forward: watched, backward: watched }, rate, direction);
    for (const epsilon of questions.flatMap((x) => [x, -x])) {
      const { lower, upper } = run.logDelta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(lower);
      // no loss of direction 'remove' is below log(1 − q), so that δ is 1 − e^ε there
      if (epsilon < 0 && direction === 'remove') expect(Math.abs(upper - Math.log(rate))).toBeLessThan(1e-9);
    }
  }
  expect(asked).toBeLessThanOrEqual(2 * 2 * 2 * questions.length);
  // e^s = e^ε q/r with r down to about 1e-16 of ε
  expect(furthest).toBeLessThan(100);
});

it.each([1e15, 1e100, 1e287, 1.7e308])('a Renyi region answers at %d in bounded work', (epsilon) => {
  const constraints = everyOrder({ rho: 0.5, first: 0.5, most: Infinity });
  let calls = 0;
  const region = new RenyiRegion({
    best: constraints.best.bind(constraints),
    tightest: (pair) => {
      if (++calls > 5000) throw new Error('no end');
      return constraints.tightest(pair);
    },
  });
  region.worst(1);
  try {
    region.worst(epsilon);
  } catch (error) {
    // what the region has no numbers for is answered by its caller's bound
    expect((error as Error).message).toMatch(/^crossed bracket/);
  }
});

it.each([1e5, 1e6, 1e12, 1e100])(
  'zCDP at %d lies between the Gaussian that attains it and its Chernoff bound',
  (epsilon) => {
    const rho = 0.5;
    const { lower, upper } = renyiPair({ kind: 'zcdp', rho }).forward.logDelta(epsilon);
    const chernoff = -((epsilon - rho) ** 2) / (4 * rho);
    expect(upper).toBeLessThanOrEqual(chernoff * (1 - 1e-12));
    // Mills: Φ(−z) ≥ φ(z) z/(1 + z²), and δ is a share 1/(z μ) of it at least
    expect(lower).toBeGreaterThanOrEqual(chernoff * (1 + 1e-12) - 4 * Math.log(epsilon));
    expect(upper).toBeGreaterThanOrEqual(lower);
  },
);
