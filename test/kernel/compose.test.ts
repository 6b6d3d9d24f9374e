import { describe, expect, it } from 'vitest';
import type { CyclicPart } from '../../src/kernel/kernel.js';
import { cyclicConvolve, cyclicPower, type Dd } from '../helpers/double-double.js';
import { describeKernels, differences, kernels } from '../helpers/kernels.js';
import { distribution, sample, seeded } from '../helpers/random.js';

const U = 2 ** -53;

const toDd = (p: Float64Array): Dd[] => Array.from(p, (v): Dd => [v, 0]);

/** The composition by the definition, in double-double. */
function directComposition(parts: readonly CyclicPart[]): Dd[] {
  return parts
    .filter(({ count }) => count > 0)
    .map(({ pmf, count }) => cyclicPower(toDd(pmf), count))
    .reduce(cyclicConvolve);
}

/** |Σ p_j e^{−2πijk/n}|. */
function modulusAt(p: Float64Array, k: number): number {
  let re = 0;
  let im = 0;
  for (let j = 0; j < p.length; j++) {
    const angle = (2 * Math.PI * ((j * k) % p.length)) / p.length;
    re += p[j] * Math.cos(angle);
    im += p[j] * Math.sin(angle);
  }
  return Math.sqrt(re * re + im * im);
}

function worstError(composed: Float64Array, exact: readonly Dd[]): number {
  return exact.reduce((worst, [hi, lo], i) => Math.max(worst, Math.abs(composed[i] - hi - lo)), 0);
}

/** Binomial masses of `trials` steps of 0 or 1, 1 with probability q, from the one-step law. */
function coin(n: number, q: number): Float64Array {
  const p = new Float64Array(n);
  p[0] = 1 - q;
  p[1] = q;
  return p;
}

const cases: Record<string, () => CyclicPart[]> = {
  'one part, once': () => [{ pmf: distribution(1, 64), count: 1 }],
  'one part, twice': () => [{ pmf: distribution(2, 16), count: 2 }],
  'one part, 1000 times': () => [{ pmf: distribution(3, 128, 8), count: 1000 }],
  'a rare coin, 4095 times': () => [{ pmf: coin(128, 0.003), count: 4095 }],
  'a fair coin, 200 times': () => [{ pmf: coin(256, 0.5), count: 200 }],
  'a sure step': () => [{ pmf: sample(4, 32, (_, i) => (i === 5 ? 1 : 0)), count: 77 }],
  'three parts and one left out': () => [
    { pmf: distribution(5, 64, 12), count: 3 },
    { pmf: distribution(6, 64), count: 0 },
    { pmf: coin(64, 0.1), count: 25 },
    { pmf: distribution(7, 64, 2), count: 8 },
  ],
  'tails over 200 decades': () => [{ pmf: distribution(8, 64, 200), count: 12 }],
  'mass 0.9': () => [{ pmf: distribution(9, 64).map((v) => 0.9 * v), count: 40 }],
  'four parts that vanish together, one of them of mass above 1': () => [
    { pmf: coin(256, 0.5), count: 200 },
    { pmf: coin(256, 0.5).map((v) => 1.0001 * v), count: 90 },
    { pmf: coin(256, 0.5), count: 400 },
    { pmf: coin(256, 0).map((v) => 1.0001 * v), count: 30 },
  ],
  'mass 1.0001': () => [{ pmf: distribution(10, 64).map((v) => 1.0001 * v), count: 300 }],
};

const exact = new Map(Object.entries(cases).map(([name, make]) => [name, directComposition(make())]));

describeKernels('composeCyclic', (kernel) => {
  for (const [name, make] of Object.entries(cases)) {
    it(`is within perEntryError of the definition, and that is not idle: ${name}`, () => {
      const { composed, perEntryError } = kernel.composeCyclic(make());
      const error = worstError(composed, exact.get(name) ?? []);
      expect(error).toBeLessThanOrEqual(perEntryError);
      // Nothing is claimed about results that happen to be exact: hold the bound against one rounding.
      const floor = Math.max(...composed) * 2 ** -53;
      expect(perEntryError).toBeLessThan(1e4 * Math.max(error, floor));
    });
  }

  // the terms of assembly/fft/compose.ts, from spectra by the definition
  it.each(['one part, once', 'one part, 1000 times', 'a rare coin, 4095 times', 'a sure step', 'mass 0.9'])(
    'the bound has all its terms: %s',
    (name) => {
      const parts = cases[name]();
      const n = parts[0].pmf.length;
      const e1 = (10.5 * Math.log2(n) + 4) * U;
      const total = parts.reduce((sum, { count }) => sum + count, 0);
      const rounding = Math.expm1(Math.sqrt(5) * U * (total - 1));
      let errors = 0;
      let sizes = 0;
      for (let k = 0; k < n; k++) {
        let product = 1;
        let ratio = 0;
        let size = 1;
        for (const { pmf, count } of parts) {
          const eta = e1 * pmf.reduce((sum, v) => sum + v, 0);
          const modulus = modulusAt(pmf, k);
          product *= (modulus + eta) ** count;
          ratio += (count * eta) / (modulus + eta);
          size *= modulus ** count;
        }
        errors += product * (Math.min(ratio, 2) + rounding);
        sizes += size;
      }
      const { perEntryError } = kernel.composeCyclic(parts);
      const bound = (errors + e1 * sizes) / n;
      expect(perEntryError).toBeGreaterThan(bound * (1 - 1e-6));
      expect(perEntryError).toBeLessThan(bound * (1 + 1e-6));
    },
  );

  it('holds for random parts and counts', () => {
    const random = seeded(11);
    for (let round = 0; round < 20; round++) {
      const n = random() < 0.5 ? 16 : 32;
      const parts = Array.from({ length: 1 + Math.floor(3 * random()) }, () => ({
        pmf: distribution(Math.floor(1e9 * random()), n, 20 * random()),
        count: Math.floor(10 ** (4 * random())),
      }));
      const { composed, perEntryError } = kernel.composeCyclic(parts);
      expect(worstError(composed, directComposition(parts))).toBeLessThanOrEqual(perEntryError);
    }
  });

  it('stays a distribution at 2^20 points', () => {
    const n = 2 ** 20;
    const pmf = new Float64Array(n);
    // A walk of ±1 and 0: mean 0, variance ½ per step.
    pmf[0] = 0.5;
    pmf[1] = 0.25;
    pmf[n - 1] = 0.25;
    const { composed, perEntryError } = kernel.composeCyclic([{ pmf, count: 2000 }]);
    const total = composed.reduce((sum, v) => sum + v, 0);
    expect(Math.abs(total - 1)).toBeLessThanOrEqual(n * perEntryError);
    // C(4000, 2000)/2^4000 = ∏ (2i−1)/(2i), i ≤ 2000: the walk is 4000 half steps of a fair coin.
    let central = 1;
    for (let i = 1; i <= 2000; i++) central *= (2 * i - 1) / (2 * i);
    expect(Math.abs(composed[0] - central)).toBeLessThanOrEqual(perEntryError + 4000 * 2 ** -53 * central);
    expect(perEntryError).toBeLessThan(1e-10);
  });

  it('takes counts up to 2^53 − 1, with a bound that admits what that costs', () => {
    const pmf = coin(16, 0.5);
    const { composed, perEntryError } = kernel.composeCyclic([{ pmf, count: 2 ** 53 - 1 }]);
    expect(perEntryError).toBeGreaterThan(1 / 16);
    expect(perEntryError).toBeLessThan(Infinity);
    for (const v of composed) expect(Math.abs(v - 1 / 16)).toBeLessThanOrEqual(perEntryError);
  });

  it('is a unit mass at 0 when every count is 0', () => {
    const { composed, perEntryError } = kernel.composeCyclic([{ pmf: distribution(1, 16), count: 0 }]);
    expect(Array.from(composed)).toEqual([1, ...new Array(15).fill(0)]);
    expect(perEntryError).toBe(0);
  });

  it('holds for masses whose squares underflow', () => {
    const small = distribution(15, 64).map((v) => 1e-170 * v);
    for (const parts of [
      [{ pmf: small, count: 1 }],
      [
        { pmf: small, count: 1 },
        { pmf: coin(64, 0.3), count: 5 },
      ],
    ]) {
      const { composed, perEntryError } = kernel.composeCyclic(parts);
      expect(worstError(composed, directComposition(parts))).toBeLessThanOrEqual(perEntryError);
      expect(perEntryError).toBeLessThan(1e-152);
    }
  });

  it('composes nothing to nothing', () => {
    const { composed, perEntryError } = kernel.composeCyclic([{ pmf: new Float64Array(16), count: 3 }]);
    for (const v of composed) expect(Math.abs(v)).toBeLessThanOrEqual(perEntryError);
    expect(perEntryError).toBeLessThan(1e-160);
  });

  it('admits overflow by an infinite bound', () => {
    const pmf = distribution(12, 16).map((v) => 10 * v);
    expect(kernel.composeCyclic([{ pmf, count: 1000 }]).perEntryError).toBe(Infinity);
    expect(kernel.composeCyclic([{ pmf: pmf.fill(Number.NaN, 3, 4), count: 2 }]).perEntryError).toBe(
      Infinity,
    );
  });

  it('leaves its input alone', () => {
    const pmf = distribution(13, 64);
    const copy = pmf.slice();
    kernel.composeCyclic([{ pmf, count: 9 }]);
    expect(differences(pmf, copy)).toBe(0);
  });

  it('throws a RangeError that names what is wrong', () => {
    const pmf = distribution(14, 16);
    expect(() => kernel.composeCyclic([])).toThrow(/"parts" must hold at least one part/);
    expect(() => kernel.composeCyclic([{ pmf: pmf.slice(1), count: 1 }])).toThrow(
      /"parts\[0\].pmf" .*got 15/,
    );
    expect(() =>
      kernel.composeCyclic([
        { pmf, count: 1 },
        { pmf: new Float64Array(32), count: 1 },
      ]),
    ).toThrow(/"parts\[1\].pmf" must hold 16 values like parts\[0\]; got 32/);
    for (const count of [-1, 1.5, Number.NaN, 2 ** 53]) {
      expect(() => kernel.composeCyclic([{ pmf, count }])).toThrow(RangeError);
      expect(() => kernel.composeCyclic([{ pmf, count }])).toThrow(
        `"parts[0].count" must be a whole number in [0, 2^53); got ${count}`,
      );
    }
  });
});

describe('the two engines', () => {
  it('give the same bits and the same bound', () => {
    for (const [name, make] of Object.entries(cases)) {
      const [a, b] = kernels.map((kernel) => kernel.composeCyclic(make()));
      expect(differences(a.composed, b.composed), name).toBe(0);
      expect(a.perEntryError, name).toBe(b.perEntryError);
    }
  });
});
