import { expect, test } from 'vitest';
import { ConversionRefused, convert, parseGuarantee } from '../../src/convert/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const butFor = (rho: number, delta: number) => parseGuarantee({ kind: 'approximate-zcdp', rho, delta });
const deltaAt = (rho: number, delta: number, epsilon: number) =>
  convert(wasm, butFor(rho, delta), { kind: 'approximate-dp', epsilon }).values[0];

/** Rényi divergence of order t of two Bernoulli laws. */
function divergence(p: number, q: number, t: number): number {
  return Math.log(p ** t * q ** (1 - t) + (1 - p) ** t * (1 - q) ** (1 - t)) / (t - 1);
}

/** The least ρ of two Bernoulli laws on a grid of orders, in both directions. */
function rhoOf(p: number, q: number): number {
  const kl = (a: number, b: number) => a * Math.log(a / b) + (1 - a) * Math.log((1 - a) / (1 - b));
  let rho = Math.max(kl(p, q), kl(q, p));
  for (let t = 1.001; t < 200; t *= 1.01)
    rho = Math.max(rho, divergence(p, q, t) / t, divergence(q, p, t) / t);
  return rho;
}

test('a pair of three outputs attains it, and none is above', () => {
  const random = seeded(7);
  let nearest = 0;
  for (let i = 0; i < 400; i++) {
    const [p, q] = [random(), random()];
    const rho = rhoOf(p, q);
    if (!(rho > 1e-3 && rho < 5)) continue;
    const [delta, epsilon] = [random() ** 3, 2 * random()];
    // the record is told with probability δ, else one of two outputs is drawn
    const own = (a: number, b: number) => Math.max(0, a - Math.exp(epsilon) * b);
    const found = delta + (1 - delta) * (own(p, q) + own(1 - p, 1 - q));
    const { lower, upper } = deltaAt(rho * (1 + 1e-4), delta, epsilon);
    expect(found).toBeLessThanOrEqual(upper);
    expect(upper - lower).toBeLessThan(1e-8);
    nearest = Math.max(nearest, (found - delta) / (lower - delta));
  }
  expect(nearest).toBeGreaterThan(0.98);
});

test('is zCDP without a delta, and digits of what lacks to 1 are kept', () => {
  const zcdp = parseGuarantee({ kind: 'zcdp', rho: 0.5 });
  const target = { kind: 'approximate-dp', epsilon: 2 } as const;
  expect(deltaAt(0.5, 0, 2)).toEqual(convert(wasm, zcdp, target).values[0]);
  const [{ upper: inner }] = convert(wasm, zcdp, target).values;
  expect((1 - deltaAt(0.5, 1 - 2 ** -40, 2).upper) / ((1 - inner) * 2 ** -40)).toBeCloseTo(1, 2);
  // δ = 1e-6 + (1 − 1e-6)δ′: ε(1e-5) is that of zCDP at 9.000009e-6
  const [epsilon] = convert(wasm, butFor(0.5, 1e-6), { kind: 'approximate-dp', delta: 1e-5 }).values;
  const at = 9e-6 / (1 - 1e-6);
  const [plain] = convert(wasm, zcdp, { kind: 'approximate-dp', delta: at }).values;
  expect(epsilon.upper).toBeCloseTo(plain.upper, 8);
});

test.each(['pure-dp', 'gdp', 'zcdp'] as const)('is no %s', (kind) => {
  expect(() => convert(wasm, butFor(0.5, 1e-6), { kind })).toThrow(ConversionRefused);
});
