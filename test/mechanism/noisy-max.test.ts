import { describe, expect, it } from 'vitest';
import { renyiDivergence, zcdpRho } from '../../src/bounds/renyi.js';
import { account, noisyMax, repeat } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** Probabilities of permute-and-flip, exactly: candidate i arrives at t with coin p_i, none before it came down heads. */
function chosen(scores: readonly number[], rate: number): number[] {
  const top = Math.max(...scores);
  const coins = scores.map((score) => Math.exp(rate * (score - top)));
  return coins.map((coin, i) => {
    // coefficients of Π (1 − p_j t)
    let product = [1];
    coins.forEach((other, j) => {
      if (j === i) return;
      product = [...product, 0].map((c, m) => c - other * (product[m - 1] ?? 0));
    });
    return coin * product.reduce((sum, c, m) => sum + c / (m + 1), 0);
  });
}

/** All vectors of so many entries of `values`. */
const vectors = (count: number, values: readonly number[]): number[][] =>
  count === 0 ? [[]] : vectors(count - 1, values).flatMap((rest) => values.map((value) => [value, ...rest]));

/** ε at δ of `count` choices of two, the first with chance x in one world and y in the other: by all sums. */
function epsilonOfChoices(x: number, y: number, count: number, delta: number): number {
  const deltaAt = (epsilon: number): number => {
    let [ways, sum] = [1, 0];
    for (let k = 0; k <= count; k++) {
      const [p, q] = [x, y].map((each) => each ** k * (1 - each) ** (count - k));
      sum += ways * Math.max(0, p! - Math.exp(epsilon) * q!);
      ways *= (count - k) / (k + 1);
    }
    return sum;
  };
  let [low, high] = [0, 50];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (deltaAt(middle) > delta) low = middle;
    else high = middle;
  }
  return low;
}

describe('the largest of noisy scores', () => {
  it('is no worse than Laplace noise, over all neighbours of small sets of candidates', () => {
    const random = seeded(31);
    let closest = 0;
    for (let round = 0; round < 60; round++) {
      const epsilon = 0.2 + 3 * random();
      const run = account(wasm, noisyMax({ epsilon }), { adjacency: 'replace-one' });
      const scores = Array.from({ length: 2 + (round % 3) }, () => 4 * random());
      const asked = [-0.6 * epsilon, 0, 0.3 * epsilon, 0.8 * epsilon];
      const most = asked.map((at) => run.delta(at).upper);
      for (const [moves, rate] of [
        [[-1, 0, 1], epsilon / 2],
        [[0, 1], epsilon],
      ] as const) {
        const here = chosen(scores, rate);
        expect(here.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
        for (const move of vectors(scores.length, moves)) {
          const there = chosen(
            scores.map((score, i) => score + move[i]!),
            rate,
          );
          for (const [p, q] of [
            [here, there],
            [there, here],
          ] as const)
            asked.forEach((at, m) => {
              const delta = p.reduce((sum, each, i) => sum + Math.max(0, each - Math.exp(at) * q[i]!), 0);
              expect(delta).toBeLessThanOrEqual(most[m]! + 1e-13);
              if (at === 0) closest = Math.max(closest, delta / most[m]!);
            });
        }
      }
    }
    expect(closest).toBeGreaterThan(0.95);
  });

  it('is attained by two candidates, one epsilon at a time', () => {
    const run = account(wasm, noisyMax({ epsilon: 1 }), { adjacency: 'replace-one' });
    for (const at of [0, 0.25, 0.5, 0.9]) {
      let most = 0;
      for (let s = -6; s < 4; s += 1 / 512) {
        const [p, q] = [chosen([s + 2, 0], 0.5), chosen([s, 0], 0.5)];
        most = Math.max(most, p[0]! - Math.exp(at) * q[0]!);
      }
      expect(most).toBeGreaterThan(run.delta(at).upper * (1 - 1e-3));
      expect(most).toBeLessThanOrEqual(run.delta(at).upper * (1 + 1e-12));
    }
  });

  it('has Renyi divergences above those of all neighbours, and below epsilon', () => {
    for (const epsilon of [0.1, 1, 4]) {
      const rho = zcdpRho(noisyMax({ epsilon }), 'replace-one');
      for (const order of [1.01, 2, 7.5, 40, 1e4]) {
        const bound = renyiDivergence(noisyMax({ epsilon }), order, 'replace-one');
        let most = 0;
        for (let s = -6; s < 4; s += 1 / 64) {
          const [p, q] = [chosen([s + 2, 0], epsilon / 2), chosen([s, 0], epsilon / 2)];
          const sum = p.reduce((all, each, i) => all + q[i]! * (each / q[i]!) ** order, 0);
          if (sum < Infinity) most = Math.max(most, Math.log(sum) / (order - 1));
        }
        expect(bound).toBeGreaterThanOrEqual(most * (1 - 1e-12));
        expect(bound).toBeLessThanOrEqual(Math.min(epsilon, order * rho) * (1 + 1e-12));
      }
    }
  });

  it('composes between two candidates and the Laplace pair', () => {
    const { lower, upper } = account(wasm, repeat(noisyMax({ epsilon: 0.5 }), 20), {
      adjacency: 'replace-one',
    }).epsilon(1e-6);
    // an independent program's value of twenty Laplace pairs
    expect(Math.abs(upper / 9.67092016 - 1)).toBeLessThan(1e-6);
    expect(lower).toBeLessThan(upper);
    // two candidates at all distances, of which the record moves each by 1: in each step the chances of the first, exactly
    const best = Math.max(
      ...Array.from({ length: 161 }, (_, i) => {
        const [x] = chosen([i / 8 - 10 + 2, 0], 0.25);
        const [y] = chosen([i / 8 - 10, 0], 0.25);
        return epsilonOfChoices(x!, y!, 20, 1e-6);
      }),
    );
    expect(lower).toBeLessThanOrEqual(best * (1 + 1e-3));
    expect(lower).toBeGreaterThan(0.998 * best);
    expect(lower).toBeGreaterThan(0.97 * upper);
  });
});
