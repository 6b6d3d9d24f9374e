/** Samples of little noise: docs/proofs/little-noise.md. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { account } from '../../../src/account/account.js';
import { compose, dpSgd, gaussian } from '../../../src/index.js';
import { patternRuns } from '../../../src/methods/closed/sample-patterns.js';
import type { ChoosyRun } from '../../../src/methods/first-within.js';
import { gain } from '../../../src/run/hull-run.js';
import { intersects } from '../../helpers/brackets.js';
import { reference, runOf, wasm } from '../../helpers/runs.js';

/** By test/golden/make-sample-patterns.py. */
interface Goldens {
  readonly exact: readonly {
    readonly name: string;
    readonly sigmas: readonly number[];
    readonly rates: readonly number[];
    readonly plain: number;
    readonly epsilon: number;
    readonly remove: number;
    readonly add: number;
  }[];
  readonly sums: readonly {
    readonly sigma: number;
    readonly rate: number;
    readonly steps: number;
    readonly epsilon: string;
  }[];
}

const url = new URL('../../golden/sample-patterns.json', import.meta.url);
const goldens = JSON.parse(readFileSync(url, 'utf8')) as Goldens;

/** However much the patterns overlap. */
const ANY = { mistaken: 1e9, share: 30, below: 36 };

function patternsOf(
  phases: readonly (readonly [sigma: number, q: number, steps: number])[],
  plan: typeof ANY = ANY,
  plainMu = 0,
): readonly ChoosyRun[] {
  const sampled = phases.map(([sigma, rate, count]) => ({ mu: 1 / sigma, rate, count }));
  return patternRuns(sampled, plainMu, plan)!;
}

const HARD = [
  [[0.3, 0.2, 2]],
  [[0.3, 0.02, 3]],
  [[0.5, 0.3, 3]],
  [[0.16, 0.05, 3]],
  [
    [0.4, 0.1, 1],
    [0.25, 0.02, 2],
  ],
] as const;

test('patterns that overlap hold what real space finds, in both directions', () => {
  let [sharp, wide] = [0, 0];
  for (const phases of HARD) {
    // with little given for what overlaps, and more
    const [patterns, less] = [30, 0.01].map((share) => patternsOf(phases, { ...ANY, share }));
    const run = runOf(phases, { method: 'spectral' });
    for (const [i, direction] of run.directions.entries()) {
      for (const x of [-1, -0.2, 0.01, 0.05, 0.3, 1, 2, 4, 6, 8, 12, 20, 40]) {
        const here = patterns[i].logDelta(x);
        const there = direction.logDelta(x, 1e-9);
        expect(here.lower).toBeLessThanOrEqual(there.upper);
        expect(here.upper).toBeGreaterThanOrEqual(there.lower);
        expect(less[i].logDelta(x).upper).toBeGreaterThanOrEqual(there.lower);
        sharp += Number(here.upper - here.lower < 0.2);
        wide += Number(here.upper - here.lower > 0.01);
      }
    }
  }
  // neither end is there by itself
  expect(sharp).toBeGreaterThan(25);
  expect(wide).toBeGreaterThan(30);
});

test.each(goldens.exact)(
  'two steps, or one and a plain one, integrated: $name',
  ({ sigmas, rates, plain, epsilon, remove, add }) => {
    const phases = sigmas.map((sigma, i) => [sigma, rates[i], 1] as const);
    const patterns = patternsOf(phases, ANY, plain);
    for (const [i, delta] of [remove, add].entries()) {
      const { lower, upper } = patterns[i].logDelta(epsilon);
      expect(Math.exp(lower)).toBeLessThanOrEqual(delta * (1 + 1e-12) + 1e-15);
      expect(Math.exp(upper)).toBeGreaterThanOrEqual(delta * (1 - 1e-12) - 1e-15);
    }
  },
);

test.each(goldens.sums)(
  'sums of mpmath over the numbers of batches: noise $sigma, rate $rate, $steps steps',
  ({ sigma, rate, steps, epsilon }) => {
    const ends = [wasm, reference].map((engine) => {
      const run = runOf([[sigma, rate, steps]], { engine });
      const found = run.epsilon(1e-5);
      expect(run.limitedBy).not.toBe('effort');
      expect(run.methodAt(found.upper)).toBe('closed-form');
      return found;
    });
    expect(ends[1]).toEqual(ends[0]);
    const [{ lower, upper }] = ends;
    expect(lower).toBeLessThanOrEqual(Number(epsilon) * (1 + 1e-15));
    // overlaps raise the exact value above the sum, at noise .065 by some 1e-11
    expect(upper).toBeGreaterThanOrEqual(Number(epsilon) * (1 - 1e-15));
    expect(upper - lower).toBeLessThan(1e-10 * upper);
  },
);

test('a grid of neighbours: epsilon falls with noise and rises with rate and steps, and no bracket is wide', () => {
  const at = (sigma: number, q: number, steps: number) => runOf([[sigma, q, steps]]).epsilon(1e-5);
  for (const q of [0.001, 0.02, 0.2]) {
    for (const steps of [20, 500]) {
      let before = { lower: Infinity, upper: Infinity };
      for (const sigma of [0.004, 0.02, 0.05, 0.058, 0.07, 0.085, 0.1]) {
        const found = at(sigma, q, steps);
        expect(found.upper).toBeLessThan(before.lower);
        expect(found.upper - found.lower).toBeLessThanOrEqual(1e-6 * found.upper);
        before = found;
      }
    }
  }
  expect(at(0.05, 0.03, 500).lower).toBeGreaterThan(at(0.05, 0.02, 500).upper);
  expect(at(0.05, 0.02, 600).lower).toBeGreaterThan(at(0.05, 0.02, 500).upper);
});

test('phases, and plain Gaussians beside: as if all steps of a phase were apart, and more than without them', () => {
  const one = dpSgd({ noiseMultiplier: 0.05, samplingRate: 0.02, steps: 500 });
  const near = dpSgd({ noiseMultiplier: 0.05 * (1 + 1e-9), samplingRate: 0.02, steps: 200 });
  const rest = dpSgd({ noiseMultiplier: 0.05, samplingRate: 0.02, steps: 300 });
  const epsilonOf = (...parts: Parameters<typeof compose>[0]) =>
    account(wasm, compose([...parts]), { adjacency: 'add-remove' }).epsilon(1e-5);
  const [alone, split] = [epsilonOf(one), epsilonOf(near, rest)];
  expect(split.upper).toBeLessThan(alone.upper);
  expect(split.lower).toBeGreaterThan(alone.lower * (1 - 3e-9));
  const beside = epsilonOf(one, gaussian({ noiseMultiplier: 0.1 }));
  expect(beside.lower).toBeGreaterThan(alone.upper);
  expect(beside.upper - beside.lower).toBeLessThan(1e-9 * beside.upper);
});

test('tests claim no more than delta, at any slope', () => {
  for (const phases of HARD) {
    const patterns = patternsOf(phases);
    const run = runOf(phases, { method: 'spectral' });
    for (const [i, direction] of run.directions.entries()) {
      for (const omega of [-0.5, 0.01, 0.1, 1, 3, 7]) {
        const claimed = patterns[i].test(omega);
        for (const slope of [-0.5, 0, 0.02, 0.3, 1, 3, 7, 12]) {
          const most = direction.logDelta(slope, 1e-9).upper;
          expect(gain(claimed, slope)).toBeLessThanOrEqual(most + 1e-13);
        }
      }
    }
  }
});

test('sizes that are left out count from above, whatever is left out', () => {
  for (const phases of [[[0.05, 0.02, 500]], [[0.05, 0.1, 40]]] as const) {
    const [whole, starved] = [ANY, { ...ANY, below: -37 }].map((plan) => patternsOf(phases, plan)[0]);
    for (const x of [0, 1000, 2500, 4000]) {
      const here = starved.logDelta(x);
      const there = whole.logDelta(x);
      expect(intersects(here, there)).toBe(true);
      expect(here.upper).toBeGreaterThanOrEqual(there.lower);
      const claimed = starved.test(x);
      expect(gain(claimed, x)).toBeLessThanOrEqual(there.upper);
      expect(claimed.logFpr).toBeGreaterThanOrEqual(whole.test(x).logFpr - 1e-9);
    }
    expect(starved.logDelta(0).upper - starved.logDelta(0).lower).toBeGreaterThan(1e-3);
  }
});
