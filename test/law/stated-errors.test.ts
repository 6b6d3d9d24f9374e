/** Laws whose losses and masses are known to within what they state, which is much: what is built of them holds the law that is meant. */
import { describe, expect, test } from 'vitest';
import { randomizedResponse } from '../../src/index.js';
import { atomicPair } from '../../src/law/atomic-pair.js';
import { lawBetween } from '../../src/law/joined-laws.js';
import { cellLaw } from '../../src/law/lattice/cell-law.js';
import type { LatticeMeasure } from '../../src/law/loss-law.js';
import { ALL_FINITE } from '../../src/law/pair.js';
import { productAtoms } from '../../src/law/product-atoms.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { GridRun } from '../../src/methods/grid/grid-run.js';
import { logSum } from '../../src/numeric/log-arithmetic.js';
import { exp, expm1, log } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

/** log δ(ε) of n responses of loss ±a, from the top down. */
function ofResponses(a: number, n: number, epsilon: number): number {
  const step = log(1 / (1 + exp(-a))) - log(1 / (1 + exp(a)));
  let mass = -n * Math.log1p(exp(-a));
  let sum = -Infinity;
  for (let k = 0; (n - 2 * k) * a > epsilon; k++) {
    sum = logSum(sum, mass + log(-expm1(epsilon - (n - 2 * k) * a)));
    mass += log(n - k) - log(k + 1) - step;
  }
  return sum;
}

test('beside a search steps stand on a mesh to within what they are moved by', () => {
  const [a, count] = [1 + 9e-13, 10_000];
  const law = cellLaw(pairOf(randomizedResponse({ epsilon: a })), 1, 'remove');
  const between = lawBetween(law, law, law.single);
  const run = new GridRun(wasm.kernel, [{ law: between, count }], { width: 1e-8, maxLength: 2 ** 16 });
  for (const x of [0.6, 0.75, 0.9]) {
    const exact = ofResponses(a, count, x * count);
    const { lower, upper } = run.logDelta(x * count);
    expect(lower, `δ(${x}n)`).toBeLessThanOrEqual(exact + 1e-10);
    expect(upper, `δ(${x}n)`).toBeGreaterThanOrEqual(exact - 1e-10);
    expect(upper - lower).toBeLessThan(1e-7);
  }
});

/** δ(ε) of a measure. */
function deltaOf({ step, first, mass, infinity }: LatticeMeasure, epsilon: number): number {
  // six masses lie in thousands of places
  const excess = (i: number): number => Math.max(0, -expm1(epsilon - step * (first + i)));
  return mass.reduce((sum, m, i) => (m === 0 ? sum : sum + m * excess(i)), infinity);
}

describe.each(['remove', 'add'] as const)('%s', (direction) => {
  test.each([1, 0.999, 0.3])('masses as wrong as they say, on either side: rate %d', (rate) => {
    const random = seeded(20240811);
    const relative = 1e-3;
    for (let k = 0; k < 60; k++) {
      const n = 6;
      const own = Array.from({ length: n }, () => 7 * (2 * random() - 1)).sort((x, y) => x - y);
      const weight = own.map(() => random() + 0.1);
      // those that are meant
      const total = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0);
      const [sumP, sumQ] = [total(weight), total(weight.map((w, i) => w * exp(own[i]!)))];
      const p = weight.map((w) => w / sumP);
      const q = weight.map((w, i) => (w * exp(own[i]!)) / sumQ);
      // and those that are stated
      const side = k % 2 === 0 ? 1 : -1;
      const stated = p.map((m, i) => ({
        p: m * (1 + side * relative),
        q: q[i]! * (1 - side * relative),
        loss: log(q[i]! / m) - side * 2 * relative,
      }));
      const column = (of: 'p' | 'q' | 'loss') => Float64Array.from(stated, (one) => one[of]);
      const atoms = {
        ...{ p: column('p'), q: column('q'), loss: column('loss') },
        ...{ relative: 1.01 * relative, lossError: 2.01 * relative, gdpMu: Infinity, tailMu: 0 },
        ...ALL_FINITE,
      };
      const law = cellLaw({ ...atomicPair(atoms), asymmetric: true }, rate, direction);
      const { upper, lower } = law.discretise(reference.kernel, 2 ** -8, -60);
      const mixed = q.map((m, i) => rate * m + (1 - rate) * p[i]!);
      const [tops, bases] = direction === 'remove' ? [mixed, p] : [p, mixed];
      for (let i = -40; i <= 40; i++) {
        const epsilon = i / 4 + 0.01;
        const exact = tops.reduce((sum, m, j) => sum + Math.max(0, m - exp(epsilon) * bases[j]!), 0);
        expect(deltaOf(upper, epsilon), `${k}: δ(${epsilon})`).toBeGreaterThanOrEqual(exact * (1 - 1e-13));
        expect(deltaOf(lower, epsilon), `${k}: δ(${epsilon})`).toBeLessThanOrEqual(exact * (1 + 1e-13));
      }
    }
  });
});

test('products whose losses are moved to a lattice: both directions, and tests', () => {
  // responses of loss ±1, and one whose own is on the lattice; δ of n alike is known
  const [n, a, b] = [200, 1, 1 + 9e-13];
  const [many, one] = [a, b].map((epsilon) => {
    const pair = pairOf(randomizedResponse({ epsilon }));
    if (pair.family !== 'atoms') throw new Error(pair.family);
    return pair.atoms;
  });
  const { forward, backward } = atomicPair(
    productAtoms(
      [
        { atoms: many!, count: n },
        { atoms: one!, count: 1 },
      ],
      b,
    )!,
  );
  const binomial = (k: number) => logChoose(n, k) - k * Math.log1p(exp(-a)) - (n - k) * Math.log1p(exp(a));
  const outputs = Array.from({ length: n + 1 }, (_, k) =>
    [1, -1].map((s) => ({ loss: (2 * k - n) * a + s * b, log: binomial(k) - Math.log1p(exp(-s * b)) })),
  ).flat();
  for (const x of [0.5, 60.5, 120.5, 180.5]) {
    const above = outputs.filter(({ loss }) => loss > x);
    const total = (of: (o: { loss: number; log: number }) => number): number =>
      above.reduce((sum, o) => logSum(sum, of(o)), -Infinity);
    const delta = total((o) => o.log + log(-expm1(x - o.loss)));
    for (const run of [forward, backward]) {
      expect(run.logDelta(x).lower, `δ(${x})`).toBeLessThanOrEqual(delta + 2e-11);
      expect(run.logDelta(x).upper, `δ(${x})`).toBeGreaterThanOrEqual(delta - 2e-11);
      const { logFpr, logTpr } = run.test(x);
      expect(logFpr, `FPR at ${x}`).toBeGreaterThanOrEqual(total((o) => o.log - o.loss) - 2e-11);
      expect(logTpr, `TPR at ${x}`).toBeLessThanOrEqual(total((o) => o.log) + 2e-11);
    }
  }
});

/** Relative error below 2e-12. */
function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 0; i < Math.min(k, n - k); i++) sum += log(n - i) - log(i + 1);
  return sum;
}
