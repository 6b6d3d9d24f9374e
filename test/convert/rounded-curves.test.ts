import { describe, expect, test } from 'vitest';
import { type ConversionTarget, convert } from '../../src/convert/index.js';
import { approximateDp, profileOf } from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { wasm } from '../helpers/runs.js';

const only = (from: Parameters<typeof convert>[1], target: ConversionTarget): Bracket =>
  convert(wasm, from, target).values[0];

describe('trade-off curves at the last digits', () => {
  test('where 1 − δ is α but for a rounding, what is left of it is in the bracket', () => {
    // 1 − δ − α is 2^-55, and 1 − δ rounds to α
    const source = approximateDp({ epsilon: 0.5, delta: 1.5 * 2 ** -54 });
    const left = only(source, { kind: 'trade-off', alphas: [1 - 2 ** -53] });
    expect(left).toContainValue(Math.exp(-0.5) * 2 ** -55);
    expect(left.upper).toBeLessThan(1e-15);
    // no rounding: 0 is 0
    for (const [delta, alpha] of [
      [0.25, 0.75],
      [0.25, 0.8],
      [1, 0],
    ] as const) {
      const none = only(approximateDp({ epsilon: 0.5, delta }), { kind: 'trade-off', alphas: [alpha] });
      expect(none).toEqual({ lower: 0, upper: 0 });
    }
  });

  test('of a callback that keeps all secret it is 1 − α, also where that is rounded', () => {
    const secret = profileOf(() => 0);
    // 1 − 1.2·2^-54 is above the double next to 1
    const { lower, upper } = only(secret, { kind: 'trade-off', alphas: [1.2 * 2 ** -54] });
    expect(upper).toBe(1);
    expect(lower).toBeLessThanOrEqual(1);
  });
});
