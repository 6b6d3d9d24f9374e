/** The word that says what bounds an answer: true by what more work does. */
import { describe, expect, it } from 'vitest';
import {
  account,
  binomial,
  discreteGaussian,
  joint,
  measure,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  select,
  skellam,
  zcdp,
} from '../../src/index.js';
import { relativeWidth } from '../../src/numeric/bracket.js';
import { wasm } from '../helpers/runs.js';

describe('what bounds an answer', () => {
  it('effort where the longest FFT ends, as more effort makes it longer', () => {
    for (const mechanism of [
      repeat(skellam({ variance: 82.3418791941935, sensitivity: 1 }), 97),
      repeat(binomial({ trials: 1438, sensitivity: 1 }), 103),
    ]) {
      const [usual, more] = [1, 4].map((effort) => account(wasm, mechanism, { effort, method: 'grid' }));
      const [found, finer] = [usual, more].map((run) => run.epsilon(1e-5));
      expect(relativeWidth(found)).toBeGreaterThan(1e-6);
      expect(usual.limitedBy).toBe('effort');
      expect(relativeWidth(finer)).toBeLessThan(0.75 * relativeWidth(found));
      // asked again, where all is cached
      expect(usual.epsilon(1e-5)).toEqual(found);
      expect(usual.limitedBy).toBe('effort');
    }
  });

  it('theory between theorems, also where a grid was asked on the way', () => {
    const inner = pureDp({ epsilon: 0.3 });
    const search = select({ runs: { kind: 'negative-binomial', eta: 1, mean: 3 }, inner });
    for (const mechanism of [repeat(zcdp({ rho: 0.4 }), 7), repeat(search, 2)]) {
      const run = account(wasm, mechanism);
      const { lower, upper } = run.epsilon(1e-5);
      expect(upper).toBeGreaterThan(lower * 1.01);
      expect(run.limitedBy).toBe('theory');
    }
  });

  it('a wide rate is not called as narrow as asked for', () => {
    const run = account(wasm, repeat(zcdp({ rho: 0.4 }), 7));
    const { lower, upper } = run.truePositiveRate(0.01);
    expect(upper).toBeGreaterThan(lower * 1.01);
    expect(run.limitedBy).toBe('theory');
  });

  it('a kind that is answered to fewer digits than asked for says so', () => {
    const parts = [
      discreteGaussian({ sigma: 16.46103577067746, sensitivity: 2 }),
      randomizedResponse({ epsilon: 2.339596354277861, categories: 2 }),
    ];
    const run = account(
      wasm,
      repeat(poissonSubsampled(joint({ parts }), { rate: 0.0023908927834477515 }), 47),
    );
    expect(relativeWidth(run.epsilon(1e-5))).toBeGreaterThan(1e-6);
    expect(run.limitedBy).not.toBe('tolerance');
    expect(measure(run).limitedBy).not.toBe('tolerance');
  });
});
