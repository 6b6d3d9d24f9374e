import { describe, expect, it } from 'vitest';
import {
  account,
  approximateDp,
  type ComposedRun,
  deltaDivergence,
  dpSgd,
  gaussian,
  gaussianTradeoff,
  laplace,
  type Mechanism,
  measure,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  runTradeoff,
} from '../../src/index.js';
import { polygonRegret } from '../../src/measure/polygon.js';
import { deltaGdp, normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { LONG_TESTS } from '../helpers/long.js';
import { runOf, wasm } from '../helpers/runs.js';

const regretOf = (mechanism: Mechanism) =>
  measure(account(wasm, mechanism, { adjacency: 'add-remove' })).regret;

/**
 * Regret is sup over ε of (δ_μ(ε) − δ(ε))/(1 + e^ε), the distance of parallel lines of support along the
 * diagonal. Goldens: test/golden/make-regret.py.
 */
describe('regret', () => {
  it.each([
    [0.2, 0.014951600581369265626, 0.013346405765062450535],
    [1, 0.057546396050093387249, 0.037016111322171354162],
    [2, 0.056269232004463150399, 0.030162534760689542124],
    [5, 0.0059671168760358972741, 0.0041101887101201994319],
  ])('of randomised response and Laplace noise, epsilon %f, is exact', (epsilon, response, noise) => {
    const found = [
      [regretOf(randomizedResponse({ epsilon })), response],
      [regretOf(laplace({ scale: 1, sensitivity: epsilon })), noise],
    ] as const;
    for (const [{ lower, upper }, exact] of found) {
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
      expect(upper - lower).toBeLessThan(1e-6);
    }
  });

  it('of a polygon, for every mu of a bracket, by a scan of all priors', () => {
    const [alpha, beta] = [
      [0, 0.05, 0.25],
      [1, 0.6, 0.25],
    ];
    const hull = { alpha: Float64Array.from(alpha), beta: Float64Array.from(beta), relative: 1e-16 };
    const least = (w: number): number => Math.min(...alpha.map((a, i) => (1 - w) * a + w * beta[i]));
    const exact = (mu: number): number => {
      let regret = 0;
      // the corners of the least error lie at the slopes of the segments
      const corners = [Math.log(0.4 / 0.05), Math.log(0.35 / 0.2)];
      for (const e of [...corners, ...Array.from({ length: 12000 }, (_, i) => i * 1e-3)]) {
        const w = 1 / (1 + Math.exp(e));
        regret = Math.max(regret, least(w) - w * (1 - deltaGdp(mu, e)));
      }
      return regret;
    };
    for (const [lower, upper] of [
      [1.3, 1.3],
      [1.3, 1.7],
      [1.7, 1.7],
    ]) {
      const found = polygonRegret(hull, { lower, upper });
      for (const mu of [lower, (lower + upper) / 2, upper]) {
        expect(found.lower).toBeLessThanOrEqual(exact(mu) + 1e-6);
        expect(found.upper).toBeGreaterThanOrEqual(exact(mu) - 1e-12);
      }
      expect(found.upper).toBeLessThan(exact(upper) + 1e-6);
    }
  });

  it('of a Gaussian is nothing', () => {
    expect(regretOf(gaussian({ noiseMultiplier: 0.8 }))).toEqual({ lower: 0, upper: 0 });
  });

  it('of the CIFAR-10 run is known to 1e-6, its tests meeting at the diagonal', () => {
    const { lower, upper } = measure(runOf([[9.4, 16384 / 50000, 2000]])).regret;
    expect(lower).toBeGreaterThan(0.001);
    expect(upper - lower).toBeLessThan(1e-6);
  });
});

const accounted = (mechanism: Mechanism) => account(wasm, mechanism, { adjacency: 'add-remove' });

/**
 * Whatever the window of μ, the regret is over all α. Goldens by the definition, Δ(f, G_μ) and Δ(G_μ, f) from the κ of every α,
 * with no duality: test/golden/make-regret.py.
 */
describe('regret of a μ that holds on a window', () => {
  it.each([
    ['pure 1', pureDp({ epsilon: 1 }), 0.26, 1.23203538534, 0.0575463960501, 0, 'II'],
    ['pure 0.5', pureDp({ epsilon: 0.5 }), 0.37, 0.623892592099, 0.0352408819573, 0, 'II'],
    ['pure 3', pureDp({ epsilon: 3 }), 0.047, 3.34068371224, 0.0321272657403, 0, 'II'],
    ['pure 1', pureDp({ epsilon: 1 }), 0.2, 1.23203538534, 0.0575463960501, 0, 'II'],
    [
      '(0.5, 0.001)',
      approximateDp({ epsilon: 0.5, delta: 0.001 }),
      0.01,
      0.625879975948,
      0.0351291113023,
      9.0494069944e-5,
      'II',
    ],
    [
      '(0.5, 0.2)',
      approximateDp({ epsilon: 0.5, delta: 0.2 }),
      0.25,
      1.03712728014,
      0.0200965045803,
      0.0244442498393,
      'II',
    ],
    // everything is revealed with probability δ, of which rates from 0.45 up show little: the regret alone is below 0.01
    [
      '(0.02, 0.03)',
      approximateDp({ epsilon: 0.02, delta: 0.03 }),
      0.45,
      0.0995534277245,
      0.000398878379401,
      0.0131230129888,
      'II',
    ],
    [
      '50 responses',
      repeat(randomizedResponse({ epsilon: 0.2 }), 50),
      0.05,
      1.42007917667,
      0.00218862418412,
      0,
      'I',
    ],
    [
      'a sampled step',
      dpSgd({ noiseMultiplier: 0.8, samplingRate: 0.3, steps: 1 }),
      0.1,
      0.49654322893,
      0.0278335287421,
      0.00533469008131,
      'II',
    ],
  ] as const)('%s, window number %#', (name, mechanism, alphaMin, mu, regret, shortfall, tier) => {
    // searched for to 1e-11; the sampled step is one of 12,000 chords
    const slack = name === 'a sampled step' ? 5e-7 : 1e-10;
    const run = accounted(mechanism);
    const found = measure(run, { alphaMin });
    const beyond = deltaDivergence(gaussianTradeoff(found.mu.upper), runTradeoff(run));
    expect(beyond.lower).toBeLessThanOrEqual(alphaMin);
    for (const [{ lower, upper }, exact] of [
      [found.mu, mu],
      [found.regret, regret],
      [deltaDivergence(runTradeoff(run), gaussianTradeoff(found.mu.upper)), regret],
      [beyond, shortfall],
    ] as const) {
      expect(lower).toBeLessThanOrEqual(exact + slack);
      expect(upper).toBeGreaterThanOrEqual(exact - slack);
      expect(upper - lower).toBeLessThan(3e-7);
    }
    expect(beyond.upper).toBeLessThanOrEqual(alphaMin);
    expect(found.tier).toBe(tier);
  });
});

/** Asks whether f moved by κ along the diagonal is below G_μ, on a dense line of α's. */
function isBelow(
  run: ComposedRun,
  mu: number,
  kappa: number,
  end: 'lower' | 'upper',
  slack: number,
): boolean {
  for (let i = 1; i < 240; i++) {
    // half of the points evenly spaced, half of them geometrically
    const alpha = i < 120 ? i / 120 : 10 ** (-(i - 120) / 10);
    if (alpha + kappa > 1) continue;
    const g = normalCdf(-normalQuantile(alpha) - mu);
    if (run.tradeoff(alpha + kappa)[end] - kappa > g + slack) return false;
  }
  return true;
}

describe('the definition, asked at many rates', () => {
  it.each([
    ['CIFAR-10', dpSgd({ noiseMultiplier: 9.4, samplingRate: 16384 / 50000, steps: 2000 }), 0.1],
    ['a small rate', dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 }), 0.05],
    ['one loud step', dpSgd({ noiseMultiplier: 0.8, samplingRate: 0.3, steps: 1 }), 0.2],
    [
      'sampled Laplace',
      repeat(poissonSubsampled(laplace({ scale: 2, sensitivity: 1 }), { rate: 0.2 }), LONG_TESTS ? 4 : 1),
      0.3,
    ],
    ['fifty responses', repeat(randomizedResponse({ epsilon: 0.2 }), 50), 0.15],
  ])('%s, window number %#', (_, mechanism, alphaMin) => {
    const run = accounted(mechanism);
    const { mu, regret } = measure(run, { alphaMin });
    expect(isBelow(run, mu.upper, regret.upper, 'lower', 1e-12)).toBe(true);
    // a little less is not enough: one of the rates is near the farthest
    expect(isBelow(run, mu.upper, 0.97 * regret.lower, 'upper', 0)).toBe(false);
    expect(regret).toBeNoWiderThan(3e-5);
  });
});
