import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXAMPLES, mechanismPage } from '../../scripts/lib/mechanism-page.mjs';
import * as compare from '../../src/accountants/index.js';
import * as convert from '../../src/convert/index.js';
import * as root from '../../src/index.js';
import * as report from '../../src/report/index.js';
import { wasm } from '../helpers/runs.js';

test('docs/mechanisms.md says what the library does now, for every kind', () => {
  expect(EXAMPLES.map(({ kind }) => kind).sort()).toEqual([...root.MECHANISM_KINDS].sort());
  const lib = { ...root, ...compare, ...convert, ...report };
  expect(readFileSync('docs/mechanisms.md', 'utf8')).toBe(mechanismPage(lib, wasm));
});
