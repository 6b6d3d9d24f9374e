import { describe, expect, test } from 'vitest';
import { account, binnedMatrix, compose, gaussian, repeat } from '../../src/index.js';
import { deltaByMoments, type Factored, largestExcess, sampledAt } from '../../src/law/moment-bounds.js';
import { ringMoments } from '../../src/law/ring-moments.js';
import { columnProducts, matrixProducts, ringAbove, ringBelow } from '../../src/mechanism/binned-products.js';
import { ringRunEnd } from '../../src/mechanism/binned-run.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

/** Moves of the output by bin, of the Toeplitz C of a column and gradients of these signs. */
function moves(
  column: readonly number[],
  steps: number,
  bins: number,
  sign: (s: number) => number = () => 1,
): number[][] {
  return Array.from({ length: bins }, (_, bin) =>
    Array.from({ length: steps }, (_, t) => {
      let move = 0;
      for (let s = bin; s <= t; s += bins) move += (column[t - s] ?? 0) * sign(s);
      return move;
    }),
  );
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0);

const unit = (column: readonly number[]): number[] => {
  const norm = Math.sqrt(dot(column, column));
  return column.map((c) => c / norm);
};

/** Four bands in ten bins, and eight of (1 − x)^{−½} in a hundred. */
const FOUR = { noiseMultiplier: 4, column: unit([1, 0.5, 0.25, 0.125]), steps: 100, bins: 10 };
const EIGHT = (() => {
  const column = [1];
  for (let k = 1; k < 8; k++) column.push((column[k - 1]! * (k - 0.5)) / k);
  return { noiseMultiplier: 4, column: unit(column), steps: 1000, bins: 100 };
})();

const ring = (bins: number, at: (distance: number) => number): Float64Array =>
  Float64Array.from({ length: bins }, (_, k) => at(Math.min(k, bins - k)));

function eigenvalues(products: Float64Array): number[] {
  const n = products.length;
  return Array.from({ length: n }, (_, f) =>
    products.reduce((sum, x, k) => sum + x * Math.cos((2 * Math.PI * f * k) / n), 0),
  );
}

/** δ of a lognormal of mean 1 times v, in both directions. */
function deltaOf(mu: number, v: number, epsilon: number): [remove: number, add: number] {
  const gaussianDelta = (e: number): number =>
    normalCdf(mu / 2 - e / mu) - Math.exp(e) * normalCdf(-mu / 2 - e / mu);
  return [v * gaussianDelta(epsilon - Math.log(v)), gaussianDelta(epsilon + Math.log(v))];
}

/** Twelve values of mean 1 and their chances; the largest is about 1 + `reach`. */
function someLaw(random: () => number, reach: number): { values: number[]; chances: number[] } {
  const drawn = Array.from({ length: 12 }, (_, k) => 1 + (k < 9 ? 0.4 * (random() - 0.5) : reach * random()));
  const weights = drawn.map((_, k) => random() * (k < 9 ? 1 : 0.1 / (1 + reach)));
  const all = weights.reduce((sum, x) => sum + x, 0);
  const mean = dot(drawn, weights) / all;
  return { values: drawn.map((x) => x / mean), chances: weights.map((x) => x / all) };
}

function lawOf(values: readonly number[], chances: readonly number[], mu: number, order: number): Factored {
  const moments = Float64Array.from({ length: order + 1 }, (_, k) =>
    values.reduce((sum, v, i) => sum + chances[i]! * v ** k, 0),
  );
  return { mu, logLeast: Math.log(Math.min(...values) * (1 - 1e-9)), moments, relative: 1e-14 };
}

function normals(seed: number): () => number {
  const random = seeded(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

describe('binned matrices by rings', () => {
  test('rings are covariances, above all products and below', () => {
    const random = seeded(31);
    let [lowered, found] = [0, 0];
    for (let i = 0; i < 60; i++) {
      const bins = [2, 3, 4, 6, 8, 12][i % 6]!;
      const steps = bins + Math.floor(random() * 30);
      const column = Array.from(
        { length: 1 + Math.floor(random() * 9) },
        () => random() - (i % 3 === 0 ? 0.5 : 0),
      );
      const products = columnProducts(column, steps, bins);
      const own = moves(column, steps, bins);
      const sizes = moves(column.map(Math.abs), steps, bins);
      for (let apart = 1; apart <= bins; apart++) {
        if (bins % apart !== 0) continue;
        const above = ringAbove(products, apart);
        expect(above.length).toBe(bins / apart);
        expect(Math.min(...eigenvalues(above))).toBeGreaterThanOrEqual(-1e-13);
        for (let a = 0; a < bins; a++)
          for (let k = 0; k < above.length; k++) {
            const product = dot(sizes[a]!, sizes[(a + k * apart) % bins]!);
            expect(above[k]).toBeGreaterThanOrEqual(product * (1 - 1e-14));
            expect(above[(above.length - k) % above.length]).toBe(above[k]);
          }
      }
      const below = ringBelow(products);
      if (below === undefined) continue;
      found++;
      expect(Math.min(...eigenvalues(below))).toBeGreaterThanOrEqual(-1e-13);
      let least = Infinity;
      for (let a = 0; a < bins; a++)
        for (let b = 0; b < bins; b++) {
          const product = dot(own[a]!, own[b]!);
          expect(below[(b - a + bins) % bins]).toBeLessThanOrEqual(product + 1e-13);
          if ((b - a + bins) % bins === 1) least = Math.min(least, product);
        }
      if (bins > 1 && below[1]! < least - 1e-9) lowered++;
    }
    // two bins that move alike, and two that move nothing
    const none = [0, 0, 0, 0];
    const pairs = matrixProducts([none, none, none, [1, 1, 0, 0]], 4);
    expect([...ringAbove(pairs, 1)].map((x) => Math.round(x * 1e9) / 1e9)).toEqual([2, 1, 0, 1]);
    expect([lowered, found].every((seen) => seen > 0)).toBe(true);
  });

  test('negative entries: gradients of alternating signs are attained', () => {
    const column = [1, -0.5, 0.25, -0.1];
    const turned = moves(column, 100, 10, (s) => (s % 2 === 0 ? 1 : -1));
    const straight = moves(column.map(Math.abs), 100, 10);
    for (const [a, one] of turned.entries())
      for (const [b, other] of turned.entries())
        expect(dot(one, other)).toBeCloseTo(dot(straight[a]!, straight[b]!), 12);
    const [signed, plain] = [column, column.map(Math.abs)].map((each) =>
      account(wasm, binnedMatrix({ ...FOUR, column: each }), { adjacency: 'zero-out' }).epsilon(1e-5),
    );
    expect(signed!.lower).toBeCloseTo(plain!.lower, 6);
    expect(signed!.upper).toBeCloseTo(plain!.upper, 6);
    const rows = Array.from({ length: 20 }, (_, t) =>
      Array.from({ length: 20 }, (_, s) => (t >= s ? (column[t - s] ?? 0) : 0)),
    );
    const byRows = account(wasm, binnedMatrix({ noiseMultiplier: 2, matrix: rows, bins: 5 })).epsilon(1e-5);
    expect(byRows.upper / byRows.lower).toBeLessThan(1.3);
  });

  test.each([
    { bins: 3, band: 1, orders: 8 },
    { bins: 4, band: 2, orders: 6 },
    { bins: 7, band: 3, orders: 5 },
    { bins: 9, band: 1, orders: 5 },
    { bins: 17, band: 2, orders: 4 },
    { bins: 12, band: 0, orders: 4 },
  ])('moments of a ring: by all lists of bins, $bins bins of band $band', ({ bins, band, orders }) => {
    const products = ring(bins, (k) => (k > band ? 0 : 0.9 * 0.6 ** k));
    const { values, relative } = ringMoments({ products })!;
    expect(relative).toBeLessThan(1e-10);
    for (let order = 0; order <= orders; order++) {
      let sum = 0;
      const visit = (list: number[], product: number): void => {
        if (list.length === order) sum += Math.exp(product);
        else
          for (let j = 0; j < bins; j++)
            visit(
              [...list, j],
              list.reduce((all, i) => all + products[(j - i + bins) % bins]!, product),
            );
      };
      visit([], 0);
      expect(Math.abs(values[order]! / (sum / bins ** order) - 1)).toBeLessThan(relative + 1e-12);
    }
  });

  test('a few values with chosen chances: delta by a formula lies between the ends of its moments', () => {
    const random = seeded(17);
    let narrow = 0;
    for (let i = 0; i < 60; i++) {
      const order = [4, 6, 8][i % 3]!;
      const { values, chances } = someLaw(random, i % 5 === 0 ? 8 : 0.5);
      const mu = 0.2 + random();
      const of = lawOf(values, chances, mu, order);
      const epsilon = i % 7 === 0 ? 0 : 3 * mu * random();
      for (const adds of [false, true]) {
        const exact = values.reduce(
          (sum, v, k) => sum + chances[k]! * deltaOf(mu, v, epsilon)[adds ? 1 : 0],
          0,
        );
        const [above, below] = ([1, -1] as const).map((side) => deltaByMoments(of)({ epsilon, adds }, side));
        expect(above).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
        expect(below).toBeLessThanOrEqual(exact * (1 + 1e-9));
        if (above! < below! * 1.05) narrow++;
      }
    }
    expect(narrow).toBeGreaterThan(60);
  });

  test('coarse cells: no end is crossed by the laws of three values that moments nearly tell', () => {
    const random = seeded(3);
    for (let i = 0; i < 60; i++) {
      const mu = 0.1 + 0.2 * random();
      const drawn = [1 - 0.2 * random(), 1 + 0.1 * random(), 1.2 + 0.5 * random()];
      const weights = [0.4 + random(), 0.4 + random(), 0.1 * random()];
      const all = weights.reduce((sum, x) => sum + x, 0);
      const mean = dot(drawn, weights) / all;
      const values = drawn.map((x) => x / mean);
      const chances = weights.map((x) => x / all);
      const of = lawOf(values, chances, mu, 4);
      const epsilon = 4 * mu * random();
      for (const adds of [false, true]) {
        const exact = values.reduce(
          (sum, v, k) => sum + chances[k]! * deltaOf(mu, v, epsilon)[adds ? 1 : 0],
          0,
        );
        const delta = deltaByMoments(of);
        expect(delta({ epsilon, adds, fine: 8 }, 1)).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
        expect(delta({ epsilon, adds, fine: 8 }, -1)).toBeLessThanOrEqual(exact * (1 + 1e-9));
      }
    }
  });

  test('what delta exceeds a polynomial by, or falls below it, is nowhere above what is added', () => {
    const random = seeded(5);
    const [scale, low] = [0.5, 0.8];
    for (let i = 0; i < 40; i++) {
      const mu = 0.2 + 0.3 * random();
      const epsilon = 2 * mu * random();
      const p = Float64Array.from({ length: 5 }, (_, k) => (i < 4 ? 0 : (0.1 * (random() - 0.5)) / (k + 1)));
      const of: Factored = { mu, logLeast: Math.log(low), moments: p, relative: 0 };
      for (const adds of [false, true]) {
        const at = sampledAt(of, { epsilon, adds, fine: 8 });
        const excess = ([1, -1] as const).map((side) => largestExcess(p, scale, side, at));
        for (let v = low; v < 1e7; v *= v < 5 ? 1.001 : 1.1) {
          const u = (v - 1) / scale;
          const fitted = p.reduce((sum, x, k) => sum + x * u ** k, 0);
          const off = (deltaOf(mu, v, epsilon)[adds ? 1 : 0] - fitted) / (1 + u ** 4);
          expect(excess[0]).toBeGreaterThanOrEqual(off - 1e-12);
          expect(excess[1]).toBeGreaterThanOrEqual(-off - 1e-12);
        }
      }
    }
  });

  // by traces of powers of a transfer operator, on three meshes: δ(1) of removing
  test('rings by transfer operators: their delta lies between the ends', () => {
    const rho = 0.49282046463245877;
    const chain = ring(10, (k) => (0.625 * (rho ** k + rho ** (10 - k))) / (1 + rho ** 10));
    const neighbours = ring(10, (k) => [0.6095588235294115, 0.27794117647058814][k] ?? 0);
    for (const [products, delta, digits] of [
      [chain, 3.4686695029e-3, 0.01],
      [neighbours, 9.4985911878e-4, 0.04],
    ] as const) {
      const [above, below] = ([1, -1] as const).map((side) =>
        ringRunEnd([{ products, square: 1, count: 1 }], 0, side)!(1),
      );
      expect(Math.exp(above!)).toBeGreaterThan(delta);
      expect(Math.exp(below!)).toBeLessThan(delta);
      expect(above! - below!).toBeLessThan(digits);
    }
    // and the ε of 1e-5, to its digits
    const at = ([1, -1] as const).map(
      (side) => ringRunEnd([{ products: chain, square: 1, count: 1 }], 0, side)!,
    );
    expect(at[0]!(1.8326)).toBeGreaterThan(Math.log(1e-5));
    expect(at[1]!(1.83261)).toBeLessThan(Math.log(1e-5));
  });

  // the same traces, of adding
  test('rings by transfer operators: delta of adding lies between its ends, too', () => {
    const rho = 0.49282046463245877;
    const chain = ring(10, (k) => (0.625 * (rho ** k + rho ** (10 - k))) / (1 + rho ** 10));
    const neighbours = ring(10, (k) => [0.6095588235294115, 0.27794117647058814][k] ?? 0);
    for (const [products, delta] of [
      [chain, 2.926278820611e-3],
      [neighbours, 4.846022726553e-4],
    ] as const) {
      const shared = products.reduce((sum, x) => sum + x, 0) / products.length;
      const { values, relative } = ringMoments({ products })!;
      const end = deltaByMoments({
        mu: Math.sqrt(shared),
        logLeast: -(products[0]! - shared) / 2,
        moments: values.map((x, k) => x * Math.exp((-k * (k - 1) * shared) / 2)),
        relative: relative + 1e-13,
      });
      const [above, below] = ([1, -1] as const).map((side) => end({ epsilon: 1, adds: true }, side));
      expect(above).toBeGreaterThan(delta);
      expect(below).toBeLessThan(delta);
      expect(above! / below!).toBeLessThan(1.1);
    }
  });

  test('a ring that is run three times is three rings', () => {
    const products = ring(10, (k) => [0.3, 0.2, 0.1][k] ?? 0);
    const one = { products, square: 1, count: 1 };
    for (const side of [1, -1] as const) {
      const ends = [[{ ...one, count: 3 }], [one, one, one]].map((rings) => ringRunEnd(rings, 0.1, side)!);
      for (const epsilon of [0.5, 1.5]) expect(ends[0]!(epsilon)).toBeCloseTo(ends[1]!(epsilon), 9);
    }
  });

  // the rest is nearly 1, and one Gaussian of what all bins share is left
  test('a ring that is run very often, in as much more noise: both ends stay near the Gaussian', () => {
    const products = ring(10, (k) => [0.3, 0.2, 0.1][k] ?? 0);
    const shared = (0.3 + 2 * 0.2 + 2 * 0.1) / 10;
    for (const count of [30, 100, 1000, 10_000]) {
      const [above, below] = ([1, -1] as const).map(
        (side) => ringRunEnd([{ products, square: count, count }], 0, side)!,
      );
      for (const epsilon of [0.2, 0.5, 1]) {
        const limit = Math.log(deltaOf(Math.sqrt(shared), 1, epsilon)[0]);
        expect(above!(epsilon) - below!(epsilon)).toBeLessThan(0.06);
        expect(above!(epsilon)).toBeGreaterThan(limit - 1e-9);
        expect(below!(epsilon)).toBeLessThan(limit + 2 / count);
      }
    }
  });

  test('simulated runs, two of them and one beside a Gaussian: delta lies between the ends', () => {
    const own = moves(FOUR.column, FOUR.steps, FOUR.bins).map((move) => move.map((x) => x / 4));
    // of ten bins in noise of a hundred coordinates: by Cholesky's factor of their products
    const factor = own.map(() => new Array<number>(10).fill(0));
    for (let i = 0; i < 10; i++)
      for (let j = 0; j <= i; j++) {
        const rest = dot(own[i]!, own[j]!) - dot(factor[i]!, factor[j]!);
        factor[i]![j] = i === j ? Math.sqrt(rest) : rest / factor[j]![j]!;
      }
    const halves = own.map((move) => dot(move, move) / 2);
    const normal = normals(67);
    const ratio = (): number => {
      const z = Array.from({ length: 10 }, normal);
      return factor.reduce((sum, row, j) => sum + Math.exp(dot(row, z) - halves[j]!), 0) / 10;
    };
    const runs = [
      { run: binnedMatrix(FOUR), draw: ratio },
      { run: repeat(binnedMatrix(FOUR), 2), draw: () => ratio() * ratio() },
      {
        run: compose([binnedMatrix(FOUR), gaussian({ noiseMultiplier: 2 })]),
        draw: () => ratio() * Math.exp(normal() / 2 - 1 / 8),
      },
    ];
    const count = 60_000;
    for (const { run, draw } of runs) {
      const ratios = Array.from({ length: count }, draw);
      const composed = account(wasm, run, { adjacency: 'zero-out' });
      for (const epsilon of [0.4, 0.9]) {
        const values = ratios.map((w) => Math.max(0, w - Math.exp(epsilon)));
        const mean = values.reduce((sum, x) => sum + x, 0) / count;
        const error = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0)) / count;
        const { lower, upper } = composed.delta(epsilon);
        expect(lower).toBeLessThanOrEqual(mean + 4 * error);
        expect(upper).toBeGreaterThanOrEqual(mean - 4 * error);
        expect(upper / lower).toBeLessThan(1.5);
      }
    }
  });

  test('four bands in ten bins and eight in a hundred: both ends of epsilon, in both engines', () => {
    for (const [options, [from, to], apart] of [
      [FOUR, [1.74, 1.82], 1.08],
      [EIGHT, [0.74, 0.82], 1.08],
    ] as const) {
      const [one, other] = [wasm, reference].map((engine) =>
        account(engine, binnedMatrix(options), { adjacency: 'zero-out' }).epsilon(1e-5),
      );
      expect(one).toEqual(other);
      // simulations have 1.78 and .78, known to .01
      expect(one!.lower).toBeLessThan(to);
      expect(one!.upper).toBeGreaterThan(from);
      expect(one!.upper / one!.lower).toBeLessThan(apart);
    }
  });

  test('bins too many for their moments are told modulo a divisor, and others keep their ends', () => {
    const long = { noiseMultiplier: 8, column: Array(120).fill(0.1), steps: 1200, bins: 600 };
    const { lower, upper } = account(wasm, binnedMatrix(long), { adjacency: 'zero-out' }).epsilon(1e-5);
    expect(lower).toBeGreaterThan(0);
    expect(upper).toBeGreaterThan(lower);
    const loud = account(wasm, binnedMatrix({ ...FOUR, noiseMultiplier: 0.3 }), { adjacency: 'zero-out' });
    expect(loud.epsilon(1e-5).lower).toBeGreaterThan(10);
  });
});
