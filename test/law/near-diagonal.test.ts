import { describe, expect, test } from 'vitest';
import { account, repeat, tradeoffPoints } from '../../src/index.js';
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

  test('on the diagonal nothing is released', () => {
    for (const linear of [true, false])
      expect(account(wasm, pointOf(0.25, 0.75, linear)).delta(0)).toEqual({ lower: 0, upper: 0 });
  });
});
