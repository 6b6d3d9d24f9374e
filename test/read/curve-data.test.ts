/** Breakpoints of two probability mass functions against the curve in whole numbers: masses are counts out of 1,000. */
import { describe, expect, test } from 'vitest';
import { account, identify, measure } from '../../src/index.js';
import { fractionOf } from '../../src/numeric/exact-decimal.js';
import { curveOfMasses } from '../../src/read/curve-data.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const TOTAL = 1000;
type Counts = readonly (readonly [x: number, y: number])[];

/** Vertices of T(X, Y): outputs join the rejection region in order of falling y/x. */
function vertices(counts: Counts): Vertex[] {
  const order = counts.filter(([x, y]) => x + y > 0).sort((a, b) => b[1] * a[0] - a[1] * b[0]);
  let [alpha, beta] = [0, TOTAL];
  const thousandths = (x: number): Ratio => [BigInt(x), BigInt(TOTAL)];
  const found: Vertex[] = [[thousandths(0), thousandths(TOTAL)]];
  for (const [x, y] of order) {
    [alpha, beta] = [alpha + x, beta - y];
    found.push([thousandths(alpha), thousandths(beta)]);
  }
  return found;
}

/** A number as a fraction with a denominator above 0: doubles are exact. */
type Ratio = readonly [over: bigint, under: bigint];
type Vertex = readonly [alpha: Ratio, beta: Ratio];

function ratio(x: number): Ratio {
  const { over, under } = fractionOf(x);
  return [over, under];
}

const minus = ([a, b]: Ratio, [c, d]: Ratio): Ratio => [a * d - c * b, b * d];
const times = ([a, b]: Ratio, [c, d]: Ratio): Ratio => [a * c, b * d];
const sign = ([a]: Ratio): number => (a < 0n ? -1 : a > 0n ? 1 : 0);

/** Sign of β less what the polygon has at α; below it, or at a place it jumps over: −1. */
function against(points: readonly Vertex[], [alpha, beta]: Vertex): number {
  const at = points.findIndex(
    ([a], i) => i > 0 && sign(minus(a, alpha)) >= 0 && sign(minus(a, points[i - 1][0])) > 0,
  );
  const [[a, b], [c, d]] = [points[at - 1], points[at]];
  // (β − b)(c − a) − (d − b)(α − a), c − a above 0
  return sign(minus(times(minus(beta, b), minus(c, a)), times(minus(d, b), minus(alpha, a))));
}

function randomCounts(seed: number, outputs: number): Counts {
  const random = seeded(seed);
  const parts = (): number[] => {
    const cuts = Array.from({ length: outputs - 1 }, () => 1 + Math.floor(random() * (TOTAL - 1)));
    const sorted = [0, ...cuts.sort((a, b) => a - b), TOTAL];
    return sorted.slice(1).map((cut, i) => cut - sorted[i]);
  };
  const [x, y] = [parts(), parts()];
  return x.map((count, i) => [count, y[i]] as const);
}

const masses = (counts: Counts) =>
  [0, 1].map((side) => counts.map((pair) => pair[side] / TOTAL)) as [number[], number[]];

test('complete masses with common outputs are Gaussian DP, others are not', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const counts = randomCounts(seed, 2 + (seed % 9));
    const [x, y] = masses(counts);
    const run = account(wasm, curveOfMasses(x, y), { adjacency: 'add-remove' });
    const apart = counts.some(([a, b]) => (a === 0) !== (b === 0));
    expect(identify(run).verdict, JSON.stringify(counts)).toBe(apart ? 'not-gdp' : 'gdp');
    expect(measure(run).muAllRates.upper === Infinity, JSON.stringify(counts)).toBe(apart);
  }
});

test('the polygon is below the exact curve, by no more than roundings', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const counts = randomCounts(1000 + seed, 2 + (seed % 9));
    const exact = vertices(counts);
    const [x, y] = masses(counts);
    const { points } = curveOfMasses(x, y);
    const drawn: Vertex[] = [
      [ratio(0), ratio(1)],
      ...points.map(({ alpha, beta }): Vertex => [ratio(alpha), ratio(beta)]),
      [ratio(1), ratio(0)],
    ];
    // a polygon is below another if each vertex of the one is below the other, and no vertex of the other below the one
    const inside = drawn.filter(([alpha]) => sign(alpha) > 0);
    for (const vertex of inside) expect(against(exact, vertex)).toBeLessThanOrEqual(0);
    for (const vertex of exact.filter(([alpha]) => sign(alpha) > 0))
      expect(against(drawn, vertex)).toBeGreaterThanOrEqual(0);
    for (const { alpha, beta } of points) {
      const raised: Vertex = [ratio(alpha * (1 + 1e-12)), ratio(beta * (1 + 1e-12))];
      if (beta > 0 && raised[0][0] < raised[0][1]) expect(against(exact, raised)).toBeGreaterThanOrEqual(0);
    }
  }
});

describe('edges', () => {
  test('equal laws are perfectly private', () => {
    const run = account(wasm, curveOfMasses([1], [1]), { adjacency: 'add-remove' });
    expect(run.epsilon(0)).toEqual({ lower: 0, upper: 0 });
  });

  test('masses that fall short of 1 have lost an output that tells', () => {
    const run = account(wasm, curveOfMasses([0.5, 0.499], [0.5, 0.5]), { adjacency: 'add-remove' });
    expect(identify(run).verdict).toBe('not-gdp');
  });
});
