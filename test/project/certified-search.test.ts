import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crossing, largestDistance, largestExcess } from '../../reproduce/certified-search.js';
import { expectedNorm } from '../../reproduce/gaussian-errors.js';
import {
  type Bracket,
  breakpoints,
  deltaDivergence,
  gaussianTradeoff,
  symmetrise,
  type TradeoffFunction,
} from '../../src/index.js';

const exact =
  (f: (x: number) => number) =>
  (x: number): Bracket => ({ lower: f(x), upper: f(x) });
const curveOf = (f: TradeoffFunction) => (alpha: number) => f.fnr(alpha);

/** A decreasing convex polygon through (0, 1) and (1, 0): the largest of a few lines and 0. */
type Lines = readonly (readonly [steepness: number, share: number])[];
const lines: fc.Arbitrary<Lines> = fc.array(
  fc.tuple(fc.double({ min: 1, max: 40, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  { minLength: 1, maxLength: 6 },
);
const polygon =
  (of: Lines) =>
  (x: number): number =>
    // each line is below 1 − x at both ends of [0, 1]
    Math.max(0, ...of.map(([steepness, share]) => Math.min(1, 1 - share) - steepness * x));

describe('the largest excess of one convex curve over another', () => {
  test('is above every sampled difference and is attained', () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const [f, g] = [polygon(a), polygon(b)];
        const { gap, alpha } = largestExcess(exact(f), exact(g), 1e-9);
        expect(gap).toBeNoWiderThan(2e-9);
        for (let i = 0; i <= 2000; i++) expect(f(i / 2000) - g(i / 2000)).toBeLessThanOrEqual(gap.upper);
        if (gap.lower > 0) expect(f(alpha) - g(alpha)).toBeGreaterThanOrEqual(gap.lower);
      }),
      { numRuns: 25 },
    );
  });

  test('finds a peak that samples miss: a chain of kinks around a smooth curve', () => {
    // (1 − x)² and its tangents at 100 points: largest in the middle of two, h²/4
    const h = 1e-2;
    const f = (x: number) => (1 - x) ** 2;
    const tangents = (x: number) => {
      const at = Math.min(1, Math.max(0, h * Math.round(x / h)));
      return Math.max(0, f(at) - 2 * (1 - at) * (x - at));
    };
    const { gap } = largestExcess(exact(f), exact(tangents), 1e-9);
    expect(gap.lower).toBeLessThanOrEqual(h * h * 0.25);
    expect(gap.upper).toBeGreaterThanOrEqual(h * h * 0.25 * (1 - 1e-9));
    expect(gap.upper).toBeLessThan(h * h * 0.26);
  });

  test('is 0 where no difference is positive, and the distance takes both sides', () => {
    const [more, less] = [gaussianTradeoff(1), gaussianTradeoff(2)].map(curveOf);
    expect(largestExcess(less, more, 1e-9).gap.lower).toBe(0);
    expect(largestExcess(less, more, 1e-9).gap.upper).toBeLessThan(2e-9);
    const distance = largestDistance(less, more, 1e-9).gap;
    expect(distance).toEqual(largestDistance(more, less, 1e-9).gap);
    // where the densities' ratio of the two is 1: φ(z − 1) = φ(z − 2), z = 3/2
    expect(distance).toContainValue(0.38292492254802624);
  });

  test('keeps the width of its curves', () => {
    const vague = (x: number): Bracket => ({ lower: 1 - x - 1e-4, upper: 1 - x });
    const sure = exact((x) => (1 - x) ** 2);
    const { gap } = largestExcess(vague, sure, 1e-9);
    expect(gap.lower).toBeLessThanOrEqual(0.25 - 1e-4);
    expect(gap.upper).toBeGreaterThanOrEqual(0.25);
  });
});

test('the largest difference of symmetric curves is at least twice their divergence', () => {
  const point = fc.tuple(
    fc.double({ min: 0.001, max: 0.999, noNaN: true }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  );
  fc.assert(
    fc.property(
      fc.array(point, { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0.1, max: 4, noNaN: true }),
      (points, mu) => {
        const polygonal = symmetrise(
          breakpoints(points.map(([alpha, share]) => ({ alpha, beta: share * (1 - alpha) }))),
        );
        const g = gaussianTradeoff(mu);
        const { gap } = largestExcess(curveOf(polygonal), curveOf(g), 1e-8);
        expect(gap.upper).toBeGreaterThanOrEqual(2 * deltaDivergence(polygonal, g).lower);
      },
    ),
    { numRuns: 20 },
  );
});

describe('crossing', () => {
  test('brackets the place, from certain to certain', () => {
    const noisy = (x: number): Bracket => ({ lower: x * x - 1e-6, upper: x * x + 1e-6 });
    const { lower, upper } = crossing(
      noisy,
      exact(() => 2),
      0,
      2,
    );
    expect(lower).toBeLessThan(Math.SQRT2);
    expect(upper).toBeGreaterThan(Math.SQRT2);
    expect(upper - lower).toBeLessThan(1e-5);
  });

  test('refuses curves that do not cross', () => {
    expect(() =>
      crossing(
        exact((x) => x),
        exact((x) => x + 1),
        0,
        1,
      ),
    ).toThrow('no crossing between 0 and 1');
  });
});

test('the expected norm of standard normal numbers is √2 Γ((d + 1)/2)/Γ(d/2)', () => {
  const known = [
    [1, Math.sqrt(2 / Math.PI)],
    [2, Math.sqrt(Math.PI / 2)],
    [3, 2 * Math.sqrt(2 / Math.PI)],
    // mpmath, 30 digits
    [10, 3.0843277597998639],
    [100, 9.9750316395510509],
  ];
  for (const [dimension, value] of known) {
    const { lower, upper } = expectedNorm(dimension);
    expect(lower).toBeLessThanOrEqual(value);
    expect(upper).toBeGreaterThanOrEqual(value);
    expect(upper / lower - 1).toBeLessThan(1e-12);
  }
});
