import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { audit, type Evidence } from '../../src/audit/index.js';
import { account, approximateDpTradeoff, gaussian, gaussianTradeoff } from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { runOf, wasm } from '../helpers/runs.js';

const golden = JSON.parse(readFileSync(new URL('../golden/audit.json', import.meta.url), 'utf8')) as {
  thresholds: {
    counts: number[];
    fprUpper: string;
    tprLower: string;
    mu: string;
    remove: string;
    add: string;
  }[];
  oneRuns: { counts: number[]; pure: string; approximate: string; mu: string }[];
  pValues: [number, number, number, number, number, string][];
  pValuesOfGaussians: [number, number, number, number, string][];
};

/** The bracket holds the decimal, of relative error `read`, and is no wider than `width` relative. */
function holds({ lower, upper }: Bracket, text: string | number, width: number, read = 1e-15): void {
  const exact = Number(text);
  expect(lower).toBeLessThanOrEqual(exact * (1 + read));
  expect(upper).toBeGreaterThanOrEqual(exact * (1 - read));
  expect(upper - lower).toBeLessThanOrEqual(width * exact);
}

const counts = ([falsePositives, nonMembers, truePositives, members]: number[]): Evidence => ({
  kind: 'threshold',
  falsePositives: falsePositives!,
  nonMembers: nonMembers!,
  truePositives: truePositives!,
  members: members!,
});
const oneRun = ([canaries, guesses, correct]: number[]): Evidence => ({
  kind: 'one-run',
  canaries: canaries!,
  guesses: guesses!,
  correct: correct!,
});

describe('a threshold fixed beforehand', () => {
  test.each(golden.thresholds)('a golden threshold: %j', (row) => {
    const { fprUpper, tprLower, muLower, epsilonLower } = audit(counts(row.counts));
    holds(fprUpper!, row.fprUpper, 1e-11);
    holds(tprLower!, row.tprLower, 1e-11);
    holds(muLower, row.mu, 1e-11);
    const [{ remove, add, epsilon }] = epsilonLower as [(typeof epsilonLower)[0]];
    holds(remove!, row.remove, 1e-11);
    holds(add!, row.add, 1e-11);
    expect(epsilon.lower).toBe(Math.max(remove!.lower, add!.lower));
  });

  test('digits published elsewhere', () => {
    const first = audit(counts([5, 1000, 100, 1000]));
    holds(first.fprUpper!, 0.0116294705598, 1e-11, 1e-11);
    holds(first.tprLower!, 0.0821053343556, 1e-11, 1e-11);
    holds(first.muLower, 0.878105682014, 1e-11, 1e-11);
    holds(first.epsilonLower[0]!.epsilon, 1.954338744, 1e-11, 1e-9);
    const second = audit(counts([0, 500, 50, 500]));
    holds(second.fprUpper!, 0.00735061005191, 1e-11, 1e-11);
    holds(second.tprLower!, 0.0751358150664, 1e-11, 1e-11);
    holds(second.muLower, 1.00108414065, 1e-11, 1e-11);
    holds(second.epsilonLower[0]!.epsilon, 2.324380932, 1e-11, 1e-9);
  });

  test('nothing seen is no evidence', () => {
    for (const none of [
      [0, 0, 0, 0],
      [0, 0, 5, 5],
      [0, 5, 0, 0],
      [500, 1000, 500, 1000],
      [10, 10, 10, 10],
      [10, 10, 0, 10],
    ]) {
      const found = audit(counts(none), { claim: { mu: 0 } });
      expect(found.verdict).toBe('no evidence');
      expect(audit(counts(none)).verdict).toBe('no evidence');
      expect(found.muLower).toEqual({ lower: 0, upper: 0 });
    }
  });

  test('evidence without a claim is held against none', () => {
    const found = audit(counts([5, 1000, 100, 1000]));
    expect(found).toMatchObject({ verdict: 'no claim', claim: null, pValue: null });
  });

  test('the p-value is the level at which the bounds pass the claimed curve', () => {
    for (const claim of [{ mu: 0.5 }, { mu: 0.8 }, { epsilon: 1, delta: 1e-5 }] as const) {
      const evidence = counts([5, 1000, 100, 1000]);
      const { pValue } = audit(evidence, { claim });
      expect(pValue!.upper / pValue!.lower - 1).toBeLessThan(1e-6);
      for (const [factor, refuted] of [
        [1.001, true],
        [0.999, false],
      ] as const) {
        const confidence = 1 - pValue!.upper * factor;
        const { verdict, muLower, epsilonLower } = audit(evidence, { claim, confidence });
        expect(verdict).toBe(refuted ? 'refuted' : 'consistent');
        if ('mu' in claim) expect(muLower.lower > claim.mu).toBe(refuted);
        else expect(epsilonLower[0]!.epsilon.lower > claim.epsilon).toBe(refuted);
      }
    }
  });

  test('the two directions of a run are told apart', () => {
    // without against with leaks less than with against without, so the same counts with the roles exchanged say more against the run
    const run = runOf([[1, 0.05, 100]]);
    const forward = audit(counts([2, 10_000, 300, 10_000]), { claim: run });
    const backward = audit(counts([9700, 10_000, 9998, 10_000]), { claim: run });
    expect(forward.muLower.lower).toBeCloseTo(backward.muLower.lower, 9);
    expect(forward.pValue!.lower).toBeGreaterThan(1e5 * backward.pValue!.upper);
    // and the hull of both is refuted by neither more easily
    for (const evidence of [counts([2, 10_000, 300, 10_000]), counts([9700, 10_000, 9998, 10_000])]) {
      const own = audit(evidence, { claim: run }).pValue!;
      const hull = audit(evidence, { claim: { epsilon: run.epsilon(1e-5).upper, delta: 1e-5 } }).pValue!;
      expect(own.lower).toBeLessThanOrEqual(hull.upper);
    }
  });
});

describe('one run', () => {
  test.each(golden.oneRuns)('a golden run: %j', (row) => {
    const { muLower, epsilonLower } = audit(oneRun(row.counts), { deltas: [0, 1e-5] });
    holds(epsilonLower[0]!.epsilon, row.pure, 1e-11);
    holds(epsilonLower[1]!.epsilon, row.approximate, 1e-11);
    holds(muLower, row.mu, 1e-10, 1e-14);
  });

  test('digits published elsewhere', () => {
    const rows: [number[], number, number, number][] = [
      [[1000, 100, 95], 2.172434043, 2.1651758, 0.7868118147],
      [[5000, 200, 170], 1.399404082, 1.389476096, 0.4659309699],
      [[100, 20, 20], 1.822715607, 1.819597066, 0.7693545251],
    ];
    for (const [given, pure, approximate, mu] of rows) {
      const { muLower, epsilonLower } = audit(oneRun(given), { deltas: [0, 1e-5] });
      expect(epsilonLower[0]!.epsilon.lower).toBeCloseTo(pure, 9);
      expect(epsilonLower[1]!.epsilon.lower).toBeCloseTo(approximate, 7);
      expect(muLower.lower).toBeCloseTo(mu, 9);
    }
  });

  test.each(golden.pValues)('p-value of (epsilon, delta): %j', (m, r, v, epsilon, delta, text) => {
    holds(audit(oneRun([m, r, v]), { claim: { epsilon, delta } }).pValue!, text, 1e-11);
  });

  test.each(golden.pValuesOfGaussians)('p-value of a Gaussian: %j', (m, r, v, mu, text) => {
    const evidence = oneRun([m, r, v]);
    holds(audit(evidence, { claim: { mu } }).pValue!, text, 1e-9, 1e-13);
    // the same by lines and tests at a mesh of losses, as any other run is asked
    const run = account(wasm, gaussian({ noiseMultiplier: 1 / mu }), { adjacency: 'add-remove' });
    for (const claim of [run, gaussianTradeoff(mu)])
      holds(audit(evidence, { claim }).pValue!, text, 1e-2, 1e-13);
  });

  test('an (epsilon, delta) curve by the other theorem is refuted, too', () => {
    const evidence = oneRun([1000, 100, 95]);
    const claim = approximateDpTradeoff(1, 1e-5);
    expect(audit(evidence, { claim }).verdict).toBe('refuted');
    expect(audit(evidence, { claim: approximateDpTradeoff(3, 1e-5) }).verdict).toBe('consistent');
  });

  test('a run is held to the hull of its own two directions', () => {
    const run = runOf([[1, 0.01, 1000]]);
    const evidence = oneRun([1000, 100, 95]);
    const { pValue, verdict } = audit(evidence, { claim: run });
    expect(pValue!.upper / pValue!.lower).toBeLessThan(1.02);
    expect(verdict).toBe(pValue!.upper <= 0.05 ? 'refuted' : 'consistent');
  });

  test('nothing guessed, or guessed by chance, is no evidence', () => {
    for (const none of [
      [0, 0, 0],
      [10, 0, 0],
      [100, 10, 5],
      [100, 10, 0],
    ]) {
      const found = audit(oneRun(none), { claim: { mu: 1 } });
      expect(found.verdict).toBe('no evidence');
      expect(found.epsilonLower[0]!.epsilon.lower).toBe(0);
    }
  });
});
