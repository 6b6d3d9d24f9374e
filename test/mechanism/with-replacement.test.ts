import { describe, expect, test } from 'vitest';
import { renyiDivergence } from '../../src/accountants/index.js';
import {
  account,
  compose,
  gaussian,
  parseMechanism,
  repeat,
  StreamingAccountant,
  withoutReplacement,
  withReplacement,
  withReplacementAmplified,
} from '../../src/index.js';
import { copiesUpTo } from '../../src/mechanism/kinds/with-replacement.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { recognise } from '../../src/read/index.js';
import { reference, wasm } from '../helpers/runs.js';

const REPLACED = { adjacency: 'replace-one' } as const;
const stepOf = (noiseMultiplier: number, sampleSize: number, datasetSize: number) =>
  withReplacement({ noiseMultiplier, sampleSize, datasetSize });

/** The means of a step on every one of the n^m equally likely batches. */
function meansOf(data: readonly number[], draws: number): number[] {
  let means = [0];
  for (let i = 0; i < draws; i++) means = means.flatMap((mean) => data.map((value) => mean + value));
  return means;
}

/** δ(ε) of two mixtures of equal weights, by the trapezoidal rule: (P against Q) E_P[(1 − e^ε Q/P)⁺]. */
function deltaBetween(ps: readonly number[], qs: readonly number[], sigma: number, epsilon: number): number {
  const density = (means: readonly number[], x: number): number =>
    means.reduce((sum, mean) => sum + Math.exp(-0.5 * ((x - mean) / sigma) ** 2), 0) /
    (means.length * sigma * Math.sqrt(2 * Math.PI));
  const h = 0.01;
  let delta = 0;
  for (let x = -12; x <= 12; x += h)
    delta += h * Math.max(0, density(ps, x) - Math.exp(epsilon) * density(qs, x));
  return delta;
}

/** δ(ε) of Σ w_k N(2k, σ²) against N(0, σ²), or against Σ w_k N(−2k, σ²), from the place where the losses are ε. */
function attackDelta(
  weights: readonly number[],
  sigma: number,
  epsilon: number,
  other: readonly number[] = [1],
): number {
  const logRatio = (of: readonly number[], z: number): number => {
    const terms = of.map((w, k) => Math.log(w) + (2 * k * z - 2 * k * k) / sigma ** 2);
    const most = Math.max(...terms);
    return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
  };
  const loss = (z: number) => logRatio(weights, z) - logRatio(other, -z);
  let [low, high] = [-40 * sigma, 40 * sigma + 20];
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (loss(middle) > epsilon) high = middle;
    else low = middle;
  }
  const over = weights.reduce((sum, w, k) => sum + w * normalCdf((2 * k - high) / sigma), 0);
  const under = other.reduce((sum, w, k) => sum + w * normalCdf((-2 * k - high) / sigma), 0);
  return over - Math.exp(epsilon) * under;
}

/** Theorem 10 of Balle, Barthe and Gaboardi: of a share η of batches with the record, the number of its copies is told. */
function toldDelta(weights: readonly number[], sigma: number, epsilon: number): number {
  const from = Math.log1p(Math.expm1(epsilon) / (1 - weights[0]!));
  return weights.reduce((sum, w, k) => {
    const mu = (2 * k) / sigma;
    if (mu === 0) return sum;
    return sum + w * (normalCdf(mu / 2 - from / mu) - Math.exp(from) * normalCdf(-mu / 2 - from / mu));
  }, 0);
}

/** P[Bin(m, 1/n) = k], k = 0 … m, by products. */
function masses(m: number, n: number): number[] {
  return Array.from({ length: m + 1 }, (_, k) => {
    let mass = 1;
    for (let i = 0; i < k; i++) mass *= ((m - i) / (i + 1)) * (1 / n);
    return mass * (1 - 1 / n) ** (m - k);
  });
}

describe('one step', () => {
  test('every batch of small data sets: none is worse than the pair, and one is as bad as the lower end', () => {
    const [sigma, n, m] = [1.5, 3, 3];
    for (const engine of [wasm, reference]) {
      const run = account(engine, stepOf(sigma, m, n), REPLACED);
      for (const epsilon of [0, 0.4, 1.5, 3]) {
        const { lower, upper } = run.delta(epsilon);
        let worst = 0;
        for (const others of [
          [-1, -1],
          [-1, 1],
          [0, 0],
          [1, 0],
          [-1, 0],
        ])
          for (const [x, y] of [
            [1, -1],
            [-1, 1],
            [1, 0],
            [0, -1],
          ]) {
            const [ps, qs] = [meansOf([...others, x!], m), meansOf([...others, y!], m)];
            worst = Math.max(
              worst,
              deltaBetween(ps, qs, sigma, epsilon),
              deltaBetween(qs, ps, sigma, epsilon),
            );
          }
        expect(worst).toBeLessThan(upper * (1 + 1e-4));
        expect(worst).toBeGreaterThan(lower * (1 - 1e-4));
        expect(upper / worst).toBeLessThan(2);
      }
    }
  });

  test.each([
    [2, 4, 100],
    [2, 100, 1000],
    [0.7, 50, 20],
  ])(
    'noise %f, %i draws of %i: from above the least of two theorems, from below a data set',
    (sigma, m, n) => {
      const step = stepOf(sigma, m, n);
      const weights = masses(m, n);
      for (const engine of [wasm, reference])
        for (const epsilon of [0, 0.5, 2, 6]) {
          const { lower, upper } = account(engine, step, REPLACED).delta(epsilon);
          const pair = attackDelta(weights, sigma, epsilon, weights);
          const above = Math.min(pair, toldDelta(weights, sigma, epsilon));
          const attack = attackDelta(weights, sigma, epsilon);
          expect(Math.abs(upper / above - 1)).toBeLessThan(1e-5);
          expect(upper).toBeGreaterThan(above * (1 - 1e-11));
          expect(attack).toBeLessThan(upper * (1 + 1e-9));
          expect(Math.abs(lower / attack - 1)).toBeLessThan(1e-5);
        }
    },
  );

  test('one draw is a sample of one record: exact once, and more sharply known for several steps', () => {
    for (const engine of [wasm, reference]) {
      // by mpmath, from the place where the losses of (0.9 N(0) + 0.1 N(1), N(0)) are epsilon
      const { lower, upper } = account(engine, stepOf(2, 1, 10), REPLACED).epsilon(1e-5);
      expect(lower).toBeLessThan(1.68454381433);
      expect(upper).toBeGreaterThan(1.68454381432);
      expect(upper - lower).toBeLessThan(1e-10);
    }
    const inner = gaussian({ noiseMultiplier: 2 });
    const same = repeat(withoutReplacement(inner, { sampleSize: 1, datasetSize: 10 }), 100);
    const [drawn, sample] = [repeat(stepOf(2, 1, 10), 100), same].map((run) =>
      account(wasm, run, REPLACED).epsilon(1e-5),
    );
    expect({ ...drawn }).toEqual({ ...sample });
  });

  test('the same bits in both engines', () => {
    const [a, b] = [wasm, reference].map((engine) =>
      account(engine, repeat(stepOf(2, 100, 1000), 50), { ...REPLACED, effort: 0.3 }).delta(8),
    );
    expect({ ...a }).toEqual({ ...b });
  });

  test('many copies give the record away: what is not told apart is in the upper end', () => {
    const [sigma, m, n] = [400, 400, 2];
    const { lower, upper } = account(wasm, stepOf(sigma, m, n), REPLACED).delta(0.1);
    const attack = attackDelta(masses(m, n), sigma, 0.1);
    expect(attack).toBeGreaterThan(0.3);
    expect(lower).toBeLessThan(attack);
    expect(upper).toBeGreaterThan(attack);
  });
});

/**
 * δ(ε) of T steps of Σ w_k N(2k, σ²) against `other`, by equal steps along Re z = c of E_P[W e^{zL}]^T e^{−(z−1)ε}/z(z−1), and what W = Φ((X − x)/w) takes of it. Losses beyond
 * a period more than ε are nothing.
 */
function deltaOfRun(
  weights: readonly number[],
  {
    sigma,
    steps,
    epsilon,
    isTwoSided,
  }: Record<'sigma' | 'steps' | 'epsilon', number> & { isTwoSided: boolean },
): [least: number, most: number] {
  const [c, edge, width, period, h] = [60, 7, 0.06, 0.6, 0.03];
  const at = (x: number): number =>
    weights.reduce((sum, w, k) => sum + w * Math.exp((2 * k * x) / sigma - (2 * k * k) / sigma ** 2), 0);
  const nodes = Array.from({ length: Math.ceil(19 / h) }, (_, i) => {
    const x = h * i - 11;
    const base = isTwoSided ? at(-x) : 1;
    const mass = (base * Math.exp((-x * x) / 2) * normalCdf((edge - x) / width) * h) / Math.sqrt(2 * Math.PI);
    return [mass, Math.log(at(x) / base)] as const;
  }).filter(([mass]) => mass > 0);
  const integrand = (tau: number): number => {
    let [re, im] = [0, 0];
    for (const [mass, loss] of nodes) {
      const size = mass * Math.exp(c * loss);
      re += size * Math.cos(tau * loss);
      im += size * Math.sin(tau * loss);
    }
    const log = steps * Math.log(Math.hypot(re, im)) - (c - 1) * epsilon;
    const angle = steps * Math.atan2(im, re) - tau * epsilon;
    // over z(z − 1)
    const [a, b] = [c * (c - 1) - tau * tau, tau * (2 * c - 1)];
    return (Math.exp(log) * (Math.cos(angle) * a + Math.sin(angle) * b)) / (a * a + b * b);
  };
  let sum = integrand(0) / 2;
  for (let k = 1; k < 1500; k++) sum += integrand((2 * Math.PI * k) / period);
  const stretch = Math.hypot(1, width);
  const lost = weights.reduce((all, w, k) => all + w * normalCdf(((2 * k) / sigma - edge) / stretch), 0);
  return [(2 / period) * sum, (2 / period) * sum + steps * lost];
}

describe('runs', () => {
  test('16 of 60,000, noise 2: both ends against contours of their own', () => {
    const run = account(wasm, repeat(stepOf(2, 16, 60_000), 3750), {
      ...REPLACED,
      tolerance: 1e-2,
      effort: 0.1,
    });
    const { lower, upper } = run.epsilon(1e-5);
    const weights = masses(16, 60_000).slice(0, 4);
    const at = (epsilon: number, isTwoSided: boolean) =>
      deltaOfRun(weights, { sigma: 2, steps: 3750, epsilon, isTwoSided });
    expect(at(lower * 0.9999, false)[1]).toBeGreaterThan(1e-5);
    expect(at(lower * 1.01, false)[0]).toBeLessThan(1e-5);
    expect(at(upper * 0.99, true)[1]).toBeGreaterThan(1e-5);
    expect(at(upper * 1.0001, true)[0]).toBeLessThan(1e-5);
  });

  test('16 of 60,000, 3,750 steps: at most five per cent wide', () => {
    const run = account(wasm, repeat(stepOf(1, 16, 60_000), 3750), { ...REPLACED, tolerance: 0.1 });
    const { lower, upper } = run.epsilon(1e-5);
    expect(lower).toBeGreaterThan(2.03);
    expect(upper).toBeLessThan(2.1);
  });

  test('two steps, integrated in the plane', () => {
    const [sigma, m, n, epsilon, h] = [2, 3, 10, 0.3, 0.04];
    const weights = masses(m, n);
    const density = (x: number, moved: boolean): number =>
      (moved ? weights : [1]).reduce(
        (sum, w, k) => sum + w * Math.exp(-0.5 * ((x - 2 * k) / sigma) ** 2),
        0,
      ) /
      (sigma * Math.sqrt(2 * Math.PI));
    const xs = Array.from({ length: 800 }, (_, i) => (i - 300) * h);
    const [p, q] = [xs.map((x) => density(x, true)), xs.map((x) => density(x, false))];
    let [remove, add] = [0, 0];
    for (let i = 0; i < xs.length; i++)
      for (let j = 0; j < xs.length; j++) {
        const [a, b] = [p[i]! * p[j]!, q[i]! * q[j]!];
        remove += Math.max(0, a - Math.exp(epsilon) * b) * h * h;
        add += Math.max(0, b - Math.exp(epsilon) * a) * h * h;
      }
    const exact = Math.max(remove, add);
    for (const engine of [wasm, reference]) {
      const { lower, upper } = account(engine, repeat(stepOf(sigma, m, n), 2), REPLACED).delta(epsilon);
      expect(Math.abs(lower / exact - 1)).toBeLessThan(1e-4);
      expect(upper).toBeGreaterThan(exact * (1 - 1e-6));
      expect(upper / exact).toBeLessThan(2.5);
    }
  });

  test('tighter than theorem 10, which tells how often a record was drawn, where several copies are not rare', () => {
    const { upper } = account(wasm, stepOf(2, 100, 1000), REPLACED).epsilon(1e-5);
    const theorem = withReplacementAmplified(account(wasm, gaussian({ noiseMultiplier: 2 }), REPLACED), {
      sampleSize: 100,
      datasetSize: 1000,
    });
    expect(upper).toBeLessThan(3.04);
    expect(theorem.logDelta(6).upper).toBeGreaterThan(Math.log(1e-5));
  });

  test('few copies, many steps: the two ends are at most 1.7 apart', () => {
    const run = account(wasm, repeat(stepOf(2, 256, 50000), 5000), REPLACED);
    const { lower, upper } = run.epsilon(1e-5);
    expect(upper / lower).toBeLessThan(1.7);
  });

  test('without noise it is given away as often as it is drawn', () => {
    const run = account(wasm, stepOf(0, 10, 100), REPLACED);
    expect(run.epsilon(1e-5).upper).toBe(Infinity);
    const { lower, upper } = run.delta(50);
    expect(lower).toBeCloseTo(1 - 0.99 ** 10, 12);
    expect(lower).toBeLessThanOrEqual(1 - 0.99 ** 10);
    expect(upper).toBe(1);
  });

  test('an event says the same', () => {
    const { mechanism, notes } = recognise('SampledWithReplacementDpEvent(1000, 100, GaussianDpEvent(2.0))');
    expect(mechanism).toEqual(stepOf(2, 100, 1000));
    expect(notes.join(' ')).toContain('replace-one');
  });

  test('other adjacencies are refused by name, and so are wrong numbers', () => {
    for (const adjacency of ['add-remove', 'zero-out'] as const)
      expect(() => account(wasm, compose([stepOf(1, 2, 9)]), { adjacency })).toThrow(
        /"adjacency".*replace-one/,
      );
    const json = { kind: 'with-replacement', noiseMultiplier: 1, sampleSize: 2, datasetSize: 1 };
    expect(() => parseMechanism(json)).toThrow(/datasetSize/);
    expect(() => parseMechanism({ ...json, datasetSize: 9, sampleSize: 0 })).toThrow(/sampleSize/);
    expect(() => parseMechanism({ ...json, datasetSize: 9, noiseMultiplier: -1 })).toThrow(/noiseMultiplier/);
  });
});

test('copies of a record, and how likely more are', () => {
  for (const [m, n] of [
    [16, 60_000],
    [100, 1000],
    [120, 9],
  ] as const) {
    const { weights, more } = copiesUpTo(stepOf(1, m, n));
    const exact = masses(m, n);
    weights.forEach((weight, k) => {
      // the record's absence rounded down, its copies up
      expect((weight / exact[k]! - 1) * (k === 0 ? -1 : 1)).toBeGreaterThan(0);
      expect(Math.abs(weight / exact[k]! - 1)).toBeLessThan(1e-11);
    });
    const rest = exact.slice(weights.length).reduce((sum, mass) => sum + mass, 0);
    expect(more).toBeGreaterThanOrEqual(rest);
    expect(more).toBeLessThan(Math.exp(-60));
    expect(more).toBeGreaterThan(0);
  }
});

test('batches of nothing but the record are rare, and count in moments and in the tail', () => {
  const [sigma, m, n] = [2, 100, 1000];
  const step = stepOf(sigma, m, n);
  const run = account(wasm, step, REPLACED);
  // all others are the record's replacement: N(2k) with the chance n^-m of k = m copies, against N(0), and that part alone
  const mu = (2 * m) / sigma;
  for (const order of [2, 8, 32]) {
    const least = (order / (order - 1)) * (-m * Math.log(n)) + (order * mu * mu) / 2;
    expect(renyiDivergence(step, order, 'replace-one')).toBeGreaterThan(least);
  }
  expect(run.settings.tailMu.lower).toBeLessThanOrEqual(mu);
  expect(run.settings.tailMu.upper).toBeGreaterThanOrEqual(mu);
  expect(run.settings.muCeiling).toBeGreaterThanOrEqual(mu);
  const budget = { kind: 'gdp', mu: 1e3 } as const;
  const stream = StreamingAccountant.start(wasm, { ...REPLACED, adaptiveParameters: true, budget }).add(step);
  expect(Number(stream.spent!.readings[0].spent)).toBeGreaterThanOrEqual(mu ** 2);
});
