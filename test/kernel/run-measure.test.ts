/** μ and regret of a whole run in one call: by curves that are known otherwise, whose δ is known badly; the same bits in both engines; and against the runs' other methods. */
import { describe, expect, test } from 'vitest';
import { Rung } from '../../assembly/question/curve.js';
import { Measure } from '../../assembly/question/measure.js';
import { Points } from '../../assembly/question/points.js';
import { Regret } from '../../assembly/question/regret.js';
import { measure, muOf } from '../../src/measure/measure.js';
import { deltaGdp, log, logNormalCdf } from '../../src/numeric/scalar.js';
import { CURVES, gaussian, KnownCurve, laplace, Mixed } from '../helpers/known-curve.js';
import { seeded } from '../helpers/random.js';
import { roomy } from '../helpers/run-laws.js';
import { reference, runOf, wasm } from '../helpers/runs.js';

describe.each(CURVES)('%s', (_, mixed) => {
  const cases = [
    ...[1e-2, 1e-4, 1e-8].flatMap((width) => [-1, 1].map((side) => ({ width, side, miss: 0 }))),
    ...[-1.5, 1.5].map((miss) => ({ width: 1e-8, side: 0, miss })),
  ];
  const exacts = new Map([1e-10, 1e-3].map((alpha) => [alpha, mixed.mu(alpha)] as const));

  test.each(cases)('delta known to $width, off to side $side, rates by $miss', (known) => {
    for (const [alpha, exact] of exacts) {
      roomy();
      const curve = new KnownCurve(mixed, known);
      const found = new Measure(curve, new Points(curve), Math.log(alpha), 1e-6);
      if (!found.find()) continue;
      expect(found.lower).toBeLessThanOrEqual(exact * (1 + 1e-9));
      expect(found.upper).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
      const isSharp = known.width < 1e-7 && known.miss === 0;
      if (isSharp) expect(found.upper / found.lower).toBeLessThan(1 + 1e-6);
      const regret = new Regret(found.points, found.lower, found.upper);
      if (!regret.find()) continue;
      for (const mu of [found.lower, found.upper]) {
        const least = mixed.regret(mu);
        expect(regret.upper).toBeGreaterThanOrEqual(least - 1e-14);
        // between two of its slopes the scan misses no more than this
        expect(regret.lower).toBeLessThanOrEqual(least + 1e-5);
      }
      if (isSharp) expect(regret.upper - regret.lower).toBeLessThan(3e-7);
    }
  });
});

test('the regret is not above its bracket where it is largest between two points', () => {
  const next = seeded(5);
  let most = 0;
  for (let k = 0; k < 80; k++) {
    const sizes = Array.from({ length: 2 + Math.floor(2 * next()) }, () => 0.05 * 80 ** next());
    const shares = sizes.map(() => next());
    const all = shares.reduce((sum, share) => sum + share);
    const mixed = new Mixed(
      sizes.map((size) => (next() < 0.6 ? laplace(size) : gaussian(size))),
      shares.map((share) => share / all),
    );
    roomy();
    const curve = new KnownCurve(mixed, { width: 1e-9, side: 0, miss: 0 });
    const found = new Measure(curve, new Points(curve), Math.log(10 ** (-1 - 5 * next())), 1e-5);
    if (!found.find()) continue;
    const regret = new Regret(found.points, found.lower, found.upper);
    if (!regret.find()) continue;
    for (let epsilon = 0; epsilon < 8; epsilon += 0.005) {
      const there = (deltaGdp(found.upper, epsilon) - mixed.delta(epsilon)) / (1 + Math.exp(epsilon));
      expect(regret.upper).toBeGreaterThanOrEqual(there - 1e-13);
      most = Math.max(most, there);
    }
  }
  expect(most).toBeGreaterThan(0.1);
});

/** A line that says the same of every ε. */
const line = (lower: number, upper: number): never =>
  ({ lower, upper, logFpr: 0, answer: () => {} }) as never;

test('the worse direction counts, and where adding a record is asked for no more, what is known of it before', () => {
  const rung = new Rung(0, { at: (x: number) => (x < 1.8 ? -1 : -10) } as never, false);
  [rung.removing, rung.adding, rung.end, rung.endAdding] = [line(-3, -2), line(-2.5, -1.5), 2, 1];
  const at = (x: number): number[] => {
    rung.answer(x);
    return [rung.lower, rung.upper];
  };
  expect(at(0)).toEqual([-3, -2]);
  expect(at(0.5)).toEqual([-2.5, -1.5]);
  expect(at(1.5)).toEqual([-3, -1.5]);
  expect(at(1.9)).toEqual([-3, -2]);
});

test('lines of adding a record that an attempt before has laid are not asked again', () => {
  const rung = new Rung(1, { at: () => -10 } as never, false);
  [rung.adding, rung.end, rung.endAdding] = [line(-2.5, -1.5), 2, 2];
  const laid = (rung as unknown as { layAdding(run: never, line: never): boolean }).layAdding(
    undefined as never,
    line(-3, -2),
  );
  expect(laid).toBe(true);
  expect(rung.adding).toBeNull();
  expect(rung.endAdding).toBe(0);
});

/** Random runs of one to three phases, and windows. */
function random(n: number, seed: number): { run: never; logAlpha: number }[] {
  const next = seeded(seed);
  const between = (a: number, b: number): number => a * (b / a) ** next();
  return Array.from({ length: n }, () => ({
    run: {
      phases: Array.from({ length: 1 + Math.floor(3 * next()) }, () => ({
        mu: 1 / between(0.6, 6),
        rate: between(2e-4, 0.3),
        count: Math.round(between(50, 2e4)),
      })),
      square: next() < 0.3 ? between(1e-3, 1) : 0,
    } as never,
    logAlpha: Math.log(between(1e-14, 1e-3)),
  }));
}

test('have the same bits in both engines, in any order, and an allowance that does not reach is no answer', () => {
  const asked = random(8, 3);
  const [one, other] = [wasm, reference].map(({ kernel }) =>
    asked.map(({ run, logAlpha }) => kernel.questions!.runMeasure(run, logAlpha, 1e-6, 8e6)),
  );
  expect(one).toEqual(other);
  expect(one!.filter(({ end }) => end === 'answered').length).toBeGreaterThan(4);
  [...asked].reverse().forEach(({ run, logAlpha }, i) => {
    const before = one![asked.length - 1 - i]!;
    const again = wasm.kernel.questions!.runMeasure(run, logAlpha, 1e-6, before.work);
    if (before.end === 'answered') expect(again).toEqual(before);
    const { end, lower, upper } = wasm.kernel.questions!.runMu(run, logAlpha, 1e-6, 8e6);
    if (before.end === 'answered')
      expect({ end, lower, upper }).toMatchObject({ lower: before.lower, upper: before.upper });
    expect(wasm.kernel.questions!.runMeasure(run, logAlpha, 1e-6, 0.5 * before.work).end).not.toBe(
      'answered',
    );
  });
});

test('measure says what the call says, and other methods do not contradict it', () => {
  const run = runOf([[1.1, 0.01, 1000]]);
  const told = wasm.kernel.questions!.runMeasure(
    { phases: [{ mu: 1 / 1.1, rate: 0.01, count: 1000 }], square: 0 },
    log(1e-10),
    1e-6,
    8e6,
  );
  const found = measure(run);
  expect(found).toMatchObject({
    mu: { lower: told.lower, upper: told.upper },
    regret: told.regret,
    rates: 'some',
  });
  expect(run.cost).toBe(told.work);
  expect(muOf(run, {})).toEqual(found.mu);
  const spectral = measure(runOf([[1.1, 0.01, 1000]], { method: 'spectral' }));
  expect(found.mu.lower).toBeLessThanOrEqual(spectral.mu.upper);
  expect(found.mu.upper).toBeGreaterThanOrEqual(spectral.mu.lower);
  expect(found.regret.lower).toBeLessThanOrEqual(spectral.regret.upper);
  expect(found.regret.upper).toBeGreaterThanOrEqual(spectral.regret.lower);
  expect(Math.abs(found.epsilonHead - spectral.epsilonHead)).toBeLessThan(1e-6 * spectral.epsilonHead);
  expect(logNormalCdf(-found.mu.lower / 2)).toBeGreaterThan(log(1e-10));
});

/** Noise multiplier, sampling rate and steps. A line of the whole run ends early, or is long: losses are of several sizes. */
const OF_SEVERAL_SIZES = [
  [1.5378604789418668, 0.0011839071906674687, 1509],
  [1.4685597211484005, 0.00025307979710747185, 4746],
  [2.4653943136177094, 0.00027340460972646267, 28],
  [1.0098193255116985, 0.001996247688466869, 504],
  [5.853199403444034, 0.014419254669132693, 7],
] as const;

test.each(OF_SEVERAL_SIZES)(
  'mu of noise %d at a rate of %d for %d steps is narrow and no dearer than others',
  (...row) => {
    const [noise, rate, count] = row;
    const run = { phases: [{ mu: 1 / noise, rate, count }], square: 0 };
    const told = wasm.kernel.questions!.runMeasure(run, log(1e-10), 1e-6, 5e7);
    expect(told.end).toBe('answered');
    expect(told.upper / told.lower).toBeLessThan(1 + 1e-7);
    const { mu, regret } = measure(runOf([[...row]], { method: 'spectral' }));
    expect(told.lower).toBeLessThanOrEqual(mu.upper);
    expect(told.upper).toBeGreaterThanOrEqual(mu.lower);
    expect(told.regret.lower).toBeLessThanOrEqual(regret.upper);
    expect(told.regret.upper).toBeGreaterThanOrEqual(regret.lower);
  },
);

test('where adding a record lies far below from the first ε of a rung on, δ is that of removing one', () => {
  const run = { phases: [{ mu: 1 / 5.853199403444034, rate: 0.014419254669132693, count: 7 }], square: 0 };
  const epsilons = [0.03, 0.044, 0.05, 0.054];
  const { end, logs } = wasm.kernel.questions!.runDeltas(run, epsilons, 5e7);
  expect(end).toBe('answered');
  const spectral = runOf([[5.853199403444034, 0.014419254669132693, 7]], { method: 'spectral' });
  for (const [i, { lower, upper }] of logs.entries()) {
    const delta = spectral.delta(epsilons[i]!);
    expect(upper - lower).toBeLessThan(1e-6);
    expect(lower).toBeLessThanOrEqual(log(delta.upper) + 1e-14);
    expect(upper).toBeGreaterThanOrEqual(log(delta.lower) - 1e-14);
  }
});
