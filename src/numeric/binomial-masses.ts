import { type Fraction, fractionOf, roundedUp } from './exact-decimal.js';
import { log, log1p } from './scalar.js';

/** P[Bin(n, q) = j], j = 0 … n, rounded up: each is at least the exact mass, and within 2u of it. */
export function binomialMasses(n: number, q: number): number[] {
  const { over, under } = fractionOf(q);
  const rest = under - over;
  const all: Fraction['under'] = under ** BigInt(n);
  const masses: number[] = [];
  let ways = 1n;
  for (let j = 0; j <= n; j++) {
    masses.push(roundedUp({ over: ways * over ** BigInt(j) * rest ** BigInt(n - j), under: all }));
    ways = (ways * BigInt(n - j)) / BigInt(j + 1);
  }
  return masses;
}

/** log P[Bin(m, 1/n) = k], k = 0 … `most` ≤ m, n ≥ 2, by ratios of adjacent masses. Ensures: absolute errors of at most 1e-13 + 8e-16 m/n. */
export function logCopies(m: number, n: number, most: number): number[] {
  const logs = [m * log1p(-1 / n)];
  const odds = log(n - 1);
  for (let k = 1; k <= most; k++) logs.push(logs[k - 1] + log((m - k + 1) / k) - odds);
  return logs;
}

/**
 * P[Bin(n, a/(a + b)) = k], k = 0 … n, by ratios of adjacent masses from the mode on; a and b are not both 0. Ensures: the relative error is at most
 * 4(n + 1) roundings, except for masses that underflow.
 */
export function binomialShares(n: number, a: number, b: number): Float64Array {
  const weight = new Float64Array(n + 1);
  const mode = Math.min(n, Math.floor(((n + 1) * a) / (a + b)));
  weight[mode] = 1;
  let sum = 1;
  for (let k = mode; k < n; k++) sum += weight[k + 1] = (weight[k] * (n - k) * a) / ((k + 1) * b);
  for (let k = mode; k > 0; k--) sum += weight[k - 1] = (weight[k] * k * b) / ((n - k + 1) * a);
  return weight.map((w) => w / sum);
}
