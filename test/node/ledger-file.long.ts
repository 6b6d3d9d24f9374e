import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LedgerFile } from '../../src/node/ledger-file.js';
import { storm } from '../helpers/ledger-storm.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('two processes of 10⁴ releases each, killed at random: never overspent, nothing lost', async () => {
  const path = join(folder, 'shared.ledger');
  LedgerFile.create(path, { kind: 'gdp', mu: '12' });
  // 14 400 of the 20 000 asked for
  const { paid, kills, landed } = await storm(path, {
    total: 10_000,
    mu: '0.1',
    seed: 11,
    pays: [1, 400],
    kills: 25,
  });
  const ledger = LedgerFile.open(path);
  expect([ledger.count, ledger.readings[0].left]).toEqual([14_400, '0']);
  expect(new Set(paid).size).toBe(paid.length);
  for (const id of paid) expect(ledger.find(id), id).toBeDefined();
  expect(paid.length).toBeGreaterThanOrEqual(14_400 - kills);
  expect(landed).toBeGreaterThan(20);
});
