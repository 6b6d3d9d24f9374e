import { expect, test } from 'vitest';
import { intersects, relativeWidth } from '../src/bracket.js';
import { runOf } from './helpers/runs.js';

/** Runs whose losses are mostly a rare large one: the hardest there are for a contour. */
const HARD = [
  { phase: [1, 0.01, 10], width: 1e-4 },
  { phase: [0.3, 0.01, 1000], width: 1e-4 },
  { phase: [0.4, 1e-4, 1_000_000], width: 1e-6 },
  { phase: [0.8, 0.001, 1000], width: 1e-3 },
] as const;

test.each(HARD)('$phase: certified by some method, which is named, and narrow', ({ phase, width }) => {
  const run = runOf([phase]);
  expect(['spectral', 'grid']).toContain(run.method);
  const epsilon = run.epsilon(1e-5);
  expect(relativeWidth(epsilon)).toBeLessThan(width);
  // whatever the contour alone says, narrow or wide, holds too
  const alone = runOf([phase], { method: 'spectral' });
  expect(alone.method).toBe('spectral');
  for (const share of [0.5, 1]) {
    const at = share * epsilon.upper;
    expect(intersects(alone.logDelta(at), run.logDelta(at)), `epsilon ${at}`).toBe(true);
  }
});
