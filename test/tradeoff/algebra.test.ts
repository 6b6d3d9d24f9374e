import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDpTradeoff,
  breakpoints,
  compare,
  convexHull,
  deltaDivergence,
  gaussianTradeoff,
  groupPrivacy,
  inverse,
  isAtLeast,
  laplace,
  laplaceTradeoff,
  lossPmf,
  mixWithIdentity,
  perfectPrivacy,
  profileTradeoff,
  runTradeoff,
  subsample,
  symmetrise,
  TradeoffFunction,
  tensor,
  uniformShiftTradeoff,
} from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { runOf, wasm } from '../helpers/runs.js';

const ALPHAS = [1e-300, 1e-100, 1e-12, 1e-3, 0.02, 0.2, 0.45, 0.5, 0.7, 0.95, 1 - 1e-9];
const alpha = fc.oneof(
  fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
  fc.double({ min: -690, max: -1, noNaN: true }).map(Math.exp),
);
const mu = fc.double({ min: 0.01, max: 6, noNaN: true });
const runs = { numRuns: 60, seed: 9 };

/** Two enclosures of one number. */
function expectSame(a: Bracket, b: Bracket, relative: number): void {
  expect(a, `[${a.lower}, ${a.upper}] and [${b.lower}, ${b.upper}]`).toOverlap(b);
  for (const { lower, upper } of [a, b]) expect(upper - lower).toBeLessThanOrEqual(relative * upper + 1e-300);
}

function expectSameFunction(f: TradeoffFunction, g: TradeoffFunction, relative: number, at = ALPHAS): void {
  for (const x of at) {
    expectSame(f.tpr(x), g.tpr(x), relative);
    expectSame(f.fnr(x), g.fnr(x), relative);
  }
}

/** A random table of breakpoints. */
const table = fc
  .array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((points) => breakpoints(points.map(([a, b]) => ({ alpha: a * 0.999, beta: (1 - a * 0.999) * b }))));

const anyFunction = fc.oneof(
  mu.map(gaussianTradeoff),
  mu.map(laplaceTradeoff),
  fc
    .tuple(mu, fc.double({ min: 0, max: 0.5, noNaN: true }))
    .map(([epsilon, delta]) => approximateDpTradeoff(epsilon, delta)),
  table,
);

describe('closed forms', () => {
  test('G_μ(α) = Φ(Φ⁻¹(1−α) − μ), both tails', () => {
    fc.assert(
      fc.property(mu, fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true }), (m, a) => {
        const { lower, upper } = gaussianTradeoff(m).fnr(a);
        const exact = normalCdf(-normalQuantile(a) - m);
        expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
        expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
        expect(upper - lower).toBeLessThan(1e-10 * exact);
      }),
      runs,
    );
    // mpmath, 30 digits: 1 − G_1(1e-300) and G_1(1 − 1e-300) are the same number
    const tail = gaussianTradeoff(1).at(-300 * Math.LN10);
    expect(tail.logTpr).toBeNoWiderThan(1e-9);
    const z = 37.0471;
    expect(Math.exp(tail.logTpr.lower + 300 * Math.LN10) / Math.exp(z - 0.5)).toBeCloseTo(1, 1);
  });

  test('f_{ε,δ} is its two lines, the uniform shift one', () => {
    fc.assert(
      fc.property(mu, fc.double({ min: 0, max: 0.3, noNaN: true }), alpha, (e, d, a) => {
        const exact = Math.max(0, 1 - d - Math.exp(e) * a, Math.exp(-e) * (1 - d - a));
        const { lower, upper } = approximateDpTradeoff(e, d).fnr(a);
        expect(lower).toBeLessThanOrEqual(exact + 1e-13);
        expect(upper).toBeGreaterThanOrEqual(exact - 1e-13);
        expect(upper - lower).toBeLessThan(1e-10);
      }),
      runs,
    );
    for (const a of [0, 0.1, 0.5, 0.7, 0.9]) {
      const { lower, upper } = uniformShiftTradeoff(0.25).fnr(a);
      expect(lower).toBeLessThanOrEqual(Math.max(0, 0.75 - a));
      expect(upper).toBeGreaterThanOrEqual(Math.max(0, 0.75 - a));
      expect(upper - lower).toBeLessThan(1e-11);
    }
  });

  test('the Laplace curve by its distribution functions', () => {
    fc.assert(
      fc.property(mu, fc.double({ min: 1e-12, max: 1 - 1e-9, noNaN: true }), (m, a) => {
        // GDP §2.4: F(F⁻¹(1 − α) − μ) for the Laplace distribution
        const t = a <= 0.5 ? -Math.log(2 * a) : Math.log(2 * (1 - a));
        const exact = t - m > 0 ? 1 - Math.exp(m - t) / 2 : Math.exp(t - m) / 2;
        const { lower, upper } = laplaceTradeoff(m).fnr(a);
        expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-7));
        expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-7));
        expect(upper - lower).toBeLessThan(1e-9);
      }),
      runs,
    );
  });

  test('a table is its polygon', () => {
    const f = breakpoints([
      { alpha: 0.1, beta: 0.5 },
      { alpha: 0.3, beta: 0.2 },
      { alpha: 0.35, beta: 0.6 },
    ]);
    const exact: [number, number][] = [
      [0.05, 0.75],
      [0.1, 0.5],
      [0.2, 0.35],
      [0.3, 0.2],
      [0.65, 0.1],
    ];
    for (const [a, b] of exact) {
      expect(f.fnr(a)).toContainValue(b);
      expect(f.fnr(a).upper - f.fnr(a).lower).toBeLessThan(1e-11);
      expect(inverse(f).fnr(b)).toContainValue(a);
    }
    expect(() => breakpoints([{ alpha: 0.5, beta: 0.6 }])).toThrow(/"points\[0\].beta"/);
    expect(() => breakpoints([])).toThrow(/"points"/);
  });
});

describe('every trade-off function', () => {
  test('is at most 1 − α, decreasing, convex, with lower ≤ upper', () => {
    fc.assert(
      fc.property(anyFunction, alpha, alpha, (f, a, b) => {
        const [x, y] = a < b ? [a, b] : [b, a];
        const [fx, fy, fm] = [f.fnr(x), f.fnr(y), f.fnr((x + y) / 2)];
        expect(fx.lower).toBeLessThanOrEqual((1 - x) * (1 + 1e-14));
        expect(fy.lower).toBeLessThanOrEqual(fx.upper);
        expect(fm.lower).toBeLessThanOrEqual((fx.upper + fy.upper) / 2 + 1e-15);
        for (const one of [fx, fy, fm]) expect(one.lower).toBeLessThanOrEqual(one.upper);
      }),
      runs,
    );
  });

  test('is the inverse of its inverse, and symmetrising twice is symmetrising', () => {
    fc.assert(
      fc.property(anyFunction, alpha, (f, a) => {
        expect(inverse(inverse(f)).fnr(a)).toEqual(f.fnr(a));
        const once = symmetrise(f);
        expect(symmetrise(once)).toBe(once);
        // below both f and its inverse
        expect(once.fnr(a).lower).toBeLessThanOrEqual(f.fnr(a).upper);
        expect(once.fnr(a).lower).toBeLessThanOrEqual(inverse(f).fnr(a).upper);
        // f(f(α)) = α where the curve is its own mirror image and strictly between 0 and 1
        const beta = once.fnr(a);
        if (beta.lower > 1e-3 && a > 1e-3 && a < 0.99) {
          expect(once.fnr(beta.upper).lower).toBeLessThanOrEqual(a * (1 + 1e-9));
        }
      }),
      runs,
    );
  });

  test('is the dual of its dual', () => {
    fc.assert(
      fc.property(fc.oneof(mu.map(gaussianTradeoff), mu.map(laplaceTradeoff)), (f) => {
        const again = profileTradeoff((epsilon) => f.logDelta(epsilon));
        for (const a of [1e-9, 1e-3, 0.1, 0.4, 0.8]) {
          expect(again.fnr(a)).toOverlap(f.fnr(a));
          // a bend of the profile costs its mass times the stride, 1e-4
          expect(again.fnr(a).upper - again.fnr(a).lower).toBeLessThan(1e-4);
        }
        for (const epsilon of [0, 0.3, 1]) expect(again.logDelta(epsilon)).toOverlap(f.logDelta(epsilon));
      }),
      { numRuns: 12, seed: 9 },
    );
  });
});

describe('group privacy', () => {
  test('of G_μ is G_{kμ}, found without knowing that it is Gaussian', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.05, max: 1.5, noNaN: true }), fc.integer({ min: 2, max: 4 }), (m, k) => {
        const nameless = new TradeoffFunction('?', gaussianTradeoff(m).curve);
        const group = groupPrivacy(nameless, k);
        expect(groupPrivacy(gaussianTradeoff(m), k).name).toBe(gaussianTradeoff(k * m).name);
        expectSameFunction(group, gaussianTradeoff(k * m), 1e-6, [1e-300, 1e-12, 0.1, 0.9]);
      }),
      { numRuns: 3, seed: 9 },
    );
  });

  test('of f_{ε/k,0} tends to the Laplace curve (GDP prop. 2.15)', () => {
    const far: number[] = [];
    for (const k of [2, 8, 32]) {
      const group = groupPrivacy(approximateDpTradeoff(1 / k, 0), k);
      let worst = 0;
      for (const a of [0.01, 0.1, 0.2, 0.3, 0.45, 0.6, 0.9]) {
        const [x, y] = [group.fnr(a), laplaceTradeoff(1).fnr(a)];
        worst = Math.max(worst, Math.abs((x.lower + x.upper - y.lower - y.upper) / 2));
        expect(x).toBeNoWiderThan(1e-9);
      }
      far.push(worst);
    }
    expect(far[1]).toBeLessThan(far[0] / 3);
    expect(far[2]).toBeLessThan(far[1] / 3);
    expect(far[2]).toBeLessThan(0.01);
  });
});

test('nothing is said of a profile where it is not asked', () => {
  const f = gaussianTradeoff(5000);
  const dual = profileTradeoff((epsilon) => f.logDelta(epsilon));
  for (const epsilon of [1e6, 1.3e7, 1e8]) expect(dual.logDelta(epsilon)).toOverlap(f.logDelta(epsilon));
});

describe('tensor product', () => {
  test('of Gaussians is the Gaussian of the root of the sum of squares', () => {
    const product = tensor(wasm, [gaussianTradeoff(0.6), { f: gaussianTradeoff(0.4), count: 4 }]);
    expectSameFunction(product, gaussianTradeoff(1), 1e-9);
    // the same through polygons on the grid
    const nameless = new TradeoffFunction('?', gaussianTradeoff(0.6).curve);
    const grid = tensor(wasm, [nameless, gaussianTradeoff(0.8)], { tolerance: 1e-3 });
    expectSameFunction(grid, gaussianTradeoff(1), 3e-3, [1e-3, 0.1, 0.9]);
  });

  test('f_{ε,δ} = f_{ε,0} ⊗ f_{0,δ}', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 3, noNaN: true }),
        fc.double({ min: 1e-6, max: 0.4, noNaN: true }),
        (e, d) => {
          const product = tensor(wasm, [approximateDpTradeoff(e, 0), approximateDpTradeoff(0, d)]);
          expectSameFunction(product, approximateDpTradeoff(e, d), 1e-8, [1e-12, 1e-3, 0.05, 0.3]);
        },
      ),
      { numRuns: 10, seed: 9 },
    );
  });

  test('f_{0,δ₁} ⊗ f_{0,δ₂} = f_{0,1−(1−δ₁)(1−δ₂)}', () => {
    for (const [a, b] of [
      [0.25, 0.5],
      [1e-9, 1e-3],
    ]) {
      const product = tensor(wasm, [approximateDpTradeoff(0, a), approximateDpTradeoff(0, b)]);
      expectSameFunction(product, approximateDpTradeoff(0, 1 - (1 - a) * (1 - b)), 1e-8, [1e-12, 0.1, 0.3]);
    }
  });

  describe('of laws with outputs that one side alone gives, by its sums', () => {
    type Law = { readonly x: readonly number[]; readonly y: readonly number[] };
    const one: Law = { x: [0.3, 0.5, 0.2, 0], y: [0, 0.4, 0.55, 0.05] };
    const other: Law = { x: [0.83, 0.17], y: [0.98, 0.02] };
    const times = (a: Law, b: Law): Law => ({
      x: a.x.flatMap((p) => b.x.map((r) => p * r)),
      y: a.y.flatMap((p) => b.y.map((r) => p * r)),
    });
    /** Σ max(0, y − e^ε x), and of x and y exchanged. */
    const deltaOf = ({ x, y }: Law, epsilon: number): number =>
      y.reduce((sum, mass, i) => sum + Math.max(0, mass - Math.exp(epsilon) * x[i]), 0);
    const back = ({ x, y }: Law): Law => ({ x: y, y: x });
    const EPSILONS = [-2, 0, 0.3, 1, 3, 30];

    test.each([1, 2, 3])('%i times, and beside another', (count) => {
      let whole = other;
      for (let i = 0; i < count; i++) whole = times(whole, one);
      const product = tensor(wasm, [{ f: lossPmf(one), count }, lossPmf(other)]);
      for (const epsilon of EPSILONS) {
        expect(product.delta(epsilon)).toContainValue(deltaOf(whole, epsilon), { absolute: 1e-14 });
        expect(inverse(product).delta(epsilon)).toContainValue(deltaOf(back(whole), epsilon), {
          absolute: 1e-14,
        });
      }
      const certain = 1 - 0.7 ** count;
      expect(inverse(product).fnr(0)).toContainValue(1 - certain, { absolute: 1e-14 });
    });

    test.each([0.01, 0.5, 0.999])('one of them on a sample of rate %d', (rate) => {
      const mixed: Law = { x: one.x, y: one.y.map((mass, i) => rate * mass + (1 - rate) * one.x[i]) };
      const whole = times(mixed, other);
      const product = tensor(wasm, [mixWithIdentity(lossPmf(one), rate), lossPmf(other)]);
      for (const epsilon of EPSILONS) {
        expect(product.delta(epsilon)).toContainValue(deltaOf(whole, epsilon), { absolute: 1e-14 });
        expect(inverse(product).delta(epsilon)).toContainValue(deltaOf(back(whole), epsilon), {
          absolute: 1e-14,
        });
      }
    });
  });

  test('Id is neutral and counts multiply', () => {
    const f = laplaceTradeoff(0.5);
    expect(tensor(wasm, [f, perfectPrivacy()])).toBe(f);
    const thrice = tensor(wasm, [{ f, count: 3 }]);
    const nested = tensor(wasm, [f, tensor(wasm, [f, f])]);
    for (const a of [1e-3, 0.1, 0.6]) expect(nested.fnr(a)).toEqual(thrice.fnr(a));
  });
});

describe('subsampling', () => {
  test('f_p = p f + (1 − p) Id', () => {
    fc.assert(
      fc.property(
        anyFunction,
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.double({ min: 1e-4, max: 0.99, noNaN: true }),
        (f, p, a) => {
          const mixed = mixWithIdentity(f, p).fnr(a);
          const base = f.fnr(a);
          expect(mixed.lower).toBeLessThanOrEqual(p * base.upper + (1 - p) * (1 - a) + 1e-12);
          expect(mixed.upper).toBeGreaterThanOrEqual(p * base.lower + (1 - p) * (1 - a) - 1e-12);
          expect(mixed).toBeNoWiderThan(1e-6);
        },
      ),
      runs,
    );
  });

  test('C_p against sampling without replacement, f_p against the Poisson pair', () => {
    const f = gaussianTradeoff(1);
    const uniform = subsample(f, 0.25);
    const poisson = mixWithIdentity(f, 0.25);
    const run = runOf([[1, 0.25, 1]]);
    const grid = runOf([[1, 0.25, 1]], { method: 'grid', tolerance: 1e-4 });
    for (const a of [1e-9, 1e-3, 0.1, 0.4, 0.8]) {
      expectSame(poisson.fnr(a), runTradeoff(run, 'remove').fnr(a), 1e-6);
      expectSame(uniform.fnr(a), runTradeoff(run).fnr(a), 1e-6);
      expect(uniform.fnr(a)).toOverlap(grid.tradeoff(a));
    }
  });
});

describe('hull', () => {
  test('bridges two curves by their common tangent', () => {
    const hull = convexHull(approximateDpTradeoff(2, 0), approximateDpTradeoff(0, 0.3));
    // at α = 0: 0.7; the corner of f_{2,0} at 1/(1 + e²) is below the other; between them a straight line
    const corner = 1 / (1 + Math.exp(2));
    for (const t of [0.1, 0.5, 0.9]) {
      const exact = (1 - t) * 0.7 + t * corner;
      const { lower, upper } = hull.fnr(t * corner);
      expect(lower).toBeLessThanOrEqual(exact + 1e-13);
      expect(upper).toBeGreaterThanOrEqual(exact - 1e-13);
      expect(upper - lower).toBeLessThan(1e-9);
    }
  });
});

describe('order', () => {
  test('decides with a witness', () => {
    const [g1, g2] = [gaussianTradeoff(1), gaussianTradeoff(1.2)];
    expect(compare(g1, g2).order).toBe('above');
    const { above, order } = compare(g2, g1);
    expect(order).toBe('below');
    expect(above.holds).toBe('no');
    const at = above.witness?.logAlpha as number;
    expect(g2.at(at).logTpr.lower).toBeGreaterThan(g1.at(at).logTpr.upper);
    // found, not known from the name
    const nameless = new TradeoffFunction('?', gaussianTradeoff(1.1).curve);
    expect(isAtLeast(g1, nameless).holds).toBe('yes');
    expect(isAtLeast(nameless, g1).holds).toBe('no');
    expect(isAtLeast(g2, nameless).holds).toBe('no');
    expect(compare(laplaceTradeoff(1), gaussianTradeoff(1)).order).toBe('incomparable');
    expect(compare(approximateDpTradeoff(0.5, 0), perfectPrivacy()).order).toBe('below');
  });

  test('is reflexive, antisymmetric and transitive', () => {
    fc.assert(
      fc.property(anyFunction, anyFunction, anyFunction, (f, g, h) => {
        expect(compare(f, f).order).toBe('equal');
        const [fg, gh, fh] = [isAtLeast(f, g).holds, isAtLeast(g, h).holds, isAtLeast(f, h).holds];
        if (fg === 'yes' && gh === 'yes') expect(fh).not.toBe('no');
        if (fg === 'yes' && isAtLeast(g, f).holds === 'yes') expect(f.name).toBe(g.name);
        if (fg === 'yes') expect(f.advantage().lower).toBeLessThanOrEqual(g.advantage().upper);
      }),
      { numRuns: 12, seed: 9 },
    );
  });
});

describe('numbers of a curve', () => {
  test('advantage, Bayes error and reconstruction of G_μ', () => {
    const f = gaussianTradeoff(1);
    expect(f.advantage()).toContainValue(0.38292492254802624);
    // prior ½: ½(1 − advantage)
    expect(f.bayesError(0.5)).toContainValue((1 - 0.38292492254802624) / 2);
    // prior π: π Φ(−t) + (1−π) Φ(t − μ) at the threshold t = μ/2 + log(π/(1−π))/μ
    const prior = 0.2;
    const t = 0.5 + Math.log(prior / (1 - prior));
    const exact = prior * normalCdf(-t) + (1 - prior) * normalCdf(t - 1);
    const error = f.bayesError(prior);
    expect(error).toContainValue(exact, { relative: 1e-14 });
    expect(error).toBeNoWiderThan(1e-11);
    expect(f.reconstruction(0.01)).toContainValue(1 - normalCdf(-normalQuantile(0.01) - 1));
  });

  test('Δ-divergence: 0 below, half the difference of advantages between Gaussians', () => {
    const [f, g] = [gaussianTradeoff(0.5), gaussianTradeoff(1)];
    expect(deltaDivergence(g, f).upper).toBeLessThan(1e-8);
    const between = deltaDivergence(f, g);
    // symmetric curves of one family are farthest apart at α = f(α)
    const exact = (g.advantage().lower - f.advantage().lower) / 2;
    expect(between).toContainValue(exact, { absolute: 1e-12 });
    expect(between).toBeNoWiderThan(1e-8);
  });

  test('vectors are the single values', () => {
    const f = laplaceTradeoff(2);
    const at = Float64Array.of(-500, -3, -0.1, -1e-12);
    const { logFnr, logTpr } = f.atAll(at);
    at.forEach((x, i) => {
      expect(logFnr.upper[i]).toBe(f.at(x).logFnr.upper);
      expect(logTpr.lower[i]).toBe(f.at(x).logTpr.lower);
    });
    expect(() => f.atAll([0.5])).toThrow(/"logAlpha"/);
    expect(() =>
      account(wasm, laplace({ scale: 1, sensitivity: 1 }), { adjacency: 'add-remove' }).tradeoff(2),
    ).toThrow(/"alpha"/);
  });
});
