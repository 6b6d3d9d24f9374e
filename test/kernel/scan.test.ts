import { describe, expect, it } from 'vitest';
import type { Kernel } from '../../src/kernel/kernel.js';
import { describeKernels, differences, kernels } from '../helpers/kernels.js';
import { distribution, sample } from '../helpers/random.js';

const U = 2 ** -53;

/** Compensated sum (Neumaier), independent of the engines'. */
function sumOf(values: Iterable<number>): number {
  let sum = 0;
  let rest = 0;
  for (const v of values) {
    const next = sum + v;
    rest += Math.abs(sum) >= Math.abs(v) ? sum - next + v : v - next + sum;
    sum = next;
  }
  return sum + rest;
}

function relativeError(got: number, want: number): number {
  return got === want ? 0 : Math.abs(got - want) / Math.abs(want);
}

const exp = (kernel: Kernel, x: number): number => kernel.exp(Float64Array.of(x))[0];
const log = (kernel: Kernel, x: number): number => kernel.log(Float64Array.of(x))[0];

describeKernels('logMgf', (kernel) => {
  it('is the logarithm of the sum of p e^{λx}', () => {
    for (const [n, first, step, lambda] of [
      [1, 5, 0.1, 2],
      [2, -1, 0.5, -3],
      [101, -50, 0.02, 1.7],
      [1000, -300, 0.01, -4],
      [4097, 0, 1e-3, 12],
    ]) {
      const p = distribution(n, n, 6);
      const terms = Array.from(p, (v, i) => v * exp(kernel, lambda * step * (first + i)));
      const want = log(kernel, sumOf(terms));
      const scale = Math.abs(lambda * step) * Math.max(Math.abs(first), Math.abs(first + n));
      expect(Math.abs(kernel.logMgf(p, first, step, lambda) - want)).toBeLessThan((20 + 8 * scale) * U);
    }
  });

  it('has the closed form of a binomial', () => {
    // p_i = C(40, i)/2^40: Σ p_i e^{λi} = ((1 + e^λ)/2)^40. The C(40, i) are exact in float64.
    const p = new Float64Array(41);
    let binomial = 1;
    for (let i = 0; i <= 40; i++) {
      p[i] = binomial * 2 ** -40;
      binomial = (binomial * (40 - i)) / (i + 1);
    }
    for (const lambda of [-30, -2, -0.1, 0, 0.3, 5, 40]) {
      const want = 40 * (kernel.log1p(Float64Array.of(exp(kernel, lambda)))[0] - log(kernel, 2));
      const got = kernel.logMgf(p, 0, 1, lambda);
      expect(Math.abs(got - want)).toBeLessThan((20 + 4 * 40 * Math.abs(lambda)) * U + 64 * U);
    }
  });

  it('is 0 at λ = 0 of a distribution, to the last place of its mass', () => {
    const p = sample(3, 2 ** 16, () => 2 ** -16);
    expect(kernel.logMgf(p, -1000, 0.3, 0)).toBe(0);
  });

  it('neither overflows nor underflows where the result does not', () => {
    // e^{λx} spans e^{±4000}; masses span 10^{∓300}.
    const p = Float64Array.of(1e-300, 0.5, 1e-300);
    expect(relativeError(kernel.logMgf(p, -1, 1, 4000), 4000 + log(kernel, 1e-300))).toBeLessThan(1e-15);
    expect(relativeError(kernel.logMgf(p, -1, 1, -4000), 4000 + log(kernel, 1e-300))).toBeLessThan(1e-15);
    // The largest e^{λx} meets the smallest mass: the middle decides.
    expect(relativeError(kernel.logMgf(p, -1, 1, 600), log(kernel, 0.5))).toBeLessThan(1e-15);
    // A subnormal mass with the largest exponent.
    const q = Float64Array.of(0, 2 ** -1074);
    expect(relativeError(kernel.logMgf(q, 0, 1, 700), 700 - 1074 * Math.LN2)).toBeLessThan(1e-14);
  });

  it('ignores zeros and negative round-off, and is −∞ of nothing', () => {
    expect(kernel.logMgf(new Float64Array(0), 0, 1, 1)).toBe(-Infinity);
    expect(kernel.logMgf(new Float64Array(7), 0, 1, 1)).toBe(-Infinity);
    expect(kernel.logMgf(Float64Array.of(0, 1, -1e-20, 0, 0), -1, 1, 900)).toBe(0);
  });
});

describeKernels('tilt', (kernel) => {
  it('multiplies by e^{θx − shift} within its stated error', () => {
    const p = distribution(21, 301, 30);
    const [first, step, theta, shift] = [-150, 0.25, 1.5, 10];
    const got = kernel.tilt(p, first, step, theta, shift);
    for (let i = 0; i < p.length; i++) {
      // Every product and the difference are exact here, so exp alone rounds.
      const argument = theta * step * (first + i) - shift;
      expect(relativeError(got[i], p[i] * exp(kernel, argument))).toBeLessThan(6 * 2 ** -52);
    }
  });

  it('holds against overflow of the factor alone, and keeps zeros', () => {
    const p = Float64Array.of(2 ** -1000, 0, 1);
    const got = kernel.tilt(p, 0, 1, 0, -720);
    expect(relativeError(log(kernel, got[0]), 720 - 1000 * Math.LN2)).toBeLessThan(1e-13);
    expect(got[1]).toBe(0);
    expect(got[2]).toBe(Infinity);
  });

  it('writes to out, which may be the input', () => {
    const p = distribution(22, 33);
    const fresh = kernel.tilt(p, 4, 0.1, 2, 0.5);
    const out = new Float64Array(33);
    expect(kernel.tilt(p, 4, 0.1, 2, 0.5, out)).toBe(out);
    expect(differences(out, fresh)).toBe(0);
    expect(differences(kernel.tilt(p, 4, 0.1, 2, 0.5, p), fresh)).toBe(0);
    expect(() => kernel.tilt(p, 0, 1, 1, 0, new Float64Array(32))).toThrow(
      '"out.length" must be 33, like "p", got 32',
    );
  });
});

describeKernels('suffixScan', (kernel) => {
  for (const [n, theta, step] of [
    [1, 1, 0.1],
    [2, 0, 0.5],
    [50, 0.7, 0.3],
    [400, 3, 0.01],
    [400, -0.4, 1e-4],
    [301, 25, 1e-3],
  ]) {
    it(`is the sum of the definition, n = ${n}, θ = ${theta}, step = ${step}`, () => {
      const tilted = distribution(n + 1, n, 9);
      tilted[0] = -1e-18;
      if (n > 20) tilted[17] = -1e-9;
      const { delta, tail } = kernel.suffixScan(tilted, theta, step);
      expect(delta.length).toBe(n);
      const distance = Float64Array.from({ length: n }, (_, i) => -step * i);
      const weightTail = kernel.exp(distance.map((d) => (1 + theta) * d));
      const weightDelta = kernel.exp(distance.map((d) => theta * d));
      const factor = kernel.expm1(distance);
      const allowed = n * (5 + 2 * Math.abs(1 + theta) * step + 2 * Math.abs(theta) * step) * U + 10 * U;
      for (let j = 0; j < n; j++) {
        const above = Array.from(tilted.subarray(j), (v) => Math.max(v, 0));
        const wantTail = sumOf(above.map((v, m) => v * weightTail[m]));
        const wantDelta = sumOf(above.map((v, m) => v * weightDelta[m] * -factor[m]));
        expect(relativeError(tail[j], wantTail)).toBeLessThan(allowed);
        expect(relativeError(delta[j], wantDelta)).toBeLessThan(allowed);
      }
    });
  }

  it('is the hockey-stick divergence of a two-point loss', () => {
    // Loss ±1 with Q-masses q = 1/(1+e) at −1 and e·q at +1: δ(0) = e·q − q = tanh(½).
    const step = 0.5;
    const q = 1 / (1 + exp(kernel, 1));
    const mass = new Float64Array(5);
    mass[0] = q;
    mass[4] = 1 - q;
    const theta = 2;
    const tilted = kernel.tilt(mass, -2, step, theta, 0);
    const { delta } = kernel.suffixScan(tilted, theta, step);
    const tanhHalf = (1 - exp(kernel, -1)) / (1 + exp(kernel, -1));
    // At ε = x_2 = 0, by the definition Σ p_i (1 − e^{−(x_i − ε)})₊ with p the law of P.
    expect(relativeError(delta[2], tanhHalf)).toBeLessThan(1e-15);
  });

  it('is empty of nothing', () => {
    expect(kernel.suffixScan(new Float64Array(0), 1, 1).delta.length).toBe(0);
  });
});

describe('the two engines', () => {
  it('give the same bits', () => {
    for (const n of [1, 2, 3, 64, 1001]) {
      const p = distribution(n + 9, n, 40);
      const results = kernels.map((kernel) => {
        const tilted = kernel.tilt(p, -n / 2, 0.01, 4, 0.3);
        const { delta, tail } = kernel.suffixScan(tilted, 4, 0.01);
        const coarse = kernel.logMgf(p, -7, 0.013, 3.3);
        const fine = kernel.logMgf(p, -7, 0.0013, 3.3);
        return [Float64Array.of(coarse, fine), tilted, delta, tail];
      });
      results[0].forEach((values, k) => {
        expect(differences(values, results[1][k]), `n = ${n}, result ${k}`).toBe(0);
      });
    }
  });
});

describeKernels('the output of suffixScan', (kernel) => {
  const tilted = Float64Array.of(0.5, -1e-20, 0.25, NaN, 0.125);

  it('may be arrays of the caller', () => {
    const out = { delta: new Float64Array(5), tail: new Float64Array(5) };
    expect(kernel.suffixScan(tilted, 0.5, 0.25, out)).toBe(out);
    expect(out).toEqual(kernel.suffixScan(tilted, 0.5, 0.25));
    // not a number counts as 0, as round-off below 0 does
    expect(out.tail[3]).toBeCloseTo(0.125 * Math.exp(-0.375), 15);
  });

  it('must have the right length', () => {
    const out = { delta: new Float64Array(5), tail: new Float64Array(4) };
    expect(() => kernel.suffixScan(tilted, 0.5, 0.25, out)).toThrow(/"out.tail.length" must be 5, got 4/);
  });
});
