/** Sums over one bin of an epoch and powers of series, against plain sums in host arithmetic. */
import { expect, test } from 'vitest';
import { loadF64 } from '../../assembly/lane/memory.js';
import { InnerRule, InnerSums, Ray } from '../../assembly/sums/inner-sums.js';
import { seeded } from '../helpers/random.js';
import { roomy } from '../helpers/run-laws.js';
import { seriesPower } from '../helpers/series-power.js';

test.each([
  [0.5, 20, 0, 0],
  [1, 3, 0.4, 0.3],
  [2, 100, 0.9, 0.6],
])('phi_k of mu %d, %d bins, on a ray of angle %d by a rule along Im y = %d', (mu, bins, theta, s) => {
  roomy();
  const [h, n, last] = [0.125, 12, 3];
  const [first, stride] = [-8, 1];
  const low = Math.floor((-mu * mu - 10 * mu) / h);
  const rule = new InnerRule(s, stride, low, Math.ceil((4 * mu * mu + 10 * mu) / h) - low, 60);
  rule.last = last;
  rule.places = n;
  const { rows, row } = new InnerSums(mu, bins, rule, new Ray(theta, h, first, n));
  const value = (i: number, j: number): number => loadF64(rows + i * row + 8 * j);
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
      const gross = value(4 + 3 * k, j);
      expect(Math.abs(value(2 + 3 * k, j) - re), `${k} ${j}`).toBeLessThan(1e-13 * gross + 1e-12 * re);
      expect(Math.abs(value(3 + 3 * k, j) - im), `${k} ${j}`).toBeLessThan(1e-12 * gross);
      if (k === 0) expect(Math.abs(value(0, j) - (re - 1))).toBeLessThan(1e-13);
    }
});

test('powers of a series times an exponential, by products one by one', () => {
  const random = seeded(5);
  for (const n of [1, 2, 3, 5, 6, 7, 11, 40]) {
    const rows = [0, 1, 2].map(() => Float64Array.from({ length: 8 }, random));
    const a = random();
    const [, , majorants] = seriesPower(rows, n, a);
    let power = Array.from({ length: 8 }, (_, j) => a ** j / [1, 1, 2, 6, 24, 120, 720, 5040][j]!);
    for (let i = 0; i < n; i++)
      power = power.map(
        (own, j) => own + power.slice(0, j).reduce((sum, x, k) => sum + x * rows[2]![j - k]!, 0),
      );
    for (const [j, exact] of power.entries())
      expect(Math.abs(majorants![j]! - exact), `${n} ${j}`).toBeLessThan(1e-13 * exact);
  }
});
