import { describe, expect, test } from 'vitest';
import { copyBounds, type DrawnCopies } from '../../src/law/drawn-copies.js';

type Point = readonly [number, number];

const HALF_WIDTH = 0.1;
const GAMMAS = [1, 1.02, 1.1, 1.3, 2, 5, 30];

/** P[Bin(m, 1/n) = k], k = 0 … m. */
function copies(m: number, n: number): number[] {
  return Array.from({ length: m + 1 }, (_, k) => {
    let mass = (1 - 1 / n) ** (m - k);
    for (let i = 0; i < k; i++) mass *= (m - i) / (i + 1) / n;
    return mass;
  });
}

/** Mixtures of Gaussians in the plane: weights by position. */
type Mixture = readonly (readonly [weight: number, place: Point])[];

/** H_γ of two mixtures, by their values on a grid. */
function divergences(p: Mixture, q: Mixture): number[] {
  const all = [...p, ...q].map(([, place]) => place);
  const ends = [0, 1].map((axis) => {
    const values = all.map((place) => place[axis]!);
    return [Math.min(...values) - 6.5, Math.max(...values) + 6.5] as const;
  });
  const sums = GAMMAS.map(() => 0);
  const density = (of: Mixture, x: number, y: number): number =>
    of.reduce((sum, [weight, [u, v]]) => sum + weight * Math.exp(-((x - u) ** 2 + (y - v) ** 2) / 2), 0);
  for (let x = ends[0]![0]; x <= ends[0]![1]; x += HALF_WIDTH)
    for (let y = ends[1]![0]; y <= ends[1]![1]; y += HALF_WIDTH) {
      const [a, b] = [density(p, x, y), density(q, x, y)];
      GAMMAS.forEach((gamma, i) => {
        sums[i]! += Math.max(0, a - gamma * b);
      });
    }
  return sums.map((sum) => (sum * HALF_WIDTH * HALF_WIDTH) / (2 * Math.PI));
}

/** A point on the circle of the ball, or inside it. */
function at(diameter: number, angle: number, part = 1): Point {
  return [(part * diameter * Math.cos(angle)) / 2, (part * diameter * Math.sin(angle)) / 2];
}

/** Sum of `k` times one point and another. */
const plus = ([a, b]: Point, [c, d]: Point, k = 1): Point => [a + k * c, b + k * d];

/** At each γ and for each bound: weight·H of the sample without replacement and what is added. */
function bounded(
  drawn: DrawnCopies,
  diameter: number,
  [x, y, other]: readonly [Point, Point, Point],
): number[][] {
  return copyBounds(drawn, diameter).map(({ weight, share, rest }) => {
    const base = [1 - share, y] as const;
    const own = divergences([base, [share, x]], [base, [share, other]]);
    return own.map((value, i) => weight * value + rest(Math.log(GAMMAS[i]!)));
  });
}

describe('one step that may draw a record several times', () => {
  test.each([
    { draws: 3, records: 3, diameter: 1.2 },
    { draws: 2, records: 4, diameter: 2.5 },
    { draws: 4, records: 3, diameter: 0.5 },
  ])(
    'every batch of small data sets in the plane is below both bounds: $draws of $records, diameter $diameter',
    ({ draws, records, diameter }) => {
      const drawn = { weights: copies(draws, records), more: 0 };
      const [one, two] = [at(diameter, 0), at(diameter, Math.PI)];
      const third = (2 * Math.PI) / 3;
      const cases: [Point, Point, Point[]][] = [
        [one, two, [two, two, two]],
        [one, two, [two, one, at(diameter, 1)]],
        [two, one, [two, two, at(diameter, 2.6)]],
        [one, at(diameter, third), [at(diameter, -third), at(diameter, -third), two]],
      ];
      for (const [x, other, rest] of cases) {
        const others = rest.slice(0, records - 1);
        const law = (record: Point): Mixture => {
          let sums: Point[] = [[0, 0]];
          for (let i = 0; i < draws; i++)
            sums = sums.flatMap((sum) => [record, ...others].map((each) => plus(sum, each)));
          return sums.map((sum) => [1 / sums.length, sum]);
        };
        const exact = divergences(law(x), law(other));
        const all = others.map((y) => bounded(drawn, diameter, [x, y, other]));
        for (const i of copyBounds(drawn, diameter).keys())
          exact.forEach((value, g) => {
            const most = Math.max(...all.map((each) => each[i]![g]!));
            expect(value, `bound ${i}, gamma ${GAMMAS[g]}`).toBeLessThanOrEqual(most * 1.001 + 1e-9);
          });
      }
    },
    60_000,
  );

  test.each([
    { diameter: 1.2, expected: 0.3 },
    { diameter: 2.4, expected: 0.05 },
    { diameter: 0.4, expected: 0.4 },
  ])(
    'no path of other records is above the bounds: diameter $diameter, copies expected $expected',
    ({ diameter, expected }) => {
      const weights = copies(4, 4 / expected);
      const drawn = { weights, more: 0 };
      const paths: [Point, Point, Point[]][] = [];
      for (let i = 0; i < 12; i++) {
        const parts = i % 2 === 0 ? [1, 1, 1, 1] : [1, 0.4, 0.8, 1];
        const points = parts.map((part, k) => at(diameter, (i + 1) * (k + 1) * 1.324718, part));
        paths.push([at(diameter, 0), at(diameter, i < 6 ? Math.PI : i), points]);
      }
      const [one, two] = [at(diameter, 0), at(diameter, Math.PI)];
      paths.push(
        [one, two, [two, two, two, two]],
        [one, two, [two, one, one, one]],
        [two, one, [two, two, two, two]],
      );
      for (const [x, other, ys] of paths) {
        const law = (record: Point): Mixture => {
          let place: Point = [0, 0];
          return weights.map((weight, k) => {
            if (k > 0) place = plus(plus(place, record), ys[k - 1]!, -1);
            return [weight, place];
          });
        };
        const exact = divergences(law(x), law(other));
        for (const [i, bound] of bounded(drawn, diameter, [x, ys[0]!, other]).entries())
          exact.forEach((value, g) => {
            expect(value, `bound ${i}, gamma ${GAMMAS[g]}`).toBeLessThanOrEqual(bound[g]! * 1.001 + 1e-9);
          });
      }
    },
    60_000,
  );

  test('what copies add, integrated over the outputs', () => {
    for (const [diameter, weights] of [
      [1, copies(16, 200)],
      [0.2, copies(100, 1000).slice(0, 6)],
      [3, copies(20, 5000).slice(0, 4)],
    ] as const) {
      const [none, once] = [weights[0]!, weights[1]!];
      const { rest } = copyBounds({ weights, more: 1e-9 }, diameter)[0]!;
      for (const gamma of [1, 1.001, 1.02, 1.2, 3, 40]) {
        let sum = 0;
        const h = 1 / 512;
        for (let z = -12; z <= 12 + weights.length * diameter; z += h) {
          const y = weights.reduce(
            (all, w, k) => (k < 2 ? all : all + w * Math.exp(k * diameter * z - (k * diameter) ** 2 / 2)),
            0,
          );
          const a = Math.min(diameter, Math.max(0, z));
          const x = once * Math.exp(a * z - (a * a) / 2) - (gamma - 1) * none;
          sum +=
            ((Math.max(0, x + y) - Math.max(0, x)) * h * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
        }
        const found = rest(Math.log(gamma));
        expect(found).toBeGreaterThan((sum + 1e-9) * (1 - 1e-5));
        expect(found).toBeLessThan((sum + 1e-9) * (1 + 1e-4) + 1e-13);
      }
    }
  });

  test('of one draw nothing is added, and all weights are given away', () => {
    const bounds = copyBounds({ weights: [0.9, 0.1], more: 0 }, 1);
    for (const { weight, share, rest } of bounds) {
      expect(weight).toBeCloseTo(1, 12);
      expect(share).toBeCloseTo(0.1, 12);
      expect(rest(0.5)).toBeLessThan(1e-12);
    }
  });
});
