import { expect, test } from 'vitest';
import { intersects, relativeWidth } from '../../helpers/brackets.js';
import { runOf } from '../../helpers/runs.js';

const COARSE = { tolerance: 1e-3, maxGridLength: 2 ** 14 } as const;

/** Runs whose losses are mostly a rare large one: the hardest there are for a contour. */
const HARD = [
  { phase: [1, 0.01, 10], width: 1e-8 },
  { phase: [0.3, 0.01, 1000], width: 1e-9 },
  { phase: [0.4, 1e-4, 1_000_000], width: 1e-9 },
  { phase: [0.8, 0.001, 1000], width: 1e-6 },
  { phase: [0.5, 1e-4, 100], width: 1e-8 },
] as const;

test.each(HARD)('$phase: certified by the contour, and narrow', ({ phase, width }) => {
  const run = runOf([phase]);
  expect(run.method).toBe('spectral');
  const epsilon = run.epsilon(1e-5);
  expect(relativeWidth(epsilon)).toBeLessThan(width);
  // and the grid agrees
  const grid = runOf([phase], { method: 'grid', ...COARSE });
  for (const share of [0.5, 1]) {
    const at = share * epsilon.upper;
    expect(intersects(grid.logDelta(at), run.logDelta(at)), `epsilon ${at}`).toBe(true);
  }
});

/** A single large loss is rarer than δ, or as rare. */
test.each([[[0.3, 0.001, 10]]] as const)('%s: where contours and the grid both reach', (phase) => {
  const run = runOf([phase], COARSE);
  const grid = runOf([phase], { method: 'grid', ...COARSE });
  const epsilon = run.epsilon(1e-5);
  expect(relativeWidth(epsilon)).toBeLessThan(1e-3);
  for (const share of [0.5, 1]) {
    const at = share * epsilon.upper;
    expect(intersects(grid.logDelta(at), run.logDelta(at)), `epsilon ${at}`).toBe(true);
  }
});
