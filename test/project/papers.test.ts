import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  answer,
  docstrings,
  ENTRIES,
  exportsOf,
  PAPERS,
  papersPage,
  sources,
} from '../../scripts/lib/papers-page.mjs';
import * as compare from '../../src/accountants/index.js';
import * as audit from '../../src/audit/index.js';
import * as convert from '../../src/convert/index.js';
import * as sync from '../../src/engine-sync.js';
import * as root from '../../src/index.js';
import * as lint from '../../src/lint/index.js';
import * as budget from '../../src/node/ledger-file.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import * as plot from '../../src/plot/index.js';
import * as read from '../../src/read/index.js';
import * as report from '../../src/report/index.js';
import * as sweep from '../../src/sweep/index.js';
import { wasm } from '../helpers/runs.js';

const MODULES = {
  'gdp-kernel': root,
  'gdp-kernel/compare': compare,
  'gdp-kernel/convert': convert,
  'gdp-kernel/report': report,
  'gdp-kernel/read': read,
  'gdp-kernel/lint': lint,
  'gdp-kernel/audit': audit,
  'gdp-kernel/budget': budget,
  'gdp-kernel/sweep': sweep,
  'gdp-kernel/plot': plot,
  'gdp-kernel/sync': sync,
};
const lib = Object.assign({}, ...Object.values(MODULES).reverse());

describe.each([...PAPERS])('%s', (_title, rows) => {
  test.each(rows)('%s', (_item, functions, _command, example, exact, slack) => {
    for (const name of functions) expect(lib[name], name).toBeDefined();
    const found = answer(lib, wasm, example) as Bracket | number;
    const value = typeof found === 'number' ? { lower: found, upper: found } : found;
    expect(value).toContainValue(exact, { absolute: slack });
  });
});

test('docs/papers.md says what the library does now, and every export is documented', () => {
  expect(Object.keys(MODULES)).toEqual(Object.keys(ENTRIES));
  const entries = exportsOf(MODULES);
  const documented = docstrings(sources('.'));
  expect(
    Object.values(entries)
      .flat()
      .filter((name) => !documented[name]),
  ).toEqual([]);
  const page = papersPage(lib, wasm, entries, documented);
  if (process.env['GDP_UPDATE_PAPERS'] !== undefined) writeFileSync('docs/papers.md', page);
  expect(readFileSync('docs/papers.md', 'utf8')).toBe(page);
});
