import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  account,
  gdp,
  gdpTransform,
  iceaProfile,
  laplace,
  leastNoise,
  type Profile,
  profileFromNoise,
  profileOf,
  profileOfRun,
  refinedProfile,
  sgdFamilyProfile,
  tabulated,
} from '../../src/index.js';
import { impliedLogDelta } from '../../src/profile/refine.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const addRemove = { adjacency: 'add-remove' } as const;
const goldens: { name: string; noise: string; at: string; mu: string }[] = JSON.parse(
  readFileSync(new URL('../golden/profiles.json', import.meta.url), 'utf8'),
);
const golden = (name: string) => goldens.find((each) => each.name === name)!;
const delta = (profile: Profile, epsilon: number) => {
  const { lower, upper } = profile.logDelta(epsilon);
  return { lower: Math.exp(lower) * (1 - 1e-14), upper: Math.exp(upper) * (1 + 1e-14) };
};

/** app. C by brute force over ε₀. */
function brute(naive: (e: number) => number, epsilon: number): number {
  let best = naive(epsilon);
  for (let i = 0; i <= 200_000; i++) {
    const e0 = epsilon + i * 1e-4;
    const d = naive(e0);
    best = Math.min(best, ((1 - d) * (Math.exp(e0) - Math.exp(epsilon))) / (Math.exp(e0) + 1) + d);
  }
  return best;
}

describe('the partial order', () => {
  test('is what its theorem says', () => {
    const random = seeded(5);
    for (let i = 0; i < 500; i++) {
      const [e0, d0, e] = [5 * random(), random(), 5 * random()];
      const exact = d0 + ((1 - d0) * Math.max(0, Math.exp(e0) - Math.exp(e))) / (1 + Math.exp(e0));
      expect(Math.exp(impliedLogDelta(e0, Math.log(d0), e))).toBeCloseTo(exact, 13);
    }
    expect(impliedLogDelta(2000, -Infinity, 1000)).toBe(0);
    expect(impliedLogDelta(1000.5, -Infinity, 1000)).toBeCloseTo(Math.log(1 - Math.exp(-0.5)), 13);
    expect(impliedLogDelta(3, -1000, 3)).toBe(-1000);
  });

  test('least noise for (0.2, e^-2)-DP', () => {
    const found = leastNoise({ epsilon: 0.2, delta: Math.exp(-2), noise: (e, d) => -Math.log(d) / e });
    const exact = Number(golden('least-noise').noise);
    expect(found.noise).toBeGreaterThanOrEqual(exact * (1 - 1e-15));
    expect(found.noise).toBeLessThan(exact * (1 + 1e-12));
    expect(Math.abs(found.epsilon0 - Number(golden('least-noise').at))).toBeLessThan(1e-6);
    expect(Math.exp(impliedLogDelta(found.epsilon0, Math.log(found.delta0), 0.2))).toBeLessThan(
      Math.exp(-2) * (1 + 1e-14),
    );
  });

  test('least noise never exceeds the formula', () => {
    for (const d of [0, 1e-9, 0.3, 1]) {
      const noise = (e: number, x: number) => Math.sqrt(Math.log(2 / (x + 1e-12))) / e;
      expect(leastNoise({ epsilon: 0.7, delta: d, noise }).noise).toBeLessThanOrEqual(noise(0.7, d));
    }
    expect(() => leastNoise({ epsilon: 0, delta: 0.1, noise: () => 1 })).toThrow(/"epsilon"/);
    expect(() => leastNoise({ epsilon: 1, delta: 2, noise: () => 1 })).toThrow(/"delta"/);
    expect(() => leastNoise({ epsilon: 1, delta: 0.2 } as never)).toThrow(/"noise"/);
  });
});

describe('refined curves', () => {
  const sgd = sgdFamilyProfile({ A: 2, B: 1, sigma: 2 });
  const icea = iceaProfile({ messages: 20, users: 4 });
  const naiveSgd = (e: number) => Math.exp(-e * e);
  const naiveIcea = (e: number) => Math.min(1, (4 * Math.exp(-2)) / e);

  test.each([
    ['sgd', sgd, naiveSgd],
    ['icea', icea, naiveIcea],
    ['callback', refinedProfile(profileOf(naiveSgd)), naiveSgd],
    [
      'several maxima',
      refinedProfile(profileOf((e) => (e < 1 ? 0.5 : e < 2 ? 0.2 : 0.001))),
      (e: number) => (e < 1 ? 0.5 : e < 2 ? 0.2 : 0.001),
    ],
    [
      'noise formula',
      refinedProfile(profileFromNoise({ noise: (e, d) => (2 / e) * Math.sqrt(Math.log(1 / d)), sigma: 2 })),
      naiveSgd,
    ],
  ] as const)('%s', (name, profile, naive) => {
    for (const epsilon of [0, 0.1, 0.5, 0.99, 1.1, 1.18, 1.5, 1.7, 2.5, 6]) {
      const exact = brute(naive, epsilon);
      const bracket = delta(profile, epsilon);
      expect(bracket.lower, `${name} ${epsilon}`).toBeLessThanOrEqual(exact * (1 + 1e-11));
      expect(bracket.upper).toBeGreaterThan(exact * (1 - 1e-7));
      expect(bracket.upper).toBeLessThanOrEqual(exact * (1 + 1e-7));
      expect(bracket.upper).toBeLessThanOrEqual(naive(epsilon) * (1 + 1e-11));
    }
  });

  test('the SGD family at 0', () => {
    const mu = gdpTransform(sgd, 0);
    expect(mu).toContainValue(Number(golden('sgd').mu));
    expect(mu.upper / mu.lower - 1).toBeLessThan(1e-12);
  });

  test('tails hold far out', () => {
    expect(sgd.logDelta(1e3).upper).toBeCloseTo(-1e6, 3);
    expect(icea.logDelta(1e9).upper).toBeCloseTo(Math.log(4e-9) - 2, 10);
    for (const profile of [sgd, icea]) expect(profile.logDelta(Infinity).upper).toBe(-Infinity);
  });

  test('wrong parameters', () => {
    expect(() => sgdFamilyProfile({ A: 0, B: 1, sigma: 1 })).toThrow(/"A"/);
    expect(() => sgdFamilyProfile({ A: 1, B: 0.5, sigma: 1 })).toThrow(/"B"/);
    // their square leaves the range of doubles
    for (const sigma of [1e-320, 1e-100, 1e155])
      expect(() => sgdFamilyProfile({ A: 1, B: 2, sigma })).toThrow(
        /"sigma" must be such that sigma\/A is in/,
      );
    expect(() => iceaProfile({ messages: 20, users: 1.5 })).toThrow(/"users"/);
    expect(() => profileFromNoise({ noise: () => 1, sigma: 0 })).toThrow(/"sigma"/);
    expect(() => sgd.logDelta(-0.1)).toThrow(/"epsilon"/);
  });
});

describe('profiles of runs', () => {
  test('state what they are', () => {
    const exact = profileOfRun(account(wasm, laplace({ scale: 1, sensitivity: 1 }), addRemove));
    expect(exact).toMatchObject({ standing: 'exact', adjacency: 'add-remove', tail: { mu: { upper: 0 } } });
    expect(exact.tail.ceiling(0.999)).toBeGreaterThan(0);
    // the largest loss is 1/1, exactly
    expect(exact.tail.ceiling(1)).toBe(0);
    const stated = profileOfRun(account(wasm, gdp({ mu: 2 }), { adjacency: 'replace-one' }));
    expect(stated).toMatchObject({ standing: 'bound', adjacency: 'replace-one' });
    expect(stated.gaussianMu!).toContainValue(2);
  });

  test('tabulated points are made conservative by the partial order', () => {
    const points = [
      { epsilon: 0.5, delta: 0.2 },
      { epsilon: 1, delta: 1e-3 },
      { epsilon: 3, delta: 1e-9 },
    ];
    const profile = profileOfRun(account(wasm, tabulated({ points }), addRemove));
    for (const epsilon of [0, 0.2, 0.5, 0.8, 1, 2, 3, 10]) {
      const implied = Math.min(
        ...points.map((p) => Math.exp(impliedLogDelta(p.epsilon, Math.log(p.delta), epsilon))),
      );
      const { upper } = delta(profile, epsilon);
      expect(upper).toBeLessThanOrEqual(implied * (1 + 1e-9) + 2e-14);
      expect(upper).toBeGreaterThan(0);
    }
    expect(delta(profile, 3).upper).toBeGreaterThanOrEqual(1e-9);
    expect(delta(profile, 50).lower).toBeLessThanOrEqual(1e-9);
  });
});
