import { expect, test } from 'vitest';
import { type Bracket, relativeWidth } from '../src/bracket.js';
import { account, laplace, repeat } from '../src/index.js';
import { wasm } from './helpers/runs.js';

/** ε of 50 Laplace releases at ε₀ = 0.2, by contour integration. */
const EPSILONS: readonly [delta: number, epsilon: number][] = [
  [1e-1, 2.00202248],
  [1e-2, 3.50344102],
  [1e-3, 4.550633],
  [1e-4, 5.37941589],
];

test('the grid holds the exact ε of composed Laplace noise, and no finer tolerance widens it', () => {
  const widest = new Map<number, number>();
  for (const tolerance of [1e-3, 1e-5, 1e-7, 1e-9, 1e-12]) {
    const run = account(wasm, repeat(laplace({ scale: 5, sensitivity: 1 }), 50), {
      adjacency: 'add-remove',
      tolerance,
      method: 'grid',
    });
    for (const [delta, exact] of EPSILONS) {
      const bracket: Bracket = run.epsilon(delta);
      expect(bracket.lower).toBeLessThanOrEqual(exact + 6e-9);
      expect(bracket.upper).toBeGreaterThanOrEqual(exact - 6e-9);
      const width = relativeWidth(bracket);
      // what the round-off of the FFT leaves of them
      expect(width).toBeLessThan(Math.max(tolerance, 4e-6));
      // a solve ends anywhere within its own tolerance: a thousandth is granted
      expect(width).toBeLessThanOrEqual((widest.get(delta) ?? 1) * 1.001);
      widest.set(delta, width);
    }
  }
}, 8_000);
