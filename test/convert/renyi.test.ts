import { describe, expect, test } from 'vitest';
import { CONVERSIONS } from '../../src/bounds/renyi-accountant.js';
import { type ConversionTarget, convert } from '../../src/convert/index.js';
import {
  account,
  boundedRange,
  compose,
  gdp,
  laplace,
  type Mechanism,
  pureDp,
  rdp,
  repeat,
  zcdp,
} from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { wasm } from '../helpers/runs.js';

const to = (from: Parameters<typeof convert>[1], target: ConversionTarget) => convert(wasm, from, target);
const only = (from: Parameters<typeof convert>[1], target: ConversionTarget): Bracket =>
  to(from, target).values[0];

describe('from a Rényi divergence to δ', () => {
  test('zCDP: tighter than the textbook ρ + 2√(ρ log 1/δ) and than CKS', () => {
    for (const rho of [0.01, 0.5, 3]) {
      for (const delta of [1e-2, 1e-12]) {
        const epsilon = only(zcdp({ rho }), { kind: 'approximate-dp', delta });
        expect(epsilon.upper).toBeLessThan(rho + 2 * Math.sqrt(rho * Math.log(1 / delta)));
        const gaussian = only(gdp({ mu: Math.sqrt(2 * rho) }), { kind: 'approximate-dp', delta });
        expect(epsilon.lower).toBeGreaterThan(gaussian.lower);
        expect(epsilon).toBeNoWiderThan(1e-9 * epsilon.upper);
        const orders = Array.from({ length: 200 }, (_, i) => 1 + 10 ** (i / 40 - 2));
        const cks = Math.min(
          ...orders.map((order) => CONVERSIONS.tight.logDelta(order - 1, rho * order, epsilon.upper)),
        );
        expect(Math.log(delta)).toBeLessThanOrEqual(cks + 1e-5);
      }
    }
  });
});

describe('into and between Rényi divergences', () => {
  test('bounded range is ε²/8-zCDP, Laplace noise ε − 1 + e^{−ε}', () => {
    const rho = (mechanism: Mechanism) =>
      only(account(wasm, mechanism, { adjacency: 'add-remove' }), { kind: 'zcdp' }).upper;
    for (const epsilon of [1e-3, 0.1, 1, 3]) {
      expect(rho(boundedRange({ epsilon })) / (epsilon ** 2 / 8)).toBeCloseTo(1, 12);
      expect(rho(repeat(boundedRange({ epsilon }), 3)) / ((3 * epsilon ** 2) / 8)).toBeCloseTo(1, 12);
      // the two losses t and t − ε span ε: their divergences, for any t, are below
      for (const share of [0.2, 0.5, 0.9]) {
        const [x, y] = [Math.exp(share * epsilon), Math.exp((share - 1) * epsilon)];
        const p = (1 - y) / (x - y);
        for (const order of [1.0001, 1.5, 3, 20]) {
          const divergence = Math.log(p * x ** order + (1 - p) * y ** order) / (order - 1);
          expect(divergence / order).toBeLessThanOrEqual(epsilon ** 2 / 8 + 1e-11);
        }
      }
    }
    for (const epsilon of [1e-6, 0.01, 0.49, 0.51, 1, 5, 30]) {
      const least = rho(laplace({ scale: 1, sensitivity: epsilon }));
      const series =
        epsilon < 0.02
          ? epsilon ** 2 / 2 - epsilon ** 3 / 6 + epsilon ** 4 / 24 - epsilon ** 5 / 120
          : epsilon + Math.expm1(-epsilon);
      expect(least / series).toBeCloseTo(1, 9);
      // D_t ≤ ρt (Mironov 2017, prop. 6), with equality at t = 1
      for (const t of [1.001, 1.1, 2, 10, 20]) {
        const sum =
          (t / (2 * t - 1)) * Math.exp((t - 1) * epsilon) + ((t - 1) / (2 * t - 1)) * Math.exp(-t * epsilon);
        expect(Math.log(sum) / (t - 1)).toBeLessThanOrEqual(least * t * (1 + 1e-9) + 1e-12);
      }
    }
  });

  test('pure DP is randomised response', () => {
    const [d] = to(pureDp({ epsilon: 1 }), { kind: 'rdp', orders: [3] }).values;
    const p = Math.E / (1 + Math.E);
    const exact = Math.log(p ** 3 * (1 - p) ** -2 + (1 - p) ** 3 * p ** -2) / 2;
    expect(d).toContainValue(exact);
    expect(d).toBeNoWiderThan(1e-14);
    expect(only(pureDp({ epsilon: 1 }), { kind: 'zcdp' }).upper).toBeCloseTo(Math.tanh(0.5), 14);
  });

  test('other orders by convexity', () => {
    const source = rdp({
      points: [
        { order: 2, epsilon: 1 },
        { order: 4, epsilon: 2 },
      ],
    });
    // (α − 1)D: 1 at 2, 6 at 4, so at most 3.5 at 3
    expect(only(source, { kind: 'rdp', orders: [3] }).upper).toBeCloseTo(1.75, 12);
    expect(only(source, { kind: 'rdp', orders: [1.5] }).upper).toBeCloseTo(1, 12);
    expect(() => to(source, { kind: 'rdp', orders: [5] })).toThrow(/order of 5/);
  });
});

describe('exact decimals', () => {
  test.each([
    [boundedRange({ epsilon: 1 }), 0.125],
    [repeat(boundedRange({ epsilon: 2 }), 5), 2.5],
    [compose([zcdp({ rho: 0.5 }), zcdp({ rho: 0.25 })]), 0.75],
  ])('%j is %s-zCDP', (mechanism, rho) => {
    const run = account(wasm, mechanism, { adjacency: 'add-remove' });
    expect(only(run, { kind: 'zcdp' }).upper).toBe(rho);
  });

  test('the square of a stated mu', () => {
    expect(only(gdp({ mu: 1 }), { kind: 'zcdp' }).upper).toBe(0.5);
  });

  test('are never below: the square of the double 0.1 is above 1/100', () => {
    const run = account(wasm, boundedRange({ epsilon: 0.1 }), { adjacency: 'add-remove' });
    expect(only(run, { kind: 'zcdp' }).upper).toBe(0.0012500000000000002);
  });
});
