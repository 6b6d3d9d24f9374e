import { describe, expect, test } from 'vitest';
import { sampleBound } from '../../src/law/drawn-copies.js';
import { type Profiles, worstPairs } from '../../src/law/fixed-size-cells.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { wasm } from '../helpers/runs.js';

type Point = readonly [number, number];

const HALF_WIDTH = 0.2;

/** ∫ of f over the plane, by its values on a grid that the densities of the noise are smooth on. */
function integrated(reach: number, f: (x: number, y: number) => number): number {
  let sum = 0;
  for (let x = -reach; x <= reach; x += HALF_WIDTH)
    for (let y = -reach; y <= reach; y += HALF_WIDTH) sum += f(x, y);
  return sum * HALF_WIDTH * HALF_WIDTH;
}

function density([u, v]: Point, x: number, y: number): number {
  return Math.exp(-((x - u) ** 2 + (y - v) ** 2) / 2) / (2 * Math.PI);
}

/** Three points of the ball with this diameter, from a sequence without chance: inside, on its edge, on a line, and in pairs. */
function triples(diameter: number): Point[][] {
  const at = (angle: number, part: number): Point => [
    (part * diameter * Math.cos(angle)) / 2,
    (part * diameter * Math.sin(angle)) / 2,
  ];
  const found: Point[][] = [];
  for (let i = 0; i < 24; i++) {
    const [b, c] = [i * 2.399963, i * 1.324718];
    const parts = i % 3 === 0 ? [1, 1, 1] : i % 3 === 1 ? [0.6, 1, 1] : [1, 0.3, 0.8];
    found.push([at(0, parts[0]), at(b, parts[1]), at(c, parts[2])]);
  }
  // right angles at y, at x, and the three of equal sides
  for (const angle of [0.1, 0.5, 1, Math.PI / 2]) {
    found.push([at(angle, 1), at(0, 1), at(Math.PI, 1)]);
    found.push([at(Math.PI, 1), at(angle, 1), at(0, 1)]);
  }
  found.push([at(0, 1), at((2 * Math.PI) / 3, 1), at((4 * Math.PI) / 3, 1)]);
  return found;
}

/** Σ weight·H of a pair, forwards at the places and backwards. */
function divergenceOf(
  { forward, backward }: Profiles,
  weights: readonly (readonly [number, number, number])[],
): number {
  return weights.reduce((sum, [k, f, b]) => sum + f * forward[k] + b * backward[k], 0);
}

function leavesOf(pairs: readonly Profiles[]): Profiles[] {
  return pairs.flatMap((pair) => (pair.parts.length === 0 ? [pair] : leavesOf(pair.parts)));
}

describe('one step on a sample of fixed size', () => {
  test.each([
    { diameter: 1.4, share: 0.1 },
    { diameter: 0.3, share: 0.5 },
    { diameter: 2.4, share: 0.02 },
  ])(
    'no three gradients have a larger f-divergence than the worst pair: diameter $diameter, share $share',
    ({ diameter, share }) => {
      const places = { h: share * diameter * 0.3, at: Int32Array.from([0, 1, 2, 3, 5, 8, 13, 21, 34]) };
      const { extremes, others } = worstPairs(
        wasm.kernel,
        { diameter, bounds: [sampleBound(share)], divisions: 8, raised: 2e-3 },
        places,
      );
      const pairs = [...extremes, ...leavesOf(others)];
      // one H, one of each direction, and many
      const divergences = [
        [[0, 1, 0]],
        [[1, 1, 0]],
        [[3, 1, 1]],
        [[5, 1, 2]],
        // beyond −log(1 − η) triangles between the extreme ones count
        [[4, 1, 1]],
        [[5, 1, 1]],
        [[6, 1, 1]],
        [
          [1, 0, 1],
          [6, 3, 0],
        ],
        Array.from(places.at, (_, k) => [k, 1, 1 / (1 + k)]),
        Array.from(places.at, (_, k) => [k, k * k, k]),
      ] as [number, number, number][][];
      const most = divergences.map((weights) =>
        Math.max(...pairs.map((pair) => divergenceOf(pair, weights))),
      );
      for (const [y, x, replaced] of triples(diameter)) {
        const profile = (own: Point, other: Point): Float64Array =>
          Float64Array.from(places.at, (k) =>
            integrated(6.5, (u, v) => {
              const common = (1 - share) * density(y, u, v);
              const p = common + share * density(own, u, v);
              const q = common + share * density(other, u, v);
              return Math.max(0, p - Math.exp(k * places.h) * q);
            }),
          );
        const own = { forward: profile(x, replaced), backward: profile(replaced, x), places, parts: [] };
        divergences.forEach((weights, i) => {
          expect(divergenceOf(own, weights), `${i}: ${y} ${x} ${replaced}`).toBeLessThanOrEqual(
            most[i] * 1.0005 + 1e-6,
          );
        });
      }
    },
    60_000,
  );

  test('the extreme pairs are one-sided: H of the record that takes the place, at a share, and nearly nothing beyond −log(1 − η)', () => {
    const [diameter, share] = [1.4, 0.1];
    const places = { h: 0.05, at: Int32Array.from([0, 1, 2, 4, 8, 16]) };
    const { extremes } = worstPairs(
      wasm.kernel,
      { diameter, bounds: [sampleBound(share)], divisions: 16, raised: 2e-3 },
      places,
    );
    places.at.forEach((k, i) => {
      const exact = share * deltaGdp(diameter, Math.log1p(Math.expm1(k * places.h) / share));
      expect(extremes[0].forward[i]).toBeGreaterThanOrEqual(exact);
      expect(extremes[0].forward[i]).toBeLessThan(1.003 * exact);
      if (k * places.h > 0.12) expect(extremes[0].backward[i]).toBeLessThan(1e-4 * exact);
    });
  });
});
