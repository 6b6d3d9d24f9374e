/** Questions about whole runs in one call: the same bits in both engines, brackets that other methods do not contradict, and how a question ends that may not cost enough. */
import { describe, expect, test } from 'vitest';
import * as assembly from '../../assembly/index.js';
import { heap } from '../../assembly/lane/memory.js';
import { openRoom, take } from '../../assembly/lane/room.js';
import type { WasmContext } from '../../bindings/abi.js';
import { Arena } from '../../bindings/arena.js';
import { questionsOver } from '../../bindings/questions.js';
import { InputRangeError } from '../../src/errors.js';
import {
  account,
  approximateDp,
  compose,
  dpSgd,
  gaussian,
  laplace,
  poissonSubsampled,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { ATOMS } from '../../src/kernel/constants.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import type { RunPhase, RunQuestions, SampledRun, Side, Told } from '../../src/kernel/questions.js';
import { laplaceShape } from '../../src/law/exponential-pair.js';
import { exponentialStep } from '../../src/methods/contour/kernel-step.js';
import { relativeWidth } from '../helpers/brackets.js';
import { ratesOf } from '../helpers/contours.js';
import { KINDS } from '../helpers/law-numbers.js';
import { seeded } from '../helpers/random.js';
import { reference, runOf, wasm } from '../helpers/runs.js';

interface Asked {
  readonly run: SampledRun;
  readonly logDelta: number;
  readonly tolerance: number;
}

/** Random runs of one to three phases. */
function random(n: number, seed: number): Asked[] {
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
    },
    logDelta: Math.log(between(1e-9, 1e-3)),
    tolerance: between(1e-8, 1e-3),
  }));
}

const kernels = [wasm.kernel, reference.kernel] as const;

test('have the same bits in both engines, in any order', () => {
  const asked = random(12, 5);
  const answers = kernels.map(({ questions }) =>
    asked.map(({ run, logDelta, tolerance }) => questions!.runEpsilon(run, logDelta, tolerance, Infinity)),
  );
  expect(answers[0]).toEqual(answers[1]);
  const backwards = [...asked]
    .reverse()
    .map(({ run, logDelta, tolerance }) =>
      wasm.kernel.questions!.runEpsilon(run, logDelta, tolerance, Infinity),
    );
  expect(backwards.reverse()).toEqual(answers[0]);
  expect(answers[0]!.filter(({ end }) => end === 'answered').length).toBeGreaterThan(9);
});

test('steps of other kinds have the same bits in both engines, in any order', () => {
  const listed = Float64Array.of(3, 4e-14, 1e-16, -Infinity, -Infinity, -0.3, 0.1, 0.2, 0.4, 0.35, 0.25);
  const noise = (rate: number, epsilon: number): RunPhase => ({
    ...exponentialStep(laplaceShape(epsilon), rate)!,
    count: 200,
  });
  const runs: SampledRun[] = [
    { phases: [noise(0.02, 1.3)], square: 0 },
    { phases: [noise(1, 0.2), noise(0.3, 0.4)], square: 0.1 },
    { phases: [{ mu: ATOMS, rate: 0, own: listed, count: 5 }, noise(0.01, 2)], square: 0.02 },
    { phases: [{ mu: 0.9, rate: 0.01, count: 500 }, noise(0.1, 0.5)], square: 0 },
  ];
  const asked = (kernel: Kernel, run: SampledRun) => {
    const { runEpsilon, runDelta, runDeltas, runMeasure } = kernel.questions!;
    return [
      runEpsilon(run, -12, 1e-7, Infinity),
      runDelta(run, 0.3, 1e-7, Infinity),
      runDeltas(run, [0, 0.4, 1.1], Infinity),
      runMeasure(run, -9, 1e-6, Infinity),
    ];
  };
  const answers = kernels.map((kernel) => runs.map((run) => asked(kernel, run)));
  expect(answers[0]).toEqual(answers[1]);
  const backwards = [...runs].reverse().map((run) => asked(wasm.kernel, run));
  expect(backwards.reverse()).toEqual(answers[0]);
  expect(answers[0]!.flat().filter(({ end }) => end === 'answered').length).toBeGreaterThan(12);
});

test('questions about one direction have the same bits in both engines, in any order and among others', () => {
  const sides: readonly Side[] = [0, 1];
  const asked = ({ questions }: Kernel, run: SampledRun) => {
    const { sideDelta, sideGuess, runMoment } = questions!;
    return [
      () => runMoment(run, 3.7, Infinity),
      ...sides.flatMap((side) => [
        () => sideGuess(run, side, -9, 'delta', Infinity),
        () => sideGuess(run, side, -2, 'falsePositive', Infinity),
        // δ near 1, between the poles, and small
        ...[0, 0.7, 4].map((x) => () => sideDelta(run, side, x, 1e-6, -Infinity, Infinity)),
        () => sideDelta(run, side, 0.4, 1e-3, -2, 1e6),
        ...[0, 0.1].map((offset) => () => ratesOf(questions!, run, side, [1, 1e-5, offset])),
      ]),
    ];
  };
  const runs = Object.values(KINDS);
  const answers = kernels.map((kernel) => runs.map((run) => asked(kernel, run).map((ask) => ask())));
  expect(answers[0]).toEqual(answers[1]);
  const backwards = [...runs].reverse().map((run) =>
    asked(wasm.kernel, run)
      .reverse()
      .map((ask) => {
        wasm.kernel.questions!.runDeltas(run, [0.2, 1], 1e7);
        return ask();
      })
      .reverse(),
  );
  expect(backwards.reverse()).toEqual(answers[0]);
});

test('listed losses beside Laplace noise, and the same with both sides exchanged: one worse direction', () => {
  const [down, up] = [0.5, 0.2];
  const p = Math.expm1(up) / (Math.exp(up) - Math.exp(-down));
  const q = p * Math.exp(-down);
  const found = [
    [-down, up, p, 1 - p],
    [-up, down, 1 - q, q],
  ].map((listed) => {
    const own = Float64Array.of(2, 4e-14, 0, -Infinity, -Infinity, ...listed);
    const noise = { ...exponentialStep(laplaceShape(0.5), 1)!, count: 300 };
    const run = { phases: [{ mu: ATOMS, rate: 0, own, count: 40 }, noise], square: 0 };
    return reference.kernel.questions!.runDelta(run, 40, 1e-9, Infinity);
  });
  const [one, other] = found as [Told, Told];
  for (const { end, lower, upper } of found) {
    expect(end).toBe('answered');
    expect(upper - lower).toBeLessThan(1e-8);
  }
  expect(one.upper).toBeGreaterThanOrEqual(other.lower);
  expect(other.upper).toBeGreaterThanOrEqual(one.lower);
});

describe('brackets that are asked for wide hold those that are sharp', () => {
  test.each(random(10, 7))('logDelta $logDelta, tolerance $tolerance', ({ run, logDelta }) => {
    const { questions } = wasm.kernel;
    const sharp = questions!.runEpsilon(run, logDelta, 1e-9, Infinity);
    if (sharp.end !== 'answered') return;
    for (const tolerance of [1e-1, 1e-2, 1e-4]) {
      const { end, lower, upper } = questions!.runEpsilon(run, logDelta, tolerance, Infinity);
      if (end !== 'answered') continue;
      expect(lower).toBeLessThanOrEqual(sharp.upper);
      expect(upper).toBeGreaterThanOrEqual(sharp.lower);
    }
    const delta = questions!.runDelta(run, (sharp.lower + sharp.upper) / 2, 1e-6, Infinity);
    if (delta.end !== 'answered') return;
    expect(delta.lower).toBeLessThanOrEqual(logDelta + 1e-4);
    expect(delta.upper).toBeGreaterThanOrEqual(logDelta - 1e-4);
  });
});

describe('the grid says nothing else', () => {
  test.each([
    [1.1, 0.01, 300, 1e-5],
    [0.7, 0.05, 100, 1e-6],
    [2, 0.2, 50, 1e-3],
    [4, 0.9, 30, 0.05],
  ])('sigma %d, q %d, %d steps, delta %d', (sigma, q, count, delta) => {
    const run = { phases: [{ mu: 1 / sigma, rate: q, count }], square: 0 };
    const found = wasm.kernel.questions!.runEpsilon(run, Math.log(delta), 1e-6, Infinity);
    expect(found.end).toBe('answered');
    const other = runOf([[sigma, q, count]], { method: 'grid', tolerance: 1e-3 }).epsilon(delta);
    expect(found.lower).toBeLessThanOrEqual(other.upper);
    expect(found.upper).toBeGreaterThanOrEqual(other.lower);
    expect(other.upper - other.lower).toBeLessThan(0.02 * other.upper);
  });
});

test('a question that may not cost enough says so, and nothing else; one that may has the same bits', () => {
  for (const { run, logDelta, tolerance } of random(3, 11)) {
    const whole = wasm.kernel.questions!.runEpsilon(run, logDelta, tolerance, Infinity);
    for (const share of [0, 0.01, 0.1, 0.3, 0.6, 0.9]) {
      const told = wasm.kernel.questions!.runEpsilon(run, logDelta, tolerance, share * whole.work);
      if (told.end === 'answered') expect(told).toEqual(whole);
      else expect(told.end).toBe('limited');
      expect(reference.kernel.questions!.runEpsilon(run, logDelta, tolerance, share * whole.work)).toEqual(
        told,
      );
    }
    expect(wasm.kernel.questions!.runEpsilon(run, logDelta, tolerance, whole.work)).toEqual(whole);
  }
});

describe('a question without room for its numbers', () => {
  const run = { phases: [{ mu: 1 / 1.1, rate: 0.01, count: 1000 }], square: 0 };
  // an engine's memory has one arena
  const apart = new Arena({ buffer: new ArrayBuffer(2 ** 24), grow: () => 0 }, 0);
  const unopened = { openRun: () => 1, roomFor: () => 64 };
  /** Questions whose room ends early, and whose memory does not grow. */
  const starved = [
    () => {
      openRoom(2 ** 20, 2 ** 20 + 160, Infinity);
      expect(take(20)).toBe(2 ** 20);
      take(1);
    },
    () => {
      throw new WebAssembly.RuntimeError('unreachable');
    },
    () => {
      throw new InputRangeError('memory must grow');
    },
  ].map((starve) => {
    const names = ['runBracket', 'runEach', 'sideDelta', 'sideLine', 'lineAnswer', 'sideGuess', 'runMoment'];
    const context = {
      exports: {
        ...assembly,
        memory: heap,
        ...unopened,
        ...Object.fromEntries(names.map((name) => [name, starve])),
      },
      arena: apart,
      room: { at: 0, numbers: 0 },
    };
    return questionsOver(context as unknown as WasmContext);
  });

  test('is not answered', () => {
    for (const questions of starved)
      expect(questions.runEpsilon(run, -11, 1e-6, Infinity)).toMatchObject({
        end: 'not answered',
        upper: Infinity,
        work: 0,
      });
    for (const questions of starved) {
      const [end, unknown] = ['not answered', { lower: -Infinity, upper: 0 }] as const;
      expect(questions.sideDelta(run, 0, 1, 1e-6, -Infinity, Infinity)).toMatchObject({ end, ...unknown });
      const rates = { end, falsePositive: unknown, power: unknown, work: 0 };
      expect(ratesOf(questions, run, 1, [1, 1e-6, 0])).toEqual(rates);
      expect(questions.lineAnswer(new Float64Array(48), 1, -1)).toMatchObject({
        delta: unknown,
        power: unknown,
      });
      expect(questions.sideGuess(run, 1, -9, 'delta', Infinity)).toEqual({ at: NaN, variance: NaN, work: 0 });
      expect(questions.runMoment(run, 3, Infinity)).toEqual({ most: Infinity, work: 0 });
      expect(questions.runDeltas(run, [1], Infinity)).toEqual({ end, logs: [unknown], work: 0 });
    }
    const runBracket = () => (undefined as unknown as () => number)();
    const broken = { ...assembly, memory: heap, ...unopened, runBracket };
    const context = { exports: broken, arena: apart, room: 0 } as unknown as WasmContext;
    expect(() => questionsOver(context).runEpsilon(run, -11, 1e-6, Infinity)).toThrow(TypeError);
    // mixtures of so many components are refused before they are written
    const many = { phases: [{ mu: 0, rate: 0, count: 9, own: new Float64Array(40) }], square: 0 };
    expect(questionsOver(context).runEpsilon(many, -11, 1e-6, Infinity).end).toBe('not answered');
  });

  test('is one for the methods behind it', () => {
    const mute = Object.assign(Object.create(wasm.kernel) as Kernel, { questions: undefined });
    const behind = runOf([[1.1, 0.01, 1000]], { engine: { ...wasm, kernel: mute } }).epsilon(1e-5);
    for (const questions of starved) {
      const kernel = Object.assign(Object.create(wasm.kernel) as Kernel, { questions });
      const mechanism = dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 });
      const run = account({ ...wasm, kernel }, mechanism, { adjacency: 'add-remove' });
      expect(run.epsilon(1e-5)).toEqual(behind);
    }
  });
});

test.each([wasm, reference])(
  'a contour laid for delta says nothing of rates, nor the other way',
  ({ kernel }) => {
    const questions = kernel.questions!;
    const sampled = { phases: [{ mu: 0.5, rate: 0.2, count: 1 }], square: 0 };
    const unknown = { lower: -Infinity, upper: 0 };
    for (const areRates of [false, true]) {
      const { line } = questions.sideLine(sampled, 0, { from: 0, to: 0, width: 0.1, areRates }, Infinity);
      const { falsePositive, delta } = questions.lineAnswer(line!, 0, areRates ? 0 : -1);
      expect(areRates ? delta : falsePositive).toEqual(unknown);
      const other = questions.lineAnswer(line!, 0, areRates ? -1 : 0);
      for (const rate of [other.delta, other.power, other.falsePositive]) expect(rate).toEqual(unknown);
      // P(L > 0) is the normal probability beyond 1/4
      if (areRates) {
        expect(falsePositive.lower).toBeLessThan(-0.913061764811);
        expect(falsePositive.upper).toBeGreaterThan(-0.913061764811);
      } else expect(delta.lower).toBeGreaterThan(-4);
    }
  },
);

test('room is kept for runs of more and more phases no more than three times', () => {
  const kept: number[] = [];
  const memory = new Arena({ buffer: new ArrayBuffer(2 ** 20), grow: () => 0 }, 0);
  const arena = Object.assign(Object.create(memory) as Arena, {
    keep: (count: number) => {
      kept.push(count);
      return 0;
    },
  });
  const exports = { ...assembly, memory: heap, openRun: () => 1, runBracket: () => 1 };
  const questions = questionsOver({ exports, arena } as unknown as WasmContext);
  for (let many = 1; many <= 200; many++) {
    const phases = Array.from({ length: many }, () => ({ mu: 1, rate: 0.1, count: 1 }));
    questions.runEpsilon({ phases, square: 0 }, -11, 1e-6, Infinity);
    expect(kept[kept.length - 1]).toBeGreaterThanOrEqual(assembly.roomFor(many));
  }
  expect(kept.length).toBeLessThanOrEqual(3);
  expect(kept.reduce((sum, count) => sum + count, 0)).toBeLessThan(1.4 * assembly.roomFor(200));
});

test.each(kernels)('numbers that are none of a run are refused: engine %#', ({ questions }) => {
  const run = { phases: [{ mu: 1, rate: 0.1, count: 100 }], square: 0 };
  const refused = { end: 'not answered', lower: 0, upper: Infinity, work: 0 };
  for (const logDelta of [0, 1, Infinity, -Infinity, Number.NaN])
    expect(questions!.runEpsilon(run, logDelta, 1e-6, Infinity)).toMatchObject(refused);
  for (const epsilon of [-1, Infinity, Number.NaN])
    expect(questions!.runDelta(run, epsilon, 1e-6, Infinity)).toMatchObject(refused);
  for (const width of [0, -1, Number.NaN]) {
    expect(questions!.runEpsilon(run, -5, width, Infinity)).toMatchObject(refused);
    expect(questions!.runDelta(run, 1, width, Infinity)).toMatchObject(refused);
  }
  const wrong = [0, -1, Infinity, Number.NaN].flatMap((x) => [
    { mu: x },
    { rate: x },
    { count: x },
    { rate: 1 },
  ]);
  for (const off of wrong) {
    const phases = [run.phases[0]!, { ...run.phases[0]!, ...off }];
    expect(questions!.runEpsilon({ phases, square: 0 }, -5, 1e-6, Infinity)).toMatchObject(refused);
  }
  for (const square of [-1, Infinity, Number.NaN])
    expect(questions!.runDelta({ ...run, square }, 1, 1e-6, Infinity)).toMatchObject(refused);
});

describe('adjacencies that a call serves, and those that it leaves to others', () => {
  const asked = Object.assign(Object.create(wasm.kernel) as Kernel, {
    questions: {
      ...wasm.kernel.questions!,
      runEpsilon: (...of: Parameters<RunQuestions['runEpsilon']>) => {
        calls++;
        return wasm.kernel.questions!.runEpsilon(...of);
      },
    },
  });
  let calls = 0;
  const sampled = dpSgd({ noiseMultiplier: 0.9, samplingRate: 0.02, steps: 400 });
  const full = repeat(gaussian({ noiseMultiplier: 30 }), 5);
  const noise = poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.05 });
  const answer = randomizedResponse({ epsilon: 0.4 });
  test.each([
    ['add-remove', compose([sampled]), true],
    ['zero-out', compose([sampled]), true],
    ['replace-one', compose([sampled]), true],
    ['add-remove', compose([sampled, full]), true],
    ['zero-out', compose([sampled, full]), true],
    ['replace-one', compose([sampled, full]), true],
    ['add-remove', compose([sampled, laplace({ scale: 20, sensitivity: 1 })]), true],
    ['add-remove', repeat(noise, 300), true],
    ['add-remove', compose([sampled, repeat(noise, 50), repeat(answer, 9)]), true],
    ['add-remove', compose([sampled, approximateDp({ epsilon: 0.2, delta: 1e-8 })]), false],
    ['add-remove', repeat(poissonSubsampled(answer, { rate: 0.1 }), 300), false],
  ] as const)('%s: %j', (adjacency, mechanism, isServed) => {
    calls = 0;
    const found = account({ ...wasm, kernel: asked }, mechanism, { adjacency }).epsilon(1e-6);
    expect(calls > 0).toBe(isServed);
    const options = { adjacency, method: 'grid', tolerance: 1e-3 } as const;
    const other = account(wasm, mechanism, options).epsilon(1e-6);
    expect(found.lower).toBeLessThanOrEqual(other.upper);
    expect(found.upper).toBeGreaterThanOrEqual(other.lower);
    expect(relativeWidth(other)).toBeLessThan(0.02);
  });
});

test('epsilon of an account is that of the call, and the cost of a question is the same whenever it is asked', () => {
  const told = wasm.kernel.questions!.runEpsilon(
    { phases: [{ mu: 1 / 1.1, rate: 0.01, count: 1000 }], square: 0 },
    Math.log(1e-5),
    1e-6,
    Infinity,
  );
  const [one, other] = [0, 1].map(() => runOf([[1.1, 0.01, 1000]]));
  expect(one!.epsilon(1e-5)).toEqual({ lower: told.lower, upper: told.upper });
  const { cost } = one!;
  expect(cost).toBe(told.work);
  other!.delta(1);
  other!.epsilon(1e-7);
  expect(other!.epsilon(1e-5)).toEqual(one!.epsilon(1e-5));
  expect(other!.cost).toBe(cost);
});
