import { describe, expect, test } from 'vitest';
import { account, bandMf } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** Statements of docs/proofs/ by sums over two bins, one mixture, one small matrix: from their words alone. */
const normal = (x: number, variance: number): number =>
  Math.exp((-x * x) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);

/** Points and weights of N(0, variance), far beyond what rounding sees. */
function gaussianNodes(variance: number, n = 161): [number, number][] {
  const reach = 9 * Math.sqrt(variance);
  const h = (2 * reach) / (n - 1);
  return Array.from({ length: n }, (_, i) => [-reach + i * h, h * normal(-reach + i * h, variance)]);
}

type Complex = readonly [re: number, im: number];

describe('balls and bins', () => {
  /** E((e^{Y₁} + e^{Y₂})/2)^z over both outputs. */
  function moment(mu: number, c: number, tau: number): Complex {
    const nodes = gaussianNodes(mu * mu);
    let [re, im] = [0, 0];
    for (const [a, p] of nodes)
      for (const [b, q] of nodes) {
        const log = Math.log((Math.exp(a) + Math.exp(b)) / 2) - (mu * mu) / 2;
        const size = p * q * Math.exp(c * log);
        re += size * Math.cos(tau * log);
        im += size * Math.sin(tau * log);
      }
    return [re, im];
  }

  test('full epochs end a line, partial ones do not', () => {
    for (const [mu, c, tau] of [
      [1, 0.5, 2],
      [0.7, 3, 5],
      [1.5, -1, 1.5],
      [1, 1.2, 4],
    ] as const) {
      const size = Math.hypot(...moment(mu, c, tau));
      const bound = moment(mu, c, 0)[0] * Math.exp((-tau * tau * mu * mu) / 4);
      expect(size).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-14);
      expect(size).toBeGreaterThan(0.05 * bound);
    }
    // one of 100 bins seen: .99 + e^Y/100
    let [re, im] = [0, 0];
    for (const [y, p] of gaussianNodes(1, 4001)) {
      const log = Math.log(0.99 + Math.exp(y - 0.5) / 100);
      re += p * Math.exp(log / 2) * Math.cos(50 * log);
      im += p * Math.exp(log / 2) * Math.sin(50 * log);
    }
    expect(Math.hypot(re, im)).toBeCloseTo(0.89, 2);
    expect(Math.exp(-(50 ** 2) / 200)).toBeLessThan(5e-6);
  });

  test('log M lies between its chord and the continuations of those beside it', () => {
    for (const mu of [0.5, 1, 2]) {
      const logs = [0, 1, 2, 3, 4].map((c) => Math.log(moment(mu, c, 0)[0]));
      for (const part of [0.2, 0.5, 0.9]) {
        const value = Math.log(moment(mu, 2 + part, 0)[0]) + 1e-12;
        expect(value - 2e-12).toBeLessThanOrEqual(logs[2]! + part * (logs[3]! - logs[2]!));
        expect(value).toBeGreaterThanOrEqual(logs[2]! + part * (logs[2]! - logs[1]!));
        expect(value).toBeGreaterThanOrEqual(logs[3]! - (1 - part) * (logs[4]! - logs[3]!));
      }
    }
  });

  test('the transform of the rest by its moments, without what lies far out', () => {
    for (const [mu, h, c, tau] of [
      [0.4, 0.3, 1.5, 3],
      [0.3, 0.15, 12, 2],
      [0.3, 0.2, -2, 5],
      [0.5, 0.2, 0.3, 0],
    ] as const) {
      // V = cosh D/E cosh D, D ~ N(0, μ²/2)
      const nodes = gaussianNodes((mu * mu) / 2, 2001);
      const mean = Math.exp((mu * mu) / 4);
      const rest = nodes.map(([d, p]) => [Math.cosh(d) / mean - 1, p] as const);
      const expected = (f: (eta: number) => number): number =>
        rest.reduce((sum, [eta, p]) => sum + p * f(eta), 0);
      const K = 8;
      const low = Math.min(h, 1 - Math.exp((-mu * mu) / 2));
      const beyond = (k: number) => expected((eta) => (Math.abs(eta) > h ? Math.abs(eta) ** k : 0));
      for (const [k, j] of [
        [0, 2],
        [1, 2],
        [3, 4],
      ] as const)
        expect(beyond(k)).toBeLessThanOrEqual(h ** (k - 2 * j) * expected((eta) => eta ** (2 * j)) + 1e-15);
      let binom: Complex = [1, 0];
      const binoms: Complex[] = [binom];
      for (let k = 1; k <= K; k++) {
        const [x, y] = [(c - k + 1) / k, tau / k];
        binom = [binom[0] * x - binom[1] * y, binom[0] * y + binom[1] * x];
        binoms.push(binom);
      }
      const within = (part: (log: number) => number) =>
        expected((eta) => (Math.abs(eta) > h ? 0 : (1 + eta) ** c * part(tau * Math.log1p(eta))));
      const sum = [0, 1].map((i) =>
        binoms.slice(0, K).reduce((total, each, k) => total + each[i]! * expected((eta) => eta ** k), 0),
      );
      const off = Math.hypot(within(Math.cos) - sum[0]!, within(Math.sin) - sum[1]!);
      const kernel = c >= K ? (1 + h) ** (c - K) : Math.max(1, (1 - low) ** (c - K));
      const least = c >= 1 && c < K ? Math.max(1, Math.min(kernel, K / c)) : kernel;
      const bound =
        binoms.slice(0, K).reduce((total, each, k) => total + Math.hypot(...each) * beyond(k), 0) +
        Math.hypot(...binoms[K]!) * expected((eta) => eta ** K) * least;
      expect(off).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-13);
      expect(bound).toBeLessThan(1);
    }
  });
});

test('mixtures: the variation of the tilted density of the loss', () => {
  const random = seeded(3);
  for (let i = 0; i < 12; i++) {
    const side = () => {
      const shifts = [0, 2 * random(), 3 * random()];
      const raw = [0.05 + random(), random(), random()];
      const total = raw.reduce((a, b) => a + b);
      return shifts.map((shift, j) => [shift, raw[j]! / total] as const);
    };
    const [plus, minus] = [side(), side()];
    const at = (law: typeof plus, x: number) => {
      const terms = law.map(([a, w]) => w * Math.exp(a * x - (a * a) / 2));
      const u = terms.reduce((s, t) => s + t);
      return { u, w: terms.reduce((s, t, j) => s + t * law[j]![0], 0) / u };
    };
    const c = -2 + 5 * random();
    const density = (x: number): { f: number; slope: number } => {
      const [p, m] = [at(plus, x), at(minus, -x)];
      return { f: normal(x, 1) * p.u ** c * m.u ** (1 - c), slope: p.w + m.w };
    };
    const [h, reach] = [0.004, 14];
    let [variation, mass, other] = [0, 0, 0];
    let before = Number.NaN;
    const widest = Math.max(...plus.map(([a]) => a), ...minus.map(([a]) => a));
    for (let x = -reach; x <= reach; x += h) {
      const { f, slope } = density(x);
      const value = f / slope;
      if (!Number.isNaN(before)) variation += Math.abs(value - before);
      before = value;
      mass += f * h;
      other += value * (Math.abs(x) + widest) * h;
    }
    const bound = Math.abs(c) + Math.abs(1 - c) + other / mass;
    expect(variation / mass).toBeLessThanOrEqual(bound);
    expect(variation / mass).toBeGreaterThan(0.02 * bound);
  }
});

test('a banded matrix under cyclic sampling is its Poisson steps, and no gradients of length 1 are worse', () => {
  // C of two bands, columns of norm 1; a record of the first group is in steps 1 and 3, each with probability q
  const [sigma, q] = [1.3, 0.3];
  const columns = [
    [0.6, 0.8, 0],
    [0, 0, 1],
  ] as const;
  const run = account(wasm, bandMf({ noiseMultiplier: sigma, samplingRate: q, bands: 2, steps: 3 }), {
    adjacency: 'zero-out',
  });
  const nodes = Array.from({ length: 37 }, (_, i) => -7.2 + i * 0.4);
  /** ∫ (dQ − e^ε dP)⁺ over three outputs, Q with the record of gradients g, and the same exchanged. */
  const deltas = (gradients: readonly number[], epsilon: number): number[] => {
    let [removed, added] = [0, 0];
    for (const x of nodes)
      for (const y of nodes)
        for (const z of nodes) {
          const p = normal(x, sigma ** 2) * normal(y, sigma ** 2) * normal(z, sigma ** 2) * 0.4 ** 3;
          const ratio = columns.reduce((product, column, j) => {
            const g = gradients[j]!;
            const along = (x * column[0] + y * column[1] + z * column[2]) * g;
            return product * (1 - q + q * Math.exp((along - (g * g) / 2) / sigma ** 2));
          }, 1);
          removed += p * Math.max(0, ratio - Math.exp(epsilon));
          added += p * Math.max(0, 1 - Math.exp(epsilon) * ratio);
        }
    return [removed, added];
  };
  for (const epsilon of [0.2, 0.6]) {
    const { lower, upper } = run.delta(epsilon);
    const worst = Math.max(...deltas([1, 1], epsilon));
    expect(worst / upper).toBeLessThan(1 + 2e-3);
    expect(worst / lower).toBeGreaterThan(1 - 2e-3);
    for (const gradients of [
      [1, -1],
      [0.5, 1],
      [-0.8, 0.3],
    ])
      expect(Math.max(...deltas(gradients, epsilon))).toBeLessThanOrEqual(upper * (1 + 2e-3));
  }
});
