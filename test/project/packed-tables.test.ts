import { expect, test } from 'vitest';
import { pack, unpack, withPackedTables } from '../../scripts/lib/packed-tables.mjs';
import { ERFCX_COEFFICIENTS } from '../../src/kernel/erfcx-table.js';
import { DIVIDED, RATIO } from '../../src/kernel/mills-table.js';

test.each([
  [RATIO, 8],
  [ERFCX_COEFFICIENTS, 8],
  [DIVIDED, 16],
  [[1, -0.1, 5e-324, 1.7976931348623157e308, 123456789012345680000, 0], 2],
])('a table comes back bit for bit', (table, width) => {
  const pieces = pack(table, width);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(800);
  const again = unpack(pieces);
  expect(again).toHaveLength(table.length);
  expect(again.every((x, i) => Object.is(x, table[i]))).toBe(true);
});

test('in the code of a module the tables that are named are packed', () => {
  const code = withPackedTables('export const A = [\n1, .5,\n-2e-1];\nexport const B = [1, 2];\n', ['A'], 1);
  expect(code).toContain('export const B = [1, 2];');
  const [, pieces] = /^export const A = unpack\((.*)\);$/m.exec(code)!;
  expect(unpack(JSON.parse(pieces))).toEqual([1, 0.5, -0.2]);
});
