/** Searches over DP-SGD, held against the Rényi bounds of Papernot and Steinke 2022 by a sum of their own. */
import { describe, expect, test } from 'vitest';
import { account, dpSgd, select } from '../../src/index.js';
import { wasm } from './runs.js';

const [RATE, STEPS] = [0.01, 1000];
export const DELTA = 1e-5;

/** (t − 1)D_t of a sampled Gaussian step, of whole orders t: log Σ C(t, k)(1 − q)^{t−k} q^k e^{k(k−1)/2σ²}. */
function logMoment(sigma: number, order: number): number {
  let [choose, sum] = [0, 0];
  const terms: number[] = [];
  for (let k = 0; k <= order; k++) {
    terms.push(
      choose + (order - k) * Math.log1p(-RATE) + k * Math.log(RATE) + (k * (k - 1)) / (2 * sigma * sigma),
    );
    choose += Math.log(order - k) - Math.log(k + 1);
  }
  const most = Math.max(...terms);
  for (const term of terms) sum += Math.exp(term - most);
  return most + Math.log(sum);
}

const ORDERS = [...Array.from({ length: 63 }, (_, i) => i + 2), 80, 100, 128, 160, 200, 256, 400, 512];
const divergences = (sigma: number): [number, number][] =>
  ORDERS.map((order) => [order, (STEPS * logMoment(sigma, order)) / (order - 1)]);

/** ε of a Rényi curve: D + log(1 − 1/t) − log(δt)/(t − 1) (Canonne, Kamath, Steinke 2020). */
const epsilonOf = (curve: [number, number][]): number =>
  Math.min(...curve.map(([t, d]) => d + Math.log1p(-1 / t) - Math.log(DELTA * t) / (t - 1)));

/** Theorem 2 of Papernot and Steinke: truncated negative binomials, γ of a geometric number of tries of that mean. */
function papernotSteinke(sigma: number, mean: number): number {
  const base = divergences(sigma);
  const extra = Math.min(...base.map(([t, d]) => 2 * (1 - 1 / t) * d + (2 * Math.log(mean)) / t));
  return epsilonOf(base.map(([t, d]) => [t, d + extra + Math.log(mean) / (t - 1)]));
}

export const inner = (sigma: number) => dpSgd({ noiseMultiplier: sigma, samplingRate: RATE, steps: STEPS });
export const geometric = { kind: 'negative-binomial', eta: 1, mean: 10 } as const;
const LAWS = [
  [geometric, 1.11],
  [{ kind: 'negative-binomial', eta: 0, mean: 10 }, 1.08],
  [{ kind: 'poisson', mean: 10 }, 1.25],
  [{ kind: 'fixed', count: 5 }, 1.45],
  [{ kind: 'table', probabilities: [0, 0.5, 0.3, 0.2] }, 1.08],
] as const;
/** Units that one answer costs at most: a fifth of what it may. */
const MOST_UNITS = 4e8;

/** What every search over such a run is held to. */
export const describeSearches = (...sigmas: number[]): void =>
  describe.each(sigmas)('noise %d', (sigma) => {
    test('a search is narrow for a fifth of the allowance, whatever the law of its tries', () => {
      for (const [runs, most] of LAWS) {
        const run = account(wasm, select({ runs, inner: inner(sigma) }), { adjacency: 'add-remove' });
        const { lower, upper } = run.epsilon(DELTA);
        expect(upper / lower).toBeLessThan(most);
        expect(run.cost).toBeLessThan(MOST_UNITS);
        expect(run.limitedBy).not.toBe('effort');
        const delta = run.delta(1);
        expect(delta.lower).toBeGreaterThan(0);
        expect(delta.upper).toBeLessThan(1);
      }
    });

    test('it is below the bound by Rényi divergences, and above one try', () => {
      const run = account(wasm, select({ runs: geometric, inner: inner(sigma) }), {
        adjacency: 'add-remove',
      });
      const { lower, upper } = run.epsilon(DELTA);
      expect(upper).toBeLessThan(papernotSteinke(sigma, 10));
      const alone = account(wasm, inner(sigma), { adjacency: 'add-remove' }).epsilon(DELTA);
      expect(lower).toBeGreaterThan(alone.upper);
    });
  });
