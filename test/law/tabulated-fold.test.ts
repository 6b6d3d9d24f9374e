import { expect, test } from 'vitest';
import { account, tabulated } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

test('points at ε < 0: their mirror images, of which rounding may leave little, lie in the bracket', () => {
  // δ(−ε) = 1 − e^{−ε}(1 − δ(ε)), given in doubles: the exact image of the double is what is stated
  for (const epsilon of [0.5, 2, 8, 20, 30]) {
    for (const aim of [0.3, 1e-6, 1e-12, 1e-15]) {
      const given = -Math.expm1(-epsilon) + Math.exp(-epsilon) * aim;
      const { lower, upper } = account(wasm, tabulated({ points: [{ epsilon: -epsilon, delta: given }] }), {
        adjacency: 'add-remove',
      }).delta(epsilon);
      // in whole numbers: δ = 1 − e^ε(1 − given), 1 − given being a multiple of 2⁻¹⁰⁷⁴⁺ that doubles hold exactly
      const exact = Math.max(0, image(epsilon, given));
      expect(lower).toBeLessThanOrEqual(exact);
      expect(upper).toBeGreaterThanOrEqual(Math.min(exact, 1));
      expect(upper).toBeLessThanOrEqual(Math.min(1, exact + 1e-14 * Math.exp(epsilon)));
    }
  }
});

/** 1 − e^ε(1 − δ) in 60 decimals. */
function image(epsilon: number, delta: number): number {
  const unit = 10n ** 60n;
  const whole = (x: number): bigint => {
    let [bits, shift] = [x, 0];
    while (!Number.isInteger(bits)) [bits, shift] = [bits * 2, shift + 1];
    return (BigInt(bits) * unit) >> BigInt(shift);
  };
  const x = whole(epsilon);
  let [sum, term] = [unit, unit];
  for (let k = 1n; k < 400n; k++) {
    term = (term * x) / unit / k;
    sum += term;
  }
  const value = unit - (sum * (unit - whole(delta))) / unit;
  return Number(value) / 1e60;
}
