import { describe, expect, test } from 'vitest';
import { account, gaussian, gaussianMixture, repeat, withoutReplacement } from '../../src/index.js';
import { deltaGdp } from '../../src/numeric/scalar.js';
import { wasm } from '../helpers/runs.js';

type Point = readonly [number, number];

/** The largest H of one step, whose releases are a distance d apart at most: theorem 9, and below γ = 1 its mirror image. */
function largest(gamma: number, share: number, d: number): number {
  const over = Math.max(gamma, 1 / gamma);
  const delta = share * deltaGdp(d, Math.log1p((over - 1) / share));
  return gamma >= 1 ? delta : 1 - gamma + gamma * delta;
}

/** H at e^ε of a step with these means and the worst step that may follow what it shows, by sums over a grid: to 1e-3 of it. */
function twoSteps([a, b, c]: readonly Point[], share: number, d: number, epsilon: number): number {
  const width = 0.2;
  const density = ([u, v]: Point, x: number, y: number): number =>
    Math.exp(-((x - u) ** 2 + (y - v) ** 2) / 2) / (2 * Math.PI);
  let sum = 0;
  for (let x = -7; x <= 7 + d; x += width)
    for (let y = -7; y <= 7 + d; y += width) {
      const common = (1 - share) * density(a, x, y);
      const p = common + share * density(b, x, y);
      const q = common + share * density(c, x, y);
      sum += p * largest((Math.exp(epsilon) * q) / p, share, d);
    }
  return sum * width * width;
}

/** Means of A, B and C in a ball of diameter d, by the sides of their triangle in fifths of it. */
function triangles(d: number): Point[][] {
  const found: Point[][] = [];
  for (let ab = 0; ab <= 5; ab++)
    for (let ac = 0; ac <= 5; ac++)
      for (let bc = Math.abs(ab - ac); bc <= Math.min(5, ab + ac); bc++) {
        const longest = Math.max(ab, ac, bc) ** 2;
        const acute = 2 * longest < ab * ab + ac * ac + bc * bc;
        // the circumradius of what is acute is the product of the sides over four times the area
        const area = Math.sqrt((ab + ac + bc) * (ab + ac - bc) * (ab - ac + bc) * (bc + ac - ab)) / 4;
        if (acute && (ab * ac * bc) / (4 * area) > 2.5) continue;
        const x = ab === 0 ? ac : (ab * ab + ac * ac - bc * bc) / (2 * ab);
        const y = Math.sqrt(Math.max(0, ac * ac - x * x));
        found.push([
          [0, 0],
          [(ab * d) / 5, 0],
          [(x * d) / 5, (y * d) / 5],
        ]);
      }
  return found;
}

describe('samples of a fixed size, one record replaced', () => {
  test('a mixture of sensitivities has no theorem there, and that is what is said', () => {
    const mixture = gaussianMixture({ noiseMultiplier: 2, sensitivities: [0, 1], probabilities: [0.5, 0.5] });
    const step = withoutReplacement(mixture, { sampleSize: 1, datasetSize: 10 });
    expect(() => account(wasm, step, { adjacency: 'replace-one' })).toThrow(
      '"inner" must be a release with a theorem under this way of drawing, got "gaussian-mixture"',
    );
  });

  test.each([
    { sigma: 2, share: 0.5 },
    { sigma: 1, share: 0.1 },
  ])(
    'two steps: the worst of all triangles is between the ends, noise $sigma, share $share',
    ({ sigma, share }) => {
      const step = withoutReplacement(gaussian({ noiseMultiplier: sigma }), {
        sampleSize: share * 10,
        datasetSize: 10,
      });
      for (const epsilon of [0.2, 1]) {
        const each = triangles(2 / sigma).map((means) => twoSteps(means, share, 2 / sigma, epsilon));
        const found = account(wasm, repeat(step, 2), { adjacency: 'replace-one' }).delta(epsilon);
        expect(found).toContainValue(Math.max(...each));
        expect(found.lower).toBeGreaterThan(0.95 * found.upper);
        expect(account(wasm, step, { adjacency: 'replace-one' }).delta(epsilon)).toBeNoWiderThan(1e-9);
      }
    },
  );
});

/** Blocks of steps of little noise may tell nothing: other bounds answer then, no less than of one step and no more than of all. */
test.each([
  [0.3, 0.9, 1000],
  [0.5, 0.9, 2000],
  [0.6, 0.97, 2000],
])(
  'many steps of little noise have an answer: noise %d, share %d, %d steps',
  (noiseMultiplier, share, steps) => {
    const step = gaussian({ noiseMultiplier });
    const sampled = withoutReplacement(step, { sampleSize: Math.round(1e9 * share), datasetSize: 1e9 });
    const [many, one, whole] = [repeat(sampled, steps), sampled, repeat(step, steps)].map((each) =>
      account(wasm, each, { adjacency: 'replace-one' }).epsilon(1e-5),
    );
    expect(many.upper).toBeGreaterThan(one.lower);
    expect(many.lower).toBeLessThanOrEqual(whole.upper);
    expect(many.upper).toBeLessThanOrEqual(whole.upper * (1 + 1e-9));
  },
);
