import { type Fraction, fractionOf, roundedUp } from './exact-decimal.js';

/** P[Bin(n, q) = j], j = 0 … n, each the smallest double that is not below it: within 2u. */
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
