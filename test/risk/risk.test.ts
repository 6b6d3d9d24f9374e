import erfc from '@stdlib/math-base-special-erfc';
import { describe, expect, it, test } from 'vitest';
import {
  account,
  type ComposedRun,
  calibrate,
  compose,
  dpSgd,
  gaussian,
  gaussianTradeoff,
  lossPmf,
  profileOfRun,
  type Risk,
  randomizedResponse,
  rdp,
  repeat,
  risk,
  type Target,
} from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { secretCurve } from '../../src/risk/risk.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';
import { noiseUnknown, stepsUnknown } from '../helpers/unknowns.js';

/** Closed forms by another implementation of Φ, and its inverse by bisection. */
const phi = (x: number): number => 0.5 * erfc(-x / Math.SQRT2);
const z = (p: number): number => {
  let [low, high] = [-40, 40];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (phi(middle) < p) low = middle;
    else high = middle;
  }
  return low;
};

const at = (run: ComposedRun, prior: number, baseline: number): Risk =>
  risk(run, { priors: [prior], falsePositiveRates: [baseline], baselines: [baseline] });

describe.each([
  ['wasm', wasm],
  ['reference', reference],
] as const)('%s', (_, engine) => {
  it.each([0.1, 1, 2, 5])('membership of a Gaussian of mu %d is what its closed forms say', (mu) => {
    const run = account(engine, gaussian({ noiseMultiplier: 1 / mu }), { adjacency: 'add-remove' });
    for (const prior of [0.1, 0.2, 0.3, 0.5, 0.75, 0.9])
      for (const rate of [1e-6, 0.01, 0.1, 0.3]) {
        const answer = at(run, prior, rate);
        const power = phi(z(rate) + mu);
        const threshold = Math.log((1 - prior) / prior);
        // Neyman and Pearson: says "used" above threshold/mu + mu/2
        const error = (1 - prior) * phi(-threshold / mu - mu / 2) + prior * phi(threshold / mu - mu / 2);
        const near = { relative: 1e-10 };
        expect(answer.advantage).toContainValue(phi(mu / 2) - phi(-mu / 2), near);
        expect(answer.truePositiveRate[0]!.truePositiveRate).toContainValue(power, near);
        expect(answer.bayesError[0]!.bayesError).toContainValue(error, near);
        expect(answer.positivePredictiveValue[0]!.positivePredictiveValue).toContainValue(
          (prior * power) / (prior * power + (1 - prior) * rate),
          near,
        );
        expect(answer.reconstruction[0]!.reconstruction).toContainValue(power, near);
        expect(answer.reconstruction[0]!.timesBaseline).toContainValue(power / rate, near);
      }
  });
});

test('secrets of several records under a Gaussian: k records are k times its mu', () => {
  const run = account(wasm, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' });
  for (const secrets of [2, 3, 7])
    for (const baseline of [1e-3, 0.1]) {
      const [{ all, any }] = risk(run, { secrets: [secrets], baselines: [baseline] }).severalSecrets as [
        Risk['severalSecrets'][number],
      ];
      expect(all.upper / phi(z(baseline ** secrets) + secrets / 2)).toBeCloseTo(1, 9);
      expect(all.lower).toBeCloseTo(baseline ** secrets, 15);
      expect(any.upper).toBeCloseTo(Math.min(1, secrets * phi(z(baseline) + 0.5)), 12);
    }
});

/** A law on `outcomes` points, some of them without mass. */
function law(random: () => number, outcomes: number): number[] {
  const raw = Array.from({ length: outcomes }, () => (random() < 0.1 ? 0 : random() ** 3));
  const sum = raw.reduce((a, b) => a + b, 0) || 1;
  const masses = raw.map((x) => x / sum);
  if (sum === 1 && raw.every((x) => x === 0)) masses[0] = 1;
  return masses;
}

/** The largest with(E) over randomised events of without(E) ≤ a, by the ratio of their masses. */
function bestPower(without: readonly number[], withIt: readonly number[], a: number): number {
  const order = without.map((_, i) => i).sort((i, j) => withIt[j]! * without[i]! - withIt[i]! * without[j]!);
  let [left, power] = [a, 0];
  for (const i of order) {
    const share = without[i]! === 0 ? 1 : Math.min(1, Math.max(0, left / without[i]!));
    power += share * withIt[i]!;
    left -= share * without[i]!;
  }
  return power;
}

test('no test of a finite pair beats the bounds, and the best one attains them', () => {
  const random = seeded(31);
  for (let round = 0; round < 60; round++) {
    const outcomes = 2 + Math.floor(5 * random());
    const [x, y] = [law(random, outcomes), law(random, outcomes)];
    const f = lossPmf({ x, y });
    const prior = 0.05 + 0.9 * random();
    const rate = 0.01 + 0.5 * random();
    const answer = risk(f, { priors: [prior], falsePositiveRates: [rate], baselines: [rate] });
    // membership is asked in both roles: the least symmetric curve below both
    const powers = [bestPower(x, y, rate), 1 - bestPower(y, x, rate)];
    expect(answer.truePositiveRate[0]!.truePositiveRate.upper).toBeGreaterThanOrEqual(powers[0]! - 1e-12);
    expect(answer.reconstruction[0]!.reconstruction).toContainValue(powers[0]!, { absolute: 1e-12 });
    let advantage = 0;
    const errors = [1, 1];
    for (let event = 0; event < 2 ** outcomes; event++) {
      const mass = (p: readonly number[]): number => p.reduce((sum, m, i) => sum + ((event >> i) & 1) * m, 0);
      const [without, used] = [mass(x), mass(y)];
      advantage = Math.max(advantage, used - without, without - used);
      errors[0] = Math.min(errors[0]!, (1 - prior) * without + prior * (1 - used));
      errors[1] = Math.min(errors[1]!, (1 - prior) * used + prior * (1 - without));
    }
    expect(answer.advantage).toContainValue(advantage, { absolute: 1e-12 });
    // of all that a test calls used, by its two rates and the prior
    const { lower, upper } = answer.truePositiveRate[0]!.truePositiveRate;
    const shares = [lower, upper].map((tpr) => (prior * tpr) / (prior * tpr + (1 - prior) * rate));
    const { positivePredictiveValue } = answer.positivePredictiveValue[0]!;
    expect(positivePredictiveValue.lower).toBeLessThanOrEqual(shares[0]!);
    expect(positivePredictiveValue.upper).toBeGreaterThanOrEqual(shares[1]!);
    expect(answer.bayesError[0]!.bayesError).toContainValue(Math.min(...errors), { absolute: 1e-12 });
  }
});

/** Game of 2: a secret of a prior, a release that depends on it, a guess that is the same or a neighbour of it. */
test('the best reconstruction of an enumerated game is within the bound, and reaches it', () => {
  const random = seeded(32);
  let close = 0;
  for (let round = 0; round < 200; round++) {
    const [many, outcomes] = [2 + Math.floor(3 * random()), 2 + Math.floor(4 * random())];
    const base = law(random, outcomes);
    const releases = Array.from({ length: many }, () => law(random, outcomes));
    const prior = law(random, many);
    const near = round % 2 === 0 ? 0 : 1;
    const right = (secret: number, guess: number): boolean => Math.abs(secret - guess) <= near;
    const best = (score: (guess: number) => number): number =>
      Math.max(...prior.map((_, guess) => score(guess)));
    const baseline = best((guess) => prior.reduce((sum, p, s) => sum + (right(s, guess) ? p : 0), 0));
    const success = base
      .map((_, out) =>
        best((guess) => prior.reduce((sum, p, s) => sum + (right(s, guess) ? p * releases[s]![out]! : 0), 0)),
      )
      .reduce((a, b) => a + b, 0);
    if (!(baseline < 1)) continue;
    // the largest of the concave curves, made concave: a mixture of two baselines whose mean is κ
    const grid = Array.from({ length: 201 }, (_, i) => i / 200);
    const tops = grid.map((a) => Math.max(...releases.map((q) => bestPower(base, q, a))));
    let bound = Math.max(...releases.map((q) => bestPower(base, q, baseline)));
    for (let i = 0; i < grid.length; i++)
      for (let j = i + 1; j < grid.length; j++)
        if (grid[i]! <= baseline && baseline <= grid[j]!) {
          const share = (baseline - grid[i]!) / (grid[j]! - grid[i]!);
          bound = Math.max(bound, (1 - share) * tops[i]! + share * tops[j]!);
        }
    // the curve's own joints lie between points of the grid
    expect(success).toBeLessThanOrEqual(bound + 0.02);
    if (success > bound - 0.05) close++;
  }
  expect(close).toBeGreaterThan(20);
  // reached: one secret is revealed at the outcomes of the best event, no other changes the release
  const mu = 1.5;
  const f = gaussianTradeoff(mu);
  expect(risk(f, { baselines: [0.01] }).reconstruction[0]!.reconstruction).toContainValue(phi(z(0.01) + mu), {
    relative: 1e-12,
  });
});

test('a baseline belongs to the world without the record', () => {
  const mechanism = dpSgd({ noiseMultiplier: 0.6, samplingRate: 0.2, steps: 3 });
  for (const engine of [wasm, reference]) {
    const run = account(engine, mechanism, { adjacency: 'add-remove' });
    const curve = secretCurve(run);
    const baselines = [1e-4, 0.05, 0.7, 0.95];
    const { reconstruction, truePositiveRate } = risk(run, { baselines, falsePositiveRates: baselines });
    reconstruction.forEach(({ baseline, reconstruction }, i) => {
      expect(reconstruction).toEqual(curve.reconstruction(baseline));
      expect(reconstruction.lower).toBeLessThanOrEqual(truePositiveRate[i]!.truePositiveRate.upper);
    });
    // leaving a record out and putting it in differ: the hull of both roles says more at large rates
    expect(reconstruction[2]!.reconstruction.upper).toBeLessThan(
      truePositiveRate[2]!.truePositiveRate.lower - 1e-3,
    );
    const replaced = account(engine, randomizedResponse({ epsilon: 1 }), { adjacency: 'replace-one' });
    expect(risk(replaced, { baselines: [0.1] }).reconstruction[0]!.reconstruction).toContainValue(
      0.1 * Math.E,
      { relative: 1e-10 },
    );
  }
});

/** Two records with a secret bit each, each put through randomised response: what is known of both is a product. */
test('secrets of two records, enumerated', () => {
  for (const epsilon of [0.1, 0.7, 2]) {
    const run = account(wasm, randomizedResponse({ epsilon }), { adjacency: 'replace-one' });
    for (const baseline of [0.2, 0.35, 0.5]) {
      const [{ all, any }] = risk(run, { secrets: [2], baselines: [baseline] }).severalSecrets as [
        Risk['severalSecrets'][number],
      ];
      const keep = Math.exp(epsilon) / (1 + Math.exp(epsilon));
      // a secret is one of two with chances (b, 1 − b) turned to the rarer one: guessed right where the answer says so
      const prior = [baseline, 1 - baseline];
      let [both, either] = [0, 0];
      for (const a of [0, 1])
        for (const b of [0, 1]) {
          const posterior = (answer: number): number => prior[0]! * (answer === 0 ? keep : 1 - keep);
          both += posterior(a) * posterior(b);
          either += posterior(a) + posterior(b) - posterior(a) * posterior(b);
        }
      // the guess "the rarer one" of both, whatever is released, is what guessing reaches
      expect(both).toBeCloseTo(baseline ** 2, 12);
      expect(all.lower).toBeLessThanOrEqual(both);
      // the guess "the rarer one" where the answer says so
      const said = prior[0]! * keep;
      expect(said ** 2).toBeLessThanOrEqual(all.upper);
      expect(1 - (1 - said) ** 2).toBeLessThanOrEqual(any.upper + 1e-12);
      expect(all.upper).toBeLessThan(1);
      expect(either).toBeGreaterThan(0);
    }
  }
});

/** n records of a universe, one of them reported by randomised response over the universe: a predicate is a set of values. */
test('singling out, enumerated', () => {
  const size = 2;
  for (const universe of [3, 5])
    for (const epsilon of [0.2, 1, 3]) {
      const keep = Math.exp(epsilon) / (Math.exp(epsilon) + universe - 1);
      const other = (1 - keep) / (universe - 1);
      // the predicate is the value that record 1 is reported to have: of weight 1/universe
      let isolated = 0;
      for (let first = 0; first < universe; first++)
        for (let second = 0; second < universe; second++)
          for (let reported = 0; reported < universe; reported++) {
            const matches = Number(first === reported) + Number(second === reported);
            if (matches === 1) isolated += (reported === first ? keep : other) / universe ** 2;
          }
      const run = account(wasm, randomizedResponse({ epsilon }), { adjacency: 'replace-one' });
      const found = risk(run, { singlingOut: { weight: 1 / universe, size } }).singlingOut!.singlingOut;
      expect(isolated).toBeLessThanOrEqual(found.upper + 1e-12);
      expect(isolated).toBeGreaterThanOrEqual(found.lower - 1e-12);
      const blind = (size / universe) * (1 - 1 / universe);
      expect(found.lower).toBeCloseTo(blind, 10);
      const power = Math.min(1, Math.exp(epsilon) / universe, 1 - Math.exp(-epsilon) * (1 - 1 / universe));
      expect(found.upper).toBeCloseTo(Math.min(1, size * power), 8);
    }
});

test('a subject is a run, its profile or its curve', () => {
  const run = account(wasm, gaussian({ noiseMultiplier: 1.3 }), { adjacency: 'add-remove' });
  const same = (b: Bracket, c: Bracket): boolean => b.lower <= c.upper && c.lower <= b.upper;
  const [own, profile, curve] = [run, profileOfRun(run), gaussianTradeoff(1 / 1.3)].map((s) => risk(s)) as [
    Risk,
    Risk,
    Risk,
  ];
  for (const each of [profile, curve]) {
    expect(same(own.advantage, each.advantage)).toBe(true);
    own.reconstruction.forEach(({ reconstruction }, i) => {
      expect(same(reconstruction, each.reconstruction[i]!.reconstruction)).toBe(true);
    });
  }
});

describe('a risk as a target of calibrate', () => {
  const targets: Target[] = [
    { bayesError: 0.4, prior: 0.5 },
    { bayesError: 0.08, prior: 0.1 },
    { positivePredictiveValue: 0.9, prior: 0.1, falsePositiveRate: 0.001 },
    { reconstruction: 0.02, baseline: 0.001 },
  ];
  const met = (run: ComposedRun, target: Target): Bracket => {
    const t = target as Record<string, number>;
    const { bayesError, positivePredictiveValue, reconstruction } = risk(run, {
      priors: [t['prior'] ?? 0.5],
      falsePositiveRates: [t['falsePositiveRate'] ?? 0.01],
      baselines: [t['baseline'] ?? 0.01],
    });
    if (t['bayesError'] !== undefined) return bayesError[0]!.bayesError;
    return t['reconstruction'] === undefined
      ? positivePredictiveValue[0]!.positivePredictiveValue
      : reconstruction[0]!.reconstruction;
  };
  it.each(targets)('%o: the least noise and the most steps', (target) => {
    const run = (noiseMultiplier: number, steps: number): ComposedRun =>
      account(wasm, dpSgd({ noiseMultiplier, samplingRate: 0.01, steps }), { adjacency: 'add-remove' });
    const [wanted] = Object.values(target) as [number];
    const holds = (answer: Bracket): boolean =>
      'bayesError' in target ? answer.lower >= wanted : answer.upper <= wanted;
    const fails = (answer: Bracket): boolean =>
      'bayesError' in target ? answer.upper < wanted : answer.lower > wanted;
    const options = { adjacency: 'add-remove' } as const;
    const noise = calibrate(wasm, noiseUnknown({ samplingRate: 0.01, steps: 1000 }), target, options);
    if (!noise.reached) throw new Error(noise.reason);
    expect(holds(met(run(noise.value, 1000), target))).toBe(true);
    expect(fails(met(run(noise.value * 0.9999, 1000), target))).toBe(true);
    const steps = calibrate(wasm, stepsUnknown({ noiseMultiplier: 1, samplingRate: 0.01 }), target, options);
    if (!steps.reached) throw new Error(steps.reason);
    expect(holds(met(run(1, steps.value), target))).toBe(true);
    expect(fails(met(run(1, steps.value + 1), target))).toBe(true);
  });

  it('refuses what no noise can change', () => {
    const unknown = noiseUnknown({ samplingRate: 0.01, steps: 1000 });
    const refused = (target: Target, message: RegExp): void => {
      expect(() => calibrate(wasm, unknown, target, { adjacency: 'add-remove' })).toThrow(message);
    };
    refused({ bayesError: 0.5, prior: 0.5 }, /"bayesError" must be a number in \(0, 0.5\)/);
    refused({ reconstruction: 0.1, baseline: 0.1 }, /"reconstruction" must be a number in \(0.1, 1\)/);
    refused(
      { positivePredictiveValue: 0.05, prior: 0.1, falsePositiveRate: 0.01 },
      /"positivePredictiveValue" must be a number in \(0.1,/,
    );
  });
});

test('risk with the secrets of many records costs two questions', () => {
  const parts = [
    repeat(rdp({ points: [{ order: 1.84, epsilon: 0.02 }] }), 215),
    gaussian({ noiseMultiplier: 2 }),
  ];
  const run = account(wasm, compose(parts), { adjacency: 'add-remove', effort: 0.12 });
  run.advantage();
  expect(run.limitedBy).not.toBe('effort');
  const rest = { priors: [], falsePositiveRates: [] };
  const { severalSecrets } = risk(run, { ...rest, baselines: [0.001], secrets: [20] });
  expect(severalSecrets[0]!.all.upper).toBeLessThanOrEqual(1);
  expect(run.limitedBy).toBe('effort');
  // two allowances of an effort of 0.12, and a little beyond
  expect(run.cost).toBeLessThan(0.25 * 2e9);
});

test('names what is wrong with a question', () => {
  const f = gaussianTradeoff(1);
  expect(() => risk(f, { priors: [1] })).toThrow(/"priors" must be a number in \(0, 1\), got 1/);
  expect(() => risk(f, { baselines: 0.1 as never })).toThrow(
    /"baselines" must be an array of numbers, got 0.1/,
  );
  expect(() => risk(f, { secrets: [1] })).toThrow(/"secrets" must be a whole number from 2 to 10000, got 1/);
  expect(() => risk(f, { singlingOut: { weight: 0.1, size: 0 } })).toThrow(/"singlingOut.size"/);
  expect(() => risk(7 as never)).toThrow(/"subject" must be a composed run/);
});
