import { describe, expect, test } from 'vitest';
import { audit } from '../../src/audit/index.js';
import { seeded } from '../helpers/random.js';
import { runOf } from '../helpers/runs.js';
import { normal, oneRunTrial, refutations, thresholdAudits, thresholdTrial } from './simulate.js';

const COUNT = 2000;
const CONFIDENCES = [0.9, 0.95, 0.99];

describe('2000 audits at each confidence', () => {
  test.each(CONFIDENCES)('sampled DP-SGD at %d, as claimed and broken', (confidence) => {
    const report: Record<string, number> = {};
    for (const runs of [25, 50, 100]) {
      const { law, refuted } = thresholdAudits(confidence, runs);
      const found = refuted(law, 31, COUNT);
      expect(found).toBeLessThan((1 - confidence) * COUNT);
      report[`${runs} runs, as claimed`] = found / COUNT;
      report[`${runs} runs, noise halved`] = refuted({ ...law, sigma: law.sigma / 2 }, 32, COUNT) / COUNT;
      report[`${runs} runs, sampled twice as often`] =
        refuted({ ...law, rate: 2 * law.rate }, 33, COUNT) / COUNT;
    }
    process.stdout.write(`refuted at ${confidence}: ${JSON.stringify(report)}\n`);
  });

  test('counts against a Gaussian claim, by p-values', () => {
    const trial = (random: () => number) =>
      thresholdTrial((member) => (member ? 1 : 0) + normal(random), 60, 1);
    const found = refutations(34, COUNT, CONFIDENCES, trial, { mu: 1 });
    for (const [i, n] of found.entries()) expect(n).toBeLessThan((1 - CONFIDENCES[i]!) * COUNT);
  });

  test.each([0.3, 1, 2])('one run, Gaussian canaries of mu %d', (mu) => {
    const epsilon = runOf([[1 / mu, 1, 1]]).epsilon(1e-5).upper;
    for (const guesses of [10, 50]) {
      const trial = (random: () => number) => oneRunTrial(random, mu, 200, guesses);
      for (const claim of [{ mu }, { epsilon, delta: 1e-5 }])
        for (const [i, n] of refutations(37, COUNT, CONFIDENCES, trial, claim).entries())
          expect(n).toBeLessThan((1 - CONFIDENCES[i]!) * COUNT);
    }
  });

  test('one run, noise halved', () => {
    const report = Object.fromEntries(
      [0.5, 1, 2].map((mu) => [
        mu,
        refutations(35, COUNT, CONFIDENCES, (random) => oneRunTrial(random, 2 * mu, 1000, 100), { mu }).map(
          (n) => n / COUNT,
        ),
      ]),
    );
    process.stdout.write(`one run, refuted at ${CONFIDENCES}: ${JSON.stringify(report)}\n`);
    expect(report['0.5']![1]).toBeGreaterThan(0.5);
  });

  test('thresholds from scores', () => {
    const random = seeded(36);
    const found = CONFIDENCES.map(() => 0);
    for (let i = 0; i < COUNT; i++) {
      const scores = (mu: number) => Array.from({ length: 50 }, () => mu + normal(random));
      const evidence = { kind: 'scores', nonMembers: scores(0), members: scores(1) } as const;
      for (const [k, confidence] of CONFIDENCES.entries())
        if (audit(evidence, { confidence, deltas: [] }).muLower.lower > 1) found[k] = found[k]! + 1;
    }
    for (const [k, n] of found.entries()) expect(n).toBeLessThan((1 - CONFIDENCES[k]!) * COUNT);
  });
});
