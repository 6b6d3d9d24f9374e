/** Questions about one run that share its lines: the same bits and costs in any order; powers of tests by δ alone, of curves that are known otherwise; and against other methods. */
import { describe, expect, test } from 'vitest';
import { takeZeros } from '../../assembly/lane/room.js';
import { BestTests } from '../../assembly/question/best-tests.js';
import type { RunQuestions, SampledRun } from '../../src/kernel/questions.js';
import { log } from '../../src/numeric/scalar.js';
import { intersects, relativeWidth } from '../helpers/brackets.js';
import { differences } from '../helpers/kernels.js';
import { CURVES, gaussian, KnownCurve, Mixed } from '../helpers/known-curve.js';
import { sample } from '../helpers/random.js';
import { roomy } from '../helpers/run-laws.js';
import { reference, runOf, wasm } from '../helpers/runs.js';

const one: SampledRun = { phases: [{ mu: 1 / 1.1, rate: 0.01, count: 1000 }], square: 0 };
const other: SampledRun = {
  phases: [
    { mu: 1 / 0.8, rate: 0.002, count: 3000 },
    { mu: 1 / 2, rate: 0.05, count: 200 },
  ],
  square: 0.01,
};

/** Some of them beyond the first lines, some beyond what may be asked, some that may cost too little. */
const QUESTIONS: readonly ((of: RunQuestions) => unknown)[] = [one, other].flatMap((run) => [
  (of: RunQuestions) => of.runPowers(run, [1e-10, 1e-4, 0.1, 0.45, 0.9].map(log), 8e6),
  (of: RunQuestions) => of.runPowers(run, [1e-30, 1e-90].map(log), 8e6),
  (of: RunQuestions) => of.runPowers(run, [-1e6, -50], 2e5),
  (of: RunQuestions) => of.runPowers(run, [-50], 1e6),
  (of: RunQuestions) => of.runDeltas(run, [0, 0.5, 1, 3, 20, 1e6, -1, NaN], 8e6),
  (of: RunQuestions) => of.runDeltas(run, [0], 1e4),
  (of: RunQuestions) => of.runMeasure(run, log(1e-10), 1e-6, 8e6),
  (of: RunQuestions) => of.runMu(run, log(1e-6), 1e-6, 8e6),
  (of: RunQuestions) => of.runEpsilon(run, log(1e-5), 1e-6, 8e6),
  (of: RunQuestions) => of.runDelta(run, 1, 1e-6, 8e6),
]);

test('say and cost the same in both engines, in any order', () => {
  const { questions } = wasm.kernel;
  const alone = QUESTIONS.map((question, i) => {
    // the other run is opened in between
    QUESTIONS[(i + 10) % 20]!(questions!);
    return question(questions!);
  });
  expect(QUESTIONS.map((question) => question(reference.kernel.questions!))).toEqual(alone);
  for (const of of [questions!, reference.kernel.questions!])
    for (let i = 0; i < 10; i++)
      for (let k = 0; k < 10; k++) {
        QUESTIONS[i]!(of);
        expect(QUESTIONS[k]!(of)).toEqual(alone[k]);
      }
});

const SCALES = { sharp: 1e-8, coarse: 1e-3 } as const;
const RATES = [1e-10, 1e-6, 1e-3, 0.02, 0.1, 0.2, 0.3, 0.4];

const CASES = [
  ...Object.entries(SCALES).flatMap(([name, width]) =>
    [-1, 0, 1].map((side) => ({ name, width, side, miss: 0 })),
  ),
  ...[-1.5, 1.5].map((miss) => ({ name: 'rates missed', width: 1e-8, side: 0, miss })),
];

/** Its f has a slope of −1 over a stretch of rates. */
const OFTEN_NOTHING = new Mixed([gaussian(1.2), { delta: () => 0, fpr: () => 0, tpr: () => 0 }], [0.3, 0.7]);

describe.each([...CURVES, ['a Gaussian, and nothing more often', OFTEN_NOTHING] as const])(
  'the power of the best test: %s',
  (_, mixed) => {
    test.each(CASES)('$name, off to side $side', ({ width, side, miss }) => {
      let answered = 0;
      for (const alpha of RATES) {
        roomy();
        const found = new BestTests(new KnownCurve(mixed, { width, side, miss }));
        if (!found.at(Math.log(alpha))) continue;
        answered++;
        const exact = Math.log(mixed.power(alpha));
        expect(found.lower).toBeLessThanOrEqual(exact + 1e-12);
        expect(found.upper).toBeGreaterThanOrEqual(exact - 1e-12);
        if (width === SCALES.sharp && miss === 0) expect(found.upper - found.lower).toBeLessThan(1e-6);
      }
      expect(answered).toBeGreaterThan(0);
    });
  },
);

test('rates of a run are those of the call, and other methods do not contradict them', () => {
  const settings = [
    [1.1, 0.01, 1000],
    [0.7, 0.03, 2000],
    [3, 0.004, 20_000],
  ] as const;
  for (const setting of settings) {
    const [run, spectral] = [runOf([setting]), runOf([setting], { method: 'spectral' })];
    for (const alpha of [1e-10, 1e-3, 0.1, 0.3]) {
      expect(intersects(run.tradeoff(alpha), spectral.tradeoff(alpha))).toBe(true);
      expect(intersects(run.truePositiveRate(alpha), spectral.truePositiveRate(alpha))).toBe(true);
      expect(relativeWidth(run.truePositiveRate(alpha))).toBeLessThan(1e-6);
    }
    for (const epsilon of [0, 0.1, 1]) {
      expect(intersects(run.logDelta(epsilon), spectral.logDelta(epsilon))).toBe(true);
      const { lower, upper } = run.logDelta(epsilon);
      expect(upper - lower).toBeLessThan(1e-6);
    }
  }
});

test('a run of much loss, whose first line begins at no rate, has no lines, and the question ends', () => {
  const run = { phases: [{ mu: 1 / 0.4172, rate: 0.2466, count: 4033 }], square: 0 };
  for (const { kernel } of [wasm, reference]) {
    const { logs, work } = kernel.questions!.runDeltas(run, [25.5], 1e8);
    expect(logs[0]!.upper).toBeGreaterThanOrEqual(-2.7e-11);
    expect(work).toBeLessThan(1e8);
  }
});

test('questions, and rooms of tests, leave what transforms keep alone', () => {
  const { realFft, questions } = reference.kernel;
  const run = { phases: [{ mu: 1 / 0.47, rate: 0.0046, count: 3 }], square: 0 };
  questions!.runMu(run, -14, 1e-6, 1e8);
  // what they keep comes to lie at the end of memory
  for (const n of [2 ** 16, 2 ** 17, 2 ** 18]) realFft(new Float64Array(n));
  const values = sample(1, 4096, (random) => random() - 0.5);
  const before = realFft(values);
  questions!.runMu(run, -14, 1e-6, 1e8);
  roomy();
  takeZeros(2 ** 19);
  expect(differences(before, realFft(values))).toBe(0);
});

test('a run without lines says and costs the same, whether that is known of it or not', () => {
  const run = { phases: [{ mu: 2, rate: 0.2, count: 1e6 }], square: 0 };
  const of = wasm.kernel.questions!;
  const first = of.runDeltas({ ...run }, [0, 1], 1e9);
  expect(first.logs[0]).toEqual({ lower: -Infinity, upper: 0 });
  of.runDeltas(run, [1], 1e6);
  of.runDelta(run, 1, 1e-6, 1e6);
  expect(of.runDeltas(run, [0, 1], 1e9)).toEqual(first);
  of.runDelta(run, 1, 1e-6, 1e6);
  expect(of.runDeltas(run, [0, 1], 1e9)).toEqual(first);
});
