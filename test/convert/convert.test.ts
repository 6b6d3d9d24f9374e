import { describe, expect, test } from 'vitest';
import {
  ConversionRefused,
  type ConversionTarget,
  convert,
  type Guarantee,
  probabilisticDp,
  tradeoffPoints,
} from '../../src/convert/index.js';
import {
  account,
  approximateDp,
  boundedRange,
  dpSgd,
  gaussian,
  gdp,
  laplace,
  laplaceTradeoff,
  mcdp,
  measureHead,
  poissonSubsampled,
  profileOf,
  profileOfRun,
  pureDp,
  rdp,
  repeat,
  sgdFamilyProfile,
  zcdp,
} from '../../src/index.js';
import { pureMu } from '../../src/law/exponential-pair.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { deltaGdp, logDeltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { counted } from '../helpers/counted.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const to = (from: Parameters<typeof convert>[1], target: ConversionTarget) => convert(wasm, from, target);
const addRemove = { adjacency: 'add-remove' } as const;
const only = (from: Parameters<typeof convert>[1], target: ConversionTarget): Bracket =>
  to(from, target).values[0];

describe('into (ε, δ)', () => {
  test('weaker conversions stand beside the optimum', () => {
    const source = rdp({
      points: [
        { order: 3, epsilon: 0.2 },
        { order: 20, epsilon: 1.5 },
      ],
    });
    for (const target of [
      { kind: 'approximate-dp', delta: 1e-5 },
      { kind: 'approximate-dp', epsilon: 1 },
    ] as const) {
      const { values, beside = [] } = to(source, target);
      const [mironov, cks] = beside.map(({ value }) => value);
      expect(values[0].upper).toBeLessThanOrEqual(cks * (1 + 1e-9));
      expect(cks).toBeLessThan(mironov);
    }
    const [textbook] = to(zcdp({ rho: 1 }), { kind: 'approximate-dp', delta: 1e-5 }).beside ?? [];
    expect(textbook.value).toBeCloseTo(1 + 2 * Math.sqrt(Math.log(1e5)), 12);
  });

  test('Gaussian, both ways round', () => {
    for (const mu of [0.1, 1, 5]) {
      for (const delta of [1e-3, 1e-9, 1e-300]) {
        const epsilon = only(gdp({ mu }), { kind: 'approximate-dp', delta });
        expect(epsilon.upper / epsilon.lower - 1).toBeLessThan(1e-12);
        const back = only(gdp({ mu }), { kind: 'approximate-dp', epsilon: Math.min(300, epsilon.upper) });
        if (epsilon.upper < 300) expect(back.upper / delta - 1).toBeLessThan(1e-9);
        const run = account(wasm, gdp({ mu }), { adjacency: 'add-remove' });
        expect(run.epsilon(delta)).toOverlap(epsilon);
      }
    }
  });

  test('(ε, δ) to a larger δ, by the partial order', () => {
    const source = approximateDp({ epsilon: 1, delta: 1e-3 });
    expect(only(source, { kind: 'approximate-dp', delta: 1e-3 })).toContainValue(1);
    expect(only(source, { kind: 'approximate-dp', epsilon: 2 })).toContainValue(1e-3);
    const at0 = 1e-3 + ((1 - 1e-3) * (Math.E - 1)) / (1 + Math.E);
    const delta = only(source, { kind: 'approximate-dp', epsilon: 0 });
    expect(delta).toContainValue(at0, { relative: 1e-15 });
    expect(only(source, { kind: 'approximate-dp', delta: at0 * (1 + 1e-12) })).toContainValue(0);
  });

  test('a δ that is nearer to 1 than doubles are is not 1', () => {
    for (const epsilon of [30, 41.355305682812, 300]) {
      const source = approximateDp({ epsilon, delta: 1e-16 });
      for (const at of [0, 0.03146138668765808, 2]) {
        const { lower, upper } = only(source, { kind: 'approximate-dp', epsilon: at });
        const hidden = ((1 - 1e-16) * (1 + Math.exp(at))) / (1 + Math.exp(epsilon));
        expect(1 - lower).toBeGreaterThanOrEqual(hidden * (1 - 1e-14));
        expect(1 - upper).toBeLessThanOrEqual(hidden * (1 + 1e-14));
      }
    }
  });

  test('δ = 0 and δ = 1', () => {
    expect(only(pureDp({ epsilon: 2 }), { kind: 'approximate-dp', delta: 0 }).upper).toBe(2);
    expect(only(gdp({ mu: 3 }), { kind: 'approximate-dp', delta: 1 }).upper).toBe(0);
    expect(() => to(gdp({ mu: 3 }), { kind: 'approximate-dp', delta: 0 })).toThrow(ConversionRefused);
    expect(only(gdp({ mu: 0 }), { kind: 'approximate-dp', delta: 0 }).upper).toBe(0);
  });
});

describe('round trips', () => {
  test.each<Guarantee>([
    approximateDp({ epsilon: 0.7, delta: 1e-4 }),
    pureDp({ epsilon: 1.3 }),
    approximateDp({ epsilon: 0, delta: 0.1 }),
  ])('$kind through the corners of its trade-off curve', (source) => {
    const { epsilon } = source as { epsilon: number };
    const delta = source.kind === 'approximate-dp' ? source.delta : 0;
    const corner = (1 - delta) / (1 + Math.exp(epsilon));
    const alphas = [0, corner, 1 - delta];
    const curve = to(source, { kind: 'trade-off', alphas }).guarantee;
    if (curve.kind !== 'trade-off') throw new Error(curve.kind);
    expect(curve.points[1].beta).toBeCloseTo(corner, 12);
    const back = to({ ...curve, linear: true }, { kind: 'approximate-dp', epsilon });
    expect(back.values[0].upper).toBeGreaterThanOrEqual(delta);
    expect(back.values[0].upper).toBeLessThan(delta + 1e-11);
  });

  test('μ to ρ to divergences and back', () => {
    const mu = 1.7;
    const rho = only(gdp({ mu }), { kind: 'zcdp' });
    expect(rho).toContainValue((mu * mu) / 2);
    const orders = [1.5, 2, 8, 64];
    const fromMu = to(gdp({ mu }), { kind: 'rdp', orders }).values;
    const fromRho = to(zcdp({ rho: rho.upper }), { kind: 'rdp', orders }).values;
    for (let i = 0; i < orders.length; i++) {
      expect(fromMu[i]).toContainValue((orders[i] * mu * mu) / 2);
      expect(fromRho[i].upper).toBeGreaterThanOrEqual(fromMu[i].lower);
      expect(fromRho[i].upper / fromMu[i].upper - 1).toBeLessThan(1e-14);
    }
  });

  test('μ through a table of its profile', () => {
    const epsilons = Array.from({ length: 200 }, (_, i) => i / 20);
    const table = to(gdp({ mu: 1 }), { kind: 'tabulated', epsilons }).guarantee;
    for (const epsilon of [0, 0.5, 3.35, 9.95]) {
      const { upper } = only(table, { kind: 'approximate-dp', epsilon });
      expect(upper).toBeGreaterThanOrEqual(deltaGdp(1, epsilon) * (1 - 1e-12));
      expect(upper).toBeLessThanOrEqual(deltaGdp(1, epsilon) * (1 + 1e-3) + 2e-11);
    }
    const curve = to(table, { kind: 'trade-off', alphas: [1e-3, 0.1, 0.5] }).values;
    [1e-3, 0.1, 0.5].forEach((alpha, i) => {
      const exact = normalCdf(normalQuantile(1 - alpha) - 1);
      expect(curve[i].lower).toBeLessThanOrEqual(exact);
      expect(curve[i].lower).toBeGreaterThan(exact - 2e-3);
    });
  });

  test('the curve of a run with two directions, by lines of either slope', () => {
    const run = account(wasm, dpSgd({ noiseMultiplier: 1, samplingRate: 0.2, steps: 3 }), {
      adjacency: 'add-remove',
    });
    const alphas = [1e-6, 1e-3, 0.05, 0.2, 0.5, 0.8, 0.99];
    const { values } = to(run, { kind: 'trade-off', alphas });
    alphas.forEach((alpha, i) => {
      const exact = run.tradeoff(alpha);
      expect(values[i].lower, `${alpha}`).toBeLessThanOrEqual(exact.upper);
      expect(values[i].lower, `${alpha}`).toBeGreaterThan(exact.lower - 1e-6);
    });
  });

  test('a staircase of points is weaker than the polygon, never stronger', () => {
    const mu = 1;
    const points = Array.from({ length: 99 }, (_, i) => {
      const alpha = (i + 1) / 100;
      return { alpha, beta: Math.min(1 - alpha, normalCdf(normalQuantile(1 - alpha) - mu)) };
    });
    const stairs = tradeoffPoints({ points, linear: false });
    for (const epsilon of [0, 0.5, 1, 2]) {
      const { upper } = only(stairs, { kind: 'approximate-dp', epsilon });
      expect(upper).toBeGreaterThan(deltaGdp(mu, epsilon));
      expect(upper).toBeLessThan(deltaGdp(mu, epsilon) + 0.012 * Math.exp(epsilon));
    }
  });
});

describe('values of a curve with nothing said of its chords', () => {
  /** δ(ε) of the two straight lines from (0, 1) by way of a corner to (1, 0), in the worse role. */
  const deltaOfCorner = (alpha: number, beta: number, epsilon: number): number =>
    Math.max(0, 1 - beta - Math.exp(epsilon) * alpha, 1 - alpha - Math.exp(epsilon) * beta);
  const heightAt = (x: number, alpha: number, beta: number): number =>
    x <= alpha ? 1 - ((1 - beta) * x) / alpha : (beta * (1 - x)) / (1 - alpha);

  test.each([
    [[[0.1, 0.6]]],
    [
      [
        [0.02, 0.9],
        [0.1, 0.5],
        [0.4, 0.3],
      ],
    ],
    [
      [
        [0.3, 0.01],
        [0.5, 0.005],
      ],
    ],
  ])('%j: the worst of all curves above them', (given) => {
    const points = given.map(([alpha, beta]) => ({ alpha, beta }));
    for (const epsilon of [0, 0.4, 1.5, 6]) {
      let worst = 0;
      for (let i = 1; i < 1000; i++) {
        for (let j = 0; j <= 1000 - i; j++) {
          const [alpha, beta] = [i / 1000, j / 1000];
          if (points.every((one) => heightAt(one.alpha, alpha, beta) >= one.beta - 1e-12))
            worst = Math.max(worst, deltaOfCorner(alpha, beta, epsilon));
        }
      }
      const found = only(tradeoffPoints({ points, linear: false }), { kind: 'approximate-dp', epsilon });
      expect(found.upper).toBeGreaterThanOrEqual(worst);
      expect(found.lower).toBeLessThanOrEqual(worst + 1e-3 * (1 + Math.exp(epsilon)));
    }
  });

  test('a value on the diagonal leaves nothing to tell, and one at 0 nothing to know', () => {
    const flat = tradeoffPoints({ points: [{ alpha: 0.25, beta: 0.75 }], linear: false });
    expect(account(wasm, flat, addRemove).delta(0).upper).toBe(0);
    const edge = tradeoffPoints({ points: [{ alpha: 0, beta: 0.9 }], linear: false });
    expect(only(edge, { kind: 'approximate-dp', epsilon: 1 })).toContainValue(1);
  });

  test('(ε, 1) says nothing: δ = 1 is met at ε = 0', () => {
    expect(
      only(approximateDp({ epsilon: 2, delta: 1 }), { kind: 'approximate-dp', delta: 1 }),
    ).toContainValue(0);
  });
});

describe('into μ', () => {
  test.each<Guarantee>([
    pureDp({ epsilon: 0.2 }),
    approximateDp({ epsilon: 0.2, delta: 0 }),
    probabilisticDp({ epsilon: 0.2, delta: 0 }),
  ])('pure DP, as $kind', (source) => {
    const mu = only(source, { kind: 'gdp' });
    expect(mu).toContainValue(0.2504839050688713);
    expect(mu.upper / mu.lower - 1).toBeLessThan(1e-12);
  });

  test.each([0.5, 4])('zCDP with ρ = %s', (rho) => {
    const { guarantee, values } = to(zcdp({ rho }), { kind: 'gdp' });
    if (guarantee.kind !== 'gdp') throw new Error(guarantee.kind);
    expect(values[0].lower).toBeCloseTo(Math.sqrt(2 * rho), 12);
    expect(guarantee.mu).toBeGreaterThan(Math.sqrt(2 * rho));
    expect(guarantee.mu).toBeLessThan(2.2 * Math.sqrt(2 * rho));
    for (let i = 0; i < 60; i++) {
      const epsilon = rho * i * 0.3 + i * 0.05;
      const { upper } = account(wasm, zcdp({ rho }), { adjacency: 'add-remove' }).logDelta(epsilon);
      expect(upper).toBeLessThanOrEqual(logDeltaGdp(guarantee.mu, epsilon) + 1e-9);
    }
  });

  test('profiles and runs', () => {
    expect(only(sgdFamilyProfile({ A: 2, B: 1, sigma: 2 }), { kind: 'gdp' })).toContainValue(
      1.8563572885316044,
    );
    const run = account(wasm, laplace({ scale: 0.5, sensitivity: 1 }), { adjacency: 'add-remove' });
    expect(only(run, { kind: 'gdp' })).toContainValue(1.8009051932755807);
    expect(only(profileOfRun(run), { kind: 'pure-dp' }).upper).toBeCloseTo(2, 8);
    const noisy = account(wasm, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' });
    expect(only(noisy, { kind: 'gdp' })).toContainValue(0.5);
    expect(only(noisy, { kind: 'zcdp' })).toContainValue(0.125);
  });

  test('many bounded-range releases: no μ is wider for the tests it may make', () => {
    // with a tenth of the usual effort: what is spent beyond it shows sooner
    const releases = account(wasm, repeat(boundedRange({ epsilon: 0.085 }), 42), {
      ...addRemove,
      effort: 0.1,
    });
    const mu = only(releases, { kind: 'gdp' });
    // measured apart from the conversion, with a budget of its own
    const head = measureHead(wasm, releases, { epsilonHead: 2, resolution: 1e3, maxTests: 4e3 }).headMu;
    expect(mu.lower).toBeLessThanOrEqual(head.upper);
    expect(mu.upper).toBeGreaterThanOrEqual(head.lower);
    expect(mu.upper).toBeLessThan(0.4);
  });
});

describe('into trade-off curves', () => {
  test('Gaussian', () => {
    for (const alpha of [0, 1e-9, 0.1, 0.5, 1]) {
      const beta = only(gdp({ mu: 1 }), { kind: 'trade-off', alphas: [alpha] });
      const exact = alpha === 0 ? 1 : alpha === 1 ? 0 : normalCdf(normalQuantile(1 - alpha) - 1);
      expect(beta.lower).toBeLessThanOrEqual(exact);
      expect(beta.upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
    }
  });

  test('Rényi regions: what they exclude, no test can have', () => {
    const random = seeded(8);
    for (const [guarantee, bound] of [
      [zcdp({ rho: 0.5 }), (order: number) => 0.5 * order],
      [
        rdp({
          points: [
            { order: 4, epsilon: 1 },
            { order: 1.5, epsilon: 0.4 },
          ],
        }),
        (order: number) => (order === 4 ? 1 : order === 1.5 ? 0.4 : Infinity),
      ],
    ] as const) {
      for (const alpha of [1e-6, 0.01, 0.2, 0.5, 0.9]) {
        const { lower, upper } = only(guarantee, { kind: 'trade-off', alphas: [alpha] });
        expect(lower).toBeGreaterThan(0);
        expect(lower).toBeLessThanOrEqual(1 - alpha);
        expect(upper).toBeGreaterThanOrEqual(lower);
        // a β somewhat above the bound is allowed at every order: the bound is not a vacuous one
        const beta = lower + (1 - alpha - lower) * 0.01;
        for (let i = 0; i < 50; i++) {
          const order = guarantee.kind === 'rdp' ? (i % 2 ? 4 : 1.5) : 1 + 10 ** (4 * random() - 2);
          const sum = (a: number, b: number) =>
            Math.log((1 - b) ** order * a ** (1 - order) + b ** order * (1 - a) ** (1 - order)) / (order - 1);
          const d = Math.max(sum(alpha, beta), sum(beta, alpha));
          if (Number.isFinite(d)) expect(d).toBeLessThan(bound(order) * (1 + 1e-9));
        }
      }
    }
  });

  test('a profile alone gives supporting lines', () => {
    const curve = to(
      profileOf((e) => Math.max(0, 1 - Math.exp(e / 2 - 1))),
      { kind: 'trade-off', alphas: [0.01, 0.3] },
    );
    const run = account(wasm, laplace({ scale: 0.5, sensitivity: 1 }), { adjacency: 'add-remove' });
    [0.01, 0.3].forEach((alpha, i) => {
      expect(curve.values[i].lower).toBeLessThanOrEqual(run.tradeoff(alpha).upper);
      expect(curve.values[i].lower).toBeGreaterThan(run.tradeoff(alpha).lower * (1 - 1e-6));
    });
  });
});

describe('runs and pairs by theorems', () => {
  const sigma = 2;
  const rate = 0.1;
  const sampled = account(wasm, poissonSubsampled(gaussian({ noiseMultiplier: sigma }), { rate }), {
    adjacency: 'add-remove',
  });

  test('the divergences of pure DP keep their digits where ε is small, and near order 1', () => {
    for (const epsilon of [1e-9, 1e-6, 1e-5])
      for (const order of [1 + 2 ** -20, 2, 50]) {
        const { lower, upper } = only(pureDp({ epsilon }), { kind: 'rdp', orders: [order] });
        // the next term is of relative size (αε)²
        const exact = (order * epsilon * epsilon) / 2;
        expect(lower).toBeLessThanOrEqual(exact);
        expect(upper).toBeGreaterThanOrEqual(exact * (1 - (order * epsilon) ** 2));
        expect(upper / lower - 1).toBeLessThan(1e-12);
      }
  });

  test('the mu of pure DP keeps its digits where ε is small', () => {
    for (const epsilon of [1e-9, 1e-6, 1e-4, 1e-3]) {
      const { lower, upper } = only(pureDp({ epsilon }), { kind: 'gdp' });
      // 2√2 erfinv(tanh(ε/2)) as a series: the next term is of relative size 3e-4 ε⁴
      const exact = Math.sqrt(Math.PI / 2) * (epsilon - (1 / 12 - Math.PI / 48) * epsilon ** 3);
      expect(lower).toBeLessThan(exact * (1 + 1e-15));
      expect(upper).toBeGreaterThan(exact * (1 - 1e-15));
      expect(upper / lower - 1).toBeLessThan(5e-13);
      const above = pureMu(epsilon);
      expect(above).toBeGreaterThan(exact * (1 - 1e-15));
      expect(above / exact - 1).toBeLessThan(2e-10);
    }
  });

  test('a run to RDP at any order: the integer moments in closed form', () => {
    const { guarantee, values } = to(sampled, { kind: 'rdp', orders: [2, 3, 2.5] });
    // order 2: log Σ_k C(2, k)(1 − q)^{2−k} q^k e^{k(k−1)/2σ²}
    const two = Math.log1p(rate * rate * Math.expm1(1 / sigma ** 2));
    const three = Math.log(
      (1 - rate) ** 3 +
        3 * (1 - rate) ** 2 * rate +
        3 * (1 - rate) * rate ** 2 * Math.exp(1 / sigma ** 2) +
        rate ** 3 * Math.exp(3 / sigma ** 2),
    );
    expect(values[0]).toContainValue(two, { relative: 1e-12 });
    expect(values[0].upper).toBeLessThan(two * (1 + 1e-9));
    expect(values[1].upper).toBeGreaterThanOrEqual((three / 2) * (1 - 1e-12));
    expect(values[1].upper).toBeLessThan((three / 2) * (1 + 1e-9));
    expect(values[2].upper).toBeGreaterThan(values[0].upper);
    expect(guarantee.kind).toBe('rdp');
  });

  test('a Gaussian run to pDP by both tails (GM lemma 15 ii)', () => {
    const run = account(wasm, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' });
    const delta = only(run, { kind: 'probabilistic-dp', epsilon: 2 });
    expect(delta).toContainValue(9.910581097573829e-5, { relative: 1e-13 });
    expect(delta.upper / delta.lower - 1).toBeLessThan(1e-12);
  });

  test.each([0.3, 1, 1.9])('a pair given as such: Laplace at epsilon = %s in closed form', (epsilon) => {
    const exact = 1 - Math.exp(-(2 - epsilon) / 2) / 2 + Math.exp(-(2 + epsilon) / 2) / 2;
    const delta = only(laplaceTradeoff(2), { kind: 'probabilistic-dp', epsilon });
    expect(delta).toContainValue(exact);
    expect(delta).toBeNoWiderThan(1e-5);
  });
});

describe('probabilistic DP', () => {
  test('is not 0 where the loss is larger with a chance that no double holds', () => {
    // Φ(−52) is 1e-589
    for (const source of [
      gdp({ mu: 0.0173 }),
      zcdp({ rho: 1e-4 }),
      account(wasm, gaussian({ noiseMultiplier: 60 }), { adjacency: 'add-remove' }),
      account(wasm, dpSgd({ noiseMultiplier: 60, samplingRate: 0.01, steps: LONG_TESTS ? 10 : 1 }), {
        adjacency: 'add-remove',
        effort: 0.01,
      }),
    ]) {
      const { lower, upper } = only(source, { kind: 'probabilistic-dp', epsilon: 1 });
      expect(lower).toBe(0);
      expect(upper).toBeGreaterThan(0);
      expect(upper).toBeLessThan(1e-90);
    }
  });

  test('contains tails in the last digits that a double has', () => {
    // Pr[|L| > ε] of G_1 at 38.2 and 38.9: Φ(−37.7) + Φ(−38.7), Φ(−38.4) + Φ(−39.4); mpmath at 30 digits
    const run = account(wasm, gaussian({ noiseMultiplier: 1 }), { adjacency: 'add-remove' });
    for (const [epsilon, tail] of [
      [38.2, 2.4834853102778558e-311],
      [38.9, 6.6015998543264076e-323],
    ] as const) {
      const found = only(run, { kind: 'probabilistic-dp', epsilon });
      expect(found.lower).toBeLessThanOrEqual(tail);
      expect(found.upper).toBeGreaterThanOrEqual(tail);
      expect(found.upper).toBeLessThan(tail * 1.01 + 1e-322);
    }
  });

  test('(ε, δ) at a larger ε*', () => {
    const source = approximateDp({ epsilon: 1, delta: 1e-6 });
    const delta = only(source, { kind: 'probabilistic-dp', epsilon: 2 });
    const exact = (1e-6 * (1 + Math.exp(-2))) / (1 - Math.exp(-1));
    expect(delta.upper).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
    expect(delta.upper).toBeLessThan(exact * (1 + 1e-9));
    expect(() => to(source, { kind: 'probabilistic-dp', epsilon: 1e-9 })).toThrow(ConversionRefused);
  });

  test('of the Gaussian: not below its losses beyond ε', () => {
    for (const epsilon of [2, 6]) {
      const { upper } = only(gdp({ mu: 1 }), { kind: 'probabilistic-dp', epsilon });
      const beyond = normalCdf(0.5 - epsilon) + normalCdf(-0.5 - epsilon);
      expect(upper).toBeGreaterThan(beyond);
      expect(upper).toBeLessThan(beyond * 20);
    }
  });

  test('back, and to itself', () => {
    const source = probabilisticDp({ epsilon: 1, delta: 1e-6 });
    expect(only(source, { kind: 'approximate-dp', epsilon: 1 })).toContainValue(1e-6);
    expect(only(source, { kind: 'probabilistic-dp', epsilon: 1 }).upper).toBe(1e-6);
    expect(only(pureDp({ epsilon: 1 }), { kind: 'probabilistic-dp', epsilon: 1 }).upper).toBe(0);
  });
});

test('a curve whose mu is its limit ends in bounded work', () => {
  for (const [mean, tau] of [
    [0.0481, 1.222],
    [0.05, 1],
    [0.5, 1],
  ]) {
    const { engine, numbers } = counted(wasm);
    const [{ lower, upper }] = convert(engine, mcdp({ mean, tau }), { kind: 'gdp' }).values;
    // N(0, 1) against N(t, 1) with t < tau, revealed with a small probability, is allowed (docs/proofs/renyi.md)
    expect(lower).toBeGreaterThanOrEqual(tau * (1 - 1e-12));
    expect(upper).toBeLessThan(tau * (mean < 0.5 ? 1.01 : 1.3));
    expect(numbers()).toBeLessThan(3e5);
  }
});
