import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { CONVERSIONS } from '../../src/bounds/renyi-accountant.js';
import { convert } from '../../src/convert/index.js';
import { account, gdp, type Mechanism, mcdp, measure, rdp, repeat, tcdp, zcdp } from '../../src/index.js';
import { everyOrder, listedOrders } from '../../src/law/renyi-orders.js';
import { RenyiRegion } from '../../src/law/renyi-region.js';
import { logDeltaGdp } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

interface Stated {
  rho?: number;
  points?: { order: number; epsilon: number }[];
}

const goldens: {
  delta: (Stated & { epsilon: number; delta: string })[];
  beta: (Stated & { alpha: number; beta: string })[];
  mu: { rho: number; mu: string }[];
} = JSON.parse(readFileSync(new URL('../golden/renyi.json', import.meta.url), 'utf8'));

const guaranteeOf = ({ rho, points }: Stated) => (points ? rdp({ points }) : zcdp({ rho: rho as number }));
const accountOf = (stated: Stated) => account(wasm, guaranteeOf(stated), { adjacency: 'add-remove' });
/** Of a golden with this many digits. */
const near = (golden: string): number => 3e-9 * Number(golden) + 1e-10;

describe('against the inequalities in mpmath', () => {
  test.each(goldens.delta)('δ $epsilon', ({ epsilon, delta, ...stated }) => {
    const { lower, upper } = accountOf(stated).delta(epsilon);
    expect(Math.abs(upper - Number(delta))).toBeLessThan(near(delta));
    expect(upper - lower).toBeLessThan(1e-10 * upper);
    // the same curve by conversion
    const [converted] = convert(wasm, guaranteeOf(stated), { kind: 'approximate-dp', epsilon }).values;
    expect(converted).toEqual(accountOf(stated).delta(epsilon));
  });

  test.each(goldens.beta)('β $alpha', ({ alpha, beta, ...stated }) => {
    const { lower, upper } = accountOf(stated).tradeoff(alpha);
    expect(Math.abs(lower - Number(beta))).toBeLessThan(near(beta));
    expect(upper - lower).toBeLessThan(1e-9);
    const [converted] = convert(wasm, guaranteeOf(stated), { kind: 'trade-off', alphas: [alpha] }).values;
    expect(converted).toEqual({ lower, upper });
  });

  test.each(goldens.mu)('μ of $rho-zCDP', ({ rho, mu }) => {
    const { lower, upper } = measure(accountOf({ rho }), { alphaMin: 1e-6 }).mu;
    expect(Math.abs(upper - Number(mu))).toBeLessThan(1e-7);
    expect(upper - lower).toBeLessThan(1e-7);
  });

  test('δ(0) of ρ-zCDP is the advantage at which the order 1 meets ρ: δ log((1 + δ)/(1 − δ)) = ρ', () => {
    for (const rho of [1e-12, 1e-6, 0.02, 0.5, 3, 20]) {
      const { lower, upper } = accountOf({ rho }).delta(0);
      const order1 = (d: number) => d * (Math.log1p(d) - Math.log1p(-d));
      expect(order1(lower)).toBeLessThanOrEqual(rho * (1 + 4e-15));
      expect(order1(upper)).toBeGreaterThanOrEqual(rho * (1 - 4e-15));
      expect(upper - lower).toBeLessThan(3e-9 * upper);
    }
  });
});

let random = seeded(12);
// each test draws its own, whichever run
beforeEach(() => {
  random = seeded(12);
});
const between = (low: number, high: number): number => low * (high / low) ** random();

describe('over random guarantees', () => {
  test('10³ accounts of RDP and zCDP: ends in order, above Gaussians that meet them, below the bounds in use', () => {
    for (let i = 0; i < 1000; i++) {
      const above = between(1e-3, 1e3);
      const bound = between(1e-6, 10);
      const rho = between(1e-9, 100);
      const isList = i % 2 === 0;
      const scale = isList ? bound + 5 / above : rho + 5 * Math.sqrt(rho);
      const epsilon = i % 7 === 0 ? 0 : between(1e-3, 1) * scale;
      const region = new RenyiRegion(
        isList
          ? listedOrders([{ order: 1 + above, epsilon: bound }])
          : everyOrder({ rho, first: rho, most: Infinity }),
      );
      const what = JSON.stringify({ isList, above, bound, rho, epsilon });
      const { lower, upper } = region.worst(epsilon).logDelta;
      const mu = Math.sqrt(isList ? (2 * bound) / (1 + above) : 2 * rho);
      expect(upper, what).toBeGreaterThanOrEqual(logDeltaGdp(mu, epsilon) - 1e-9);
      expect(upper - lower, what).toBeLessThan(1e-6);
      const limits = isList
        ? [
            CONVERSIONS.mironov.logDelta(above, bound, epsilon),
            CONVERSIONS.tight.logDelta(above, bound, epsilon),
          ]
        : [0.5, 2, 10, 50].map((t) => CONVERSIONS.tight.logDelta(t, rho * (1 + t), epsilon));
      for (const limit of limits) expect(lower, what).toBeLessThanOrEqual(limit + 1e-9);
    }
  });

  test('no pair with two outputs that meets the bounds has more, and the pair named meets them', () => {
    const divergence = (t: number, a: number, b: number): number =>
      t === 1
        ? (1 - b) * Math.log((1 - b) / a) + b * Math.log(b / (1 - a))
        : Math.log((1 - b) ** t * a ** (1 - t) + b ** t * (1 - a) ** (1 - t)) / (t - 1);
    for (let i = 0; i < 60; i++) {
      const rho = between(1e-3, 2);
      const points = [1, 2, 3].map(() => {
        const order = 1 + between(0.1, 20);
        return { order, epsilon: order * between(1e-2, 1) };
      });
      const isList = i % 2 === 0;
      const bounds: (readonly [number, number])[] = isList
        ? points.map(({ order, epsilon }) => [order, epsilon])
        : Array.from({ length: 300 }, (_, k) => {
            const t = k === 0 ? 1 : 1 + 10 ** (k / 60 - 2.5);
            return [t, rho * t] as const;
          });
      const region = new RenyiRegion(
        isList ? listedOrders(points) : everyOrder({ rho, first: rho, most: Infinity }),
      );
      const epsilon = i % 5 === 0 ? 0 : 2 * random();
      const { logDelta, pair } = region.worst(epsilon);
      const worst = (a: number, b: number): number =>
        Math.max(
          ...bounds
            .flatMap(([t, d]) => [divergence(t, a, b) - d, divergence(t, 1 - b, 1 - a) - d])
            // powers leave the range of doubles at large orders
            .filter((over) => Number.isFinite(over)),
        );
      expect(worst(Math.exp(pair.logAlpha), Math.exp(pair.logBeta))).toBeLessThan(1e-9);
      for (let k = 0; k < 300; k++) {
        const a = Math.exp(pair.logAlpha) * Math.exp(0.2 * (random() - 0.5));
        const b = Math.exp(pair.logBeta) * Math.exp(0.2 * (random() - 0.5));
        // nothing is known of divergences of what is no double
        if (!(a > 1e-250 && b > 1e-250 && a + b < 1) || worst(a, b) > 0) continue;
        // 300 orders are not all: some room for zCDP
        expect(1 - b - Math.exp(epsilon) * a).toBeLessThanOrEqual(
          Math.exp(logDelta.upper) + (isList ? 1e-12 : 1e-4),
        );
      }
    }
  });

  test('a search that overlooks an order finds no pair that breaks it', () => {
    for (const [bound, other] of [
      [0.4, 0.9],
      [0.4, 0.6],
    ]) {
      const all = listedOrders([
        { order: 2, epsilon: bound },
        { order: 8, epsilon: other },
      ]);
      const blind = listedOrders([{ order: 2, epsilon: bound }]);
      for (const epsilon of [0.5, 1, 1.5, 2.5]) {
        // what the corner needs, and the search's first look
        const tightest = all.tightest.bind(all);
        let looks = 0;
        const region = new RenyiRegion({
          ...blind,
          tightest: (pair) => (looks++ === 0 ? blind : all).tightest(pair),
        });
        const seen = new RenyiRegion(all).worst(epsilon);
        looks = 1;
        region.worst(0);
        looks = 0;
        const { logDelta, pair } = region.worst(epsilon);
        expect(tightest(pair).excess, `${epsilon}`).toBeLessThanOrEqual(0);
        expect(logDelta.lower).toBeLessThanOrEqual(seen.logDelta.upper);
        expect(logDelta.upper).toBeGreaterThanOrEqual(seen.logDelta.lower);
      }
    }
  });

  test('the answer to a question does not depend on those before', () => {
    const points = Array.from({ length: 20 }, (_, i) => ({ order: 1.5 + i, epsilon: 0.1 * (1.5 + i) }));
    for (const make of [
      () => everyOrder({ rho: 0.3, first: 0.3, most: Infinity }),
      () => listedOrders(points),
    ]) {
      const one = new RenyiRegion(make());
      const epsilons = [2, 0.1, 0, 5, 1];
      const first = epsilons.map((epsilon) => one.worst(epsilon).logDelta);
      const two = new RenyiRegion(make());
      expect(epsilons.reverse().map((epsilon) => two.worst(epsilon).logDelta)).toEqual(first.reverse());
    }
  });
});

describe('truncated and mean-concentrated CDP', () => {
  /** max of π − e^ε α over rates whose divergences of the orders given are within `bound`, by search: for each α the largest π. */
  function searched(epsilon: number, orders: readonly number[], bound: (t: number) => number): number {
    const divergence = (t: number, p: number, q: number): number => {
      const [lp, lq, rp, rq] = [Math.log(p), Math.log(q), Math.log1p(-p), Math.log1p(-q)];
      if (t === 1) return p * (lp - lq) + (1 - p) * (rp - rq);
      const [a, b] = [t * lp + (1 - t) * lq, t * rp + (1 - t) * rq];
      return (Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))) / (t - 1);
    };
    const allowed = (alpha: number, power: number): boolean =>
      orders.every((t) => Math.max(divergence(t, power, alpha), divergence(t, alpha, power)) <= bound(t));
    const gainAt = (logAlpha: number): number => {
      const alpha = Math.exp(logAlpha);
      let [low, high] = [alpha, 1 - 1e-14];
      for (let i = 0; i < 40; i++) {
        const power = (low + high) / 2;
        if (allowed(alpha, power)) low = power;
        else high = power;
      }
      return low - Math.exp(epsilon) * alpha;
    };
    // the region is convex: one maximum
    let [from, to] = [-30, -0.01];
    for (let i = 0; i < 45; i++) {
      const [a, b] = [from + (to - from) / 3, to - (to - from) / 3];
      if (gainAt(a) < gainAt(b)) from = a;
      else to = b;
    }
    return gainAt((from + to) / 2);
  }
  const deltaOf = (mechanism: Mechanism, epsilon: number) =>
    account(wasm, mechanism, { adjacency: 'add-remove' }).delta(epsilon);

  test.each([
    [0.5, 8, 1],
    [0.5, 8, 5],
    [0.5, 1.5, 2],
    [0.02, 30, 0.3],
    [2, 3, 0],
  ])('(%f, %f)-tCDP at ε = %f', (rho, omega, epsilon) => {
    const orders = [1, ...Array.from({ length: 100 }, (_, i) => 1 + ((omega - 1) * (i + 1)) / 100)];
    const exact = searched(epsilon, orders, (t) => rho * t);
    const found = deltaOf(tcdp({ rho, omega }), epsilon);
    // a grid of orders allows a little more
    expect(found.upper).toBeGreaterThan(exact * (1 - 1e-3));
    expect(found.upper).toBeLessThan(exact * (1 + 1e-6));
    expect(found).toBeNoWiderThan(1e-9);
    expect(found.lower).toBeGreaterThan(deltaOf(gdp({ mu: Math.sqrt(2 * rho) }), epsilon).lower);
    expect(found.lower).toBeGreaterThanOrEqual(deltaOf(zcdp({ rho }), epsilon).lower * (1 - 1e-9));
  });

  test.each([
    [0.1, 0.05, 1.5],
    [0.02, 0.5, 0.3],
    [0.5, 0.1, 5],
    [2, 1e-3, 0],
  ])('ρ = %f, ξ = %f: (ξ, ρ)-zCDP at ε = %f', (rho, xi, epsilon) => {
    const orders = [1, ...Array.from({ length: 280 }, (_, i) => 1 + 0.05 * 1.025 ** i)];
    const exact = searched(epsilon, orders, (t) => xi + rho * t);
    const found = deltaOf(tcdp({ rho, xi }), epsilon);
    expect(found.upper).toBeGreaterThan(exact * (1 - 1e-3));
    expect(found.upper).toBeLessThan(exact * (1 + 1e-6));
    expect(found).toBeNoWiderThan(1e-9);
    // orders up to one alone allow more, and (ξ + ρ)-zCDP does
    expect(found.lower).toBeLessThanOrEqual(deltaOf(tcdp({ rho, xi, omega: 6 }), epsilon).upper);
    expect(found.lower).toBeLessThanOrEqual(deltaOf(zcdp({ rho: rho + xi }), epsilon).upper);
    expect(found.upper).toBeGreaterThanOrEqual(deltaOf(zcdp({ rho }), epsilon).lower);
    // ξ and ρ add up
    const [twice, sum] = [repeat(tcdp({ rho, xi }), 2), tcdp({ rho: 2 * rho, xi: 2 * xi })];
    expect(deltaOf(twice, epsilon).upper).toBeLessThanOrEqual(deltaOf(sum, epsilon).upper * (1 + 1e-12));
  });

  test('ξ without ρ is pure, and refused as such', () => {
    expect(() => tcdp({ rho: 0, xi: 0.1 })).toThrow('"xi" must be 0 where "rho" is 0, got 0.1');
    expect(() => convert(wasm, { kind: 'tcdp', rho: 0.1, xi: 0.1 } as never, { kind: 'zcdp' })).toThrow('xi');
  });

  test.each([
    [0.5, 1, 1],
    [0.1, 1, 1],
    [0.1, 1, 0],
    [3, 0.5, 0.7],
  ])('(%f, %f)-mCDP at ε = %f', (mean, tau, epsilon) => {
    const [rho, mu] = [tau ** 2 / 2, Math.min(tau, Math.sqrt(2 * mean))];
    const orders = [1, ...Array.from({ length: 100 }, (_, i) => 1 + 1e-2 * 2 ** (i / 9))];
    const exact = searched(epsilon, orders, (t) => Math.min(mean, rho) + (t - 1) * rho);
    const found = deltaOf(mcdp({ mean, tau }), epsilon);
    expect(found.upper).toBeGreaterThan(exact * (1 - 1e-3));
    expect(found.upper).toBeLessThan(exact * (1 + 1e-6));
    // a Gaussian of that μ is mCDP
    expect(found.lower).toBeGreaterThan(deltaOf(gdp({ mu }), epsilon).lower * (1 - 1e-9));
    expect(found.lower).toBeLessThanOrEqual(exact * (1 + 1e-6));
    // GM lemma 7, from the tails of the loss
    if (epsilon > mean) {
      const tail = (x: number): number => Math.exp(-(x ** 2) / (2 * tau ** 2));
      expect(found.upper).toBeLessThan(tail(epsilon - mean) + tail(epsilon + mean));
    }
    const [toZcdp] = convert(wasm, mcdp({ mean, tau }), { kind: 'zcdp' }).values;
    expect(toZcdp.upper).toBeGreaterThanOrEqual(rho);
    expect(toZcdp.upper).toBeLessThan(rho * (1 + 1e-15));
  });

  test('a Gaussian pair revealed rarely is mCDP with a small mean and the tail of τ, and below', () => {
    const [tau, inner, share] = [1, 0.6, 0.05];
    // the loss is N(τ'²/2, τ'²) with probability p, else 0: subgaussian about its mean, looked at at many λ
    const mean = (share * inner ** 2) / 2;
    for (const lambda of [-50, -5, -1, -0.1, 0.1, 1, 2, 5, 10, 50]) {
      const log = (lambda * inner ** 2) / 2 + (lambda * inner) ** 2 / 2;
      const cumulant = Math.log1p(share * Math.expm1(Math.min(700, log))) - lambda * mean;
      if (log < 700) expect(cumulant).toBeLessThanOrEqual((lambda * tau) ** 2 / 2);
    }
    for (const epsilon of [0, 0.5, 2]) {
      const { upper } = deltaOf(mcdp({ mean, tau }), epsilon);
      expect(share * deltaOf(gdp({ mu: inner }), epsilon).upper).toBeLessThan(upper);
    }
  });

  test('composition: the same ω adds up, μ_t of mCDP by squares, parsed as stated', () => {
    const twice = (mechanism: Mechanism) =>
      account(wasm, repeat(mechanism, 2), {
        adjacency: 'add-remove',
        tolerance: 1e-2,
      });
    expect(twice(tcdp({ rho: 0.25, omega: 8 })).delta(1).upper).toBeLessThanOrEqual(
      deltaOf(tcdp({ rho: 0.5, omega: 8 }), 1).upper * (1 + 1e-9),
    );
    const [run, single] = [twice(mcdp({ mean: 0.25, tau: 0.5 })), mcdp({ mean: 0.5, tau: Math.SQRT1_2 })];
    expect(run.delta(1).upper).toBeLessThan(deltaOf(single, 1).upper * (1 + 1e-9));
    expect(run.delta(1).lower).toBeGreaterThan(deltaOf(gdp({ mu: Math.SQRT1_2 }), 1).lower * (1 - 1e-9));
    expect(
      convert(wasm, tcdp({ rho: 0.5, omega: 8 }), { kind: 'rdp', orders: [2, 8] }).values[1].upper,
    ).toBeCloseTo(4, 12);
    expect(() => convert(wasm, tcdp({ rho: 0.5, omega: 8 }), { kind: 'rdp', orders: [9] })).toThrow(
      /orders above 8/,
    );
    expect(() => convert(wasm, tcdp({ rho: 0.5, omega: 8 }), { kind: 'zcdp' })).toThrow(
      /finitely many orders/,
    );
    expect(() => tcdp({ rho: 1, omega: 1 })).toThrow(/"omega"/);
    expect(() => mcdp({ mean: 1, tau: 1e3 })).toThrow(/"tau"/);
  });
});
