/** Audits against claims that are known to a few digits only, and what several thresholds cost. */
import { describe, expect, test } from 'vitest';
import { type AuditClaim, audit, type Evidence } from '../../src/audit/index.js';
import { gaussianTradeoff, runTradeoff, symmetrise } from '../../src/index.js';
import { TradeoffCurve } from '../../src/run/tradeoff-curve.js';
import { TradeoffFunction } from '../../src/tradeoff/tradeoff-function.js';
import { runOf } from '../helpers/runs.js';
import { gaussian, PLACES, wide } from '../helpers/wide-runs.js';

const threshold = {
  kind: 'threshold',
  falsePositives: 5,
  nonMembers: 1000,
  truePositives: 40,
  members: 1000,
} as const;
const oneRun = { kind: 'one-run', canaries: 1000, guesses: 100, correct: 78 } as const;

describe.each(Object.keys(PLACES))('a claim whose exact value lies %s', (name) => {
  const claimOf = (mu: number, width: number): AuditClaim =>
    new TradeoffFunction('wide', new TradeoffCurve(wide(gaussian(mu), width, PLACES[name]!)));

  test.each([threshold, oneRun] satisfies Evidence[])('its p-value is in the bracket: $kind', (evidence) => {
    for (const mu of [0.3, 0.8]) {
      const exact = audit(evidence, { claim: gaussianTradeoff(mu) }).pValue!;
      for (const width of [1e-3, 0.1]) {
        const { lower, upper } = audit(evidence, { claim: claimOf(mu, width) }).pValue!;
        expect(lower).toBeLessThanOrEqual(exact.upper);
        expect(upper).toBeGreaterThanOrEqual(exact.lower);
      }
    }
  });

  test('a claim is refuted only where the upper end of its p-value is', () => {
    const claim = claimOf(0.45, 0.2);
    const { lower, upper } = audit(threshold, { claim }).pValue!;
    expect(upper).toBeGreaterThan(1.05 * lower);
    const at = (p: number) => audit(threshold, { claim, confidence: 1 - p }).verdict;
    expect(at((lower + upper) / 2)).toBe('consistent');
    expect(at(upper * 1.001)).toBe('refuted');
  });
});

test('thresholds fixed beforehand that all say the same cost their number', () => {
  const [nonMembers, members] = [
    Array.from({ length: 50 }, (_, i) => Number(i < 3)),
    Array.from({ length: 50 }, (_, i) => Number(i < 20)),
  ];
  const claim = { mu: 0.5 };
  const p = (thresholds: number[]) =>
    audit({ kind: 'scores', nonMembers, members, thresholds }, { claim }).pValue!;
  const one = p([0.5]);
  for (const thresholds of [
    [0.3, 0.6],
    [0.2, 0.4, 0.6, 0.8, 0.9],
  ]) {
    const { lower, upper } = p(thresholds);
    expect(lower / thresholds.length).toBeLessThanOrEqual(one.upper * (1 + 1e-9));
    expect(upper / thresholds.length).toBeGreaterThanOrEqual(one.lower * (1 - 1e-9));
  }
});

test('thresholds taken from the scores cost the number of all that there could be', () => {
  for (const n of [40, 80]) {
    const scores = (some: number) => Array.from({ length: n }, (_, i) => Number(i < some));
    const evidence = { kind: 'scores', nonMembers: scores(3), members: scores((3 * n) / 4) } as const;
    const claim = { mu: 0.2 };
    const one = audit({ ...evidence, thresholds: [0.5] }, { claim }).pValue!;
    // one corner, and n + 1 counts that there might have been on either side
    const { lower, upper } = audit(evidence, { claim }).pValue!;
    expect(upper).toBeLessThan(1);
    expect(lower / (n + 1)).toBeLessThanOrEqual(one.upper * (1 + 1e-9));
    expect(upper / (n + 1)).toBeGreaterThanOrEqual(one.lower * (1 - 1e-9));
  }
});

test('one run: a claim of a run is the hull of its own two directions', () => {
  const run = runOf([[1, 0.3, 10]]);
  for (const [canaries, guesses, correct] of [
    [20, 20, 18],
    [12, 10, 10],
    [40, 40, 30],
  ] as const) {
    const evidence = { kind: 'one-run', canaries, guesses, correct } as const;
    const [own, hull] = [run, symmetrise(runTradeoff(run))].map(
      (claim) => audit(evidence, { claim }).pValue!,
    );
    expect(own!.lower).toBeCloseTo(hull!.lower, 9);
    expect(own!.upper).toBeCloseTo(hull!.upper, 9);
  }
});
