import { expect, test } from 'vitest';
import { intersects, relativeWidth } from '../src/bracket.js';
import { measure } from '../src/measure.js';
import { seeded } from './helpers/random.js';
import { checkRings, rareGoldens, ringsOf } from './helpers/rare-losses.js';
import { type PhaseTriple, runOf } from './helpers/runs.js';

test.each(rareGoldens)('rings: sigma $noiseMultiplier, q $samplingRate, $steps steps at $x', (golden) => {
  const hardest = golden.steps === 2 && (golden.noiseMultiplier === 1.5 || golden.x === 0.002);
  checkRings(golden, hardest ? Infinity : 1e-6);
});

/** The sum of the rings is the run: what else answers for the whole of it says the same where it reaches. */
test('random runs: rings, grid and whole lines intersect, both directions', () => {
  const random = seeded(17);
  const between = (a: number, b: number): number => a * (b / a) ** random();
  for (let i = 0; i < 30; i++) {
    const phases = Array.from(
      { length: 1 + Math.floor(2 * random()) },
      (): PhaseTriple => [between(0.5, 3), between(1e-5, 1e-2), Math.round(between(2, 3000))],
    );
    const grid = runOf(phases, { method: 'grid', tolerance: 1e-3, maxGridLength: 2 ** 12 });
    const alone = runOf(phases, { method: 'spectral' });
    alone.directions.forEach((direction, side) => {
      const rings = ringsOf(phases, side === 1);
      for (const target of [-4, -11, -25]) {
        const x = direction.guessEpsilon(target);
        const mine = rings.delta(x, 1e-6);
        const what = `${JSON.stringify(phases)}, direction ${side}, at ${x}: ${JSON.stringify(mine)}`;
        if (mine === undefined) throw new Error(what);
        expect(intersects(mine, grid.directions[side].logDelta(x)), what).toBe(true);
        expect(intersects(mine, direction.logDelta(x)), what).toBe(true);
      }
    });
  }
});

test.each([
  [[1, 1e-4, 10_000]],
  [[1, 1e-5, 100]],
  [[1.5, 1e-4, 100]],
  [[1, 1e-4, 2]],
  [[1, 1e-5, 10]],
] as const)('%s: epsilon and mu to 1e-6', (phase) => {
  const run = runOf([phase]);
  expect(run.method).toBe('spectral');
  expect(relativeWidth(run.epsilon(1e-5))).toBeLessThan(1e-6);
  expect(relativeWidth(measure(run).mu)).toBeLessThan(1e-6);
});
