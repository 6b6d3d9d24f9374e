/** One full epoch of two bins: docs/proofs/balls-and-bins.md, 13. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, ballsAndBins } from '../../src/index.js';
import { allocationPair } from '../../src/law/gaussian-pair.js';
import { twoBinsRun } from '../../src/law/two-bins.js';
import { gain } from '../../src/run/hull-run.js';
import { reference, wasm } from '../helpers/runs.js';

/** By test/golden/make-two-bins.py: another order of integration. */
interface Golden {
  readonly sigma: number;
  readonly epsilon: number;
  readonly remove: string;
  readonly add: string | null;
}

const url = new URL('../golden/two-bins.json', import.meta.url);
const goldens = JSON.parse(readFileSync(url, 'utf8')) as Golden[];

describe('one epoch of two bins', () => {
  test('the goldens are in brackets of twelve digits, in both engines', () => {
    for (const { sigma, epsilon, remove, add } of goldens) {
      const found = [wasm, reference].map((engine) => {
        const run = account(engine, ballsAndBins({ noiseMultiplier: sigma, bins: 2 }), {
          adjacency: 'add-remove',
        });
        expect(run.method).toBe('closed-form');
        return run.directions.map((direction) => direction.logDelta(epsilon));
      });
      expect(found[1]).toEqual(found[0]);
      [remove, add].forEach((golden, i) => {
        if (golden === null) return;
        const { lower, upper } = found[0]![i]!;
        expect(lower).toBeLessThanOrEqual(Number(golden));
        expect(upper).toBeGreaterThanOrEqual(Number(golden));
        expect(upper - lower).toBeLessThan(1e-12 * (1 + Math.abs(Number(golden))));
      });
    }
  });

  test('starved: few nodes, far apart, that end too soon', () => {
    let [wide, kept] = [0, 0];
    for (const digits of [2, 3, 5])
      for (const { sigma, epsilon, ...exact } of goldens)
        for (const [way, direction] of [
          ['forward', 'remove'],
          ['backward', 'add'],
        ] as const) {
          if (exact[direction] === null) continue;
          const between = {
            ...allocationPair(1 / sigma, 3, 3)[way],
            logDelta: () => ({ lower: -1e300, upper: 0 }),
          };
          const { lower, upper } = twoBinsRun(1 / sigma, between as never, digits).logDelta(epsilon);
          expect(lower).toBeLessThanOrEqual(Number(exact[direction]));
          expect(upper).toBeGreaterThanOrEqual(Number(exact[direction]));
          wide += Number(upper - lower > 1e-4);
          kept += Number(upper - lower < 3);
        }
    expect(wide).toBeGreaterThan(20);
    expect(kept).toBeGreaterThan(20);
  });

  test('tests claim no more than delta, and nearly all of it', () => {
    const { directions } = account(wasm, ballsAndBins({ noiseMultiplier: 1, bins: 2 }), {
      adjacency: 'add-remove',
    });
    for (const run of directions)
      for (const omega of [0.1, 1, 2.5]) {
        const claimed = gain(run.test(omega), omega);
        const { lower, upper } = run.logDelta(omega);
        expect(claimed).toBeLessThanOrEqual(upper);
        expect(claimed).toBeGreaterThan(lower - 1e-3);
      }
  });

  test('between one Gaussian of all coordinates and one epoch of more bins, for noise of any size', () => {
    const at = (noiseMultiplier: number, bins: number) =>
      account(wasm, ballsAndBins({ noiseMultiplier, bins }), { adjacency: 'add-remove' }).epsilon(1e-5);
    let before = Infinity;
    for (const sigma of [0.12, 0.4, 1, 3, 30, 1e4]) {
      const { lower, upper } = at(sigma, 2);
      expect(upper - lower).toBeLessThan(1e-9 * upper);
      expect(upper).toBeLessThan(Math.min(before, at(sigma, 1).lower));
      before = upper;
    }
  });
});
