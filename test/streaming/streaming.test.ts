import { describe, expect, test } from 'vitest';
import {
  account,
  compose,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  repeat,
  StreamingAccountant,
} from '../../src/index.js';
import type { RunQuestions } from '../../src/kernel/questions.js';
import { intersects, relativeWidth } from '../helpers/brackets.js';
import { reference, wasm } from '../helpers/runs.js';

const step = (noiseMultiplier: number, rate: number) =>
  poissonSubsampled(gaussian({ noiseMultiplier }), { rate });

const start = (engine = wasm) => StreamingAccountant.start(engine, { adjacency: 'add-remove' });

type Phase = readonly [sigma: number, rate: number, steps: number];

function streamed(phases: readonly Phase[], engine = wasm): StreamingAccountant {
  const stream = start(engine);
  for (const [sigma, rate, steps] of phases) stream.add(step(sigma, rate), steps);
  return stream;
}

const mechanismOf = (phases: readonly Phase[]) =>
  compose(phases.map(([sigma, rate, steps]) => repeat(step(sigma, rate), steps)));

const composed = (phases: readonly Phase[]) =>
  account(wasm, mechanismOf(phases), { adjacency: 'add-remove', tolerance: 1e-7 });

describe('answers', () => {
  test.each<[readonly Phase[], number]>([
    [[[9.4, 16384 / 50000, 2000]], 1e-10],
    [[[1, 0.01, 1000]], 1e-7],
    [
      [
        [1.3, 0.004, 5000],
        [0.9, 0.004, 500],
      ],
      1e-5,
    ],
    [[[0.6, 0.001, 100_000]], 1e-6],
    [[[2, 0.1, 400]], 1e-9],
    [[[1.1, 1, 3]], 1e-12],
  ])('%j as composed in one go, and narrow', (phases, width) => {
    const stream = streamed(phases);
    const run = composed(phases);
    for (const delta of [1e-2, 1e-5, 1e-8]) {
      const epsilon = stream.epsilon(delta);
      expect(intersects(epsilon, run.epsilon(delta)), `${delta}`).toBe(true);
      expect(relativeWidth(epsilon)).toBeLessThan(width);
    }
    const usual = account(wasm, mechanismOf(phases), { adjacency: 'add-remove' });
    expect(stream.epsilon(1e-5)).toEqual(usual.epsilon(1e-5));
    expect(stream.tradeoff(0.01)).toEqual(usual.tradeoff(0.01));
  });

  test.each([wasm, reference])('below 0 too, by the other direction: engine %#', (engine) => {
    const phases: readonly Phase[] = [[1, 0.01, 1000]];
    const [stream, run] = [streamed(phases, engine), composed(phases)];
    for (const epsilon of [-1e-9, -0.01, -0.3, -1, -2.5, -6, -40]) {
      const found = stream.logDelta(epsilon);
      expect(intersects(found, run.logDelta(epsilon)), `${epsilon}`).toBe(true);
      // relative to what δ lacks to 1, where that is less
      expect(found.upper - found.lower).toBeLessThanOrEqual(1e-6 * Math.min(1, Math.exp(epsilon)) + 1e-15);
    }
  });

  test('an answer of 0 draws no contour', () => {
    let sums = 0;
    const kernel = Object.assign(Object.create(wasm.kernel) as typeof wasm.kernel, {
      questions: {
        ...wasm.kernel.questions!,
        runEpsilon: (...asked: Parameters<RunQuestions['runEpsilon']>) => {
          const told = wasm.kernel.questions!.runEpsilon(...asked);
          // a line has an error of rounding
          if (told.errors.rounding > 0) sums++;
          return told;
        },
        sideDelta: (...asked: Parameters<RunQuestions['sideDelta']>) => {
          const told = wasm.kernel.questions!.sideDelta(...asked);
          if (told.nodes > 0) sums++;
          return told;
        },
      },
    });
    const engine = { ...wasm, kernel };
    for (const phases of [[[1, 0.001, 100]], [[2, 1e-4, 10_000]], [[1, 1e-3, 1000]]] as const) {
      const stream = streamed(phases, engine);
      const mechanism = compose(phases.map(([sigma, rate, steps]) => repeat(step(sigma, rate), steps)));
      const run = account(engine, mechanism, { adjacency: 'add-remove' });
      for (const either of [stream, run]) {
        sums = 0;
        expect(either.epsilon(0.1)).toEqual({ lower: 0, upper: 0 });
        expect(sums).toBe(0);
        expect(either.epsilon(1e-9).lower).toBeGreaterThan(0);
        expect(sums).toBeGreaterThan(0);
      }
    }
  });

  test('exact values of the CIFAR-10 run', () => {
    const stream = streamed([[9.4, 16384 / 50000, 2000]]);
    // eleven decimals, cut
    for (const [delta, cut] of [
      [1e-10, 10.80992335046],
      [1e-20, 15.47166014843],
    ]) {
      const epsilon = stream.epsilon(delta);
      expect(intersects(epsilon, { lower: cut - 1e-14, upper: cut + 1.001e-11 })).toBe(true);
      expect(relativeWidth(epsilon)).toBeLessThan(1e-10);
    }
    // by the contour integral in 40 digits, on two lines with two spacings each
    expect(stream.delta(8)).toContainValue(1.9176235314940981e-6);
    expect(stream.measure().mu.lower).toBeGreaterThan(1.56694);
    expect(stream.measure().mu.upper).toBeLessThan(1.56696);
  });

  test('where its lines do not reach, the bracket is wide, not wrong', () => {
    for (const phases of [[[1, 0.01, 10]], [[5, 0.5, 1e6]], [[0.3, 0.01, 1000]]] as const) {
      const stream = streamed(phases);
      const run = composed(phases);
      for (const delta of [1e-3, 1e-6]) {
        expect(intersects(stream.epsilon(delta), run.epsilon(delta)), JSON.stringify(phases)).toBe(true);
      }
    }
  });

  test('both engines', () => {
    const phases: Phase[] = [[2, 0.1, 400]];
    expect(streamed(phases, reference).epsilon(1e-5)).toEqual(streamed(phases).epsilon(1e-5));
  });
});

describe('state', () => {
  test('shards merged are the whole', () => {
    const one = streamed([[1.5, 0.02, 300]]);
    const other = streamed([[2.5, 0.05, 200]]);
    const whole = streamed([
      [1.5, 0.02, 300],
      [2.5, 0.05, 200],
    ]);
    const merged = one.copy().merge(other);
    expect(merged.steps).toBe(500);
    expect(intersects(merged.epsilon(1e-5), whole.epsilon(1e-5))).toBe(true);
    expect(relativeWidth(merged.epsilon(1e-5))).toBeLessThan(1e-7);
    // the parts stay as they were
    expect(one.steps).toBe(300);
    expect(one.epsilon(1e-5).upper).toBeLessThan(merged.epsilon(1e-5).lower);
  });

  test('a step added n times is n steps added', () => {
    const stream = start();
    for (let i = 0; i < 5; i++) stream.add(step(1.2, 0.1));
    expect(intersects(stream.epsilon(1e-3), streamed([[1.2, 0.1, 5]]).epsilon(1e-3))).toBe(true);
    expect(stream.steps).toBe(5);
  });

  test('neither order nor grouping nor a question before changes a bit', () => {
    const [a, b, c] = [step(1.5, 0.02), step(2, 0.1), step(0.45, 0.015)];
    const asked = (stream: StreamingAccountant) => [
      stream.epsilon(1e-5),
      stream.logDelta(2),
      stream.tradeoff(0.1),
    ];
    const whole = start().add(compose([repeat(a, 50), b, repeat(c, 7), repeat(a, 30)]));
    const bits = asked(whole);
    const single = start();
    for (let i = 0; i < 80; i++) {
      single.add(a);
      if (i === 20) single.add(c, 7);
      if (i === 40) expect(single.epsilon(1e-3).upper).toBeGreaterThan(0);
    }
    expect(asked(single.add(b))).toEqual(bits);
    expect(asked(start().add(c, 7).merge(start().add(b).add(a, 80)))).toEqual(bits);
    const planned = start().add(a, 50).add(b).add(c, 7);
    expect(planned.wouldExceed({ epsilon: 50, delta: 1e-5 }, repeat(a, 30))).toBe('no');
    expect(asked(planned.add(a, 30))).toEqual(bits);
    expect(whole.steps).toBe(88);
  });

  test('what is added stays what it was', () => {
    const changing = { ...step(1.5, 0.02) };
    const stream = start().add(changing, 300);
    changing.rate = 0.9;
    expect(stream.epsilon(1e-5)).toEqual(streamed([[1.5, 0.02, 300]]).epsilon(1e-5));
  });

  test('many different steps', () => {
    const stream = start();
    const phases = Array.from({ length: 20 }, (_, i) => [1 + i / 33, 0.02 + i / 700, 3] as const);
    for (const [sigma, rate, count] of phases) stream.add(step(sigma, rate), count);
    const epsilon = stream.epsilon(1e-5);
    expect(intersects(epsilon, composed(phases).epsilon(1e-5))).toBe(true);
    expect(relativeWidth(epsilon)).toBeLessThan(1e-9);
  });

  test('goes on from JSON with the same bits', () => {
    const stream = streamed([[1.5, 0.02, 300]]);
    const text = JSON.stringify(stream);
    const back = StreamingAccountant.fromJSON(wasm, JSON.parse(text));
    expect(back.epsilon(1e-5)).toEqual(stream.epsilon(1e-5));
    expect(JSON.stringify(back)).toBe(text);
    expect(back.add(step(2, 0.1), 10).epsilon(1e-5)).toEqual(stream.add(step(2, 0.1), 10).epsilon(1e-5));
  });

  test('its size does not depend on the number of steps, and one more kind is a line of text', () => {
    const few = JSON.stringify(streamed([[3, 0.01, 1]])).length;
    const many = start();
    for (let i = 0; i < 40; i++) many.add(step(3, 0.01), 2 ** i);
    expect(JSON.stringify(many).length).toBeLessThan(few + 20);
    expect(JSON.stringify(many.add(step(2, 0.01))).length).toBeLessThan(few + 200);
  });

  test('a schedule of hundreds of kinds, a step each', () => {
    const stream = start();
    for (let i = 0; i < 300; i++) stream.add(step(1 + i / 300, 0.01), 10);
    const { lower, upper } = stream.epsilon(1e-5);
    expect(upper - lower).toBeLessThan(1e-6 * upper);
    expect(stream.steps).toBe(3000);
    expect(JSON.stringify(stream).length).toBeLessThan(60_000);
  });

  test('nothing added, nothing lost', () => {
    expect(start().epsilon(1e-5)).toEqual({ lower: 0, upper: 0 });
    expect(start().add(step(1, 0), 10).delta(0)).toEqual({ lower: 0, upper: 0 });
    expect(start().add(step(1, 0.1), 0).steps).toBe(0);
  });
});

test('a budget is kept, exceeded, or too close to call', () => {
  const stream = streamed([[9.4, 16384 / 50000, 1000]]);
  const more: Mechanism = repeat(step(9.4, 16384 / 50000), 1000);
  const epsilon = streamed([[9.4, 16384 / 50000, 2000]]).epsilon(1e-5);
  expect(stream.wouldExceed({ epsilon: 7.43, delta: 1e-5 })).toBe('no');
  expect(stream.wouldExceed({ epsilon: 7.43, delta: 1e-5 }, more)).toBe('no');
  expect(stream.wouldExceed({ epsilon: 7.42, delta: 1e-5 }, more)).toBe('yes');
  expect(stream.wouldExceed({ epsilon: (epsilon.lower + epsilon.upper) / 2, delta: 1e-5 }, more)).toBe(
    'undecided',
  );
  expect(stream.steps).toBe(1000);
});

describe('bad input', () => {
  const good = JSON.parse(JSON.stringify(start())) as Record<string, unknown>;
  const kept = { count: 2, mechanism: { kind: 'gaussian', noiseMultiplier: 1 } };
  test.each([
    [null, '"stream" must be an object'],
    [{ ...good, format: 'other' }, '"format" must be one of gdp-kernel-stream'],
    [{ ...good, version: 4 }, '"version" must be 5, got 4'],
    [{ ...good, directions: [] }, '"stream.directions" is unknown'],
    [{ ...good, adjacency: 'none' }, '"adjacency" must be'],
    [{ ...good, steps: {} }, '"steps" must be an array'],
    [{ ...good, steps: [7] }, '"steps[0]" must be an object'],
    [{ ...good, steps: [kept, { ...kept, count: -1 }] }, '"steps[1].count" must be a whole number'],
    [{ ...good, steps: [{ ...kept, of: 1 }] }, '"steps[0].of" is unknown'],
    [{ ...good, steps: [{ count: 1 }] }, '"steps[0].mechanism" must be an object'],
    [
      { ...good, steps: [{ count: 1, mechanism: { kind: 'gaussian', noiseMultiplier: -1 } }] },
      '"steps[0].mechanism.noiseMultiplier" must be',
    ],
  ] as [unknown, string][])('case %#', (data, message) => {
    expect(() => StreamingAccountant.fromJSON(wasm, data)).toThrow(message);
  });

  test('mechanisms and options', () => {
    expect(() => StreamingAccountant.start(wasm, {} as never)).toThrow('"adjacency" must be');
    expect(() => StreamingAccountant.start({} as never, { adjacency: 'add-remove' })).toThrow('"engine"');
    expect(() => start().add({ kind: 'gaussian', noiseMultiplier: 1 })).toThrow('"mechanism" must be');
    expect(() => start().add(step(1, 0.1), 2 ** 53)).toThrow('"count" must be');
    expect(() =>
      start()
        .add(step(1, 0.1), 2 ** 52)
        .add(step(2, 0.1), 2 ** 52),
    ).toThrow('"count" must be');
    expect(() => start().add(step(1, 0.1), 1.5)).toThrow('"count" must be a whole number');
    expect(() => start().wouldExceed({ epsilon: -1, delta: 0 })).toThrow('"epsilon" must be');
    const other = StreamingAccountant.start(wasm, { adjacency: 'replace-one' });
    expect(() => start().merge(other)).toThrow('a stream under add-remove adjacency');
  });
});

test('Laplace and pure DP go with Gaussians', () => {
  const parts = [
    laplace({ scale: 10, sensitivity: 1 }),
    pureDp({ epsilon: 0.1 }),
    gaussian({ noiseMultiplier: 2 }),
  ];
  const stream = start();
  for (const part of parts) stream.add(part, 3);
  const run = account(wasm, compose(parts.map((part) => repeat(part, 3))), { adjacency: 'add-remove' });
  for (const delta of [1e-3, 1e-6]) expect(intersects(stream.epsilon(delta), run.epsilon(delta))).toBe(true);
});
