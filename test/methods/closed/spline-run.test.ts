import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, boundedRange, laplace, type Mechanism, repeat } from '../../../src/index.js';

import { cellLaw } from '../../../src/law/lattice/cell-law.js';
import { pairOf } from '../../../src/mechanism/pairs.js';
import { splineRun } from '../../../src/methods/closed/spline-run.js';
import { GridRun } from '../../../src/methods/grid/grid-run.js';
import { gaussLegendre } from '../../../src/numeric/gauss-legendre.js';
import { reference, wasm } from '../../helpers/runs.js';

interface GoldenRun {
  readonly kind: 'laplace' | 'bounded-range';
  readonly epsilon0: string;
  readonly count: number;
  /** ε and the logarithms of δ(ε), FPR(ε) and TPR(ε), 25 digits. */
  readonly rows: readonly [number, string, string, string][];
}

const GOLDEN: readonly GoldenRun[] = JSON.parse(
  readFileSync(new URL('../../golden/box-runs.json', import.meta.url), 'utf8'),
);

function release(kind: GoldenRun['kind'], epsilon0: number) {
  return kind === 'laplace'
    ? laplace({ sensitivity: epsilon0, scale: 1 })
    : boundedRange({ epsilon: epsilon0 });
}

function shapeOf(mechanism: Parameters<typeof pairOf>[0]) {
  const pair = pairOf(mechanism);
  return pair.family === 'exponential' ? pair.shape : undefined;
}

function runOf(kind: GoldenRun['kind'], epsilon0: number, count: number) {
  const shape = shapeOf(release(kind, epsilon0));
  const run = shape && splineRun(shape, count);
  if (run === undefined) throw new Error('the run is beyond the closed form');
  return run;
}

/** A decimal logarithm against a double, without losing what the double cannot hold. */
const near = 1e-15;

describe.each(GOLDEN)('$kind $epsilon0 × $count', ({ kind, epsilon0, count, rows }) => {
  const run = runOf(kind, Number(epsilon0), count);
  test.each(rows)('at ε = %s', (epsilon, logDelta, logFpr, logTpr) => {
    const { lower, upper } = run.logDelta(epsilon);
    const exact = Number(logDelta);
    expect(lower).toBeLessThanOrEqual(exact + near * Math.abs(exact));
    expect(upper).toBeGreaterThanOrEqual(exact - near * Math.abs(exact));
    // how far the location within a cell is known, at the slope of log δ there
    const slope = Math.exp(epsilon + Number(logFpr) - exact);
    const reach = 1e-12 + 8e-15 * slope * (epsilon + count * Number(epsilon0));
    expect(upper - lower).toBeLessThan(reach);
    // its middle is far better than the bracket claims
    expect(Math.abs((upper + lower) / 2 - exact)).toBeLessThan(
      0.1 * (upper - lower) + near * Math.abs(exact),
    );

    const certified = run.test(epsilon);
    expect(certified.logFpr).toBeGreaterThanOrEqual(Number(logFpr) * (1 + near));
    expect(certified.logFpr).toBeLessThan(Number(logFpr) + reach);
    expect(certified.logTpr).toBeLessThanOrEqual(Number(logTpr) * (1 - near));
    expect(certified.logTpr).toBeGreaterThan(Number(logTpr) - reach);
  });
});

describe('releases of Laplace noise', () => {
  const run = (mechanism: Mechanism, method?: 'grid' | 'spectral') =>
    account(wasm, mechanism, { adjacency: 'add-remove', tolerance: 1e-4, ...(method && { method }) });

  test.each([
    [repeat(laplace({ scale: 5, sensitivity: 1 }), 50)],
    [repeat(laplace({ scale: 0.7, sensitivity: 1 }), 7)],
  ])('the grid answers the same: %j', (mechanism) => {
    const exact = run(mechanism);
    const grid = run(mechanism, 'grid');
    expect(exact.method).toBe('closed-form');
    expect(grid.method).toBe('grid');
    for (const delta of [0.3, 1e-2, 1e-5, 1e-9]) {
      const [narrow, wide] = [exact.epsilon(delta), grid.epsilon(delta)];
      expect(narrow).toOverlap(wide);
      expect(narrow).toBeNoWiderThan(1e-10 * narrow.upper);
    }
    for (const alpha of [1e-6, 1e-2, 0.3, 0.9]) expect(exact.tradeoff(alpha)).toOverlap(grid.tradeoff(alpha));
  });

  test.each([
    [0.4, 30],
    [2.5, 3],
  ])('the pair that dominates bounded range %s, %s times, is the same on the grid', (epsilon, count) => {
    const mechanism = boundedRange({ epsilon });
    const exact = runOf('bounded-range', epsilon, count);
    const laws = [{ law: cellLaw(pairOf(mechanism), 1, 'remove'), count }];
    const grid = new GridRun(wasm.kernel, laws, { width: 1e-6, maxLength: 2 ** 20 });
    for (const x of [0, 0.1, 0.5, 1, 2, 4]) {
      const narrow = exact.logDelta(x);
      expect(narrow).toOverlap(grid.logDelta(x));
      expect(narrow).toBeNoWiderThan(1e-10);
    }
    // what is published is no worse than the composition of that pair
    const published = run(repeat(mechanism, count));
    for (const x of [0.1, 0.5, 1])
      expect(published.logDelta(x).upper).toBeLessThanOrEqual(exact.logDelta(x).upper);
  });

  test('both engines answer with the same bits', () => {
    const mechanism = repeat(laplace({ scale: 5, sensitivity: 1 }), 50);
    const [a, b] = [wasm, reference].map((engine) => account(engine, mechanism, { adjacency: 'add-remove' }));
    expect(a.epsilon(1e-6)).toEqual(b.epsilon(1e-6));
    expect(a.tradeoff(1e-3)).toEqual(b.tradeoff(1e-3));
  });

  test('the 50-fold composition of ε₀ = 0.2', () => {
    const { lower, upper } = run(repeat(laplace({ scale: 5, sensitivity: 1 }), 50)).epsilon(1e-2);
    expect(lower).toBeGreaterThan(3.503441015);
    expect(upper).toBeLessThan(3.503441025);
  });

  test('beyond the largest loss δ is 0, and below the smallest 1 − e^ε', () => {
    const composed = runOf('laplace', 0.5, 4);
    expect(composed.logDelta(2.0000001)).toEqual({ lower: -Infinity, upper: -Infinity });
    expect(composed.logDelta(1.9999999).lower).toBeGreaterThan(-60);
    const { lower, upper } = composed.logDelta(-2.5);
    expect(lower).toBeLessThanOrEqual(Math.log1p(-Math.exp(-2.5)));
    expect(upper).toBeGreaterThanOrEqual(Math.log1p(-Math.exp(-2.5)));
  });

  test('near 1, δ keeps the digits of its complement', () => {
    const { lower, upper } = runOf('laplace', 5, 20).logDelta(0);
    expect(upper / lower).toBeGreaterThan(1 - 1e-9);
    expect(lower).toBeLessThan(-1e-12);
  });

  test('δ falls as ε grows, through every atom', () => {
    const composed = runOf('laplace', 0.3, 9);
    let last = 0;
    for (let i = 0; i < 4000; i++) {
      const { lower, upper } = composed.logDelta((2.7 * i) / 4000);
      expect(lower).toBeLessThanOrEqual(last);
      last = upper;
    }
  });

  test('what would take too long is left to other methods', () => {
    const shape = shapeOf(release('laplace', 0.01));
    expect(shape && splineRun(shape, 10_000_000)).toBeUndefined();
    expect(
      account(wasm, repeat(laplace({ scale: 100, sensitivity: 1 }), 100_000), { adjacency: 'add-remove' })
        .method,
    ).not.toBe('closed-form');
  });
});

test.each([1, 2, 7, 40, 130])('the rule of %i nodes is exact for x^k (1 − x)^l of its degree', (n) => {
  const { node, complement, weight } = gaussLegendre(n);
  for (const [k, l] of [
    [0, 0],
    [1, 0],
    [n, n - 1],
    [2 * n - 1, 0],
    [0, 2 * n - 1],
    [3, 2 * n - 4],
  ]) {
    if (k < 0 || l < 0) continue;
    let sum = 0;
    for (let g = 0; g < n; g++) sum += weight[g] * node[g] ** k * complement[g] ** l;
    // k! l!/(k + l + 1)!
    let exact = 1 / (k + l + 1);
    for (let j = 1; j <= Math.min(k, l); j++) exact *= j / (Math.max(k, l) + j);
    expect(Math.abs(sum / exact - 1)).toBeLessThan(2e-15 * (n + 3));
  }
});
