import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BudgetExceeded } from '../../src/index.js';
import { AlreadySpent, LedgerFile } from '../../src/node/ledger-file.js';
import { storm } from '../helpers/ledger-storm.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-ledger-'));
afterAll(() => rmSync(folder, { recursive: true }));
let made = 0;
const fresh = () => join(folder, `${made++}.ledger`);
const one = { kind: 'gdp', mu: '0.1' } as const;
const created = (mu = '1') => {
  const path = fresh();
  return { path, ledger: LedgerFile.create(path, { kind: 'gdp', mu }) };
};

describe('a ledger in a file', () => {
  test('remembers what was paid, and by what name', () => {
    const { path, ledger } = created();
    const receipt = ledger.spend(one, { id: 'first', count: 3 });
    expect(receipt).toMatchObject({ seq: 1, spend: one, count: 3, id: 'first' });
    ledger.spend(one);
    const again = LedgerFile.open(path);
    expect(again.find('first')).toEqual(receipt);
    expect(again.find('second')).toBeUndefined();
    expect([again.records, again.count, again.readings[0].spent]).toEqual([2, 4, '0.04']);
    expect(again.digest).toBe(ledger.digest);
    expect(again.budget).toEqual({ kind: 'gdp', mu: '1' });
    expect(() => again.spend(one, { id: 'first' })).toThrow(AlreadySpent);
    expect(again.count).toBe(4);
  });

  test('refuses what does not fit and writes nothing of it', () => {
    const { path, ledger } = created('0.3');
    ledger.spend(one, { count: 8 });
    const before = readFileSync(path, 'utf8');
    expect(() => ledger.spend(one, { count: 2 })).toThrow(BudgetExceeded);
    expect(() => ledger.spend({ kind: 'zcdp', rho: 1 })).toThrow(/no theorem/);
    expect(() => ledger.spend(one, { id: 'a b' })).toThrow('"id" must be');
    expect(readFileSync(path, 'utf8')).toBe(before);
    ledger.spend(one);
    expect(ledger.readings[0].left).toBe('0');
  });

  test('is shared: whoever is first to follow a record wins, the other looks again', () => {
    const { path, ledger } = created('0.3');
    const other = LedgerFile.open(path);
    for (let i = 0; i < 4; i++) {
      ledger.spend(one);
      other.spend(one);
    }
    other.spend(one);
    expect(() => ledger.spend(one)).toThrow(BudgetExceeded);
    expect(ledger.count).toBe(9);
    // a record that follows what another has followed already counts for nothing
    const lost = readFileSync(path, 'utf8').split('\n')[3];
    appendFileSync(path, `\n${lost}`);
    expect(LedgerFile.open(path).count).toBe(9);
  });

  test('may be of a budget for each record of the data', () => {
    const path = fresh();
    const ledger = LedgerFile.create(path, { kind: 'gdp', mu: 1 }, { perRecord: true });
    const charges = [{ spend: { kind: 'gdp', mu: '0.8' }, records: ['a', 'b'] } as const];
    const receipt = ledger.charge(charges, { id: 'first' });
    expect(receipt).toMatchObject({ seq: 1, charges, leftOut: [], id: 'first' });
    const again = LedgerFile.open(path);
    expect(again.find('first')).toEqual(receipt);
    expect([again.perRecord, again.count, again.readings]).toEqual([true, 1, []]);
    // another process charges first
    ledger.charge([{ spend: one, records: ['a'] }]);
    expect(again.charge(charges).leftOut).toEqual(['a', 'b']);
    expect(again.of('a').readings[0].left).toBe('0.35');
    expect(() => again.charge(charges, { id: 'first' })).toThrow(AlreadySpent);
    const before = readFileSync(path, 'utf8');
    expect(() => again.spend(one)).toThrow('"spend" has no meaning for');
    expect(() => again.odometer({ delta: 0.1 })).toThrow('"delta" has no meaning for');
    const many = Array.from({ length: 140_000 }, (_, i) => `${i}-${'x'.repeat(120)}`);
    expect(() => again.charge([{ spend: one, records: many }])).toThrow(
      '"charges" must fit in a line of 16 MiB',
    );
    expect(readFileSync(path, 'utf8')).toBe(before);
    const { ledger: whole } = created();
    expect(() => whole.charge(charges)).toThrow('"charges" has no meaning for');
    expect(() => whole.of('a')).toThrow('"record" has no meaning for');
    expect(() => LedgerFile.create(fresh(), { kind: 'gdp', mu: 1 }, { perRecord: 1 as never })).toThrow(
      '"perRecord" must be',
    );
  });

  test('is never overwritten, and leaves nothing beside it', () => {
    const { path } = created();
    const before = readFileSync(path, 'utf8');
    expect(() => LedgerFile.create(path, { kind: 'gdp', mu: 5 })).toThrow(
      /it exists already; a ledger is never overwritten/,
    );
    expect(() => LedgerFile.create(join(folder, 'no', 'x'), { kind: 'gdp', mu: 5 })).toThrow(
      /its folder does not exist/,
    );
    expect(() => LedgerFile.create(fresh(), { kind: 'gdp', mu: -5 })).toThrow('"budget.mu"');
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    expect(() => LedgerFile.open(join(folder, 'none'))).toThrow(/no such file/);
    expect(() => LedgerFile.open(folder)).toThrow(/directory/);
  });

  test('can be opened to be read alone', () => {
    const { path, ledger } = created();
    const reader = LedgerFile.open(path, { readOnly: true });
    ledger.spend(one, { id: 'seen' });
    expect(reader.find('seen')?.seq).toBe(1);
    expect(() => reader.spend(one)).toThrow(/it cannot be written/);
    expect(LedgerFile.open(path).count).toBe(1);
    reader.close();
  });
});

describe('what a crash leaves', () => {
  test.each([1, 20, 100, 300])('a record of which only %i bytes were written counts for nothing', (bytes) => {
    const { path, ledger } = created();
    ledger.spend(one);
    const twin = fresh();
    writeFileSync(twin, readFileSync(path));
    const before = readFileSync(path, 'utf8').length;
    ledger.spend(one, { id: 'lost' });
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.slice(0, Math.min(before + bytes, whole.length - 1)));
    const after = LedgerFile.open(path);
    expect(after.count).toBe(1);
    after.spend(one, { id: 'next' });
    const again = LedgerFile.open(path);
    expect([again.count, again.readings[0].spent, again.find('lost')]).toEqual([2, '0.02', undefined]);
    expect(again.digest).toBe(after.digest);
  });

  test('zeros that the disk had not filled in count for nothing', () => {
    const { path, ledger } = created();
    ledger.spend(one);
    appendFileSync(path, `\n{"seq":2,${'\0'.repeat(100)}`);
    const after = LedgerFile.open(path);
    after.spend(one);
    expect(LedgerFile.open(path).count).toBe(2);
  });
});

describe('damage is told', () => {
  const filled = () => {
    const { path, ledger } = created();
    for (let i = 0; i < 4; i++) ledger.spend(one, { id: `r${i}` });
    return { path, ledger, lines: readFileSync(path, 'utf8').split('\n') };
  };

  test.each<[string, (lines: string[]) => string[]]>([
    [
      'a changed amount',
      (lines) => lines.map((line, i) => (i === 2 ? line.replace('"0.1"', '"0.0"') : line)),
    ],
    ['a changed budget', (lines) => lines.map((line, i) => (i === 0 ? line.replace('"1"', '"9"') : line))],
    ['a record left out', (lines) => lines.filter((_, i) => i !== 2)],
    ['a record whose end is gone', (lines) => lines.map((line, i) => (i === 2 ? line.slice(0, -3) : line))],
    [
      'a wrong end of the last record',
      (lines) => lines.map((line, i) => (i === 4 ? `${line.slice(0, -1)}g` : line)),
    ],
    ['a last record with more behind it', (lines) => lines.map((line, i) => (i === 4 ? `${line}0` : line))],
    [
      'a last record cut and damaged',
      (lines) => lines.map((line, i) => (i === 4 ? `${line.slice(0, -9)}g` : line)),
    ],
    [
      'a last record without its digest, damaged',
      (lines) =>
        lines.map((line, i) => (i === 4 ? line.slice(0, -70).replace('"spend":', '"spend";') : line)),
    ],
    ['two records exchanged', ([a, b, c, ...rest]) => [a, c, b, ...rest]],
  ])('%s', (_, change) => {
    const { path, lines } = filled();
    writeFileSync(path, change(lines).join('\n'));
    expect(() => LedgerFile.open(path)).toThrow(/record \d+: the ledger is damaged: /);
  });

  test('but not wherever the last record was cut: its writer never learned that it was paid', () => {
    const { path, lines } = filled();
    const [last] = lines.slice(-1);
    for (let length = 0; length < last.length; length++) {
      writeFileSync(path, [...lines.slice(0, -1), last.slice(0, length)].join('\n'));
      expect(LedgerFile.open(path, { readOnly: true }).count).toBe(3);
    }
  });

  test('while it is open', () => {
    const { path, ledger } = filled();
    truncateSync(path, 300);
    expect(() => ledger.spend(one)).toThrow('it became shorter');
  });

  test('another file is none', () => {
    const path = fresh();
    for (const text of ['', '{}', 'x\ny', '{"format":"gdp-kernel-budget"}']) {
      writeFileSync(path, text);
      expect(() => LedgerFile.open(path)).toThrow(/it is not a ledger of gdp budget/);
    }
  });
});

test('two processes, killed at random: never overspent, nothing lost', async () => {
  const { path } = created('1.5');
  // 225 of the 300 asked for
  const { paid, kills, landed } = await storm(path, {
    total: 150,
    mu: '0.1',
    seed: 7,
    pays: [1, 25],
    kills: 6,
  });
  const ledger = LedgerFile.open(path);
  expect([ledger.count, ledger.readings[0].left]).toEqual([225, '0']);
  expect(new Set(paid).size).toBe(paid.length);
  for (const id of paid) expect(ledger.find(id), id).toBeDefined();
  // a process that is killed may have paid without learning of it
  expect(paid.length).toBeGreaterThanOrEqual(225 - kills);
  expect(landed).toBeGreaterThan(2);
});

test('a ledger that is closed says so, and leaves files opened since alone', () => {
  const { path, ledger } = created();
  ledger.close();
  // takes the number that the closed file had
  const other = created();
  for (const ask of [() => ledger.spend(one), () => ledger.find('a'), () => ledger.refresh()])
    expect(ask).toThrow(`${path}: the ledger is closed, and answers nothing more`);
  ledger.close();
  other.ledger.spend(one);
  expect([ledger.count, other.ledger.count]).toEqual([0, 1]);
  other.ledger.close();
});

test('a path that is no text is refused by name, and nothing is written', () => {
  for (const path of [undefined, 5, {}, Symbol('p')] as never[]) {
    expect(() => LedgerFile.open(path)).toThrow(/^"path" must be a string, got /);
    expect(() => LedgerFile.create(path, { kind: 'gdp', mu: 1 })).toThrow(/^"path" must be a string, got /);
  }
});
