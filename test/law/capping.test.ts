import { expect, test } from 'vitest';
import { cappingOf } from '../../src/mechanism/kinds/capped-poisson.js';

/** A fraction of whole numbers. */
type Exact = readonly [over: bigint, under: bigint];

function fractionOf(x: number): Exact {
  let under = 1n;
  let over = x;
  while (!Number.isInteger(over)) [over, under] = [2 * over, 2n * under];
  return [BigInt(over), under];
}

const below = ([a, b]: Exact, [c, d]: Exact): boolean => a * d <= c * b;

/** P[Bin(n, a/b) ≥ k]. */
function tail(n: number, [a, b]: Exact, k: number): Exact {
  let choose = 1n;
  let sum = 0n;
  for (let j = 0; j <= n; j++) {
    if (j >= k) sum += choose * a ** BigInt(j) * (b - a) ** BigInt(n - j);
    choose = (choose * BigInt(n - j)) / BigInt(j + 1);
  }
  return [sum, b ** BigInt(n)];
}

test('chances under a cap are between their ends, by whole numbers', () => {
  for (const [rate, datasetSize, batchCap] of [
    [0.25, 8, 2],
    [0.5, 20, 11],
    [0.1, 50, 5],
    [0.03, 200, 12],
    [0.7, 40, 35],
    [1, 12, 5],
  ] as const) {
    const { full, rest, relative, kept, keptBelow } = cappingOf({
      kind: 'capped-poisson',
      noiseMultiplier: 1,
      rate,
      datasetSize,
      batchCap,
    })!;
    const q = fractionOf(rate);
    const [p, whole] = tail(datasetSize - 1, q, batchCap);
    const [more, all] = tail(datasetSize, q, batchCap + 1);
    // q′ = P[Bin(n, q) ≥ B + 1]·B/(np)
    const exact: Exact = [more * BigInt(batchCap) * whole, all * BigInt(datasetSize) * p];
    const what = `${rate} ${datasetSize} ${batchCap}`;
    expect(below(exact, fractionOf(kept)), what).toBe(true);
    expect(below(fractionOf(keptBelow), exact), what).toBe(true);
    expect(kept / keptBelow - 1, what).toBeLessThan(1e-11);
    expect(below(fractionOf(full * (1 - relative)), [p, whole]), what).toBe(true);
    expect(below([p, whole], fractionOf(full * (1 + relative))), what).toBe(true);
    expect(below([whole - p, whole], fractionOf(rest * (1 + relative))), what).toBe(true);
  }
});
