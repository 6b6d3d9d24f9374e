import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gaussLegendre } from '../../src/numeric/gauss-legendre.js';

const rules: Readonly<Record<string, [node: string, weight: string][]>> = JSON.parse(
  readFileSync(new URL('../golden/gauss-legendre.json', import.meta.url), 'utf8'),
);

test('Gauss-Legendre rules: nodes to 3u and weights to 16u, as the bounds assume', () => {
  const u = 2 ** -53;
  for (const [size, exact] of Object.entries(rules)) {
    const { node, weight } = gaussLegendre(Number(size));
    expect(node.length).toBe(exact.length);
    exact.forEach(([x, w], i) => {
      // digits beyond a double's decide: differences in the last places, in units of u
      expect(Math.abs(node[i] - Number(x))).toBeLessThanOrEqual(4 * u * Number(x));
      expect(Math.abs(weight[i] - Number(w))).toBeLessThanOrEqual(17 * u * Number(w));
    });
  }
});
