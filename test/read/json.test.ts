import { expect, test } from 'vitest';
import { parseJson } from '../../src/read/json.js';

test('numbers beyond doubles are refused by their own digits, not as Infinity', () => {
  const long = '9'.repeat(1e6);
  const history = `{"history": [[1.1, 0.01, ${long}]]}`;
  expect(() => parseJson(history)).toThrow(
    `a number is beyond 1.8e308, the largest that is read: ${'9'.repeat(40)}…, of 1000000 characters`,
  );
  expect(() => parseJson('[1e309]')).toThrow('a number is beyond 1.8e308, the largest that is read: 1e309');
  expect(parseJson(`["${long}", "1e999", 1e308]`)).toEqual([long, '1e999', 1e308]);
});
