import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { account, ballsAndBins, compose, gaussian, type Mechanism, repeat } from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { seeded } from '../helpers/random.js';
import { reference, wasm } from '../helpers/runs.js';

function subsets(n: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]];
  const all: number[][] = [];
  for (let i = from; i < n; i++) for (const rest of subsets(n, k - 1, i + 1)) all.push([i, ...rest]);
  return all;
}

/** Points of the plane or line orthogonal to (1, …, 1), with normal weights, by the rectangle rule. */
function* orthogonal(t: number, step: number): Generator<{ y: number[]; weight: number }> {
  // Helmert's basis
  const basis = Array.from({ length: t - 1 }, (_, j) => {
    const norm = Math.sqrt((j + 1) * (j + 2));
    return Array.from({ length: t }, (__, i) => (i <= j ? 1 / norm : i === j + 1 ? -(j + 1) / norm : 0));
  });
  const reach = Math.ceil(8.5 / step);
  const at = basis.map(() => -reach);
  for (;;) {
    const z = at.map((k) => k * step);
    const weight = z.reduce((w, x) => (w * step * Math.exp(-0.5 * x * x)) / Math.sqrt(2 * Math.PI), 1);
    yield {
      y: Array.from({ length: t }, (_, i) => basis.reduce((sum, b, j) => sum + b[i]! * z[j]!, 0)),
      weight,
    };
    let j = 0;
    while (j < at.length && at[j] === reach) at[j++] = -reach;
    if (j === at.length) return;
    at[j]! += 1;
  }
}

/**
 * δ(ε) of k of t, both directions, by quadrature: the mean of the outputs is integrated in closed form, as the likelihood ratio is an exponential
 * in it, and the rest by the rectangle rule, which converges faster than any power for what is analytic.
 */
function exact(t: number, k: number, sigma: number, epsilon: number): [remove: number, add: number] {
  const mu = 1 / sigma;
  const sets = subsets(t, k);
  const slope = (k * mu) / Math.sqrt(t);
  let [remove, add] = [0, 0];
  for (const { y, weight } of orthogonal(t, 0.4)) {
    // the ratio is a·e^{slope g}, g the standard normal mean of the coordinates
    const a =
      sets.reduce((sum, set) => sum + Math.exp(mu * set.reduce((s, i) => s + y[i]!, 0)), 0) /
      sets.length /
      Math.exp((k * mu * mu) / 2);
    const grown = a * Math.exp((slope * slope) / 2);
    const at = (epsilon - Math.log(a)) / slope;
    remove += weight * (grown * normalCdf(slope - at) - Math.exp(epsilon) * normalCdf(-at));
    const below = (-epsilon - Math.log(a)) / slope;
    add += weight * (normalCdf(below) - Math.exp(epsilon) * grown * normalCdf(below - slope));
  }
  return [remove, add];
}

/** log of e_k(X)/C(t, k). */
function logRatio(x: readonly number[], k: number): number {
  const e = [1, ...Array.from({ length: k }, () => 0)];
  for (const [n, each] of x.entries()) for (let j = Math.min(k, n + 1); j > 0; j--) e[j]! += each * e[j - 1]!;
  let choices = 1;
  for (let i = 0; i < k; i++) choices *= (x.length - i) / (i + 1);
  return Math.log(e[k]! / choices);
}

/** δ(ε) of epochs by simulation, and its standard error: both directions. */
function simulated(
  { t, k, sigma, epochs, epsilon }: Record<'t' | 'k' | 'sigma' | 'epochs' | 'epsilon', number>,
  n: number,
): { mean: number; error: number }[] {
  const random = seeded(31);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const mu = 1 / sigma;
  return [1, 0].map((present) => {
    let [sum, square] = [0, 0];
    for (let draw = 0; draw < n; draw++) {
      let loss = 0;
      for (let e = 0; e < epochs; e++) {
        const x = Array.from({ length: t }, (_, i) =>
          Math.exp(mu * normal() + (present === 1 && i < k ? 1 : -1) * 0.5 * mu * mu),
        );
        loss += logRatio(x, k);
      }
      const value = Math.max(0, -Math.expm1(epsilon - (present === 1 ? loss : -loss)));
      sum += value;
      square += value * value;
    }
    return { mean: sum / n, error: Math.sqrt((square / n - (sum / n) ** 2) / n) };
  });
}

const several = (t: number, k: number, sigma: number): Mechanism =>
  ballsAndBins({ noiseMultiplier: sigma, bins: t, binsPerRecord: k });

describe('a record in several of the bins', () => {
  test.each([
    [3, 2, 0.7],
    [3, 2, 2],
    [4, 2, 1],
    [4, 3, 1],
  ])(
    '2 or 3 of up to 4 batches: between the bounds, in both directions, t %d, k %d, sigma %d',
    (t, k, sigma) => {
      const found = [-0.5, 0, 0.5, 1, 2, 4].map((epsilon) => [epsilon, exact(t, k, sigma, epsilon)] as const);
      for (const engine of [wasm, reference]) {
        const { directions } = account(engine, several(t, k, sigma), { adjacency: 'add-remove' });
        expect(directions.map(({ direction }) => direction)).toEqual(['remove', 'add']);
        for (const [epsilon, deltas] of found) {
          deltas.forEach((delta, i) => {
            const { lower, upper } = directions[i]!.logDelta(epsilon);
            expect(Math.exp(lower)).toBeLessThan(delta * (1 + 1e-9));
            expect(Math.exp(upper)).toBeGreaterThan(delta * (1 - 1e-9));
            if (delta > 0.03) expect(Math.exp(lower) / delta).toBeGreaterThan(0.85);
          });
        }
      }
    },
  );

  test('2 of 3 batches, by another order of integration: the goldens are between the bounds, and what the quadrature here finds', () => {
    const url = new URL('../golden/several-bins.json', import.meta.url);
    const rows = JSON.parse(readFileSync(url, 'utf8')) as {
      sigma: number;
      epsilon: number;
      direction: 'remove' | 'add';
      delta: string;
      error: number;
    }[];
    expect(rows).toHaveLength(24);
    for (const { sigma, epsilon, direction, delta, error } of rows) {
      const golden = Number(delta);
      const i = direction === 'remove' ? 0 : 1;
      const run = account(wasm, several(3, 2, sigma), { adjacency: 'add-remove' }).directions[i]!;
      const { lower, upper } = run.logDelta(epsilon);
      expect(Math.exp(lower), `${sigma} ${epsilon} ${direction}`).toBeLessThanOrEqual(golden * (1 + error));
      expect(Math.exp(upper), `${sigma} ${epsilon} ${direction}`).toBeGreaterThanOrEqual(
        golden * (1 - error),
      );
      const found = exact(3, 2, sigma, epsilon)[i]!;
      expect(Math.abs(found / golden - 1), `${sigma} ${epsilon} ${direction}`).toBeLessThan(1e-6);
    }
  });

  test('all batches but one: to nine digits of the goldens and of the quadrature', () => {
    const url = new URL('../golden/several-bins.json', import.meta.url);
    for (const row of JSON.parse(readFileSync(url, 'utf8'))) {
      const run = account(wasm, several(3, 2, row.sigma), { adjacency: 'add-remove' });
      const { lower, upper } = run.directions[row.direction === 'remove' ? 0 : 1]!.logDelta(row.epsilon);
      expect(upper - lower).toBeLessThan(1e-6);
      expect(Math.exp(upper) / Number(row.delta), JSON.stringify(row)).toBeCloseTo(1, 9);
    }
    const { directions } = account(wasm, several(4, 3, 1), { adjacency: 'add-remove' });
    for (const epsilon of [-0.5, 0, 1, 3])
      exact(4, 3, 1, epsilon).forEach((delta, i) => {
        const { lower, upper } = directions[i]!.logDelta(epsilon);
        expect(upper - lower).toBeLessThan(1e-6);
        expect(Math.exp(upper) / delta).toBeCloseTo(1, 6);
      });
  });

  test('more than half of the batches: as the others, beside Gaussians', () => {
    // all but two, by their own test and by their own blocks: each is as the two are
    for (const [t, k] of [
      [5, 3],
      [9, 7],
    ] as const) {
      const run = account(wasm, several(t, k, 2), { adjacency: 'add-remove' });
      const beside = compose([several(t, t - k, 2), repeat(gaussian({ noiseMultiplier: 2 }), 2 * k - t)]);
      const same = account(wasm, beside, { adjacency: 'add-remove' });
      expect(run.epsilon(1e-5).lower / same.epsilon(1e-5).lower).toBeCloseTo(1, 9);
      expect(run.epsilon(1e-5).upper / same.epsilon(1e-5).upper).toBeCloseTo(1, 9);
    }
    const drawn = simulated({ t: 5, k: 3, sigma: 2, epochs: 1, epsilon: 1 }, 60_000);
    const { directions } = account(wasm, several(5, 3, 2), { adjacency: 'add-remove' });
    drawn.forEach(({ mean, error }, i) => {
      const { lower, upper } = directions[i]!.logDelta(1);
      expect(upper - lower).toBeLessThan(0.25);
      expect(Math.exp(lower)).toBeLessThan(mean + 4 * error);
      expect(Math.exp(upper)).toBeGreaterThan(mean - 4 * error);
    });
  });

  test('the quadrature is right where the answer is known: one of two batches, all of three', () => {
    const one = account(wasm, ballsAndBins({ noiseMultiplier: 1, bins: 2 }), { adjacency: 'add-remove' });
    const all = account(wasm, repeat(gaussian({ noiseMultiplier: 1 }), 3), { adjacency: 'add-remove' });
    for (const epsilon of [0, 1, 2]) {
      exact(2, 1, 1, epsilon).forEach((delta, i) => {
        expect(Math.exp(one.directions[i]!.logDelta(epsilon).upper) / delta).toBeCloseTo(1, 6);
      });
      const [remove, add] = exact(3, 3, 1, epsilon);
      expect(all.delta(epsilon).upper / remove).toBeCloseTo(1, 9);
      expect(all.delta(epsilon).upper / add).toBeCloseTo(1, 9);
    }
  });

  test('3 of 10 at noise 1: narrow, and a simulation between the bounds', () => {
    const { directions } = account(wasm, several(10, 3, 1), { adjacency: 'add-remove' });
    for (const [epsilon, most] of [
      [1, 1.15],
      [2, 1.3],
    ] as const) {
      const drawn = simulated({ t: 10, k: 3, sigma: 1, epochs: 1, epsilon }, 60_000);
      drawn.forEach(({ mean, error }, i) => {
        const { lower, upper } = directions[i]!.logDelta(epsilon);
        expect(upper - lower).toBeLessThan(Math.log(most));
        expect(Math.exp(lower)).toBeLessThan(mean + 4 * error);
        expect(Math.exp(upper)).toBeGreaterThan(mean - 4 * error);
      });
    }
  });

  test('four epochs of 2 of 6 and other steps beside them: a simulation between the bounds', () => {
    const { directions } = account(wasm, repeat(several(6, 2, 2), 4), { adjacency: 'zero-out' });
    const drawn = simulated({ t: 6, k: 2, sigma: 2, epochs: 4, epsilon: 1 }, 40_000);
    drawn.forEach(({ mean, error }, i) => {
      const { lower, upper } = directions[i]!.logDelta(1);
      expect(upper - lower).toBeLessThan(0.2);
      expect(Math.exp(lower)).toBeLessThan(mean + 4 * error);
      expect(Math.exp(upper)).toBeGreaterThan(mean - 4 * error);
    });
    const beside = compose([several(6, 2, 2), several(6, 3, 2), gaussian({ noiseMultiplier: 3 })]);
    const { lower, upper } = account(wasm, beside, { adjacency: 'add-remove' }).delta(1);
    expect(lower).toBeGreaterThan(0.5 * upper);
    expect(lower).toBeLessThan(upper);
  });

  test('gradients of other sizes and signs are no worse', () => {
    const [t, sigma, step] = [3, 1, 0.2];
    const reach = Math.ceil(8 / step);
    for (const u of [
      [1, 1, -1],
      [1, 0.5, 0],
      [0.3, 1, 1],
    ]) {
      let sum = 0;
      for (let i = -reach; i <= reach; i++)
        for (let j = -reach; j <= reach; j++)
          for (let k = -reach; k <= reach; k++) {
            const y = [i * step, j * step, k * step];
            const density =
              Math.exp(-0.5 * (y[0]! ** 2 + y[1]! ** 2 + y[2]! ** 2)) * (step * 0.3989422804) ** 3;
            const ratio =
              subsets(t, 2).reduce(
                (s, set) => s + Math.exp(set.reduce((l, b) => l + u[b]! * y[b]! - 0.5 * u[b]! ** 2, 0)),
                0,
              ) / 3;
            sum += density * Math.max(0, ratio - Math.E);
          }
      const { upper } = account(wasm, several(t, 2, sigma), { adjacency: 'add-remove' }).delta(1);
      expect(sum).toBeGreaterThan(1e-3);
      // the first has another sign alone, and is as bad: the sum over a kink has four digits
      expect(sum).toBeLessThan(upper * (1 + 1e-4));
    }
  });

  test('one bin a record is the kind as it was, all of them are Gaussian steps, and both engines have the same bits', () => {
    const one = ballsAndBins({ noiseMultiplier: 2, bins: 10, binsPerRecord: 1 });
    expect(one).toEqual(ballsAndBins({ noiseMultiplier: 2, bins: 10 }));
    const all = account(wasm, several(5, 5, 2), { adjacency: 'add-remove' });
    const steps = account(wasm, repeat(gaussian({ noiseMultiplier: 2 }), 5), { adjacency: 'add-remove' });
    expect(all.epsilon(1e-5).upper / steps.epsilon(1e-5).upper).toBeCloseTo(1, 9);
    const [a, b] = [wasm, reference].map((engine) =>
      account(engine, repeat(several(9, 3, 2), 2), { adjacency: 'add-remove' }).delta(1),
    );
    expect(a).toEqual(b);
  });

  test('what is refused says why', () => {
    expect(() => ballsAndBins({ noiseMultiplier: 1, bins: 5, binsPerRecord: 6 })).toThrow('"binsPerRecord"');
    expect(() => ballsAndBins({ noiseMultiplier: 1, bins: 5, visited: 2, binsPerRecord: 2 })).toThrow(
      'whole epoch',
    );
    expect(() => account(wasm, several(5, 2, 1), { adjacency: 'replace-one' })).toThrow(
      '"adjacency" must be',
    );
  });
});
