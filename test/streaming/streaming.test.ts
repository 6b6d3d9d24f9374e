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
import { intersects } from '../../src/numeric/bracket.js';
import { relativeWidth } from '../helpers/brackets.js';
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

const composed = (phases: readonly Phase[]) =>
  account(wasm, compose(phases.map(([sigma, rate, steps]) => repeat(step(sigma, rate), steps))), {
    adjacency: 'add-remove',
    tolerance: 1e-7,
  });

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
    expect(intersects(stream.tradeoff(0.01), run.tradeoff(0.01))).toBe(true);
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
      contourSumsUniform: (...asked: Parameters<typeof wasm.kernel.contourSumsUniform>) => {
        sums++;
        return wasm.kernel.contourSumsUniform(...asked);
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
    const { lower, upper } = stream.delta(8);
    expect(lower).toBeLessThan(1.917623531504e-6 * (1 + 1e-12));
    expect(upper).toBeGreaterThan(1.917623531504e-6 * (1 - 1e-12));
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

  test('a step met before adds the same bits, from whatever stream it is remembered', () => {
    const [a, b, c] = [step(1.5, 0.02), step(2, 0.1), step(1, 0.01)];
    const fresh = start();
    for (const each of [a, b, a]) fresh.add(each, 50);
    const planned = start().add(a, 50).add(b, 50);
    expect(planned.wouldExceed({ epsilon: 5, delta: 1e-5 }, repeat(a, 50))).toBe('no');
    expect(JSON.stringify(planned.copy().add(a, 50))).toBe(JSON.stringify(fresh));
    // remembered by no one any more
    for (const [i, sigma] of [3, 4, 5, 6, 7].entries()) planned.add(step(sigma, 0.1), i + 1);
    const later = StreamingAccountant.fromJSON(wasm, JSON.parse(JSON.stringify(planned)));
    expect(JSON.stringify(later.add(c))).toBe(JSON.stringify(planned.add(c)));
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

  test('answers and states are the same bits whether lines wait for steps or have them all', () => {
    const [waiting, written] = [start(), start()];
    const asked = (stream: StreamingAccountant) => [stream.epsilon(1e-5), stream.logDelta(2)];
    // more than wait at once, and one that small scales cannot add
    const kinds = [gaussian({ noiseMultiplier: 12 }), step(1.1, 0.02), step(0.45, 0.015)];
    for (let i = 0; i < 35; i++) {
      for (const stream of [waiting, written]) stream.add(kinds[i % 17 === 16 ? 2 : i % 2]!, 5);
      if (i === 3) waiting.copy().epsilon(1e-3);
      if (i % 16 === 5) JSON.stringify(written);
      if (i % 16 === 7) expect(asked(waiting)).toEqual(asked(written));
    }
    expect(asked(StreamingAccountant.fromJSON(wasm, JSON.parse(JSON.stringify(written))))).toEqual(
      asked(waiting.copy()),
    );
    expect(JSON.stringify(waiting)).toBe(JSON.stringify(written));
  });

  test('its size depends neither on the number of steps nor on how many differ', () => {
    const few = JSON.stringify(streamed([[3, 0.01, 1]])).length;
    const many = start();
    for (let i = 0; i < 6; i++) many.add(step(3 + i / 100, 0.01), 2 ** i);
    expect(JSON.stringify(many).length).toBeLessThan(few * 1.01);
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

type Json = Record<string, unknown>;

/** A stream's JSON whose first sum of the first direction is another. */
function changed(stream: Json, first: unknown): Json {
  const [[, ...sums], other] = stream['directions'] as unknown[][];
  return { ...stream, directions: [[first, ...sums!], other] };
}

const encoded = (...values: number[]): string =>
  Buffer.from(Float64Array.from(values).buffer).toString('base64');

describe('bad input', () => {
  const good = JSON.parse(JSON.stringify(start())) as Record<string, unknown>;
  test.each([
    [null, '"stream" must be an object'],
    [{ ...good, format: 'other' }, '"format" must be one of gdp-kernel-stream'],
    [{ ...good, version: 3 }, '"version" must be 4, got 3'],
    [{ ...good, steps: -1 }, '"steps" must be'],
    [{ ...good, directions: [] }, '"directions" must be an array of 2'],
    [{ ...good, directions: [{}, {}] }, '"directions[0]" must be an array'],
    [{ ...good, directions: [['AAAA'], []] }, '"directions[0]" must be'],
    [changed(good, 7), '"directions[0][0]" must be base64 of 4 float64, or empty'],
    [changed(good, 'AAAA'), '"directions[0][0]" must be base64 of 4 float64, or empty'],
    [changed(good, '?'), '"directions[0][0]" must be base64 of 4 float64, or empty'],
    [changed(good, encoded(0, NaN, 0, 0)), '"directions[0][0]" must be numbers'],
    [changed(good, encoded(-1, 0, 0, 0)), '"directions[0][0]" must be an error bound >= 0 first'],
  ] as [unknown, string][])('case %#', (data, message) => {
    expect(() => StreamingAccountant.fromJSON(wasm, data)).toThrow(message);
  });

  test('mechanisms and options', () => {
    expect(() => StreamingAccountant.start(wasm, {} as never)).toThrow('"adjacency" must be');
    expect(() => StreamingAccountant.start({} as never, { adjacency: 'add-remove' })).toThrow('"engine"');
    expect(() => start().add(step(0, 0.1))).toThrow('"mechanism" must be');
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
