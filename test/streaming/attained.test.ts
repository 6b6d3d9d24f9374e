import { describe, expect, test } from 'vitest';
import {
  account,
  boundedRange,
  compose,
  gaussian,
  type Mechanism,
  poissonSubsampled,
  randomizedResponse,
  rdp,
  repeat,
  StreamingAccountant,
  zcdp,
} from '../../src/index.js';
import { report } from '../../src/report/index.js';
import { wasm } from '../helpers/runs.js';

const start = () => StreamingAccountant.start(wasm, { adjacency: 'add-remove' });
const run = (mechanism: Mechanism) => account(wasm, mechanism, { adjacency: 'add-remove' });

/** The stream's bracket contains what is known otherwise: above the worst that is proven to be allowed, below what bounds it. */
function expectBetween(stream: StreamingAccountant, stated: Mechanism, met: Mechanism): void {
  const [whole, one] = [run(stated), run(met)];
  for (const epsilon of [0, 0.2, 1, 2]) {
    const found = stream.delta(epsilon);
    expect(found.upper).toBeGreaterThanOrEqual(one.delta(epsilon).lower);
    // the lower end is one of a mechanism that meets the guarantee, not of a pair that no mechanism has
    expect(found.lower).toBeLessThanOrEqual(one.delta(epsilon).upper * (1 + 1e-9));
    expect(found.lower).toBeLessThanOrEqual(whole.delta(epsilon).upper);
  }
  expect(stream.delta(0.2).lower).toBeGreaterThan(0.9 * one.delta(0.2).lower);
  for (const alpha of [1e-2, 0.1, 0.5]) {
    expect(stream.tradeoff(alpha).upper).toBeGreaterThanOrEqual(one.tradeoff(alpha).lower - 1e-9);
  }
}

describe('steps of bounded range', () => {
  const range = boundedRange({ epsilon: 1 });
  const answer = randomizedResponse({ epsilon: 0.5 });
  const noise = gaussian({ noiseMultiplier: 2 });

  test('two: the adaptive worst case lies in the bracket', () => {
    const stream = start().add(range, 2);
    // exact adaptive worst case of two steps of range 1 at epsilon 0
    expect(stream.delta(0)).toContainValue(0.303365);
    expectBetween(stream, repeat(range, 2), repeat(answer, 2));
  });

  test('one is exact', () => {
    const { lower, upper } = start().add(range).delta(0.2);
    const exact = run(range).delta(0.2);
    expect(upper - lower).toBeLessThan(1e-2 * upper);
    expect(lower).toBeLessThanOrEqual(exact.upper);
    expect(upper).toBeGreaterThanOrEqual(exact.lower);
  });

  test('after, before and merged with others, sampled or not; read back they are the same', () => {
    const sampled = (inner: Parameters<typeof poissonSubsampled>[0]) =>
      poissonSubsampled(inner, { rate: 0.2 });
    const met = compose([noise, answer, repeat(sampled(answer), 10)]);
    const stated = compose([noise, range, repeat(sampled(range), 10)]);
    const after = start().add(noise).add(range).add(sampled(range), 10);
    const before = start().add(sampled(range), 10).add(range).add(noise);
    const merged = start()
      .add(noise)
      .merge(start().add(range).add(sampled(range), 10));
    const into = start().add(range).add(sampled(range), 10).merge(start().add(noise));
    const read = StreamingAccountant.fromJSON(wasm, JSON.parse(JSON.stringify(after)));
    for (const stream of [after, before, merged, into, read, after.copy()])
      expectBetween(stream, stated, met);
    expect(read.epsilon(1e-5)).toEqual(after.epsilon(1e-5));
    expect(JSON.stringify(read)).toBe(JSON.stringify(after));
    expect(after.wouldExceed({ epsilon: 0.01, delta: 1e-5 }, range)).toBe('yes');
  });
});

test.each([zcdp({ rho: 0.1 }), rdp({ points: [{ order: 2, epsilon: 0.1 }] })])('%j', (mechanism) => {
  expect(() => start().add(mechanism, 3)).toThrow(
    /"mechanism" must be made of steps whose losses are finite/,
  );
});

test('no report says that a stream released nothing', () => {
  const stream = start().add(gaussian({ noiseMultiplier: 1 }), 10);
  expect(() => report(stream as never)).toThrow(
    /"subject" must be a composed run, a profile or a trade-off function/,
  );
  // what it asks its own questions of is no account either
  const composed = Reflect.get(stream, 'composed').call(stream);
  expect(() => report(composed)).toThrow(/a stream does not remember which steps it is made of/);
});
