import { describe, expect, test } from 'vitest';
import { intersects } from '../../helpers/brackets.js';
import { randomRuns } from '../../helpers/random-runs.js';
import { runOf } from '../../helpers/runs.js';

/** How many of the spectral brackets were certified, over all chunks. */
let asked = 0;
let certified = 0;
/** Runs answered by the spectral method though it misses 1e-6: by little, and the grid by more. */
let exceptions = 0;

describe('1000 random runs of 1 … 50 phases, spectral and grid', () => {
  const runs = [...randomRuns(1, 800, 5), ...randomRuns(2, 200, 50)];
  const chunks = Array.from({ length: 50 }, (_, i) => runs.slice(20 * i, 20 * (i + 1)));

  test.each(chunks.map((chunk, i) => [i, chunk] as const))('chunk %s', (_, chunk) => {
    for (const { phases, targets } of chunk) {
      const spectral = runOf(phases, { method: 'spectral', tolerance: 1e-6 });
      const grid = runOf(phases, { method: 'grid', tolerance: 1e-2, maxGridLength: 2 ** 10 });
      expect(spectral.directions.length).toBe(grid.directions.length);
      spectral.directions.forEach((direction, i) => {
        for (const target of targets) {
          const epsilon = direction.guessEpsilon(target);
          const a = direction.logDelta(epsilon);
          const b = grid.directions[i].logDelta(epsilon);
          asked++;
          if (a.upper - a.lower <= 1e-6 * Math.max(1, -a.upper)) certified++;
          const what = `${JSON.stringify(phases)} ${direction.direction} at ε ${epsilon}`;
          expect(intersects(a, b), `${what}: ${JSON.stringify([a, b])}`).toBe(true);
        }
      });
      const chosen = runOf(phases, { tolerance: 1e-6, maxGridLength: 2 ** 10 });
      if (chosen.method !== 'spectral') continue;
      const { lower, upper } = chosen.epsilon(1e-5);
      if (upper - lower <= 1e-6 * upper) continue;
      // with a grid of the usual length behind it
      const full = runOf(phases, { tolerance: 1e-6 }).epsilon(1e-5);
      if (full.upper - full.lower <= 1e-6 * full.upper) continue;
      exceptions++;
      const other = runOf(phases, { method: 'grid', tolerance: 1e-6 }).epsilon(1e-5);
      const limit = Math.min(2e-5 * full.upper, other.upper - other.lower);
      expect(full.upper - full.lower, JSON.stringify(phases)).toBeLessThanOrEqual(limit);
    }
  });

  test('most are certified', () => {
    console.info(`${certified} of ${asked} spectral brackets certified to 1e-6`);
    expect(certified).toBeGreaterThan(0.85 * asked);
    console.info(`${exceptions} runs answered by the spectral method with more than 1e-6`);
    expect(exceptions).toBeLessThan(0.01 * runs.length);
  });
});
