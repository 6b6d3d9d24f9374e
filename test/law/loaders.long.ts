import { expect, test } from 'vitest';
import {
  account,
  type Bracket,
  ballsAndBins,
  cappedPoisson,
  dpSgd,
  gaussian,
  type Mechanism,
  repeat,
} from '../../src/index.js';
import type { Adjacency } from '../../src/mechanism/adjacency.js';
import { made } from '../../src/mechanism/kind.js';
import { CAPPED_POISSON_KIND, cappingOf } from '../../src/mechanism/kinds/capped-poisson.js';
import { epsilonOf } from '../../src/run/epsilon.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** Where the exact values are in order, no lower end of the less is above an upper end of the more. */
const inOrder = (less: Bracket, more: Bracket): void => expect(less.lower).toBeLessThanOrEqual(more.upper);

/** Each chunk has a seed of its own and can be asked alone (`-t "chunk 3:"`). */
const CHUNKS = Array.from({ length: 10 }, (_, i) => i);

test.each(CHUNKS)('chunk %d: bounds keep the order that theorems give', (chunk) => {
  const random = seeded(1616 + 1000 * chunk);
  const between = (from: number, to: number): number => from * (to / from) ** random();
  // a quarter of a second of CPU each
  for (let i = 0; i < 15; i++) {
    const noiseMultiplier = between(0.3, 30);
    const bins = Math.max(2, Math.round(between(1, 1e4)));
    const epochs = Math.round(between(1, 100));
    const logDelta = -2.3 * (2 + 28 * random());
    const each = (mechanism: Mechanism, adjacency: Adjacency): Bracket[] => {
      const runs = account(wasm, mechanism, { adjacency, tolerance: 1e-3 }).directions;
      return [0, runs.length - 1].map((direction) => epsilonOf(runs[direction]!, logDelta, 1e-3));
    };
    const phase = { noiseMultiplier, samplingRate: 1 / bins, steps: bins * epochs };
    const poisson = each(dpSgd(phase), 'zero-out');
    const orders: [Bracket[], Bracket[]][] = [
      // every record in every step, more steps, less noise, larger batches, a person of two records
      [poisson, each(repeat(gaussian({ noiseMultiplier }), bins * epochs), 'zero-out')],
      [poisson, each(dpSgd({ ...phase, steps: phase.steps + bins }), 'zero-out')],
      [poisson, each(dpSgd({ ...phase, noiseMultiplier: noiseMultiplier / 1.1 }), 'zero-out')],
      [poisson, each(dpSgd({ ...phase, samplingRate: 1.2 / bins < 1 ? 1.2 / bins : 1 }), 'zero-out')],
      [poisson, each(dpSgd({ ...phase, recordsPerPerson: 2 }), 'zero-out')],
      // a record may be replaced by one that contributes nothing
      [poisson, each(dpSgd(phase), 'replace-one')],
      // a sum of more exchangeable terms is the less convex one
      [
        each(repeat(ballsAndBins({ noiseMultiplier, bins: bins + 1 }), epochs), 'zero-out'),
        each(repeat(ballsAndBins({ noiseMultiplier, bins }), epochs), 'zero-out'),
      ],
      // batches told: one Gaussian an epoch
      [
        each(repeat(ballsAndBins({ noiseMultiplier, bins }), epochs), 'zero-out'),
        each(repeat(gaussian({ noiseMultiplier }), epochs), 'zero-out'),
      ],
    ];
    for (const [less, more] of orders)
      for (const [direction, one] of less.entries()) inOrder(one, more[direction]!);
  }
});

test.each(CHUNKS)('chunk %d: capped batches lie between the attack and the published pairs', (chunk) => {
  const random = seeded(1617 + 1000 * chunk);
  const between = (from: number, to: number): number => from * (to / from) ** random();
  for (let i = 0; i < 100; i++) {
    const datasetSize = Math.round(between(3, 1e6));
    const rate = between(1 / datasetSize, 1);
    const batchCap = Math.min(datasetSize, Math.max(1, Math.round(datasetSize * rate * between(0.7, 1.5))));
    const step = cappedPoisson({ noiseMultiplier: between(0.2, 20), rate, datasetSize, batchCap });
    const capping = cappingOf(step);
    if (capping === undefined) continue;
    const { noiseMultiplier } = step;
    const met = Math.min(1, capping.rest * rate + capping.full * capping.keptBelow) * (1 - 1e-9);
    const epsilon = between(1e-3, 5);
    for (const adjacency of ['zero-out', 'replace-one'] as const) {
      const [attack, ours, ganesh, google] = [
        dpSgd({ noiseMultiplier, samplingRate: met, steps: 1 }),
        step,
        made(CAPPED_POISSON_KIND, { ...step, published: 'ganesh' }),
        made(CAPPED_POISSON_KIND, { ...step, published: 'google' }),
      ].map((mechanism) => account(wasm, mechanism, { adjacency }).directions);
      const delta = (runs: typeof ours): Bracket[] =>
        [0, runs!.length - 1].map((direction) => runs![direction]!.logDelta(epsilon));
      const all = [attack, ours, ganesh, google].map((runs) => delta(runs!));
      for (let j = 1; j < all.length; j++)
        for (const [direction, more] of all[j]!.entries()) inOrder(all[j - 1]![direction]!, more);
    }
  }
});
