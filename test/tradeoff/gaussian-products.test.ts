import { describe, expect, it } from 'vitest';
import {
  approximateDpTradeoff,
  type CountedTradeoff,
  gaussianTradeoff,
  groupPrivacy,
  laplaceTradeoff,
  measure,
  tensor,
} from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** 2^100 x, a whole number for doubles from 1e-9 on. */
const whole = (x: number) => BigInt(x * 2 ** 100);
const squared = (x: number) => whole(x) ** 2n;

describe('products of Gaussians, whose mu is a root', () => {
  it('have a mu between numbers whose squares are on either side of the sum', () => {
    const random = seeded(41);
    for (let round = 0; round < 200; round++) {
      const parts = Array.from({ length: 2 + Math.floor(3 * random()) }, (): [number, number] => [
        1e-6 * 10 ** (8 * random()),
        1 + Math.floor(5 * random()),
      ]);
      const functions = parts.map(([mu, count]): CountedTradeoff => ({ f: gaussianTradeoff(mu), count }));
      const sum = parts.reduce((total, [mu, count]) => total + BigInt(count) * squared(mu), 0n);
      // one after the other is the same product
      const nested = functions.reduce((one, next) => ({ f: tensor(wasm, [one, next]), count: 1 }));
      for (const f of [tensor(wasm, functions), nested.f]) {
        const { lower, upper } = measure(f).mu;
        expect(squared(lower) <= sum && sum <= squared(upper)).toBe(true);
        expect(upper / lower).toBeLessThan(1 + 4e-16);
      }
    }
  });

  it('count parts too small to move a rounded sum', () => {
    const small = Array(50_000).fill(gaussianTradeoff(1e-8));
    const f = tensor(wasm, [gaussianTradeoff(1), ...small]);
    // with 80 digits
    expect(measure(f).mu.upper).toBeGreaterThan(1.00000000000249);
    expect(f.fnr(0.01)).toContainValue(0.90763775192589221227);
    expect(f.epsilon(1e-5)).toContainValue(4.3771780956938940805);
    const beside = tensor(wasm, [gaussianTradeoff(1), ...small, laplaceTradeoff(1e-9)], { tolerance: 1e-12 });
    expect(beside.epsilon(1e-5).upper).toBeGreaterThan(4.3771780956938940805);
  });

  it('hold where mu is so large that its rounding shows', () => {
    const far = tensor(wasm, [{ f: gaussianTradeoff(1e5), count: 3 }, gaussianTradeoff(3.3)]);
    expect(far.logDelta(1.5e10)).toContainValue(-0.69312670448299585688);
    expect(far.epsilon(1e-5)).toContainValue(15000738705.199527096);
    const told = tensor(wasm, [{ f: gaussianTradeoff(100.1), count: 3 }, approximateDpTradeoff(0, 0.1)]);
    expect(told.logDelta(14000)).toContainValue(-1.3224270525605577299e-9);
  });

  it('and groups of people have a mu that is a product', () => {
    const mu = 3n * whole(0.1);
    const found = measure(groupPrivacy(gaussianTradeoff(0.1), 3)).mu;
    expect(whole(found.lower) <= mu && mu <= whole(found.upper)).toBe(true);
    expect(measure(groupPrivacy(gaussianTradeoff(0.25), 4)).mu).toEqual({ lower: 1, upper: 1 });
  });
});
