import { describe, expect, test } from 'vitest';
import { LogGamma } from '../../assembly/functions/log-gamma.js';
import {
  account,
  ballsAndBins,
  compose,
  dpSgd,
  gaussian,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import { centralMoments } from '../../src/methods/contour/allocation-moments.js';
import { type Allocation, allocationStep } from '../../src/methods/contour/kernel-step.js';
import { epsilonOf } from '../../src/run/epsilon.js';
import { seeded } from '../helpers/random.js';
import { binsOf, roomy } from '../helpers/run-laws.js';
import { wasm } from '../helpers/runs.js';
import { type AskedLaw, cutEpoch, lawOfStep } from '../helpers/step-laws.js';
import { within } from '../helpers/stretches.js';
import { twoBins } from '../helpers/two-bins.js';

const runOf = (mechanism: Mechanism, options = {}) =>
  account(wasm, mechanism, { adjacency: 'add-remove', ...options });

const epochLaw = (epoch: Allocation): AskedLaw => lawOfStep(allocationStep(epoch));

/** log E[s^k], k < many. */
function logMoments(law: Allocation, many: number): number[] {
  roomy();
  const bins = binsOf(law);
  return Array.from({ length: many }, (_, k) => bins.logMoment(k));
}

describe('the transform', () => {
  test.each([
    [1, -3],
    [1, 0.5],
    [1, 2.3],
    [0.3, -20],
    [0.3, 6],
    [1.5, -1.2],
    [1.5, 1.7],
  ])('two bins, mu %d, c %d', (mu, c) => {
    const law = epochLaw({ mu, bins: 2, visited: 2 });
    const { value, error } = law.cumulant(c);
    expect(error).toBeLessThan(1e-9);
    expect(Math.abs(value - twoBins(mu, c, 0).re)).toBeLessThan(error + 1e-12);
    const dTau = 0.7;
    const line = law.line({ c, dTau, n: 8 })!;
    for (let k = 1; k < 8; k++) {
      const exact = twoBins(mu, c, k * dTau);
      const doubt = line.error[k] + line.quadrature[k];
      if (!(doubt < 1)) continue;
      expect(Math.abs(line.logModulus[k] + value - exact.re)).toBeLessThan(doubt + error + 1e-11);
      expect(Math.abs(Math.sin((line.phase[k] - exact.im) / 2))).toBeLessThan(doubt + 1e-11);
      expect(within(law.decay(c), k * dTau, k * dTau)).toBeGreaterThan(line.logModulus[k] - doubt - 1e-12);
    }
  });

  test.each([-5, -0.7, 0.5, 1.6, 2.3, 6])('one of 100 bins seen is a Poisson sample: c = %d', (c) => {
    const one = epochLaw({ mu: 1, bins: 100, visited: 1 });
    const sampled = lawOfStep({ mu: 1, rate: 0.01 });
    const [a, b] = [one, sampled].map((law) => law.cumulant(c));
    expect(Math.abs(a.value - b.value)).toBeLessThan(a.error + b.error);
    const [p, q] = [one, sampled].map((law) => law.line({ c, dTau: 3, n: 8 })!);
    for (let k = 0; k < 8; k++) {
      const doubt = p.error[k] + p.quadrature[k] + q.error[k] + q.quadrature[k];
      expect(doubt).toBeLessThan(1e-9);
      expect(Math.abs(p.logModulus[k] - q.logModulus[k])).toBeLessThan(doubt + 1e-15);
      expect(Math.abs(p.phase[k] - q.phase[k])).toBeLessThan(doubt + 1e-15);
    }
    // no Gaussian decay: it would be false here
    expect(within(one.decay(c), 20, 20)).toBe(0);
  });

  test('far tilts, by plain sums: 50 bins of noise 20, M(−1300) to M(−2000)', () => {
    // E s^{−a} = ∫ e^{av} φ₀(e^v/t)^t dv/Γ(a), in logarithms; φ₀ by a sum over y that ends 12 deviations away
    const [bins, mu] = [50, 0.05];
    const spectrum = epochLaw({ mu, bins, visited: bins });
    const draws = Array.from({ length: 241 }, (_, i) => Math.exp(mu * (i / 10 - 12) - (mu * mu) / 2));
    const chances = draws.map((_, i) => (0.1 / Math.sqrt(2 * Math.PI)) * Math.exp(-((i / 10 - 12) ** 2) / 2));
    const logSumOf = (logs: readonly number[]): number => {
      const most = Math.max(...logs);
      return most + Math.log(logs.reduce((sum, each) => sum + Math.exp(each - most), 0));
    };
    const logOne = (u: number): number =>
      logSumOf(draws.map((x, i) => Math.log(chances[i]!) - (u * x) / bins));
    let answered = 0;
    for (const a of [50.3, 200.1, 900, 1200, 1300, 1330, 1386.1108493080408, 1450, 1500, 1640, 1700, 2000]) {
      const [from, step] = [Math.log(a) - Math.min(3, 12 / Math.sqrt(a)), 0.002];
      const nodes = Array.from({ length: 1900 }, (_, i) => from + step * i);
      const logs = nodes.map((v) => a * v + bins * logOne(Math.exp(v)));
      const exact = logSumOf(logs) + Math.log(step) - new LogGamma().at(a, 0).re;
      const { value, error } = spectrum.cumulant(-a);
      if (!(value < Infinity)) continue;
      answered++;
      expect(Math.abs(value - exact), String(a)).toBeLessThan(error + 1e-9 * Math.max(1, exact));
    }
    expect(answered).toBeGreaterThan(6);
  });

  test('whole moments', () => {
    for (const [bins, mu] of [
      [3, 0.1],
      [100, 1],
      [1000, 0.5],
      [1e6, 1],
    ]) {
      const bin = { mu, bins, visited: bins };
      const law = epochLaw(bin);
      const logs = logMoments(bin, 6);
      const two = Math.log1p(Math.expm1(mu * mu) / bins);
      for (const [c, exact] of [
        [0, 0],
        [1, 0],
        [2, two],
        [5, logs[5]],
      ]) {
        const { value, error } = law.cumulant(c);
        expect(error).toBeLessThan(3e-11);
        expect(Math.abs(value - exact)).toBeLessThan(error);
      }
      expect(logs[2]).toBeCloseTo(two, 11);
    }
  });

  test('whole moments of two bins, of which one or both are seen, by sums, up to where 1/k! is no double', () => {
    const logFactorials = [0];
    for (let k = 1; k <= 256; k++) logFactorials.push(logFactorials[k - 1]! + Math.log(k));
    for (const mu of [0.003, 0.01, 0.03, 0.1])
      for (const visited of [1, 2]) {
        const logs = logMoments({ mu, bins: 2, visited }, 257);
        for (let k = 2; k <= 256; k++) {
          let exact = 0;
          for (let j = 0; j <= k; j++) {
            const choices = logFactorials[k]! - logFactorials[j]! - logFactorials[k - j]! - k * Math.LN2;
            const others = visited === 2 ? (k - j) * (k - j - 1) : 0;
            exact += Math.exp(choices + (mu * mu * (j * (j - 1) + others)) / 2);
          }
          expect(Math.abs(logs[k]! - Math.log(exact)), `${mu} ${visited} ${k}`).toBeLessThan(1e-11);
        }
      }
  });

  test('log gamma: recurrence, reflection and modulus', () => {
    for (let i = 0; i < 200; i++) {
      const y = (i * i) / 50;
      // |Γ(1 + iy)|² = πy/sinh πy
      const exact =
        y === 0
          ? 0
          : 0.5 * (Math.log(2 * Math.PI * y) - Math.PI * y - Math.log1p(-Math.exp(-2 * Math.PI * y)));
      const { re, error } = new LogGamma().at(1, y);
      expect(Math.abs(re - exact)).toBeLessThan(error + 1e-14 * (1 + Math.abs(exact)));
    }
    expect(new LogGamma().at(171, 0).re).toBeCloseTo(706.5730622457874, 10);
    expect(Math.exp(new LogGamma().at(1.5, 0).re)).toBeCloseTo(Math.sqrt(Math.PI) / 2, 12);
  });
});

/** E[f(V)] for two bins, V = cosh(x)/e^{μ²/4}, x ~ N(0, μ²/2), over |V − 1| ≤ h: Simpson's rule between the ends. */
function rest(mu: number, h: number, f: (v: number) => number): number {
  const lead = Math.exp((mu * mu) / 4);
  const [from, to] = [1 - h, 1 + h].map((v) => Math.acosh(Math.max(1, v * lead)));
  const end = Math.min(to, 9 * mu + 8 * mu * mu);
  const n = 4000;
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    const x = from + ((end - from) * i) / n;
    const weight = i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * Math.exp(-((x / mu) ** 2)) * f(Math.cosh(x) / lead);
  }
  return (2 * sum * (end - from)) / (3 * n) / (mu * Math.sqrt(Math.PI));
}

describe('a Gaussian beside a rest', () => {
  test('moments of the rest: two bins by sums, any number by the second', () => {
    for (const mu of [0.02, 0.3, 1]) {
      const { scale, value, error } = centralMoments({ mu, bins: 2 });
      for (const k of [2, 3, 4, 7, 12]) {
        const exact = rest(mu, Infinity, (v) => ((v - 1) / scale) ** k);
        expect(Math.abs(value[k] - exact)).toBeLessThan(error[k] + 1e-9 * exact);
      }
      expect(Math.abs(value[1])).toBeLessThan(error[1]);
    }
    for (const [mu, bins] of [
      [0.01, 1e6],
      [1, 20],
      [1.5, 3],
    ]) {
      const { scale, value } = centralMoments({ mu, bins });
      // (1 + (e^{μ²} − 1)/t)e^{−μ²/t} − 1, by its series where it cancels
      const square = mu * mu;
      const exact =
        square < 0.01
          ? (square * square * (1 - 1 / bins) * (1 + square / 3)) / (2 * bins)
          : (1 + Math.expm1(square) / bins) * Math.exp(-square / bins) - 1;
      expect(value[2] * scale * scale).toBeCloseTo(exact, 15);
      expect((value[2] * scale * scale) / exact).toBeCloseTo(1, 6);
    }
  });

  test.each([
    [0.05, 1e-3, 40],
    [0.3, 1e-2, 5],
    [0.15, 1e-6, -20],
    [0.3, 1e-6, -8],
    [0.4, 1e-4, 2.5],
  ])('two bins, mu %d: a cut loses at most %d, and leaves what it says at c = %d', (mu, most, c) => {
    const { law, lost, reach } = cutEpoch({ mu, bins: 2, visited: 2 }, most)!;
    expect(lost).toBeLessThan(most);
    const kept = [rest(mu, reach, () => 1), rest(mu, reach, (v) => v)];
    for (const mass of kept) expect(1 - mass).toBeLessThan(lost + 1e-12);
    const exact = rest(mu, reach, (v) => v ** c);
    const { value, error } = law.cumulant(c);
    expect(error).toBeLessThan(0.2);
    expect(Math.abs(value - (mu * mu * c * (c - 1)) / 4 - Math.log(exact))).toBeLessThan(error + 1e-11);
  });

  test.each([
    [0.1, 5, 20],
    [0.1, 5, -30],
    [0.5, 1000, 12],
    [0.5, 1000, -20],
    [1, 3e4, -6],
    [1, 3e4, 3],
  ])('the same transform as the integral: mu %d, %d bins, c = %d', (mu, bins, c) => {
    const whole = epochLaw({ mu, bins, visited: bins });
    const { law } = cutEpoch({ mu, bins, visited: bins }, 1e-10)!;
    const [a, b] = [whole, law].map((one) => one.cumulant(c, 3));
    expect(a.error + b.error).toBeLessThan(1e-8);
    expect(Math.abs(a.value - b.value)).toBeLessThan(a.error + b.error);
    if (a.variance < Infinity) {
      expect(b.mean).toBeCloseTo(a.mean, 6);
      expect(b.variance / a.variance).toBeCloseTo(1, 3);
    }
    const dTau = (0.7 * Math.sqrt(bins)) / mu / 4;
    const [p, q] = [whole, law].map((one) => one.line({ c, dTau, n: 6 }, 3)!);
    let compared = 0;
    for (let k = 0; k < 6; k++) {
      const doubt = p.error[k] + p.quadrature[k] + q.error[k] + q.quadrature[k];
      if (!(doubt < 1e-6)) continue;
      compared++;
      expect(Math.abs(p.logModulus[k] - q.logModulus[k])).toBeLessThan(doubt + 1e-15);
      expect(Math.abs(Math.sin((p.phase[k] - q.phase[k]) / 2))).toBeLessThan(doubt + 1e-15);
    }
    expect(compared).toBeGreaterThan(2);
  });
});

/** By contours and inversions that share nothing with the library; the last column is what theirs is good to. */
const REFERENCE: readonly [number, number, number, number, number, number, number][] = [
  [9.4, 3, 667, 1e-5, 7.55772019, 7.55746452, 1e-8],
  [2, 200, 50, 1e-6, 1.1371031832, 1.1345001877, 1e-10],
  [1, 100, 10, 1e-5, 1.7014984358, 1.5477272966, 1e-10],
  [1, 100, 1, 1e-5, 0.6209396716, 0.4219534733, 1e-10],
];

describe('epsilon', () => {
  test.each(REFERENCE)(
    'sigma %d, %d bins, %d epochs at %d',
    (noiseMultiplier, bins, epochs, delta, remove, add, good) => {
      const run = runOf(repeat(ballsAndBins({ noiseMultiplier, bins }), epochs), { tolerance: 1e-7 });
      expect(run.method).toBe('spectral');
      const [a, b] = run.directions.map((one) => epsilonOf(one, Math.log(delta), 1e-8));
      expect(a).toContainValue({ lower: remove, upper: remove }, { absolute: good });
      expect(b).toContainValue({ lower: add, upper: add }, { absolute: good });
      expect((a.upper - a.lower) / remove).toBeLessThan(1e-7);
      expect((b.upper - b.lower) / add).toBeLessThan(1e-8);
    },
  );

  test('a simulation of 2 epochs of 4 bins', () => {
    const random = seeded(4);
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const [sigma, bins, epochs, draws, epsilon] = [1.2, 4, 2, 100_000, 0.7];
    const mu = 1 / sigma;
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < draws; i++) {
      const losses = [0, 1].map((present) => {
        let loss = 0;
        for (let e = 0; e < epochs; e++) {
          let sum = 0;
          const own = Math.floor(bins * random());
          for (let j = 0; j < bins; j++)
            sum += Math.exp(mu * (normal() + (present && j === own ? mu : 0)) - (mu * mu) / 2);
          loss += Math.log(sum / bins);
        }
        return loss;
      });
      // remove: with the record in, 1 − e^{ε−L}; add: without it, 1 − e^{ε+L}
      for (const [at, x] of [
        [0, Math.max(0, 1 - Math.exp(epsilon - losses[1]))],
        [1, Math.max(0, 1 - Math.exp(epsilon + losses[0]))],
      ]) {
        sums[at] += x;
        sums[2 + at] += x * x;
      }
    }
    const run = runOf(repeat(ballsAndBins({ noiseMultiplier: sigma, bins }), epochs));
    for (const at of [0, 1]) {
      const mean = sums[at] / draws;
      const deviation = Math.sqrt((sums[2 + at] / draws - mean * mean) / draws);
      const delta = Math.exp(run.directions[at].logDelta(epsilon).upper);
      expect(Math.abs(delta - mean)).toBeLessThan(5 * deviation);
      expect(deviation).toBeLessThan(0.01 * mean);
    }
  });

  test('one bin is a Gaussian, one bin seen a Poisson sample, bit by bit', () => {
    const same = (a: Mechanism, b: Mechanism): void => {
      for (const epsilon of [0, 0.5, 2])
        expect(runOf(a).logDelta(epsilon)).toEqual(runOf(b).logDelta(epsilon));
    };
    same(
      repeat(ballsAndBins({ noiseMultiplier: 3, bins: 1 }), 7),
      repeat(gaussian({ noiseMultiplier: 3 }), 7),
    );
    same(
      repeat(ballsAndBins({ noiseMultiplier: 3, bins: 20, visited: 1 }), 7),
      dpSgd({ noiseMultiplier: 3, samplingRate: 1 / 20, steps: 7 }),
    );
  });

  test('between no noise shared and all, with other steps, and monotone in epochs and noise', () => {
    const epoch = ballsAndBins({ noiseMultiplier: 2, bins: 4 });
    const mixed = runOf(
      compose([repeat(epoch, 5), dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 20 })]),
    );
    const alone = runOf(repeat(epoch, 5));
    const [a, b, c] = [alone, mixed, runOf(repeat(epoch, 8))].map((run) => run.epsilon(1e-5));
    expect(a.upper).toBeLessThan(b.lower);
    expect(a.upper).toBeLessThan(c.lower);
    for (const { lower, upper } of [a, b, c]) expect(upper - lower).toBeLessThan(1e-6 * upper);
    const partial = runOf(
      compose([repeat(epoch, 5), ballsAndBins({ noiseMultiplier: 2, bins: 4, visited: 2 })]),
    );
    const six = runOf(repeat(epoch, 6)).epsilon(1e-5);
    const part = partial.epsilon(1e-5);
    expect(part.lower).toBeGreaterThan(a.upper);
    expect(part.upper).toBeLessThan(six.lower);
  });

  test('out of reach it is wide, not wrong', () => {
    const run = runOf(ballsAndBins({ noiseMultiplier: 0.05, bins: 100 }));
    const { lower, upper } = run.epsilon(1e-30);
    const told = runOf(gaussian({ noiseMultiplier: 0.05 })).epsilon(1e-30);
    expect(upper).toBeLessThanOrEqual(told.upper * (1 + 1e-9));
    expect(lower).toBeGreaterThanOrEqual(0);
  });
});

test('all small data sets: none is worse than the pair, and one is as bad', () => {
  const [sigma, h, reach] = [1, 0.12, 8];
  const n = Math.ceil((2 * reach) / h);
  const run = runOf(ballsAndBins({ noiseMultiplier: sigma, bins: 2 }));
  const normal = (x: number): number => Math.exp(-(x * x) / (2 * sigma * sigma));
  /** Density at (x, y) of two batches' sums: every assignment of the records. */
  const density = (records: readonly number[], x: number, y: number): number => {
    let sum = 0;
    for (let where = 0; where < 2 ** records.length; where++) {
      let [a, b] = [0, 0];
      for (const [i, g] of records.entries()) {
        if ((where >> i) & 1) a += g;
        else b += g;
      }
      sum += normal(x - a) * normal(y - b);
    }
    return sum / 2 ** records.length;
  };
  const unit = (h * h) / (2 * Math.PI * sigma * sigma);
  const found = (epsilon: number, others: readonly number[], g: number): [number, number] => {
    let [remove, add] = [0, 0];
    for (let i = 0; i < n * n; i++) {
      const [x, y] = [-reach + h * ((i % n) + 0.5), -reach + h * (Math.floor(i / n) + 0.5)];
      const [p, q] = [density(others, x, y), density([...others, g], x, y)];
      remove += Math.max(0, q - Math.exp(epsilon) * p);
      add += Math.max(0, p - Math.exp(epsilon) * q);
    }
    return [remove * unit, add * unit];
  };
  for (const epsilon of [-0.4, 0.3, 1]) {
    const [remove, add] = run.directions.map((one) => one.logDelta(epsilon));
    for (const others of [[], [-1], [1], [-1, 0.5], [1, 1]])
      for (const g of [1, -0.6]) {
        const [a, b] = found(epsilon, others, g);
        expect(a).toBeLessThan(Math.exp(remove.upper) + 2e-4);
        expect(b).toBeLessThan(Math.exp(add.upper) + 2e-4);
      }
    const [a, b] = found(epsilon, [], 1);
    expect(a).toBeGreaterThan(Math.exp(remove.lower) - 2e-4);
    expect(b).toBeGreaterThan(Math.exp(add.lower) - 2e-4);
  }
});

test('what is refused', () => {
  const epoch = ballsAndBins({ noiseMultiplier: 1, bins: 10 });
  expect(() => ballsAndBins({ noiseMultiplier: 1, bins: 1.5 })).toThrow('"bins"');
  expect(() => ballsAndBins({ noiseMultiplier: 1, bins: 10, visited: 11 })).toThrow('"visited"');
  expect(() => ballsAndBins({ noiseMultiplier: 0, bins: 10 })).toThrow('"noiseMultiplier"');
  expect(() => account(wasm, epoch, { adjacency: 'replace-one' })).toThrow('"adjacency" must be add-remove');
  expect(() => runOf(poissonSubsampled(epoch, { rate: 0.5 }))).toThrow('an epoch that samples itself');
  expect(() => runOf(epoch, { method: 'grid' })).toThrow('"method" must be auto or spectral');
  expect(() => parseMechanism({ kind: 'balls-and-bins', noiseMultiplier: 1 })).toThrow('bins');
});
