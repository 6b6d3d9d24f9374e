import { expect, test } from 'vitest';
import { account, compose, gaussian, type Mechanism, repeat, withoutReplacement } from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { reference, wasm } from '../helpers/runs.js';

function drawn(noiseMultiplier: number, share: number, count: number): Mechanism {
  const datasetSize = 1e6;
  const sampleSize = Math.round(share * datasetSize);
  return repeat(withoutReplacement(gaussian({ noiseMultiplier }), { sampleSize, datasetSize }), count);
}

/** H_γ of (1−η)N(0) + ηN(u) against (1−η)N(0) + ηN(v), v ≤ 0 ≤ u, γ ≥ 1, by the one output at which they are equal. */
function closeness(u: number, v: number, share: number, gamma: number): number {
  let [low, high] = [-60, 60];
  for (let i = 0; i < 80; i++) {
    const t = (low + high) / 2;
    const over =
      share * Math.exp(u * t - (u * u) / 2) -
      gamma * share * Math.exp(v * t - (v * v) / 2) -
      (gamma - 1) * (1 - share);
    if (over > 0) high = t;
    else low = t;
  }
  const t = (low + high) / 2;
  const mass =
    share * normalCdf(u - t) - gamma * share * normalCdf(v - t) - (gamma - 1) * (1 - share) * normalCdf(-t);
  return Math.max(0, mass);
}

/** Masses of a pair with the same H at e^{kh}: by second differences in γ, as in its definition. */
function masses(s: number, diameter: number, share: number, h: number, n: number) {
  const [u, v] = [((1 + s) * diameter) / 2, ((s - 1) * diameter) / 2];
  const gammas = Array.from({ length: n + 2 }, (_, k) => Math.exp(k * h));
  const sideOf = (a: number, b: number): number[] => gammas.map((gamma) => closeness(a, b, share, gamma));
  const second = (delta: number[], k: number): number =>
    Math.max(
      0,
      (delta[k + 1] - delta[k]) / (gammas[k + 1] - gammas[k]) -
        (delta[k] - delta[k - 1]) / (gammas[k] - gammas[k - 1]),
    );
  const [up, down] = [sideOf(u, v), sideOf(-v, -u)];
  const mass = new Map<number, number>();
  for (let k = 1; k <= n; k++) {
    mass.set(k, second(up, k) * gammas[k]);
    mass.set(-k, second(down, k));
  }
  const rest = [...mass.values()].reduce((sum, each) => sum + each, 0);
  mass.set(0, 1 - rest);
  return mass;
}

/** ε at δ of the best choice of s = 1, 0 or −1 in each step, all gradients on one line: V_k(l) = max E[V_{k−1}(l + L)] on a mesh. */
function adaptive(
  diameter: number,
  share: number,
  count: number,
  delta: number,
  { h, n }: { h: number; n: number },
): number {
  const steps = [1, 0, -1].map((s) =>
    [...masses(s, diameter, share, h, n)].filter(([, mass]) => mass > 1e-17),
  );
  let values = Array.from({ length: 2 * n + 1 }, (_, i) => Math.max(0, -Math.expm1((n - i) * h)));
  for (let k = 0; k < count; k++) {
    const before = values;
    values = before.map((_, i) =>
      Math.max(
        ...steps.map((step) =>
          step.reduce((sum, [j, mass]) => sum + mass * before[Math.min(2 * n, Math.max(0, i + j))], 0),
        ),
      ),
    );
  }
  let k = 0;
  while (values[n - k] > delta) k++;
  const part = (values[n - k + 1] - delta) / (values[n - k + 1] - values[n - k]);
  return (k - 1 + part) * h;
}

test.each([
  [0.94, 0.0639, 10, { h: 0.05, n: 280 }],
  [2, 0.1, 20, { h: 0.02, n: 250 }],
] as const)(
  'steps chosen by what came before lie in a bracket of one percent: noise %d, share %d, %d steps',
  (noise, share, count, mesh) => {
    const [a, b] = [wasm, reference].map((engine) =>
      account(engine, drawn(noise, share, count), { adjacency: 'replace-one' }).epsilon(1e-5),
    );
    expect(a).toEqual(b);
    const chosen = adaptive(2 / noise, share, count, 1e-5, mesh);
    expect(a.lower).toBeLessThanOrEqual(chosen);
    expect(a.upper).toBeGreaterThanOrEqual(chosen);
    expect(a.upper).toBeLessThan(1.01 * a.lower);
  },
  60_000,
);

// by the same recursion, in blocks of all steps, in numpy; of one discriminator of 1,000 the steps of one pair alone are a data set
test.each([
  [16.4, 0.0902, 1000, 1.348, 0.015],
  [1.62, 0.0024, 10_000, 1.96, 0.025],
  [1.07, 0.001, 640_000, 28.2785, 0.02],
])(
  'many steps: noise %d, share %d, %d steps',
  (noise, share, count, chosen, width) => {
    const run = account(wasm, drawn(noise, share, count), { adjacency: 'replace-one' });
    const { lower, upper } = run.epsilon(1e-5);
    expect(lower).toBeLessThan(chosen);
    expect(upper).toBeGreaterThan(chosen);
    expect(upper).toBeLessThan((1 + width) * lower);
    expect(run.delta(upper).upper).toBeLessThan(1.01e-5);
  },
  60_000,
);

test('what is no run of like samples of Gaussian noise, little noise and tiny shares have brackets in order', () => {
  const other = compose([drawn(2, 0.1, 3), drawn(3, 0.1, 3)]);
  for (const mechanism of [
    other,
    drawn(0.01, 0.1, 5),
    drawn(1e5, 0.3, 5),
    drawn(0.3, 1e-6, 1e9),
    drawn(1, 0.999999, 2),
  ]) {
    const { lower, upper } = account(wasm, mechanism, { adjacency: 'replace-one', effort: 0.2 }).epsilon(
      1e-5,
    );
    expect(lower).toBeLessThanOrEqual(upper);
  }
}, 60_000);
