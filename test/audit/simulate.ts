import { type Audit, audit, type Evidence } from '../../src/audit/index.js';
import { runTradeoff } from '../../src/index.js';
import { normalQuantile } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { runOf } from '../helpers/runs.js';

/** Seeded attacks on runs whose law is known. */
export type Random = () => number;

/** A standard normal number. */
export function normal(random: Random): number {
  return normalQuantile((random() * 2 ** 32 + 0.5) / 2 ** 32);
}

/** DP-SGD as one record sees it: at each step it adds 1 with probability `rate`, and noise of `sigma`. */
export interface Sampled {
  readonly sigma: number;
  readonly rate: number;
  readonly steps: number;
}

/** Log-likelihood ratio, under the claimed law, of the outputs of a run really made as `real`. */
export function sampledScore(random: Random, claimed: Sampled, real: Sampled, member: boolean): number {
  let score = 0;
  for (let t = 0; t < real.steps; t++) {
    const x = (member && random() < real.rate ? 1 : 0) + real.sigma * normal(random);
    score += Math.log1p(claimed.rate * Math.expm1((2 * x - 1) / (2 * claimed.sigma ** 2)));
  }
  return score;
}

/** Counts of `runs` runs without and with the record at a fixed threshold. */
export function thresholdTrial(
  score: (member: boolean) => number,
  runs: number,
  threshold: number,
): Evidence {
  let [falsePositives, truePositives] = [0, 0];
  for (let i = 0; i < runs; i++) {
    if (score(false) >= threshold) falsePositives++;
    if (score(true) >= threshold) truePositives++;
  }
  return { kind: 'threshold', falsePositives, truePositives, nonMembers: runs, members: runs };
}

/** One run with m canaries, each the Gaussian mechanism of `real` by itself; the r surest coins are guessed. */
export function oneRunTrial(random: Random, real: number, canaries: number, guesses: number): Evidence {
  const surest = Array.from({ length: canaries }, () => {
    const member = random() < 0.5;
    const x = (member ? real : 0) + normal(random) - real / 2;
    return { sure: Math.abs(x), right: x > 0 === member };
  }).sort((a, b) => b.sure - a.sure);
  const correct = surest.slice(0, guesses).filter(({ right }) => right).length;
  return { kind: 'one-run', canaries, guesses, correct };
}

/** Answers asked for more than once are computed once. */
export function remembered<T>(compute: (evidence: Evidence) => T): (evidence: Evidence) => T {
  const known = new Map<string, T>();
  return (evidence) => {
    const key = JSON.stringify(evidence);
    const value = known.get(key) ?? compute(evidence);
    known.set(key, value);
    return value;
  };
}

/** How many of `count` trials refute, at each confidence. */
export function refutations(
  seed: number,
  count: number,
  confidences: readonly number[],
  trial: (random: Random) => Evidence,
  claim: NonNullable<Parameters<typeof audit>[1]>['claim'],
): number[] {
  const random = seeded(seed);
  const at = remembered((evidence): Audit => audit(evidence, { claim: claim!, deltas: [] }));
  const found = confidences.map(() => 0);
  for (let i = 0; i < count; i++) {
    const { pValue } = at(trial(random));
    confidences.forEach((confidence, k) => {
      if (pValue!.upper <= 1 - confidence) found[k] = found[k]! + 1;
    });
  }
  return found;
}

/**
 * Audits of sampled DP-SGD by the likelihood ratio of the law that is claimed, above 1: `refuted` counts those of `count` whose
 * bounds are above the claimed power. One question of the run for each number of false alarms.
 */
export function thresholdAudits(confidence = 0.95, runs = 100) {
  const law: Sampled = { sigma: 1, rate: 0.5, steps: 4 };
  const { curve } = runTradeoff(runOf([[law.sigma, law.rate, law.steps]]), 'remove');
  const allowed = new Map<number, number>();
  const at = remembered((evidence) => audit(evidence, { confidence, deltas: [] }));
  const refuted = (real: Sampled, seed: number, count: number): number => {
    const random = seeded(seed);
    let found = 0;
    for (let i = 0; i < count; i++) {
      const score = (member: boolean) => sampledScore(random, law, real, member);
      const { fprUpper, tprLower } = at(thresholdTrial(score, runs, 0));
      const alpha = fprUpper!.upper;
      if (!allowed.has(alpha)) allowed.set(alpha, curve.tpr(alpha).upper);
      if (tprLower!.lower > allowed.get(alpha)!) found++;
    }
    return found;
  };
  return { law, refuted };
}
