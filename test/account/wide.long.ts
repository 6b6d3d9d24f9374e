/** Settings of the kinds whose brackets are hardest to narrow: ten of each of ten classes, drawn by a seed. */
import { expect, test } from 'vitest';
import { account, parseMechanism } from '../../src/index.js';
import { relativeWidth } from '../../src/numeric/bracket.js';
import { ALLOWANCE } from '../../src/numeric/prices.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

type Random = () => number;
type Json = Record<string, unknown>;

const EACH = 10;
/** Answers that may be wider than so much, beyond what no theorem tells. */
const MOST = [
  [0.1, 5],
  [1e-3, 15],
] as const;

const between = (random: Random, low: number, high: number): number => low * (high / low) ** random();
const whole = (random: Random, low: number, high: number): number => Math.round(between(random, low, high));
const several = (random: Random, [low, high]: readonly number[], one: (i: number) => Json): Json => ({
  kind: 'compose',
  parts: Array.from({ length: whole(random, low, high) }, (_, i) => one(i)),
});
const sampled = (random: Random, [low, high]: readonly number[], inner: Json): Json => ({
  kind: 'poisson-subsampled',
  rate: between(random, low, high),
  inner,
});
const repeated = (count: number, inner: Json): Json => ({ kind: 'repeat', count, inner });

const laplace = (r: Random): Json => ({ kind: 'laplace', scale: between(r, 2, 5), sensitivity: 1 });
const discrete = (r: Random, low: number, high: number): Json => ({
  kind: 'discrete-gaussian',
  sigma: between(r, low, high),
  sensitivity: whole(r, 1, 2),
});
const mixture = (r: Random): Json => {
  const share = 0.3 + 0.4 * r();
  return {
    kind: 'gaussian-mixture',
    noiseMultiplier: between(r, 0.5, 3),
    sensitivities: [0, 1, 2],
    probabilities: [share, (1 - share) * 0.75, (1 - share) * 0.25],
  };
};

interface Class {
  readonly name: string;
  readonly adjacency?: 'replace-one' | 'zero-out';
  readonly of: (random: Random) => Json;
}

const CLASSES: readonly Class[] = [
  { name: 'unlike Laplace', of: (r) => several(r, [4, 40], () => laplace(r)) },
  { name: 'unlike discrete Gaussians', of: (r) => several(r, [5, 60], () => discrete(r, 10, 200)) },
  {
    name: 'sampled discrete Gaussian',
    of: (r) => repeated(whole(r, 10, 200), sampled(r, [0.005, 0.1], discrete(r, 0.6, 2))),
  },
  {
    name: 'sampled joint of two lattices',
    of: (r) => {
      const other = { kind: 'discrete-laplace', scale: between(r, 1, 5), sensitivity: 1 };
      return repeated(
        whole(r, 1, 50),
        sampled(r, [0.01, 0.1], { kind: 'joint', parts: [discrete(r, 1, 5), other] }),
      );
    },
  },
  {
    name: 'schedule of sampled releases',
    of: (r) => {
      const kinds = [
        () => ({ kind: 'pure-dp', epsilon: between(r, 0.1, 1) }),
        () => discrete(r, 0.8, 3),
        () => laplace(r),
      ];
      const kind = kinds[Math.floor(r() * kinds.length)];
      return several(r, [8, 30], () => sampled(r, [0.02, 0.3], kind()));
    },
  },
  {
    name: 'table beside DP-SGD',
    of: (r) => {
      const epsilon = between(r, 0.3, 2);
      const points = [
        { epsilon, delta: 1e-6 },
        { epsilon: 2 * epsilon, delta: 1e-8 },
      ];
      const sgd = {
        kind: 'dp-sgd',
        noiseMultiplier: between(r, 0.7, 2),
        samplingRate: between(r, 0.001, 0.02),
        steps: whole(r, 100, 2000),
      };
      return { kind: 'compose', parts: [{ kind: 'tabulated', points }, sgd] };
    },
  },
  {
    name: 'sampled mixture',
    of: (r) => repeated(whole(r, 5, 500), sampled(r, [0.005, 0.2], mixture(r))),
  },
  {
    name: 'with replacement',
    adjacency: 'replace-one',
    of: (r) => {
      const datasetSize = whole(r, 1000, 60_000);
      const sampleSize = whole(r, 4, 64);
      return repeated(whole(r, 50, 4000), {
        kind: 'with-replacement',
        noiseMultiplier: between(r, 0.8, 2),
        sampleSize,
        datasetSize,
      });
    },
  },
  {
    name: 'schedule of mixtures or capped batches',
    adjacency: 'zero-out',
    of: (r) => {
      const capped = (): Json => {
        const [datasetSize, rate] = [whole(r, 1000, 60_000), between(r, 0.005, 0.05)];
        const batchCap = Math.ceil(datasetSize * rate * (1 + 0.3 * r()));
        return { kind: 'capped-poisson', noiseMultiplier: between(r, 0.8, 3), rate, datasetSize, batchCap };
      };
      const one = r() < 0.5 ? capped : () => mixture(r);
      return several(r, [3, 20], () => repeated(whole(r, 5, 100), one()));
    },
  },
  {
    name: 'two searches',
    of: (r) => {
      const runs = { kind: 'negative-binomial', eta: 1, mean: between(r, 3, 20) };
      const inner = {
        kind: 'dp-sgd',
        noiseMultiplier: between(r, 0.8, 3),
        samplingRate: between(r, 0.002, 0.02),
        steps: whole(r, 100, 2000),
      };
      return repeated(2, { kind: 'select', runs, inner });
    },
  },
];

test('few of a hundred hard settings are wider than theorems leave them', () => {
  const wide = MOST.map((): string[] => []);
  for (const [i, { name, adjacency = 'add-remove', of }] of CLASSES.entries()) {
    for (let k = 0; k < EACH; k++) {
      const json = of(seeded(61_000 + 100 * i + k));
      const run = account(wasm, parseMechanism(json), { adjacency });
      const found = run.epsilon(1e-5);
      // 6 seconds are three times it
      expect(run.cost).toBeLessThan(1.05 * ALLOWANCE);
      const width = run.limitedBy === 'theory' ? 0 : relativeWidth(found);
      for (const [j, [most]] of MOST.entries())
        if (width > most) wide[j].push(`${name} ${k}: ${found} ${JSON.stringify(json).slice(0, 200)}`);
    }
  }
  for (const [j, [most, count]] of MOST.entries())
    expect(wide[j].length, `wider than ${most}:\n${wide[j].join('\n')}`).toBeLessThanOrEqual(count);
});
