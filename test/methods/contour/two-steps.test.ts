import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TwoSteps } from '../../../src/methods/contour/split/two-steps.js';
import { intersects } from '../../../src/numeric/bracket.js';
import { logDeltaGdp, normalCdf } from '../../../src/numeric/scalar.js';
import { seeded } from '../../helpers/random.js';
import { linesOf } from '../../helpers/rare-losses.js';
import { reference, runOf, wasm } from '../../helpers/runs.js';

/** By test/golden/make-two-steps.py, from likelihood ratios in 45 digits. */
interface Golden {
  readonly phases: readonly (readonly [number, number])[];
  readonly direction: 'remove' | 'add';
  readonly t: number;
  /** Logarithms of δ, FPR and TPR. */
  readonly logs: readonly string[];
  readonly relativeErrors: readonly number[];
}

const url = new URL('../../golden/two-steps.json', import.meta.url);
const goldens = JSON.parse(readFileSync(url, 'utf8')) as Golden[];

function sourceOf(phases: Golden['phases'], direction: Golden['direction']): TwoSteps {
  const sampled = phases.map(([sigma, rate]) => ({ mu: 1 / sigma, rate, count: 1 }));
  return new TwoSteps({ sampled, others: [], mirrored: direction === 'add' });
}

test.each(goldens)('$phases $direction at $t', ({ phases, direction, t, logs, relativeErrors }) => {
  const source = sourceOf(phases, direction);
  const rates = source.test(t);
  [source.delta(t), rates?.falsePositive, rates?.power].forEach((bracket, i) => {
    const exact = Number(logs[i]);
    const slack = relativeErrors[i] + 4e-16 * Math.abs(exact);
    expect(bracket!.lower).toBeLessThanOrEqual(exact + slack);
    expect(bracket!.upper).toBeGreaterThanOrEqual(exact - slack);
    expect(bracket!.upper - bracket!.lower).toBeLessThan(1e-10);
  });
});

test('contours agree, in both directions, deep tails among them', () => {
  const random = seeded(11);
  for (let i = 0; i < 12; i++) {
    const sigma = Number((0.7 * 4 ** random()).toPrecision(3));
    const rate = Number((0.005 * 60 ** random()).toPrecision(3));
    for (const direction of ['remove', 'add'] as const) {
      const source = sourceOf(
        [
          [sigma, rate],
          [sigma, rate],
        ],
        direction,
      );
      const lines = linesOf([[sigma, rate, 2]], direction === 'add');
      for (const x of [0, 0.4 * rate, direction === 'add' ? 1.2 * rate : 3]) {
        const here = source.delta(x)!;
        expect(here.upper - here.lower).toBeLessThan(1e-9);
        const there = lines.delta(x, 1e-6);
        if (there !== undefined) expect(intersects(here, there)).toBe(true);
      }
    }
  }
});

/** Φ(ξ + iη) of `side`: by the trapezoidal rule along the horizontal line. */
function complexTail(xi: number, eta: number, side: 1 | -1): { re: number; im: number } {
  const h = 1 / 64;
  let [re, im] = [0, 0];
  for (let k = 0; k < 64 * 14; k++) {
    const v = xi - side * h * (k + 0.5);
    const size = (h / Math.sqrt(2 * Math.PI)) * Math.exp((eta * eta - v * v) / 2);
    re += size * Math.cos(v * eta);
    im -= size * Math.sin(v * eta);
  }
  return { re, im };
}

test('|F(re^{iα})| ≤ e^{α²/2μ²} F(r), for D and N, and no bound far from it serves', () => {
  const random = seeded(5);
  let closest = 0;
  for (let i = 0; i < 300; i++) {
    const mu = 0.3 + 2 * random();
    const q = 0.01 + 0.5 * random();
    const s = 3 * (random() - 0.5);
    const alpha = 2 * random();
    const r = q * Math.exp(s);
    const most = Math.exp((alpha * alpha) / (2 * mu * mu));
    for (const side of [1, -1] as const) {
      const xi = s / mu + mu / 2;
      const a = complexTail(xi, alpha / mu, side);
      const b = complexTail(xi - mu, alpha / mu, side);
      const [c, d] = [r * Math.cos(alpha), r * Math.sin(alpha)];
      const re = q * b.re - (c * a.re - d * a.im);
      const im = q * b.im - (c * a.im + d * a.re);
      // side 1: −N; side −1: D
      const size = Math.hypot(re, im);
      const real = side === 1 ? r * Math.exp(logDeltaGdp(mu, -s)) : q * Math.exp(logDeltaGdp(mu, s));
      expect(size).toBeLessThanOrEqual(most * real * (1 + 1e-3) + 1e-6);
      if (alpha < 0.3) closest = Math.max(closest, size / (most * real));
      // the same for the rates
      expect(Math.hypot(a.re, a.im)).toBeLessThanOrEqual(most * normalCdf(side * xi) * (1 + 1e-3) + 1e-6);
    }
  }
  expect(closest).toBeGreaterThan(0.9);
});

test('an account of two steps is as narrow as roundings, the same in both engines', () => {
  for (const [sigma, rate] of [
    [5.74, 0.000136],
    [0.453, 0.0296],
  ] as const) {
    const [a, b] = [wasm, reference].map((engine) => runOf([[sigma, rate, 2]], { engine }));
    expect(a.method).toBe('spectral');
    expect(a.epsilon(1e-7)).toEqual(b.epsilon(1e-7));
    const { lower, upper } = a.epsilon(1e-7);
    expect(upper - lower).toBeLessThanOrEqual(1e-9 * upper);
  }
});
