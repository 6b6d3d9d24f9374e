import { expect, test } from 'vitest';
import { account, type Bracket, ballsAndBins, gaussian, repeat } from '../../src/index.js';
import { epsilonOf } from '../../src/run/epsilon.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

const ADD_REMOVE = { adjacency: 'add-remove' } as const;

/** Φ by Simpson's rule. */
function normalCdf(x: number): number {
  const n = 400;
  const h = x / n;
  let sum = 0;
  for (let i = 0; i <= n; i++)
    sum += (i === 0 || i === n ? 1 : i % 2 === 1 ? 4 : 2) * Math.exp(-((i * h) ** 2) / 2);
  return 0.5 + (sum * h) / 3 / Math.sqrt(2 * Math.PI);
}

/** Masses of log(S/t) under Q on multiples of `step`: the sum of `bins` lognormals on a lattice, convolved directly. */
function latticeOf(mu: number, bins: number, step: number): Map<number, number> {
  const h = 0.005;
  const n = Math.ceil(Math.exp(5.5 * mu) / h);
  const edge = (x: number): number => (x <= 0 ? 0 : normalCdf((Math.log(x) + (mu * mu) / 2) / mu));
  const one = Float64Array.from({ length: n }, (_, i) => edge((i + 1) * h) - edge(i * h));
  let sum = one;
  for (let b = 1; b < bins; b++) {
    const next = new Float64Array(sum.length + n - 1);
    for (let i = 0; i < sum.length; i++) for (let j = 0; j < n; j++) next[i + j] += sum[i] * one[j];
    sum = next;
  }
  const losses = new Map<number, number>();
  for (const [i, mass] of sum.entries()) {
    // the two neighbours of the loss, so that its mean stays
    const at = Math.log(((i + bins / 2) * h) / bins) / step;
    const low = Math.floor(at);
    losses.set(low, (losses.get(low) ?? 0) + mass * (low + 1 - at));
    losses.set(low + 1, (losses.get(low + 1) ?? 0) + mass * (at - low));
  }
  return losses;
}

test.each([
  [1.5, 2],
  [2, 3],
])('lognormals convolved on a lattice: sigma %d, %d bins, one to three epochs', (noiseMultiplier, bins) => {
  const step = 0.002;
  const one = latticeOf(1 / noiseMultiplier, bins, step);
  let law = new Map([[0, 1]]);
  for (let epochs = 1; epochs <= 3; epochs++) {
    const next = new Map<number, number>();
    for (const [a, p] of law) for (const [b, q] of one) next.set(a + b, (next.get(a + b) ?? 0) + p * q);
    law = next;
    const run = account(wasm, repeat(ballsAndBins({ noiseMultiplier, bins }), epochs), ADD_REMOVE);
    for (const epsilon of [0.2, 0.8]) {
      let [remove, add] = [0, 0];
      for (const [at, mass] of law) {
        remove += mass * Math.max(0, Math.exp(at * step) - Math.exp(epsilon));
        add += mass * Math.max(0, 1 - Math.exp(epsilon + at * step));
      }
      const found = run.directions.map((one) => one.logDelta(epsilon));
      for (const [i, exact] of [remove, add].entries()) {
        expect(found[i].upper - found[i].lower).toBeLessThan(1e-6);
        expect(Math.exp(found[i].upper) / exact).toBeCloseTo(1, 3);
      }
    }
  }
});

/** Each chunk has a seed of its own and can be asked alone (`-t "chunk 3:"`). */
const CHUNKS = Array.from({ length: 20 }, (_, i) => i);

test.each(CHUNKS)(
  'chunk %d: between one Gaussian an epoch and the sum of the coordinates, and in order of noise and epochs',
  (chunk) => {
    const random = seeded(1600 + chunk);
    const between = (from: number, to: number): number => from * (to / from) ** random();
    const notAbove = (a: Bracket, b: Bracket): void => expect(a.lower).toBeLessThanOrEqual(b.upper);
    for (let i = 0; i < 50; i++) {
      const bins = Math.max(2, Math.round(between(1, 1e6)));
      const noiseMultiplier = between(0.05, 100);
      const epochs = Math.round(between(1, 1e5));
      const logDelta = -2.3 * (2 + 28 * random());
      const each = (sigma: number, count: number): Bracket[] =>
        account(
          wasm,
          repeat(ballsAndBins({ noiseMultiplier: sigma, bins }), count),
          ADD_REMOVE,
        ).directions.map((one) => epsilonOf(one, logDelta, 1e-6));
      const plain = (sigma: number): Bracket =>
        account(wasm, gaussian({ noiseMultiplier: sigma }), ADD_REMOVE).epsilonAtLog(logDelta);
      const here = each(noiseMultiplier, epochs);
      const told = plain(noiseMultiplier / Math.sqrt(epochs));
      const summed = plain(noiseMultiplier * Math.sqrt(bins / epochs));
      const more = [each(noiseMultiplier, 2 * epochs), each(noiseMultiplier / 1.1, epochs)];
      for (const [j, one] of here.entries()) {
        expect(one.lower).toBeLessThanOrEqual(one.upper);
        notAbove(one, told);
        notAbove(summed, one);
        for (const other of more) notAbove(one, other[j]);
      }
    }
  },
);
