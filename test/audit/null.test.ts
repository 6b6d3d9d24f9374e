import { describe, expect, test } from 'vitest';
import { audit, type Evidence } from '../../src/audit/index.js';
import { approximateDpTradeoff } from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { runOf } from '../helpers/runs.js';
import { normal, oneRunTrial, refutations, thresholdAudits } from './simulate.js';

const CONFIDENCES = [0.9, 0.95, 0.99];
/** The long tests take 2000. */
const COUNT = 500;

/** Fewer false refutations than the level allows, and so no need of a slack for chance. */
function below(found: readonly number[]): void {
  for (const [i, n] of found.entries())
    expect(n, `at ${CONFIDENCES[i]}`).toBeLessThan((1 - CONFIDENCES[i]!) * COUNT);
}

describe('audits of a run that is as claimed', () => {
  test('one run, Gaussian canaries', () => {
    const trial = (random: () => number) => oneRunTrial(random, 1, 200, 50);
    below(refutations(17, COUNT, CONFIDENCES, trial, { mu: 1 }));
    const epsilon = runOf([[1, 1, 1]]).epsilon(1e-5).upper;
    below(refutations(18, COUNT, CONFIDENCES, trial, { epsilon, delta: 1e-5 }));
  });

  test('a threshold fixed beforehand, sampled DP-SGD; broken, it is refuted', () => {
    const { refuted, law } = thresholdAudits();
    expect(refuted(law, 19, COUNT)).toBeLessThan(0.05 * COUNT);
    expect(refuted({ ...law, sigma: law.sigma / 2 }, 20, 100)).toBeGreaterThan(80);
    expect(refuted({ ...law, rate: 2 * law.rate }, 21, 100)).toBeGreaterThan(80);
  });

  test('thresholds taken from the scores', () => {
    const random = seeded(21);
    let found = 0;
    for (let i = 0; i < 200; i++) {
      const scores = (mu: number) => Array.from({ length: 40 }, () => mu + normal(random));
      const { muLower } = audit(
        { kind: 'scores', nonMembers: scores(0), members: scores(1) },
        { deltas: [] },
      );
      if (muLower.lower > 1) found++;
    }
    expect(found).toBeLessThan(10);
  });
});

describe('small cases, every outcome', () => {
  const LEVELS = [0.01, 0.05, 0.2, 0.4];
  const binomial = (n: number, p: number): number[] => {
    let mass = [1];
    for (let i = 0; i < n; i++)
      mass = Array.from({ length: i + 2 }, (_, k) => (mass[k] ?? 0) * (1 - p) + (mass[k - 1] ?? 0) * p);
    return mass;
  };

  /** The p-values of outcomes are at most a level with no more probability than it. */
  function valid(outcomes: readonly { readonly p: number; readonly mass: number }[]): void {
    expect(outcomes.reduce((sum, { mass }) => sum + mass, 0)).toBeCloseTo(1, 12);
    for (const level of LEVELS) {
      const refuted = outcomes.reduce((sum, { p, mass }) => (p <= level ? sum + mass : sum), 0);
      expect(refuted, `at ${level}`).toBeLessThanOrEqual(level + 1e-12);
    }
  }

  test('counts at a threshold, on the claimed curve', () => {
    const [n0, n1] = [5, 6];
    for (const mu of [0.5, 2]) {
      const values = new Map<string, number>();
      for (let fp = 0; fp <= n0; fp++)
        for (let tp = 0; tp <= n1; tp++) {
          const evidence = {
            kind: 'threshold',
            falsePositives: fp,
            nonMembers: n0,
            truePositives: tp,
            members: n1,
          } as const;
          values.set(`${fp} ${tp}`, audit(evidence, { claim: { mu }, deltas: [] }).pValue!.upper);
        }
      for (const z of [-2.5, -1, 0, 1, 2]) {
        const [none, some] = [binomial(n0, normalCdf(z)), binomial(n1, normalCdf(z + mu))];
        valid(
          [...values].map(([key, p]) => {
            const [fp, tp] = key.split(' ').map(Number);
            return { p, mass: none[fp!]! * some[tp!]! };
          }),
        );
      }
    }
  });

  test('thresholds from the scores, all orders of four and four', () => {
    const outcomes: { p: number; mass: number }[] = [];
    for (let mask = 0; mask < 256; mask++) {
      const roles = Array.from({ length: 8 }, (_, i) => (mask >> i) & 1);
      if (roles.reduce((a, b) => a + b, 0) !== 4) continue;
      const ranks = (role: number) => roles.flatMap((each, rank) => (each === role ? [rank] : []));
      const evidence = { kind: 'scores', nonMembers: ranks(0), members: ranks(1) } as const;
      outcomes.push({ p: audit(evidence, { claim: { mu: 0 }, deltas: [] }).pValue!.upper, mass: 1 / 70 });
    }
    expect(outcomes).toHaveLength(70);
    valid(outcomes);
  });

  test.each([1, 4, 7])(
    'one run: %d canaries answered at random, or all revealed with probability delta',
    (m) => {
      for (const epsilon of [0, 0.5, 2]) {
        for (const delta of [0, 0.01, 0.1]) {
          const p = 1 / (1 + Math.exp(-epsilon));
          const evidence = (correct: number): Evidence => ({
            kind: 'one-run',
            canaries: m,
            guesses: m,
            correct,
          });
          const values = (claim: NonNullable<Parameters<typeof audit>[1]>['claim']) =>
            Array.from(
              { length: m + 1 },
              (_, v) => audit(evidence(v), { claim: claim!, deltas: [] }).pValue!.upper,
            );
          const alone = binomial(m, delta + (1 - delta) * p);
          const together = binomial(m, p).map((mass, v) => (1 - delta) * mass + (v === m ? delta : 0));
          for (const claim of [{ epsilon, delta }, approximateDpTradeoff(epsilon, delta)]) {
            const found = values(claim);
            for (const law of [alone, together]) valid(law.map((mass, v) => ({ p: found[v]!, mass })));
            // more right guesses never make the claim likelier
            for (let v = 1; v <= m; v++) expect(found[v]).toBeLessThanOrEqual(found[v - 1]! * (1 + 1e-9));
          }
        }
      }
    },
  );

  test('one run: the p-value rises with mu', () => {
    const random = seeded(23);
    for (let i = 0; i < 8; i++) {
      const canaries = 1 + Math.floor(random() * 300);
      const guesses = 1 + Math.floor(random() * canaries);
      const correct = Math.floor(guesses * (0.5 + 0.5 * random()));
      const evidence = { kind: 'one-run', canaries, guesses, correct } as const;
      let before = 0;
      for (const mu of [0, 0.1, 0.5, 1, 2, 4]) {
        const { lower, upper } = audit(evidence, { claim: { mu }, deltas: [] }).pValue!;
        expect(upper).toBeGreaterThanOrEqual(before);
        before = lower;
      }
    }
  });
});
