/** What is drawn as "at most": no chord between two points is below the bound, kinks and drops are drawn as such. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Point } from '../../src/chart/chart.js';
import { account, dpSgd, laplace, type Mechanism, randomizedResponse, repeat } from '../../src/index.js';
import { normalQuantile } from '../../src/numeric/scalar.js';
import { curvePoints, gapPoints, profilePoints, touchingPoints } from '../../src/report/curve-points.js';
import {
  cornersOf,
  deltaAtMost,
  powerAtMost,
  type SupportLines,
  supportLines,
  withLargest,
} from '../../src/tradeoff/support-lines.js';
import { wasm } from '../helpers/runs.js';

const run = (mechanism: Mechanism) => account(wasm, mechanism, { adjacency: 'add-remove' });
const RUNS: readonly (readonly [string, Mechanism])[] = [
  ['randomised response', randomizedResponse({ epsilon: 1 })],
  ['three answers', repeat(randomizedResponse({ epsilon: 0.5 }), 3)],
  ['Laplace', laplace({ scale: 0.5, sensitivity: 1 })],
  ['DP-SGD', dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 200 })],
];

function linesOf(mechanism: Mechanism, reach: number, count: number): SupportLines {
  const of = run(mechanism);
  const epsilons = Array.from({ length: count }, (_, i) => reach * (i / (count - 1)) ** 1.5);
  return supportLines(of, withLargest(epsilons, of.epsilon(0).upper));
}

/** The drawn height at x, straight on a linear axis. */
function drawn(points: readonly Point[], x: number): number {
  const next = points.findIndex(([a]) => a >= x);
  const [[a, b], [c, d]] = [points[Math.max(0, next - 1)], points[next]];
  return a === c ? d : b + ((d - b) * (x - a)) / (c - a);
}

describe.each(RUNS)('%s', (_, mechanism) => {
  const lines = linesOf(mechanism, 1.45 * run(mechanism).epsilon(1e-5).upper, 60);

  test('the curve is nowhere below the bound', () => {
    const points = curvePoints(lines, 'linear', 0);
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1, noNaN: true }), (alpha) => {
        expect(drawn(points, alpha)).toBeGreaterThanOrEqual(powerAtMost(lines, alpha) * (1 - 1e-9));
      }),
      { numRuns: 2000, seed: 3 },
    );
  });

  test('nor on logarithmic axes', () => {
    const logs = curvePoints(lines, 'log', 1e-6).map(([a, p]): Point => [Math.log(a), Math.log(p)]);
    fc.assert(
      fc.property(fc.double({ min: Math.log(1e-6), max: 0, noNaN: true }), (x) => {
        const bound = Math.log(powerAtMost(lines, Math.exp(x)));
        expect(drawn(logs, x)).toBeGreaterThanOrEqual(bound - 1e-9 * (1 + Math.abs(bound)));
      }),
      { numRuns: 2000, seed: 3 },
    );
  });

  test('the profile ends where it is out of sight, not before', () => {
    const end = 2 * lines.epsilon[lines.epsilon.length - 1];
    const points = profilePoints(lines, end, 1e-12);
    for (const [e, d] of points) expect(d).toBeGreaterThanOrEqual(deltaAtMost(lines, e) * (1 - 1e-12));
    const last = lines.delta[lines.delta.length - 1];
    expect(points.at(-1)![1]).toBe(last >= 1e-12 ? last : 1e-12);
    // no step down of more than three decades but the last
    for (let i = 1; i < points.length - 1; i++)
      expect(Math.log10(points[i - 1][1] / points[i][1])).toBeLessThan(3);
  });
});

test('the vertex of randomised response is a point of the drawing', () => {
  const lines = linesOf(randomizedResponse({ epsilon: 1 }), 1.45, 60);
  const low = 1 / (1 + Math.E);
  for (const scale of ['linear', 'log'] as const) {
    const points = curvePoints(lines, scale);
    const nearest = Math.min(...points.map(([a, p]) => Math.abs(a - low) + Math.abs(p - (1 - low))));
    expect(nearest).toBeLessThan(1e-9);
  }
  expect(cornersOf(lines).some((alpha) => Math.abs(alpha - low) < 1e-9)).toBe(true);
  // ε(1e-5) is on the drawn profile, not beside it
  const epsilon = run(randomizedResponse({ epsilon: 1 })).epsilon(1e-5).upper;
  const points = profilePoints(lines, 1.45, 1e-12);
  const at = points.findIndex(([e]) => e >= epsilon);
  expect(Math.log10(points[at - 1][1])).toBeGreaterThan(-5.31);
  expect(Math.log10(points[at][1])).toBeLessThan(-4.69);
});

/** How often a line of points turns from rising to falling or back. */
function turns(points: readonly Point[]): number {
  const ways = points.slice(1).map(([, y], i) => Math.sign(y - points[i][1]));
  return ways.filter((way, i) => i > 0 && way !== ways[i - 1]).length;
}

test('what mu hides rises and falls once, without a ripple of the lines', () => {
  const mechanism = dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 });
  const mu = 1.566947649;
  for (const count of [60, 120]) {
    const lines = linesOf(mechanism, 15, count);
    const gaps = gapPoints(lines, mu).filter(([alpha]) => alpha > 1e-3 && alpha < 0.95);
    expect(gaps.length).toBeGreaterThan(20);
    expect(turns(gaps)).toBe(1);
    // on the bound, which no attack exceeds
    for (const [alpha, power] of touchingPoints(lines, 'log', 1e-9))
      expect(power).toBe(powerAtMost(lines, alpha));
  }
});

test('what mu hides of randomised response is 0 at its vertex', () => {
  const lines = linesOf(randomizedResponse({ epsilon: 1 }), 1.45, 60);
  const low = 1 / (1 + Math.E);
  const at = gapPoints(lines, 2 * normalQuantile(1 - low)).find(([alpha]) => Math.abs(alpha - low) < 1e-9);
  expect(at![1]).toBeLessThan(1e-9);
});
