import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  type ComposedRun,
  cappedPoisson,
  clipAndRectify,
  discreteLaplace,
  dividedSgd,
  dpSgd,
  fixedBatches,
  gaussian,
  identify,
  laplace,
  measureHead,
  type Profile,
  poissonAmplified,
  poissonSubsampled,
  profileOf,
  profileOfRun,
  repeat,
  samplingRateFor,
  samplingRateForWindow,
  sgdFamilyProfile,
  shuffled,
} from '../../src/index.js';
import { deltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { intersects } from '../helpers/brackets.js';
import { LONG_TESTS } from '../helpers/long.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const PHASE = { noiseMultiplier: 1, samplingRate: 0.1, steps: 10 };
const addRemove = { adjacency: 'add-remove' } as const;
const laplaceRun = (epsilon0: number) =>
  account(wasm, laplace({ scale: 1 / epsilon0, sensitivity: 1 }), addRemove);
const goldens: { name: string; epsilon0: number; rate: number; mu: string }[] = JSON.parse(
  readFileSync(new URL('../golden/profiles.json', import.meta.url), 'utf8'),
);

describe('Poisson sampling of a profile', () => {
  test.each(goldens.filter(({ name }) => name === 'subsampled-laplace'))(
    '$epsilon0 $rate',
    ({ epsilon0, rate, mu }) => {
      const profile = poissonAmplified(laplaceRun(epsilon0), { rate });
      const measured = measureHead(wasm, profile, { epsilonHead: epsilon0, resolution: 1e6 });
      expect(measured.headMu).toContainValue(Number(mu));
      expect(profile).toMatchObject({ standing: 'exact', adjacency: 'add-remove' });
      expect(measured.gdpMu).toBe(measured.headMu.upper);
    },
  );

  test('is what the accountant says of the sampled mechanism, in both directions', () => {
    const inners = [
      gaussian({ noiseMultiplier: 0.8 }),
      laplace({ scale: 0.5, sensitivity: 1 }),
      discreteLaplace({ scale: 2, sensitivity: 3 }),
    ];
    for (const inner of inners) {
      for (const rate of [1e-4, 0.03, 0.5, 0.99]) {
        const run = account(wasm, poissonSubsampled(inner, { rate }), addRemove);
        for (const direction of ['remove', 'add'] as const) {
          const profile = poissonAmplified(account(wasm, inner, addRemove), { rate, direction });
          const own = run.directions.find((each) => each.direction === direction)!;
          for (const epsilon of [0, 1e-6, 0.01, 0.3, 0.9, 2, 5]) {
            const a = profile.logDelta(epsilon);
            const b = own.logDelta(epsilon);
            expect(
              intersects(a, b),
              `${inner.kind} ${rate} ${direction} ${epsilon} ${JSON.stringify([a, b])}`,
            ).toBe(true);
          }
        }
      }
    }
  });

  test('adding where its largest loss is near: 1 − e^ε(1 − γ) is known to few digits, and no more is claimed', () => {
    const base = account(wasm, approximateDp({ epsilon: 0, delta: 0.5 }), addRemove);
    const profile = poissonAmplified(base, { rate: 0.5, direction: 'add' });
    for (const before of [1e-6, 1e-10, 1e-14, 2e-16]) {
      const epsilon = Math.LN2 - before;
      // log 2 has 2.32e-17 more than its double; δ' = r/2
      const r = -Math.expm1(-(Math.LN2 - epsilon + 2.3190468138462996e-17));
      const exact = Math.log(r / 2);
      const { lower, upper } = profile.logDelta(epsilon);
      expect(lower).toBeLessThanOrEqual(exact);
      expect(upper).toBeGreaterThanOrEqual(exact);
      expect(upper - exact).toBeLessThan(Math.max(1e-13, Math.log1p(2e-15 / r)));
    }
    expect(profile.logDelta(0.7).upper).toBe(-Infinity);
  });

  test('adding is never worse than removing, and sampling never worse than not', () => {
    const base = profileOfRun(laplaceRun(1.3));
    for (const rate of [0.01, 0.4, 0.9]) {
      for (let epsilon = 0; epsilon < 1.3; epsilon += 0.05) {
        const both = poissonAmplified(base, { rate }).logDelta(epsilon);
        const add = poissonAmplified(base, { rate, direction: 'add' }).logDelta(epsilon);
        expect(add.lower).toBeLessThanOrEqual(both.upper);
        expect(both.lower).toBeLessThanOrEqual(base.logDelta(epsilon).upper);
      }
    }
  });

  test('edges', () => {
    const base = profileOfRun(laplaceRun(1));
    expect(poissonAmplified(base, { rate: 1 })).toBe(base);
    expect(poissonAmplified(base, { rate: 0 }).logDelta(0).upper).toBe(-Infinity);
    expect(poissonAmplified(base, { rate: 0.5 }).logDelta(Infinity).upper).toBe(-Infinity);
    expect(poissonAmplified(base, { rate: 0.5 }).logDelta(0).upper).toBeCloseTo(
      base.logDelta(0).upper - Math.LN2,
      12,
    );
    const replaced = account(wasm, gaussian({ noiseMultiplier: 1 }), { adjacency: 'replace-one' });
    expect(() => poissonAmplified(replaced, { rate: 0.5 })).toThrow(/"adjacency"/);
    expect(() => poissonAmplified(base, { rate: 1.5 })).toThrow(/"rate"/);
    expect(() => poissonAmplified(base, {} as never)).toThrow(/"rate"/);
    expect(() => poissonAmplified(base, { rate: 0.1, direction: 'up' as never })).toThrow(/"direction"/);
  });

  test('sampling does not help the tail', () => {
    const sgd = sgdFamilyProfile({ A: 2, B: 1, sigma: 2 });
    const found = identify(poissonAmplified(sgd, { rate: 0.01 }));
    expect(found.verdict).toBe('gdp');
    if (found.verdict !== 'estimate') expect(found.tailMu).toContainValue(Math.SQRT1_2);
    expect(
      poissonAmplified(
        profileOf(() => 0.1),
        { rate: 0.5 },
      ).standing,
    ).toBe('estimate');
  });
});

describe('the rate that reaches a μ', () => {
  test.each(goldens.filter(({ name }) => name === 'subsampled-laplace'))(
    '$epsilon0 $rate',
    ({ epsilon0, rate, mu }) => {
      const found = samplingRateFor(wasm, laplaceRun(epsilon0), {
        mu: Number(mu),
        epsilonHead: epsilon0,
        tolerance: 1e-5,
      });
      if (!found.reachable) throw new Error(found.reason);
      expect(found.rate).toBeLessThanOrEqual(rate);
      expect(found.rate).toBeGreaterThan(rate * (1 - 1e-4));
      expect(found.measured.headMu.upper).toBeLessThanOrEqual(Number(mu));
      expect(found.gdp).toBe(true);
      expect(found.refused).toBeLessThan(rate * (1 + 1e-4));
    },
  );

  test('no sampling needed', () => {
    const found = samplingRateFor(wasm, laplaceRun(1), { mu: 2, epsilonHead: 1, tolerance: 0.01 });
    expect(found).toMatchObject({ reachable: true, rate: 1, refused: 1 });
  });

  test('a head that cannot be brought down that far', () => {
    const found = samplingRateFor(wasm, sgdFamilyProfile({ A: 2, B: 1, sigma: 2 }), {
      mu: 0.01,
      epsilonHead: 5,
      tolerance: 0.1,
    });
    expect(found.reachable).toBe(false);
    expect(() => samplingRateFor(wasm, laplaceRun(1), { mu: 0 })).toThrow(/"mu"/);
    expect(() => samplingRateFor(wasm, laplaceRun(1), { mu: 1, tolerance: 0 })).toThrow(/"tolerance"/);
  });
});

describe('the rate that reaches a μ on a window of error rates', () => {
  /** Gaussian noise of multiplier 1 on a sample: f = q G_1 + (1 − q) Id up to the diagonal, its mirror image beyond. */
  const muOf = (rate: number, alphaMin: number): number => {
    let most = 0;
    for (let i = 0; i <= 4000; i++) {
      const alpha = alphaMin * (0.5 / alphaMin) ** (i / 4000);
      const beta = rate * normalCdf(-normalQuantile(alpha) - 1) + (1 - rate) * (1 - alpha);
      if (beta < alpha) break;
      most = Math.max(most, -normalQuantile(alpha) - normalQuantile(beta));
    }
    return most;
  };

  test.each([
    [0.3, 1e-4],
    [0.3, 1e-2],
    [0.6, 1e-8],
  ])('Gaussian noise to %f on rates from %f', (mu, alphaMin) => {
    let [low, high] = [0, 1];
    for (let i = 0; i < 50; i++) {
      const rate = (low + high) / 2;
      if (muOf(rate, alphaMin) <= mu) low = rate;
      else high = rate;
    }
    const run = account(wasm, gaussian({ noiseMultiplier: 1 }), addRemove);
    const found = samplingRateForWindow(wasm, run, { mu, alphaMin });
    if (!found.reachable) throw new Error(found.reason);
    // the window's edge decides, and it is among the points looked at
    expect(found.rate).toBeLessThanOrEqual(low * (1 + 1e-12));
    expect(found.rate).toBeGreaterThan(low * (1 - 1e-5));
    expect(found.refused).toBeGreaterThan(low * (1 - 1e-12));
    expect(found.measured.mu.upper).toBeLessThanOrEqual(mu);
  });

  test('none needed, none enough', () => {
    expect(samplingRateForWindow(wasm, laplaceRun(0.1), { mu: 1, tolerance: 0.1 })).toMatchObject({
      rate: 1,
    });
    // with probability 1/2 everything is revealed: at rate q the power at alpha 1e-10 is still q/2
    const bare = account(wasm, approximateDp({ epsilon: 0, delta: 0.5 }), addRemove);
    const found = samplingRateForWindow(wasm, bare, { mu: 1e-9, alphaMin: 1e-3, tolerance: 0.1 });
    expect(found.reachable ? found.rate : 0).toBeLessThan(1e-8);
    expect(() => samplingRateForWindow(wasm, bare, { mu: 0 })).toThrow(/"mu"/);
    expect(() => samplingRateForWindow(wasm, bare, { mu: 1, alphaMin: 0.7 })).toThrow(/"alphaMin"/);
  });
});

describe('a sample of a run in which a record not drawn moves others', () => {
  /** H of mixtures of unit Gaussians in the plane, [weight, mean, mean], by sums over a grid. */
  function divergence(p: number[][], q: number[][], epsilon: number): number {
    const density = (parts: number[][], x: number, y: number): number =>
      parts.reduce((sum, [w, a, b]) => sum + w * Math.exp(-((x - a) ** 2 + (y - b) ** 2) / 2), 0);
    let sum = 0;
    for (let x = -8; x <= 8; x += 0.1)
      for (let y = -8; y <= 8; y += 0.1)
        sum += Math.max(0, density(p, x, y) - Math.exp(epsilon) * density(q, x, y));
    return (sum * 0.01) / (2 * Math.PI);
  }

  test('two records in batches of one, each drawn with probability 1/2: worse than the formula', () => {
    const [rate, epsilon, other] = [0.5, 2, -1];
    const drawn = (record: number): number[][] => [
      [0.25, 0, 0],
      [0.25, other, 0],
      [0.25, record, 0],
      [0.25, record, other],
    ];
    const formula = rate * deltaGdp(1, Math.log(1 + Math.expm1(epsilon) / rate));
    expect(divergence(drawn(1), drawn(0), epsilon)).toBeGreaterThan(2 * formula);
  });

  test('is refused under zero-out', () => {
    const asked = { mu: 0.1, tolerance: 0.1 };
    for (const mechanism of [
      fixedBatches({ noiseMultiplier: 1, bins: 2 }),
      shuffled({ noiseMultiplier: 1, bins: 2 }),
      cappedPoisson({ noiseMultiplier: 1, rate: 0.5, datasetSize: 10, batchCap: 5 }),
      dividedSgd({ ...PHASE, divisor: 'expected', parameters: 100, datasetSize: 1000 }),
    ]) {
      const run = account(wasm, mechanism, { adjacency: 'zero-out' });
      expect(() => poissonAmplified(run, { rate: 0.5 })).toThrow(/"adjacency" must be add-remove/);
      expect(() => poissonAmplified(profileOfRun(run), { rate: 0.5 })).toThrow(/"adjacency"/);
      expect(() => samplingRateFor(wasm, run, asked)).toThrow(/"adjacency"/);
      expect(() => samplingRateForWindow(wasm, run, asked)).toThrow(/"adjacency"/);
    }
  });

  test('is answered where removing the record has the same numbers', () => {
    for (const mechanism of [dpSgd(PHASE), fixedBatches({ noiseMultiplier: 1, places: 'kept' })]) {
      const [zeroed, removed] = (['zero-out', 'add-remove'] as const).map((adjacency) =>
        poissonAmplified(account(wasm, mechanism, { adjacency }), { rate: 0.5 }).logDelta(1),
      );
      expect(zeroed).toEqual(removed);
    }
  });
});

/** As if it were that of a record removed: what the search costs is the same. */
const profileAsRemoved = (run: ComposedRun): Profile => ({ ...profileOfRun(run), adjacency: 'add-remove' });

test.runIf(LONG_TESTS)('nothing is spent on rates far below the one that is found', () => {
  // at rate 0.231 mu is 0.1; asked at 1e-15 first, the question ran out and found 0.129
  const step = cappedPoisson({ noiseMultiplier: 1, rate: 0.02, datasetSize: 50000, batchCap: 1100 });
  const run = account(wasm, repeat(step, 10), { adjacency: 'zero-out', effort: 0.25 });
  const found = samplingRateForWindow(wasm, profileAsRemoved(run), {
    mu: 0.1,
    alphaMin: 1e-5,
    tolerance: 0.05,
  });
  expect(found.reachable && found.rate).toBeGreaterThan(0.2);
});

test.runIf(LONG_TESTS)('where the window begins is found without a look far beyond it', () => {
  // looked for at four times the ε each time, it took all that was allowed, and the rate found was 0.0026
  const step = cappedPoisson({ noiseMultiplier: 1, rate: 0.5, datasetSize: 100, batchCap: 55 });
  const run = account(wasm, repeat(step, 20), { adjacency: 'zero-out', effort: 0.3 });
  const found = samplingRateForWindow(wasm, profileAsRemoved(run), {
    mu: 0.4,
    alphaMin: 1e-3,
    tolerance: 0.03,
  });
  expect(found.reachable && found.rate).toBeGreaterThan(0.009);
  expect(run.limitedBy).not.toBe('effort');
  // what is known of each end, no method narrows: earlier ε's are not asked as well as this one
  run.delta(8);
  expect(run.cost).toBeLessThan(1.7e8);
});

describe('a rate that takes all that the question may cost', () => {
  const runAt = (noiseMultiplier: number, effort: number) =>
    account(wasm, dpSgd({ noiseMultiplier, samplingRate: 0.01, steps: 1000 }), { ...addRemove, effort });
  const asked = { mu: 0.3, tolerance: 1e-3 };

  test.each([
    [1e-4, [4], [4]],
    [1e-2, [4], LONG_TESTS ? [1, 4] : [4]],
  ])('effort %f: no more is said of it than was shown', (effort, sigmas, heads) => {
    for (const sigma of sigmas)
      for (const found of [
        ...heads.map((epsilonHead) => samplingRateFor(wasm, runAt(sigma, effort), { ...asked, epsilonHead })),
        ...(effort < 1e-3
          ? []
          : [samplingRateForWindow(wasm, runAt(sigma, effort), { ...asked, alphaMin: 1e-6 })]),
      ]) {
        // with enough effort every one of them has a rate above 1e-4
        if (!found.reachable) expect(found.reason).toContain('more effort');
        else if ('gdp' in found) expect(found.measured.headMu.upper).toBeLessThanOrEqual(0.3);
        else if ('mu' in found.measured) expect(found.measured.mu.upper).toBeLessThanOrEqual(0.3);
      }
  });
});

describe('clip and rectify', () => {
  const rectifier = clipAndRectify({ lower: -1, upper: 3, epsilonHead: 8, mu: 1.2 });

  test('states its guarantee', () => {
    expect(rectifier.guarantee).toMatchObject({ mu: 1.2, epsilon: 8 });
    expect(rectifier.scale).toBeGreaterThanOrEqual(0.5);
    expect(rectifier.scale).toBeLessThan(0.5 * (1 + 1e-15));
  });

  test('clips everything into the interval', () => {
    for (const [value, clipped] of [
      [0.5, 0.5],
      [7, 3],
      [-1e300, -1],
      [Infinity, 3],
      [-Infinity, -1],
      [Number.NaN, -1],
    ]) {
      expect(rectifier.clip(value)).toBe(clipped);
      expect(rectifier.rectify(value, () => 0.25)).toBe(clipped + 0.25);
    }
  });

  test('its noise alone is ε_h-DP: frequencies of the two extreme outputs', () => {
    const random = seeded(11);
    const sample = (scale: number) => {
      const u = random() - 0.5;
      return -scale * Math.sign(u) * Math.log(1 - 2 * Math.abs(u));
    };
    const strong = clipAndRectify({ lower: 0, upper: 1, epsilonHead: 1, mu: 1 });
    const n = 200_000;
    const above = (value: number) => {
      let count = 0;
      for (let i = 0; i < n; i++) if (strong.rectify(value, sample) > 1) count++;
      return count / n;
    };
    const high = above(1e9);
    const low = above(-1e9);
    expect(high).toBeCloseTo(0.5, 2);
    expect(Math.abs(Math.log(high / low) - 1)).toBeLessThan(0.02);
  });

  test('wrong options and samplers', () => {
    expect(() => clipAndRectify({ lower: 1, upper: 1, epsilonHead: 1, mu: 1 })).toThrow(/"upper"/);
    expect(() => clipAndRectify({ lower: 0, upper: 1, epsilonHead: 0, mu: 1 })).toThrow(/"epsilonHead"/);
    expect(() => clipAndRectify({ lower: 0, upper: 1, epsilonHead: 1, mu: Infinity })).toThrow(/"mu"/);
    expect(() => rectifier.rectify(1, 3 as never)).toThrow(TypeError);
    expect(() => rectifier.rectify(1, () => Number.NaN)).toThrow(RangeError);
  });
});
