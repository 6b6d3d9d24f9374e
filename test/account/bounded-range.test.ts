import { expect, test } from 'vitest';
import {
  account,
  boundedRange,
  type Mechanism,
  poissonSubsampled,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

function sampled(epsilon: number, rate: number, count: number): Mechanism {
  const step = boundedRange({ epsilon });
  return repeat(rate < 1 ? poissonSubsampled(step, { rate }) : step, count);
}

/** The largest E[(Lu − 1)⁺] over choices of t in a list, each by what came before: no mesh, all branches. */
function worst(epsilon: number, rate: number, count: number, add: boolean, u: number): number {
  if (count === 0) return Math.max(0, u - 1);
  let most = 0;
  for (let i = 0; i <= 80; i++) {
    const [low, high] = [Math.exp((i / 80 - 1) * epsilon), Math.exp((i / 80) * epsilon)];
    if (high === low) continue;
    const mean = [(high - 1) / (high - low), (1 - low) / (high - low)];
    const value = [low, high].reduce((sum, r, end) => {
      const s = 1 - rate + rate * r;
      const inner = worst(epsilon, rate, count - 1, add, add ? u / s : u * s);
      return sum + mean[end] * (add ? s * inner : inner);
    }, 0);
    most = Math.max(most, value);
  }
  return most;
}

test.each([
  [1, 1, 2, [0, 0.5, 1.2]],
  [2, 0.2, 2, [0, 0.3, 1]],
  [0.7, 0.6, 3, [0.2]],
  [3, 0.05, 3, [0.5]],
] as const)(
  'two and three steps chosen by what came before, over all choices of a fine list, lie in the bracket',
  (epsilon, rate, count, asked) => {
    const run = account(wasm, sampled(epsilon, rate, count), { adjacency: 'add-remove' });
    for (const at of asked) {
      const found = Math.max(
        ...[false, true].map((add) => Math.exp(at) * worst(epsilon, rate, count, add, Math.exp(-at))),
      );
      const { lower, upper } = run.delta(at);
      expect(found, `above at ${at}`).toBeLessThanOrEqual(upper * (1 + 1e-12));
      // the list misses the best choice by the square of its step
      expect(lower, `below at ${at}`).toBeLessThanOrEqual(found * (1 + 2e-3));
      expect(upper).toBeLessThan(1.2 * lower);
    }
  },
);

// by a dynamic programme over a mesh of the loss of its own, in C; of ten steps its choices were played along all paths, without a mesh
test.each([
  [2.25, 0.173, 10, 3.9712],
  [0.0973, 1, 100, 1.9324],
] as const)(
  'many steps: values of an independent recursion lie in brackets of three in a thousand: range %d, rate %d, %d steps',
  (epsilon, rate, count, exact) => {
    const [a, b] = [wasm, reference].map((engine) =>
      account(engine, sampled(epsilon, rate, count), { adjacency: 'add-remove' }).epsilon(1e-5),
    );
    expect(a).toEqual(b);
    expect(a.lower).toBeLessThanOrEqual(exact);
    expect(a.upper).toBeGreaterThanOrEqual(exact);
    expect(a.upper).toBeLessThan(1.003 * a.lower);
  },
);

// of very many plain steps the limit is Gaussian, μ = √T·ε/2; of sampled ones by a recursion of its own on meshes of two widths
test.each([
  [0.02, 1, 10_000, 4.377, 0.01],
  [1.26, 0.1, 1000, 10.93, 0.01],
] as const)('blocks of steps: range %d, rate %d, %d steps', (epsilon, rate, count, exact, width) => {
  const { lower, upper } = account(wasm, sampled(epsilon, rate, count), {
    adjacency: 'add-remove',
  }).epsilon(1e-5);
  expect(lower).toBeLessThan(exact * (1 + 1e-3));
  expect(upper).toBeGreaterThan(exact);
  expect(upper).toBeLessThan((1 + width) * lower);
});

test('responses of half the range are one way to meet it', () => {
  const inner = randomizedResponse({ epsilon: 0.5 });
  const met = account(wasm, repeat(poissonSubsampled(inner, { rate: 0.2 }), 10), { adjacency: 'add-remove' });
  const run = account(wasm, sampled(1, 0.2, 10), { adjacency: 'add-remove' });
  for (const epsilon of [0, 1]) {
    expect(run.delta(epsilon).lower).toBeGreaterThan(met.delta(epsilon).lower * (1 - 1e-4));
    expect(run.delta(epsilon).upper).toBeGreaterThanOrEqual(met.delta(epsilon).lower);
  }
});

test('a range of hundreds of nats, a rate near 1 and tiny ranges have brackets in order', () => {
  for (const [epsilon, rate, count] of [
    [300, 1 - 2 ** -53, 2],
    [1e-12, 1e-9, 30],
    [40, 1, 3],
    [1e-9, 1, 2 ** 50],
  ]) {
    const run = account(wasm, sampled(epsilon, rate, count), { adjacency: 'add-remove' });
    const [{ lower, upper }, zero] = [run.epsilon(1e-5), run.delta(0)];
    expect(lower).toBeLessThanOrEqual(upper);
    expect(upper).toBeLessThanOrEqual(count * epsilon * (1 + 1e-12));
    expect(zero.lower).toBeLessThanOrEqual(zero.upper);
  }
});
