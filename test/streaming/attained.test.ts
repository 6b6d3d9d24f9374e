import { describe, expect, test } from 'vitest';
import {
  account,
  boundedRange,
  compose,
  gaussian,
  gdp,
  type Mechanism,
  poissonSubsampled,
  randomizedResponse,
  rdp,
  repeat,
  StreamingAccountant,
  shuffled,
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
    const [whole, met] = [run(repeat(range, 2)), run(repeat(answer, 2))];
    for (const epsilon of [0, 0.2, 1, 2]) {
      const { lower, upper } = stream.delta(epsilon);
      expect(upper).toBeGreaterThanOrEqual(met.delta(epsilon).lower);
      expect(lower).toBeLessThanOrEqual(whole.delta(epsilon).upper);
    }
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

test.each([
  zcdp({ rho: 0.1 }),
  rdp({ points: [{ order: 2, epsilon: 0.1 }] }),
  poissonSubsampled(gaussian({ noiseMultiplier: 0 }), { rate: 0.01 }),
  shuffled({ noiseMultiplier: 1, bins: 100 }),
])('whatever account takes, a stream takes: %j', (mechanism) => {
  const adjacency = mechanism.kind === 'shuffled' ? 'zero-out' : 'add-remove';
  const stream = StreamingAccountant.start(wasm, { adjacency }).add(mechanism).add(mechanism, 2);
  const whole = account(wasm, repeat(mechanism, 3), { adjacency });
  for (const epsilon of [0, 0.5, 2]) expect(stream.delta(epsilon)).toEqual(whole.delta(epsilon));
});

test('a report of a stream is that of its run, and with a budget that of the budget', () => {
  const stream = start().add(gaussian({ noiseMultiplier: 1 }), 10);
  expect(() => report(stream as never)).toThrow(
    /"subject" must be a composed run, a profile or a trade-off function/,
  );
  const composed = report(run(repeat(gaussian({ noiseMultiplier: 1 }), 10)));
  expect(report(stream.run).epsilonAtDelta).toEqual(composed.epsilonAtDelta);
  const options = {
    adjacency: 'add-remove',
    adaptiveParameters: true,
    budget: { kind: 'gdp', mu: '2' },
  } as const;
  const paid = StreamingAccountant.start(wasm, options).add(gaussian({ noiseMultiplier: 2 }));
  expect(report(paid.run).mu).toEqual(report(run(gdp({ mu: 2 }))).mu);
});
