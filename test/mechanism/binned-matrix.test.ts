import { describe, expect, test } from 'vitest';
import {
  account,
  ballsAndBins,
  binnedMatrix,
  compose,
  gdp,
  matrixMechanism,
  parseMechanism,
  repeat,
} from '../../src/index.js';
import {
  type BinnedProducts,
  choicesAbove,
  columnProducts,
  exchangeableAbove,
  exchangeableBelow,
  matrixProducts,
  sumAttack,
  tightestAbove,
} from '../../src/mechanism/binned-products.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

/** Moves of the output by bin, of C with these rows and gradients of 1. */
function moves(
  rows: readonly (readonly number[])[],
  bins: number,
  sign: (s: number) => number = () => 1,
): number[][] {
  return Array.from({ length: bins }, (_, bin) =>
    rows.map((row) => row.reduce((sum, c, s) => sum + (s % bins === bin ? c * sign(s) : 0), 0)),
  );
}

const toeplitz = (column: readonly number[], steps: number): number[][] =>
  Array.from({ length: steps }, (_, t) =>
    Array.from({ length: steps }, (_, s) => (t >= s ? (column[t - s] ?? 0) : 0)),
  );

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0);

/** Unit column 1, ½, ¼, ⅛, ten epochs of ten batches, noise 4. */
const FOUR = (() => {
  const column = [1, 0.5, 0.25, 0.125];
  const norm = Math.sqrt(dot(column, column));
  return column.map((c) => c / norm);
})();
const TEN = { noiseMultiplier: 4, column: FOUR, steps: 100, bins: 10 };

/** δ(ε) of a mixture of normal laws at these places of the plane against the one at 0, both ways, by the trapezoidal rule. */
function planeDelta(
  places: (y: number) => readonly (readonly [number, number])[],
  epsilon: number,
): [number, number] {
  const [h, reach] = [0.05, 8];
  let [remove, add] = [0, 0];
  for (let y = -reach; y <= reach; y += h) {
    const at = places(y);
    for (let z = -reach; z <= reach; z += h) {
      const without = Math.exp(-(y * y + z * z) / 2);
      const within =
        at.reduce((sum, [a, b]) => sum + Math.exp(-((y - a) ** 2 + (z - b) ** 2) / 2), 0) / at.length;
      remove += Math.max(0, within - Math.exp(epsilon) * without);
      add += Math.max(0, without - Math.exp(epsilon) * within);
    }
  }
  const scale = (h * h) / (2 * Math.PI);
  return [remove * scale, add * scale];
}

describe('a matrix mechanism on balls-and-bins batches', () => {
  test('gradients that depend on what was released, every sign by what it was: none is worse', () => {
    const sigma = 0.8;
    const [own, next, last] = [1, 0.7, 0.9];
    const mechanism = binnedMatrix({
      noiseMultiplier: sigma,
      matrix: [
        [own, 0],
        [next, last],
      ],
      bins: 2,
    });
    const run = account(wasm, mechanism, { adjacency: 'zero-out' });
    const fixed = (g: number) => [[own / sigma, next / sigma] as const, [0, (g * last) / sigma] as const];
    for (const epsilon of [0.2, 1.2]) {
      const worst = Math.max(...planeDelta(() => fixed(1), epsilon));
      const { lower, upper } = run.delta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(worst - 1e-4);
      expect(lower).toBeLessThanOrEqual(worst + 1e-4);
      // the second gradient's sign by which of three stretches the first output is in
      for (let policy = 0; policy < 8; policy++) {
        const sign = (y: number): number => ((policy >> (y < 0.2 ? 0 : y < 1 ? 1 : 2)) & 1 ? 1 : -1);
        const found = Math.max(...planeDelta((y) => fixed(sign(y)), epsilon));
        expect(found).toBeLessThanOrEqual(worst + 1e-4);
        expect(found).toBeLessThanOrEqual(upper + 1e-4);
      }
    }
  });

  test('products of the bins, by their moves', () => {
    const random = seeded(11);
    for (let i = 0; i < 30; i++) {
      const steps = 1 + Math.floor(random() * 12);
      const bins = 1 + Math.floor(random() * steps);
      const column = Array.from({ length: 1 + Math.floor(random() * steps) }, () => 2 * random() - 1);
      const rows = toeplitz(column, steps);
      const found = [columnProducts(column, steps, bins), matrixProducts(rows, bins)];
      const signed = moves(rows, bins);
      const sizes = moves(
        rows.map((row) => row.map(Math.abs)),
        bins,
      );
      for (const { signed: own, moduli, slack } of found)
        for (let a = 0; a < bins; a++)
          for (let b = 0; b < bins; b++) {
            const size = dot(sizes[a]!, sizes[b]!);
            expect(Math.abs(moduli[a * bins + b]! - size)).toBeLessThanOrEqual(2 * slack * size);
            expect(Math.abs(own[a * bins + b]! - dot(signed[a]!, signed[b]!))).toBeLessThanOrEqual(
              2 * slack * size,
            );
          }
    }
  });

  test('what is exchangeable above has no smaller product, of whichever residue', () => {
    for (const [column, steps, bins] of [
      [FOUR, 100, 10],
      [[1, 0.2, 0.8, 0.1, 0.6], 23, 7],
      [[1, -0.5, 0.3], 12, 12],
    ] as const) {
      const products = columnProducts(column, steps, bins);
      const sizes = moves(
        toeplitz(
          column.map((c) => Math.abs(c)),
          steps,
        ),
        bins,
      );
      for (let apart = 1; apart <= bins; apart++) {
        const above = exchangeableAbove(products, apart);
        for (let a = 0; a < bins; a++) {
          const same = sizes.filter((_, b) => b % apart === a % apart);
          expect(same.length).toBeGreaterThanOrEqual(above.bins);
          expect(above.own).toBeGreaterThanOrEqual(dot(sizes[a]!, sizes[a]!));
          for (let b = 0; b < bins; b++)
            if (a !== b && (a - b) % apart === 0)
              expect(above.shared).toBeGreaterThanOrEqual(dot(sizes[a]!, sizes[b]!));
        }
      }
    }
  });

  test('fewer bins are worse', () => {
    for (const epsilon of [0.1, 0.7]) {
      const each = [2, 3, 4, 9].map((bins) =>
        account(wasm, compose([gdp({ mu: 0.3 }), ballsAndBins({ noiseMultiplier: 1.5, bins })])).delta(
          epsilon,
        ),
      );
      for (let i = 1; i < each.length; i++) expect(each[i]!.upper).toBeLessThanOrEqual(each[i - 1]!.lower);
    }
  });

  test('what is below has no larger product, and the sum of moves shifts no more', () => {
    const random = seeded(5);
    let known = 0;
    for (let i = 0; i < 40; i++) {
      const steps = 4 + Math.floor(random() * 10);
      const bins = 2 + Math.floor(random() * 3);
      const column = Array.from({ length: 1 + Math.floor(random() * 4) }, () => random() - (i % 2) * 0.2);
      const signed = moves(toeplitz(column, steps), bins);
      const products = columnProducts(column, steps, bins);
      const below = exchangeableBelow(products);
      if (below !== undefined) {
        known++;
        for (let a = 0; a < bins; a++)
          for (let b = 0; b < bins; b++) {
            const product = dot(signed[a]!, signed[b]!) * (1 + 1e-12) + 1e-15;
            expect(a === b ? below.own : below.shared).toBeLessThanOrEqual(product);
          }
      }
      const sum = signed.reduce((all, move) => all.map((x, t) => x + move[t]!));
      const shifts = signed.map((move) => dot(sum, move) / Math.sqrt(dot(sum, sum)));
      expect(sumAttack(products)).toBeLessThanOrEqual(Math.max(0, Math.min(...shifts)) * (1 + 1e-12));
      if (Math.min(...shifts) > 0) expect(sumAttack(products)).toBeCloseTo(Math.min(...shifts), 9);
    }
    expect(known).toBeGreaterThan(10);
  });

  test('a record is simulated: its δ lies in the bracket', () => {
    const sizes = moves(toeplitz(FOUR, 100), 10).map((move) => move.map((x) => x / 4));
    const random = seeded(2026);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const count = 20_000;
    const epsilons = [0.3, 0.7, 1.1];
    const sums = epsilons.map(() => [0, 0, 0, 0]);
    const halves = sizes.map((move) => dot(move, move) / 2);
    for (let i = 0; i < count; i++) {
      const noise = Array.from({ length: 100 }, normal);
      const w = sizes.reduce((sum, move, j) => sum + Math.exp(dot(move, noise) - halves[j]!), 0) / 10;
      for (const [k, epsilon] of epsilons.entries()) {
        const remove = Math.max(0, w - Math.exp(epsilon));
        const add = Math.max(0, 1 - Math.exp(epsilon) * w);
        for (const [at, x] of [remove, remove ** 2, add, add ** 2].entries()) sums[k]![at]! += x / count;
      }
    }
    const run = account(wasm, binnedMatrix(TEN), { adjacency: 'zero-out' });
    for (const [k, epsilon] of epsilons.entries()) {
      const [remove, square, add, other] = sums[k] as [number, number, number, number];
      const [mean, error] =
        remove > add
          ? [remove, Math.sqrt((square - remove ** 2) / count)]
          : [add, Math.sqrt((other - add ** 2) / count)];
      const { lower, upper } = run.delta(epsilon);
      expect(lower).toBeLessThanOrEqual(mean + 4 * error);
      expect(upper).toBeGreaterThanOrEqual(mean - 4 * error);
    }
  });

  test('values known: exchangeable products, a Monte Carlo and no amplification', () => {
    const above = exchangeableAbove(columnProducts(FOUR, 100, 10), 1);
    const [shared, rest] = [above.shared / 16, (above.own - above.shared) / 16];
    const exchangeable = compose([
      gdp({ mu: Math.sqrt(shared) }),
      ballsAndBins({ noiseMultiplier: 1 / Math.sqrt(rest), bins: 10 }),
    ]);
    expect(account(wasm, exchangeable).epsilon(1e-5).upper).toBeCloseTo(2.391850812733, 9);
    for (const engine of [wasm, reference]) {
      const { lower, upper } = account(engine, binnedMatrix(TEN), { adjacency: 'add-remove' }).epsilon(1e-5);
      // a simulation has 1.78
      expect(lower).toBeGreaterThan(1.5);
      expect(lower).toBeLessThan(1.82);
      expect(upper).toBeGreaterThan(1.74);
      expect(upper).toBeLessThan(2.13);
    }
    const { bins: _, ...plain } = TEN;
    const fixed = matrixMechanism({ ...plain, participations: 10, separation: 10 });
    expect(account(wasm, fixed, { adjacency: 'zero-out' }).epsilon(1e-5).upper).toBeCloseTo(3.341409469, 9);
  });

  test('one bin is no amplification, and the tightest of all residues is taken', () => {
    const one = account(wasm, binnedMatrix({ ...TEN, bins: 1 }), { adjacency: 'zero-out' }).epsilon(1e-5);
    const plain = account(
      wasm,
      matrixMechanism({ noiseMultiplier: 4, column: FOUR, steps: 100, participations: 100, separation: 1 }),
      { adjacency: 'zero-out' },
    ).epsilon(1e-5);
    expect(one.upper).toBeCloseTo(plain.upper, 9);
    expect(one.lower).toBeCloseTo(plain.lower, 9);
    const banded: BinnedProducts = columnProducts(FOUR, 400, 100);
    expect(tightestAbove(choicesAbove(banded), 16)).toEqual(exchangeableAbove(banded, 4));
  });

  test('a record that is replaced is refused, and so are numbers out of range', () => {
    const refused =
      (options: object): (() => unknown) =>
      () =>
        parseMechanism({ kind: 'binned-matrix', ...options });
    expect(() => account(wasm, binnedMatrix(TEN), { adjacency: 'replace-one' })).toThrow('adjacency');
    expect(refused({ ...TEN, bins: 3000 })).toThrow('bins"');
    expect(refused({ ...TEN, matrix: [[1]] })).toThrow('column"');
    expect(refused({ ...TEN, column: Array(65536).fill(1), steps: 65536 })).toThrow('5e7');
    expect(refused({ noiseMultiplier: 1, bins: 1 })).toThrow('column"');
    const none = account(wasm, binnedMatrix({ ...TEN, noiseMultiplier: 0 }), { adjacency: 'zero-out' });
    expect(none.epsilon(0.1).upper).toBe(Infinity);
    const zero = account(wasm, binnedMatrix({ ...TEN, column: [0] }), { adjacency: 'zero-out' });
    expect(zero.epsilon(1e-5)).toEqual({ lower: 0, upper: 0 });
    const signs = account(wasm, binnedMatrix({ ...TEN, column: [1, -0.9, 0.1] }), { adjacency: 'zero-out' });
    expect(signs.epsilon(1e-5).upper).toBeGreaterThan(signs.epsilon(1e-5).lower);
    expect(account(wasm, repeat(binnedMatrix(TEN), 2)).epsilon(1e-5).upper).toBeGreaterThan(2.2);
  });
});
