import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  account,
  approximateDp,
  boundedRange,
  dpSgd,
  gaussian,
  gdpTransform,
  type HeadOptions,
  isHeadGdp,
  isTailGdp,
  laplace,
  measureHead,
  measureHeadAsync,
  type Profile,
  poissonAmplified,
  poissonSubsampled,
  profileOf,
  pureDp,
  repeat,
  sgdFamilyProfile,
  transformCurve,
  zcdp,
} from '../../src/index.js';
import { muGdpLog } from '../../src/numeric/scalar.js';
import { shuffledOrder } from '../../src/profile/staircase.js';
import { relativeWidth } from '../helpers/brackets.js';
import { reference, wasm } from '../helpers/runs.js';

interface Golden {
  readonly name: string;
  readonly at: string;
  readonly mu: string;
  readonly epsilon0: number;
  readonly rate: number;
}
const goldens: Golden[] = JSON.parse(
  readFileSync(new URL('../golden/profiles.json', import.meta.url), 'utf8'),
);
const addRemove = { adjacency: 'add-remove' } as const;
const laplaceOf = (epsilon0: number) => laplace({ scale: 1 / epsilon0, sensitivity: 1 });
const sgd = sgdFamilyProfile({ A: 2, B: 1, sigma: 2 });

function subjectOf({ name, epsilon0, rate }: Golden) {
  if (name === 'sgd') return sgd;
  const inner = name === 'pure' ? pureDp({ epsilon: epsilon0 }) : laplaceOf(epsilon0);
  return account(wasm, rate ? poissonSubsampled(inner, { rate }) : inner, addRemove);
}

describe('suprema known by an independent optimiser', () => {
  for (const golden of goldens.filter(({ mu }) => mu !== undefined)) {
    test(`${golden.name} ${golden.epsilon0 ?? ''} ${golden.rate ?? ''}`, () => {
      const subject = subjectOf(golden);
      for (const resolution of [3, 1e6]) {
        const epsilonHead = golden.name === 'sgd' ? 4 : golden.epsilon0 * 1.1;
        const {
          headMu: mu,
          epsilonAtMu,
          gdpMu,
          finished,
        } = measureHead(wasm, subject, { epsilonHead, resolution });
        expect(mu).toContainValue(Number(golden.mu));
        expect(mu.upper - mu.lower).toBeLessThanOrEqual(1 / resolution);
        expect(finished).toBe(true);
        expect(Math.abs(epsilonAtMu - Number(golden.at))).toBeLessThan(3 / Math.sqrt(resolution));
        if (golden.name !== 'sgd') expect(gdpMu).toBe(mu.upper);
      }
    });
  }

  test('closed forms to 1e-9', () => {
    const one = measureHead(wasm, subjectOf(goldens[0]), { epsilonHead: 0.25, resolution: 1.2e9 });
    expect(one.headMu).toContainValue(0.23910558373651383);
    expect(relativeWidth(one.headMu)).toBeLessThan(1e-9);
  });

  test('breakpoints each visited, or skipped where they cannot matter', () => {
    const run = account(wasm, laplaceOf(0.2), addRemove);
    const options = { epsilonHead: 0.3, resolution: 1e5 };
    const all = measureHead(wasm, run, { ...options, exhaustive: true });
    expect(all.cells).toBe(150398);
    expect(all.tests).toBeGreaterThanOrEqual(2 * all.cells);
    expect(all.inversions).toBeLessThan(100);
    expect(all.headMu).toContainValue(0.23910558373651383);
    expect(all.headMu.upper - all.headMu.lower).toBeLessThanOrEqual(1e-5);
    const skipping = measureHead(wasm, run, options);
    expect(skipping.headMu).toEqual(all.headMu);
    expect(skipping.tests).toBeLessThan(all.tests / 5);
  });
});

/** Algorithm 3 of IAM app. D with its two staircases put right: every step inverted. */
function naive(
  profile: Profile,
  { epsilonHead, resolution }: Required<Pick<HeadOptions, 'epsilonHead' | 'resolution'>>,
) {
  const cells = Math.ceil(Math.sqrt(8 * Math.PI) * resolution * epsilonHead);
  let lower = 0;
  let upper = 0;
  for (let i = 0; i < cells; i++) {
    const left = (epsilonHead * i) / cells;
    const right = (epsilonHead * (i + 1)) / cells;
    upper = Math.max(upper, muGdpLog(right, profile.logDelta(left).upper));
    lower = Math.max(lower, muGdpLog(left, profile.logDelta(right).lower));
  }
  return { lower, upper };
}

describe('against the naive algorithm', () => {
  const subjects: [string, Profile][] = [
    ['sgd', sgd],
    ['bump', profileOf((e) => Math.min(0.3, 0.9 * Math.exp(-2 * e * e)))],
    ['steps', profileOf((e) => (e < 0.7 ? 0.2 : e < 1.4 ? 0.05 : e < 2 ? 0.02 : 0))],
    ['power', profileOf((e) => 0.1 / (1 + e))],
  ];
  test.each(subjects)('%s', (_, profile) => {
    for (const [epsilonHead, resolution] of [
      [3, 2],
      [2.7, 40],
      [5, 300],
    ]) {
      const options = { epsilonHead, resolution };
      const oracle = naive(profile, options);
      for (const engine of [wasm, reference]) {
        for (const exhaustive of [true, false]) {
          for (const seed of [1, 99]) {
            const { headMu: mu } = measureHead(engine, profile, { ...options, exhaustive, seed });
            expect(Math.abs(mu.upper / oracle.upper - 1)).toBeLessThan(1e-13);
            expect(mu.lower).toBeGreaterThanOrEqual(oracle.lower * (1 - 1e-13));
            expect(mu.upper - mu.lower).toBeLessThanOrEqual(1 / resolution);
          }
        }
      }
    }
  });

  // IAM prints algorithms 1 and 3 with mu+ taken from the lower steps: below the truth
  test('the staircases are not exchanged', () => {
    for (const golden of goldens.filter(({ rate }) => rate !== undefined)) {
      const profile = subjectOf(golden);
      const truth = Number(golden.mu);
      const options = { epsilonHead: golden.epsilon0, resolution: 5 };
      const { headMu: mu } = measureHead(wasm, profile, options);
      const oracle = naive(profile as unknown as Profile, options);
      expect(oracle.lower).toBeLessThan(truth * (1 - 1e-4));
      expect(mu.upper).toBeGreaterThan(truth * (1 + 1e-4));
      expect(mu.lower).toBeLessThanOrEqual(truth);
    }
  });
});

describe('head and tail', () => {
  test('a Gaussian is its own answer, at any resolution', () => {
    const run = account(wasm, gaussian({ noiseMultiplier: 0.7 }), addRemove);
    const measured = measureHead(wasm, run);
    expect(measured.headMu).toContainValue(1 / 0.7);
    expect(measured.gdpMu).toBe(measured.headMu.upper);
    expect(measured.tests).toBe(0);
  });

  test('what reveals is not GDP, but has a head', () => {
    const run = account(wasm, approximateDp({ epsilon: 0.5, delta: 1e-9 }), addRemove);
    const measured = measureHead(wasm, run, { epsilonHead: 2, resolution: 1e4 });
    expect(measured.headMu.upper).toBeLessThan(0.7);
    expect(measured.gdpMu).toBe(Infinity);
    expect(measured.failure).toContainValue(1e-9);
  });

  test('the head of zCDP is a little above its Gaussian', () => {
    const rho = 0.5;
    const run = account(wasm, zcdp({ rho }), addRemove);
    const { headMu: mu } = measureHead(wasm, run, { epsilonHead: 2, resolution: 5 });
    expect(mu.lower).toBeGreaterThan(1);
    expect(mu.upper).toBeLessThan(2);
  });

  test('conditions', () => {
    const run = account(wasm, laplaceOf(2), addRemove);
    const head = { epsilonHead: 3, resolution: 1e5 };
    expect(isHeadGdp(wasm, run, { ...head, mu: 1.80092 })).toBe('yes');
    expect(isHeadGdp(wasm, run, { ...head, mu: 1.8009 })).toBe('no');
    expect(isHeadGdp(wasm, run, { ...head, mu: 1.8009051932755807 })).toBe('undecided');
    expect(isTailGdp(run, { epsilonTail: 2 + 1e-9, mu: 0 })).toBe('yes');
    expect(isTailGdp(run, { epsilonTail: 0.5, mu: 0.1 })).toBe('no');
    expect(isTailGdp(sgd, { epsilonTail: 15, mu: 0.7072 })).toBe('yes');
    expect(isTailGdp(sgd, { epsilonTail: 15, mu: 0.7 })).toBe('no');
    expect(
      isTailGdp(
        profileOf((e) => 0.1 * Math.exp(-e * e)),
        { epsilonTail: 1, mu: 3 },
      ),
    ).toBe('undecided');
  });

  test('the ceiling of the tail is above the transformation there', () => {
    for (const [A, B, sigma] of [
      [2, 1, 2],
      [1, 5, 0.4],
      [3, 2, 1],
    ]) {
      const profile = sgdFamilyProfile({ A, B, sigma });
      for (const epsilon of [3, 6, 12, 40, 200]) {
        const ceiling = profile.tail.ceiling(epsilon);
        for (const factor of [1, 1.1, 1.5, 2, 4, 16, 100]) {
          expect(gdpTransform(profile, epsilon * factor).upper).toBeLessThanOrEqual(ceiling * (1 + 1e-12));
        }
        if (epsilon >= 40) expect(ceiling).toBeLessThan((1.5 * A) / (Math.SQRT2 * sigma));
      }
    }
  });

  test('a composed run is its profile', () => {
    const run = account(wasm, dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 100 }), {
      ...addRemove,
      tolerance: 0.01,
    });
    const measured = measureHead(wasm, run, { epsilonHead: 1, resolution: 20 });
    expect(measured.standing).toBe('exact');
    for (const epsilon of [0, 0.2, 0.9]) {
      expect(gdpTransform(run, epsilon).lower).toBeLessThanOrEqual(measured.headMu.upper);
    }
    expect(measured.gdpMu).toBeGreaterThanOrEqual(10);
  });

  test('the curve lies between its staircases', () => {
    const curve = transformCurve(sgd, { epsilonHead: 4, points: 81 });
    expect(curve.epsilon.length).toBe(81);
    for (let i = 0; i < 80; i++) {
      const middle = gdpTransform(sgd, (curve.epsilon[i] + curve.epsilon[i + 1]) / 2);
      expect(curve.steps[i].lower).toBeLessThanOrEqual(middle.lower);
      expect(curve.steps[i].upper).toBeGreaterThanOrEqual(middle.upper);
      expect(curve.steps[i].upper - curve.steps[i].lower).toBeLessThan(0.3);
    }
  });

  test.each([
    laplace({ scale: 0.5, sensitivity: 1 }),
    boundedRange({ epsilon: 2 }),
    gaussian({ noiseMultiplier: 1 }),
  ])('many ε through the kernel have the bits of one by one: $kind', (mechanism) => {
    const run = account(wasm, mechanism, addRemove);
    const options = { epsilonHead: 2.5, points: 301 };
    const curve = transformCurve(run, options);
    for (const engine of [wasm, reference])
      expect(transformCurve(run, { ...options, engine })).toEqual(curve);
    expect(curve.mu.map((_, i) => gdpTransform(run, curve.epsilon[i]))).toEqual(curve.mu);
    // what is put in front of a profile is not passed by
    const sampled = poissonAmplified(run, { rate: 0.5 });
    expect(transformCurve(sampled, { ...options, engine: wasm })).toEqual(transformCurve(sampled, options));
  });
});

describe('long work', () => {
  const flat = profileOf((e) => wasm.kernel.deltaGdp(1, Float64Array.of(e))[0]);

  test('a budget that is too small still answers safely', () => {
    const measured = measureHead(wasm, flat, { epsilonHead: 1, resolution: 1e9, maxTests: 5000 });
    expect(measured.finished).toBe(false);
    expect(measured.headMu).toContainValue(1);
    expect(measured.headMu.upper).toBeLessThan(1.1);
  });

  test.each([2000, 5000, 20_000, 75_000, 200_000])('a budget of %i tests is not overrun', (maxTests) => {
    const { tests, headMu } = measureHead(wasm, flat, { epsilonHead: 1, resolution: 1e9, maxTests });
    expect(tests).toBeLessThanOrEqual(maxTests);
    expect(tests).toBeGreaterThan(500);
    expect(headMu).toContainValue(1);
  });

  test.each([1, 300, 5000])(
    'a maximum inside a range: with a budget of %i tests it lies within',
    (maxTests) => {
      const muAt = (e: number): number => 1 + 0.1 * Math.exp(-(((e - 0.371234567) / 0.3) ** 2));
      const peaked = profileOf((e) => wasm.kernel.deltaGdp(muAt(e), Float64Array.of(e))[0]);
      const { headMu } = measureHead(wasm, peaked, { epsilonHead: 1, resolution: 1e9, maxTests });
      expect(headMu).toContainValue(1.1);
      expect(headMu.upper).toBeLessThan(1.13);
    },
  );

  test('progress, and the same bits as the synchronous answer', async () => {
    const seen: number[] = [];
    const options = { epsilonHead: 1, resolution: 1e4 };
    const later = await measureHeadAsync(wasm, flat, { ...options, onProgress: (x) => seen.push(x) });
    expect(later).toEqual(measureHead(wasm, flat, options));
    expect(seen.at(-1)).toBe(1);
    expect(seen.every((x, i) => i === 0 || x >= seen[i - 1])).toBe(true);
  });

  test('and the same where effort runs out', async () => {
    const run = () => account(wasm, repeat(laplaceOf(1), 5), { ...addRemove, method: 'grid', effort: 0.01 });
    const [now, later] = [run(), run()];
    const measured = measureHead(wasm, now, { epsilonHead: 3 });
    expect(now.limitedBy).toBe('effort');
    expect(await measureHeadAsync(wasm, later, { epsilonHead: 3 })).toEqual(measured);
    expect([later.limitedBy, later.cost]).toEqual([now.limitedBy, now.cost]);
  });

  test('abort', async () => {
    const stop = new AbortController();
    const options = { epsilonHead: 1, resolution: 1e8, signal: stop.signal, onProgress: () => stop.abort() };
    await expect(measureHeadAsync(wasm, flat, options)).rejects.toThrow(/abort/i);
  });
});

describe('bad input', () => {
  const run = account(wasm, laplaceOf(1), addRemove);
  test.each([
    [{ epsilonHead: 0 }, RangeError, /"epsilonHead".*got 0/],
    [{ epsilonHead: '3' }, TypeError, /"epsilonHead"/],
    [{ resolution: Number.NaN }, RangeError, /"resolution"/],
    [{ seed: -1 }, RangeError, /"seed"/],
    [{ maxTests: 0.5 }, RangeError, /"maxTests"/],
    [{ exhaustive: 1 }, TypeError, /"exhaustive"/],
    [{ exhaustive: true, resolution: 1e11 }, RangeError, /"resolution"/],
  ])('%j', (options, type, message) => {
    const call = () => measureHead(wasm, run, options as HeadOptions);
    expect(call).toThrow(type);
    expect(call).toThrow(message);
  });

  test('curves that are none', () => {
    expect(() =>
      measureHead(
        wasm,
        profileOf((e) => 0.1 + e / 1e3),
      ),
    ).toThrow(/"profile".*does not rise/);
    expect(() =>
      measureHead(
        wasm,
        profileOf(() => 2),
      ),
    ).toThrow(/"delta\(epsilon\)"/);
    expect(() =>
      measureHead(
        wasm,
        profileOf(() => Number.NaN),
      ),
    ).toThrow(RangeError);
    expect(() => profileOf(3 as never)).toThrow(TypeError);
    expect(() => measureHead(wasm, {} as Profile)).toThrow(/"subject"/);
    expect(() => gdpTransform(run, -1)).toThrow(/"epsilon"/);
  });
});

test('the shuffled order is a permutation for every size', () => {
  for (const n of [1, 2, 3, 17, 256, 1000]) {
    const order = shuffledOrder(n, 7);
    const seen = new Set(Array.from({ length: n }, (_, i) => order(i)));
    expect(seen.size).toBe(n);
    expect(Math.max(...seen)).toBe(n - 1);
  }
  const order = shuffledOrder(1000, 7);
  const moved = Array.from({ length: 1000 }, (_, i) => Math.abs(order(i) - i)).reduce((a, b) => a + b);
  expect(moved / 1000).toBeGreaterThan(250);
});
