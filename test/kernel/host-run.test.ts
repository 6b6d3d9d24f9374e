/** Runs asked of kernel.wasm alone, as a host without JavaScript asks them: against independent values, and the library. */
import { describe, expect, test } from 'vitest';
import { askHost, type HostPhase, host, statedVectors } from '../../scripts/lib/kernel-host.mjs';
import { account, compose, dpSgd, gaussian, repeat } from '../../src/index.js';
import { LONG_TESTS } from '../helpers/long.js';
import { wasm } from '../helpers/runs.js';

const VECTORS = statedVectors();

test('encloses the independent values of all vectors that it can state', () => {
  const asked = VECTORS.filter((_, i) => LONG_TESTS || i % 4 === 0);
  expect(VECTORS.length).toBeGreaterThan(550);
  let answered = 0;
  for (const { id, phases, quantity, at, value } of asked) {
    const { end, lower, upper } = askHost(phases, quantity, at);
    expect([0, 1, 2], id).toContain(end);
    if (end !== 0) {
      expect([lower, upper], id).toEqual([0, quantity === 'delta' ? 1 : Infinity]);
      continue;
    }
    answered++;
    expect(lower, id).toBeLessThanOrEqual(value * (1 + 1e-15));
    expect(upper, id).toBeGreaterThanOrEqual(value * (1 - 1e-15));
  }
  expect(answered / asked.length).toBeGreaterThan(0.7);
});

describe('a run of DP-SGD', () => {
  const PHASES = [
    { noise: 1.1, rate: 0.01, steps: 1000 },
    { noise: 1.3, rate: 0.02, steps: 500 },
    { noise: 20, rate: 1, steps: 3 },
  ];
  const run = account(
    wasm,
    compose([
      dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }),
      dpSgd({ noiseMultiplier: 1.3, samplingRate: 0.02, steps: 500 }),
      repeat(gaussian({ noiseMultiplier: 20 }), 3),
    ]),
    { adjacency: 'add-remove' },
  );

  test('has the brackets of the library, and narrow ones', () => {
    for (const [question, at, { lower, upper }] of [
      ['epsilon', 1e-5, run.epsilon(1e-5)],
      ['epsilon', 1e-20, run.epsilon(1e-20)],
      ['delta', 1, run.delta(1)],
      ['delta', 0, run.delta(0)],
    ] as const) {
      const found = askHost(PHASES, question, at);
      expect(found.end, `${question} at ${at}`).toBe(0);
      expect(found.lower).toBeLessThanOrEqual(upper);
      expect(found.upper).toBeGreaterThanOrEqual(lower);
      expect(found.upper / found.lower - 1).toBeLessThan(1e-5);
      expect(found.work).toBeGreaterThan(0);
    }
  });

  test('a narrower tolerance costs more, and no allowance ends without an answer', () => {
    const usual = askHost(PHASES, 'epsilon', 1e-5);
    const narrow = askHost(PHASES, 'epsilon', 1e-5, { tolerance: 1e-10 });
    expect(narrow.upper - narrow.lower).toBeLessThan(1e-10 * narrow.upper);
    expect(narrow.lower).toBeLessThanOrEqual(usual.upper);
    expect(narrow.work).toBeGreaterThanOrEqual(usual.work);
    expect(askHost(PHASES, 'epsilon', 1e-5, { allowance: 1000 })).toMatchObject({
      end: 2,
      lower: 0,
      upper: Infinity,
    });
    // the same bits after a question that was cut short
    expect(askHost(PHASES, 'epsilon', 1e-5)).toEqual(usual);
  });
});

test('what is no run or question has no number', () => {
  const good: HostPhase = { noise: 1, rate: 0.01, steps: 100 };
  for (const bad of [
    { ...good, noise: 0 },
    { ...good, noise: Number.NaN },
    { ...good, rate: -0.1 },
    { ...good, rate: 1.1 },
    { ...good, steps: 1.5 },
    { ...good, steps: -1 },
  ])
    expect(askHost([good, bad], 'epsilon', 1e-5)).toMatchObject({
      end: 3,
      lower: Number.NaN,
      upper: Number.NaN,
    });
  for (const [question, at] of [
    ['epsilon', 0],
    ['epsilon', 1],
    ['epsilon', Number.NaN],
    ['delta', -1],
    ['delta', Infinity],
    ['mu', 0],
    ['mu', 0.5],
  ] as const)
    expect(askHost([good], question, at).end, `${question} at ${at}`).toBe(3);
  expect(askHost([good], 'epsilon', 1e-5, { tolerance: 0 }).end).toBe(3);
  expect(host.gdp_run(1025)).toBe(0);
  // and nothing is left of it
  expect(host.gdp_run_epsilon(1e-5, 1e-6, 1e9)).toBe(0);
  expect(askHost([], 'delta', 1)).toMatchObject({ end: 0, lower: 0, upper: 0 });
});
