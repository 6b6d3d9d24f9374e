import { describe, expect, test } from 'vitest';
import { account, lossPmf, repeat, tensor, tradeoffPoints } from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

const pointOf = (alpha: number, beta: number, linear: boolean) =>
  tradeoffPoints({ points: [{ alpha, beta }], linear });

describe('points nearer to the diagonal than a rounding', () => {
  // 1 − α rounds to β, and 1 − α − β is 2^-52 − 1.7e-16
  const [alpha, beta] = [1.7e-16, 1 - 2 ** -52];
  const gap = 2 ** -52 - alpha;

  test('with straight lines δ(0) is what is left of 1', () => {
    expect(account(wasm, pointOf(alpha, beta, true)).delta(0)).toContainValue(gap);
    expect(account(wasm, pointOf(beta, alpha, true)).delta(0)).toContainValue(gap);
  });

  test('without them it is that of the steepest line through the point', () => {
    const most = 1 - alpha / 2 ** -52;
    expect(account(wasm, pointOf(alpha, beta, false)).delta(0)).toContainValue(most);
    expect(account(wasm, pointOf(beta, alpha, false)).delta(0)).toContainValue(most);
    expect(account(wasm, repeat(pointOf(alpha, beta, false), 100)).delta(0).lower).toBeGreaterThan(0.999);
  });

  test('at ½ the complement of the smaller rate is rounded', () => {
    const below = 0.5 - 2 ** -54;
    for (const [a, b] of [
      [below, 0.5],
      [0.5, below],
    ]) {
      expect(account(wasm, pointOf(a, b, true)).delta(0)).toContainValue(2 ** -54);
      expect(account(wasm, pointOf(a, b, false)).delta(0)).toContainValue(2 ** -53);
    }
  });

  test('on the diagonal nothing is released', () => {
    for (const linear of [true, false])
      expect(account(wasm, pointOf(0.25, 0.75, linear)).delta(0)).toEqual({ lower: 0, upper: 0 });
  });
});

describe('losses that are small are known to a rounding of 1, not of themselves', () => {
  test.each(
    [
      [0.34909868240356445, 0.34909868612885475, 531],
      [0.3216733932495117, 0.32167339511215687, 654],
      [0.4618549346923828, 0.4618549384176731, 252],
    ].filter(([, , count]) => LONG_TESTS || count !== 531),
  )('from %d to %d, %d times', (x, y, count) => {
    // y − x is a double, so the logarithm of y/x keeps its digits
    const pure = count * Math.log1p((y - x) / x);
    const runs = [
      account(wasm, repeat(pointOf(x, 1 - y, true), count)),
      tensor(wasm, [{ f: lossPmf({ x: [x, 1 - x], y: [y, 1 - y] }), count }]),
    ];
    for (const run of runs) {
      expect(run.epsilon(0)).toContainValue(pure, { relative: 1e-14 });
      // all outputs of the largest loss are still beyond it
      expect(run.delta(pure * (1 - 1e-10)).upper).toBeGreaterThan(0);
    }
  });
});
