/** Sums over one bin of an epoch and powers of series: the bits of both engines, and plain sums in host arithmetic. */
import { expect, test } from 'vitest';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

const both = [wasm.kernel, reference.kernel] as const;

test.each([
  [0.5, 20, 0, 0],
  [1, 3, 0.4, 0.3],
  [2, 100, 0.9, 0.6],
])('phi_k of mu %d, %d bins, on a ray of angle %d by a rule along Im y = %d', (mu, bins, theta, s) => {
  const [h, n, last] = [0.125, 12, 3];
  const [first, stride] = [-8, 1];
  const low = Math.floor((-mu * mu - 10 * mu) / h);
  const rule = { s, stride, first: low, n: Math.ceil((4 * mu * mu + 10 * mu) / h) - low, depth: 60 };
  const ray = { theta, h, first, n };
  const found = both.map((kernel) =>
    kernel.innerSums({ mu, bins }, { ...rule, last, shift: 0, places: n }, ray),
  );
  expect(found[1]!.rounding).toBe(found[0]!.rounding);
  expect(found[1]!.table.values).toEqual(found[0]!.table.values);
  const { values } = found[0]!.table;
  for (let k = 0; k <= last; k++)
    for (let j = 0; j < n; j++) {
      const u = Math.exp(h * (first + j));
      let [re, im] = [0, 0];
      for (let i = -3000; i <= 3000; i++) {
        const z = i / 200;
        const x = Math.exp(mu * z - (mu * mu) / 2) / bins;
        const size =
          (Math.exp(-(z * z) / 2 - u * x * Math.cos(theta)) * x ** k) / (200 * Math.sqrt(2 * Math.PI));
        re += size * Math.cos(u * x * Math.sin(theta));
        im += size * Math.sin(u * x * Math.sin(theta));
      }
      const gross = values[(4 + 3 * k) * n + j]!;
      expect(Math.abs(values[(2 + 3 * k) * n + j]! - re), `${k} ${j}`).toBeLessThan(
        1e-13 * gross + 1e-12 * re,
      );
      expect(Math.abs(values[(3 + 3 * k) * n + j]! - im), `${k} ${j}`).toBeLessThan(1e-12 * gross);
      if (k === 0) expect(Math.abs(values[j]! - (re - 1))).toBeLessThan(1e-13);
    }
});

test('powers of a series times an exponential, by products one by one', () => {
  const random = seeded(5);
  for (const n of [1, 2, 3, 5, 6, 7, 11, 40]) {
    const rows = [0, 1, 2].map(() => Float64Array.from({ length: 8 }, random));
    const a = random();
    const [first, second] = both.map((kernel) => kernel.seriesPower(rows, n, a));
    expect(second).toEqual(first);
    // of the majorants
    let power = Array.from({ length: 8 }, (_, j) => a ** j / [1, 1, 2, 6, 24, 120, 720, 5040][j]!);
    for (let i = 0; i < n; i++)
      power = power.map(
        (own, j) => own + power.slice(0, j).reduce((sum, x, k) => sum + x * rows[2]![j - k]!, 0),
      );
    for (const [j, exact] of power.entries())
      expect(Math.abs(first![16 + j]! - exact), `${n} ${j}`).toBeLessThan(1e-13 * exact);
  }
});
