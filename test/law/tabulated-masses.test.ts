import { expect, test } from 'vitest';
import { account, repeat, tabulated } from '../../src/index.js';
import { tabulatedAtoms } from '../../src/law/tabulated-atoms.js';
import cases from '../golden/tabulated.json' with { type: 'json' };
import { wasm } from '../helpers/runs.js';

test('masses are known as well as is said, by 60 digits, or are said to be differences', () => {
  let [known, near, worst] = [0, 0, 0];
  for (const { points, atoms } of cases) {
    const found = tabulatedAtoms(points.map(([epsilon, delta]) => ({ epsilon: epsilon!, delta: delta! })));
    if (found.differences) {
      near++;
      continue;
    }
    known++;
    expect(found.loss.length, JSON.stringify(points)).toBe(atoms.length);
    atoms.forEach(([loss, q], i) => {
      expect(found.loss[i]).toBeCloseTo(loss!, 12);
      const off = Math.abs(found.q[i]! / q! - 1);
      expect(off, JSON.stringify(points)).toBeLessThanOrEqual(found.relative! + 2e-16);
      worst = Math.max(worst, off);
    });
  }
  expect(known).toBeGreaterThan(20);
  expect(near).toBeGreaterThan(10);
  expect(worst).toBeGreaterThan(2e-14);
});

/** δ(ε) of T times (a, d)- and (2a, d/10)-DP, by adding up sums of losses step by step. */
function composed(a: number, d: number, count: number): (epsilon: number) => number {
  const far = (0.9 * d) / -Math.expm1(-a);
  const close = (1 - d) / (1 + Math.exp(-a)) - far * Math.exp(-a);
  const step = [
    [2, far],
    [1, close],
    [-1, close * Math.exp(-a)],
    [-2, far * Math.exp(-2 * a)],
  ] as const;
  let sums = new Map([[0, 1]]);
  for (let t = 0; t < count; t++) {
    const next = new Map<number, number>();
    for (const [k, mass] of sums)
      for (const [more, q] of step) next.set(k + more, (next.get(k + more) ?? 0) + mass * q);
    sums = next;
  }
  const infinity = -Math.expm1(count * Math.log1p(-d / 10));
  return (epsilon) =>
    [...sums].reduce(
      (sum, [k, q]) => sum + (k * a > epsilon ? q * -Math.expm1(epsilon - k * a) : 0),
      infinity,
    );
}

test.each([
  [1.6412494241223987, 2.674168853880113e-9, 2],
  [0.7570594728343554, 4.4859184110896515e-8, 24],
  [0.1, 1e-9, 100],
])(
  'a table of two points, %d and delta %d, %d times: the sum of losses, as narrow as asked',
  (a, d, count) => {
    const points = [
      { epsilon: a, delta: d },
      { epsilon: 2 * a, delta: d / 10 },
    ];
    const run = account(wasm, repeat(tabulated({ points }), count), { adjacency: 'add-remove' });
    const delta = composed(a, d, count);
    const { lower, upper } = run.epsilon(1e-5);
    expect(upper - lower).toBeLessThan(1e-6 * upper);
    expect(delta(lower)).toBeGreaterThan(1e-5 * (1 - 1e-12));
    expect(delta(upper)).toBeLessThan(1e-5 * (1 + 1e-12));
    const found = run.delta(1);
    expect(found.lower).toBeLessThan(delta(1) * (1 + 1e-12));
    expect(found.upper).toBeGreaterThan(delta(1) * (1 - 1e-12));
  },
);
