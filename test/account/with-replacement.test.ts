import { expect, test } from 'vitest';
import { account, gaussian, poissonSubsampled, repeat, withReplacement } from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { reference, wasm } from '../helpers/runs.js';

const REPLACED = { adjacency: 'replace-one' } as const;

function runOf(noiseMultiplier: number, sampleSize: number, datasetSize: number, steps: number) {
  return repeat(withReplacement({ noiseMultiplier, sampleSize, datasetSize }), steps);
}

/** P[Bin(m, 1/n) = k], k = 0 … 5. */
function copies(m: number, n: number): number[] {
  return Array.from({ length: Math.min(m, 5) + 1 }, (_, k) => {
    let mass = (1 - 1 / n) ** (m - k);
    for (let i = 0; i < k; i++) mass *= (m - i) / (i + 1) / n;
    return mass;
  });
}

/** Outputs in cells: the record's gradient is at `u`, its replacement's at `v` ≤ 0 ≤ u, relative to all others'. Masses of both worlds, as a pair of finitely many losses. */
function cells(weights: readonly number[], u: number, v: number, h: number): [loss: number, p: number][] {
  const found = new Map<number, number>();
  const width = 0.02;
  for (let x = -9 + 5 * v; x < 9 + 5 * u; x += width) {
    const [p, q] = [u, v].map((each) =>
      weights.reduce((sum, w, k) => sum + w * (normalCdf(x + width - k * each) - normalCdf(x - k * each)), 0),
    ) as [number, number];
    if (!(p > 1e-18 && q > 0)) continue;
    // between two places: the mean of the ratio is kept
    const at = Math.floor(Math.log(p / q) / h);
    const [a, b] = [Math.exp(-at * h), Math.exp(-(at + 1) * h)];
    const part = (a - q / p) / (a - b);
    found.set(at, (found.get(at) ?? 0) + p * (1 - part));
    found.set(at + 1, (found.get(at + 1) ?? 0) + p * part);
  }
  return [...found].filter(([, p]) => p > 1e-16);
}

/** ε at δ of the best choice of the others' place on the line in each step, V_k(l) = max E[V_{k−1}(l + L)] on a mesh. */
function adaptive(
  weights: readonly number[],
  diameter: number,
  count: number,
  reach: number,
  h: number,
): number {
  const n = Math.ceil(reach / h);
  const steps = [1, 0, -1].map((s) => cells(weights, ((1 + s) * diameter) / 2, ((s - 1) * diameter) / 2, h));
  let values = Array.from({ length: 2 * n + 1 }, (_, i) => Math.max(0, -Math.expm1((n - i) * h)));
  for (let k = 0; k < count; k++) {
    const before = values;
    values = before.map((_, i) =>
      Math.max(
        ...steps.map((step) =>
          step.reduce((sum, [j, mass]) => sum + mass * before[Math.min(2 * n, Math.max(0, i + j))]!, 0),
        ),
      ),
    );
  }
  let k = 0;
  while (values[n - k]! > 1e-5) k++;
  const part = (values[n - k + 1]! - 1e-5) / (values[n - k + 1]! - values[n - k]!);
  return (k - 1 + part) * h;
}

test.each([
  [2, 50, 5000, 8, 2.5, 0.02],
  [2, 40, 400, 5, 8, 0.05],
  [5, 100, 1000, 20, 3, 0.02],
] as const)(
  'steps chosen by what came before: noise %d, %d of %d, %d steps',
  (noise, m, n, steps, reach, mesh) => {
    const { lower, upper } = account(wasm, runOf(noise, m, n, steps), REPLACED).epsilon(1e-5);
    // the mesh adds a little
    const chosen = adaptive(copies(m, n), 2 / noise, steps, reach, mesh);
    expect(lower).toBeLessThanOrEqual(chosen * 1.0005);
    expect(upper).toBeGreaterThanOrEqual(chosen * 0.9995);
    expect(upper).toBeLessThan(1.045 * lower);
  },
  120_000,
);

test('the same bits in both engines', () => {
  const [a, b] = [wasm, reference].map((engine) =>
    account(engine, runOf(2, 50, 5000, 3), { ...REPLACED, effort: 0.3 }).epsilon(1e-5),
  );
  expect({ ...a }).toEqual({ ...b });
}, 60_000);

test('little noise: the lower end is that of a data set, not 0', () => {
  const [noise, m, n, steps] = [0.3, 50, 10_000, 1000];
  const { lower, upper } = account(wasm, runOf(noise, m, n, steps), REPLACED).epsilon(1e-5);
  // all others are the replacement, and a batch with the record more than once counts as without it: a Gaussian on a Poisson sample
  const rate = m * (1 / n) * (1 - 1 / n) ** (m - 1);
  const once = poissonSubsampled(gaussian({ noiseMultiplier: noise / 2 }), { rate });
  const one = account(wasm, repeat(once, steps), { adjacency: 'add-remove' }).epsilon(1e-5);
  expect(lower).toBeGreaterThan(one.lower * (1 - 1e-9));
  expect(upper).toBeGreaterThan(one.upper);
  expect(lower).toBeGreaterThan(0.85 * upper);
}, 60_000);

// the same data in all steps, by FFT in numpy: all others are the record's replacement
test.each([
  [2, 256, 50_000, 5000, 2.004, 0.03],
  [4, 256, 50_000, 10_000, 1.0329, 0.03],
  [3, 1000, 60_000, 1000, 1.6232, 0.035],
  [1, 256, 50_000, 10_000, 23.326, 0.03],
])(
  'many steps: noise %d, %d of %d, %d steps',
  (noise, m, n, steps, alike, width) => {
    const run = account(wasm, runOf(noise, m, n, steps), REPLACED);
    const { lower, upper } = run.epsilon(1e-5);
    expect(lower).toBeLessThan(alike * 1.001);
    expect(upper).toBeGreaterThan(alike);
    expect(upper).toBeLessThan((1 + width) * lower);
  },
  60_000,
);
