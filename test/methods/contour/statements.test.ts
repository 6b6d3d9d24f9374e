import { expect, test } from 'vitest';
import { gaussLegendre } from '../../../src/numeric/gauss-legendre.js';
import { normalCdf } from '../../../src/numeric/scalar.js';
import { seeded } from '../../helpers/random.js';

/** Inequalities of docs/proofs/contour.md at random points, from their words alone. */
const random = seeded(7);
const between = (a: number, b: number): number => a + (b - a) * random();
const phi = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

function simpson(f: (x: number) => number, a: number, b: number, n = 4000): number {
  const h = (b - a) / n;
  let sum = f(a) + f(b);
  for (let i = 1; i < n; i++) sum += (i % 2 === 0 ? 2 : 4) * f(a + i * h);
  return (sum * h) / 3;
}

test('Gauss-Legendre rules err by no more than their ellipse allows', () => {
  let sharp = 0;
  for (let i = 0; i < 200; i++) {
    // 1/(x − p) on [−1, 1]: analytic but for p, its integral log((1 − p)/(−1 − p))
    const p = 1 + 10 ** between(-1, 0.5);
    const n = 2 + Math.floor(between(0, 10));
    const { node, weight } = gaussLegendre(n);
    const sum = node.reduce((total, t, j) => total + (2 * weight[j]!) / (2 * t - 1 - p), 0);
    const error = Math.abs(sum - Math.log((p - 1) / (p + 1)));
    const pole = p + Math.sqrt(p * p - 1);
    const rho = 1 + (pole - 1) * between(0.5, 0.98);
    const most = 1 / (p - (rho + 1 / rho) / 2);
    const bound = ((64 / 15) * most * rho ** (-2 * n)) / (1 - rho ** -2);
    expect(error).toBeLessThanOrEqual(bound + 1e-14);
    if (error > 1e-13 && bound < 1e3 * error) sharp++;
  }
  expect(sharp).toBeGreaterThan(5);
});

test('u off the axis: its modulus and its argument', () => {
  for (let i = 0; i < 3000; i++) {
    const [a, b] = [random(), 10 ** between(-3, 1.5)];
    const theta = between(-0.999, 0.999) * Math.PI;
    const at = (t: number, size = b) => [a + size * Math.cos(t), size * Math.sin(t)] as const;
    const modulus = Math.hypot(...at(theta));
    expect(modulus).toBeLessThanOrEqual((a + b) * (1 + 1e-15));
    expect(modulus).toBeGreaterThanOrEqual((a + b) * Math.cos(theta / 2) * (1 - 1e-9));
    const arg = (t: number, size = b) => Math.atan2(at(t, size)[1], at(t, size)[0]);
    expect(Math.sign(arg(theta))).toBe(Math.sign(theta));
    expect(Math.abs(arg(theta))).toBeLessThanOrEqual(Math.abs(theta) + 1e-12);
    expect(Math.abs(arg(theta, b * 1.1))).toBeGreaterThanOrEqual(Math.abs(arg(theta)) - 1e-12);
    if (theta > 0 && Math.cos(theta) >= -b / a)
      expect(arg(theta)).toBeGreaterThanOrEqual(arg(0.99 * theta) - 1e-12);
    if (b < a) expect(Math.abs(arg(theta))).toBeLessThanOrEqual(Math.asin(b / a) + 1e-12);
  }
});

test('phi u^c on an interval is below its chord or tangent, and before a panel below its closed form', () => {
  for (let i = 0; i < 300; i++) {
    const [q, mu] = [10 ** between(-4, -0.1), between(0.1, 3)];
    const y = (x: number): number => Math.log(1 - q + q * Math.exp(mu * x - (mu * mu) / 2));
    const slope = (x: number): number => {
      const b = q * Math.exp(mu * x - (mu * mu) / 2);
      return (mu * b) / (1 - q + b);
    };
    const c = between(-8, 8);
    const f = (x: number): number => phi(x) * Math.exp(c * y(x));
    const a = between(-5, 5);
    const end = a + between(0.01, 2);
    // cy is at most its chord for c ≥ 0, its tangent in a for c < 0
    const m = c >= 0 ? (c * (y(end) - y(a))) / (end - a) : c * slope(a);
    const line = (x: number): number => phi(x) * Math.exp(c * y(a) + m * (x - a));
    const top = line(Math.min(end, Math.max(a, m)));
    for (let j = 0; j <= 50; j++) expect(f(a + ((end - a) * j) / 50)).toBeLessThanOrEqual(top * (1 + 1e-12));

    const e = c >= 0 ? -Math.abs(a) : a;
    const before = simpson(f, e - 14, e);
    if (c >= 0) expect(before).toBeLessThanOrEqual(normalCdf(e) * Math.exp(c * y(e)) * (1 + 1e-9));
    const rise = -e + c * slope(e);
    if (c < 0 && rise > 0) expect(before).toBeLessThanOrEqual((f(e) / rise) * (1 + 1e-9));
  }
});

test('the mean of an exponential on an interval', () => {
  let closest = 0;
  for (let i = 1; i <= 4000; i++) {
    const l = 10 ** (-3 + (5 * i) / 4000);
    // near 0 by its series, whose next term is below 3e-5 l^9
    const series = l / 12 - l ** 3 / 720 + l ** 5 / 30_240 - l ** 7 / 1_209_600;
    const exact = l < 0.3 ? series : 0.5 / Math.tanh(l / 2) - 1 / l;
    const off = Math.abs(exact - l / 12 / (1 + (l * l) / 60));
    const said = Math.min(0.5, 1e-5 * l ** 5);
    expect(off, `${l}`).toBeLessThanOrEqual(said + 1e-16);
    if (l > 0.1) closest = Math.max(closest, off / said);
  }
  expect(closest).toBeGreaterThan(0.9);
});
