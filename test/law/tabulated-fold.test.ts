import { expect, test } from 'vitest';
import { account, tabulated, tradeoffPoints } from '../../src/index.js';
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

test('asked at exactly its last δ, a statement answers its last ε; below it, that no ε is enough', () => {
  const adjacency = { adjacency: 'add-remove' } as const;
  for (const points of [
    [[2, 1e-6]],
    [
      [1, 1e-3],
      [2, 1e-6],
    ],
    [
      [0.5, 0.2],
      [1, 0.1],
      [3, 1e-9],
    ],
    [
      [0.5, 0.2],
      [800, 1e-300],
    ],
  ]) {
    const [epsilon, delta] = points[points.length - 1];
    const run = account(
      wasm,
      tabulated({ points: points.map(([e, d]) => ({ epsilon: e, delta: d })) }),
      adjacency,
    );
    const { lower, upper } = run.epsilon(delta);
    expect(lower).toBeLessThanOrEqual(epsilon);
    expect(upper).toBeGreaterThanOrEqual(epsilon);
    expect(upper).toBeLessThanOrEqual(epsilon * (1 + 4e-15));
    expect(run.epsilon(delta * (1 - 2 ** -53)).upper).toBe(Infinity);
  }
  // an image of a point at ε < 0 is rounded: its δ may be a little less than what is told
  const folded = account(wasm, tabulated({ points: [{ epsilon: -2, delta: 0.9 }] }), adjacency);
  expect(folded.epsilon(Math.exp(2) * 0.9 - Math.expm1(2)).upper).toBe(Infinity);
  // f(0) = 1 − 2⁻²⁰: of slope −e^ε up to the corner
  const [alpha, beta] = [2 ** -3, 2 ** -3];
  const run = account(
    wasm,
    tradeoffPoints({
      points: [
        { alpha: 0, beta: 1 - 2 ** -20 },
        { alpha, beta },
        { alpha: 1, beta: 0 },
      ],
    }),
    adjacency,
  );
  const exact = Math.log((1 - 2 ** -20 - beta) / alpha);
  const { lower, upper } = run.epsilon(2 ** -20);
  expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-15));
  expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-15));
  expect(upper - exact).toBeLessThanOrEqual(2e-14);
  expect(run.epsilon(2 ** -20 * (1 - 2 ** -53)).upper).toBe(Infinity);
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
