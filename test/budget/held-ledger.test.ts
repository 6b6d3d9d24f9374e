import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { HeldLedger } from '../../src/budget/held-ledger.js';
import type { PrivacyBudget, Spending } from '../../src/index.js';
import { LedgerFile } from '../../src/node/ledger-file.js';
import { seeded } from '../helpers/random.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-held-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = '2026-07-01T12:00:00.5Z';
let drawn = 0;
const fresh = () => ({ at, nonce: (drawn++).toString(16).padStart(16, '0') });
const one = { kind: 'gdp', mu: '0.1' } as const;

/** A host that keeps the text of a ledger. */
class Host {
  text: string;
  constructor(budget: PrivacyBudget = { kind: 'gdp', mu: '1' }) {
    this.text = HeldLedger.opening(budget, fresh());
  }

  /** A question: the line to append, or nothing where it is paid. */
  ask(
    stamp: { at: string; nonce: string },
    options?: { id?: string; count?: number },
    spend: Spending = one,
  ) {
    let said: string | undefined;
    const append = (line: string) => {
      said = line;
    };
    const receipt = HeldLedger.of('ledger', this.text, { stamp, append }).spend(spend, options);
    expect(receipt === undefined).toBe(said !== undefined);
    return said;
  }

  pay(options?: { id?: string; count?: number }) {
    const stamp = fresh();
    for (let line = this.ask(stamp, options); line !== undefined; line = this.ask(stamp, options))
      this.text += line;
  }

  get count() {
    return HeldLedger.of('ledger', this.text).count;
  }
}

test('a ledger that is given is, byte by byte, that of a file with the same times and nonces', () => {
  const path = join(folder, 'file.ledger');
  const budget = { kind: 'approximate-dp', epsilon: '3', delta: '1e-5' } as const;
  const file = LedgerFile.create(path, budget);
  const paid: (readonly [Spending, { id?: string; count?: number }?])[] = [
    [{ kind: 'pure-dp', epsilon: '0.1' }],
    [
      { kind: 'approximate-dp', epsilon: 0.25, delta: '1e-6' },
      { id: 'named', count: 3 },
    ],
    [{ kind: 'pure-dp', epsilon: 1e-3 }, { count: 7 }],
  ];
  for (const each of paid) file.spend(...each);
  const written = readFileSync(path, 'utf8');
  const stamps = written.split('\n').map((line) => {
    const { at: time, nonce } = JSON.parse(line.slice(0, -65));
    return { at: time, nonce };
  });
  let text = HeldLedger.opening(budget, stamps[0]);
  const append = (line: string) => {
    text += line;
  };
  for (const [i, each] of paid.entries())
    HeldLedger.of('given', text, { stamp: stamps[i + 1], append }).spend(...each);
  expect(text).toBe(written);
  const given = HeldLedger.of('given', text);
  expect([given.count, given.records, given.digest, given.readings]).toEqual([
    file.count,
    file.records,
    file.digest,
    file.readings,
  ]);
  expect(given.odometer({ delta: 1e-4 })).toEqual(file.odometer({ delta: 1e-4 }));
});

test('a budget for each record: the same lines as in a file, who is left out, and a second question', () => {
  const path = join(folder, 'records.ledger');
  const budget = { kind: 'gdp', mu: 1 } as const;
  const file = LedgerFile.create(path, budget, { perRecord: true });
  const charges = [{ spend: { kind: 'gdp', mu: '0.8' }, records: ['a', 'b'] }] as const;
  expect(file.charge(charges).leftOut).toEqual([]);
  expect(file.charge(charges, { id: 'two' })).toMatchObject({
    seq: 2,
    id: 'two',
    charges,
    leftOut: ['a', 'b'],
  });
  const written = readFileSync(path, 'utf8');
  const [first, ...stamps] = written.split('\n').map((line) => {
    const { at: time, nonce } = JSON.parse(line.slice(0, -65));
    return { at: time, nonce };
  });
  let text = HeldLedger.opening(budget, first, true);
  const append = (line: string) => {
    text += line;
  };
  const ask = (i: number, id?: string) =>
    HeldLedger.of('given', text, { stamp: stamps[i], append }).charge(
      charges,
      id === undefined ? {} : { id },
    );
  expect([ask(0), ask(0)?.leftOut, ask(1, 'two'), ask(1, 'two')?.leftOut]).toEqual([
    undefined,
    [],
    undefined,
    ['a', 'b'],
  ]);
  expect(text).toBe(written);
  const again = () => HeldLedger.of('given', text, { stamp: stamps[1], append });
  expect(() => again().charge(charges)).toThrow('"nonce" must be new: release 2 has it');
  expect(() => again().charge([{ ...charges[0], records: ['a'] }], { id: 'two' })).toThrow(
    '"nonce" must be new',
  );
  expect(() => again().spend(one)).toThrow('"nonce" must be new');
});

describe('a payment', () => {
  test('counts once, however often it is asked for, and only where its line is in the text', () => {
    const host = new Host();
    const stamp = fresh();
    const line = host.ask(stamp);
    expect([host.ask(stamp), host.count]).toEqual([line, 0]);
    host.text += line;
    expect([host.ask(stamp), host.ask(stamp), host.count]).toEqual([undefined, undefined, 1]);
    host.pay();
    expect([host.ask(stamp), host.count]).toEqual([undefined, 2]);
    expect(() => host.ask(stamp, { count: 2 })).toThrow('"nonce" must be new: release 1 has it');
    expect(() => host.ask(stamp, {}, { kind: 'gdp', mu: '0.2' })).toThrow('"nonce" must be new');
  });

  test('of which a part was written is asked for again, and counts once', () => {
    for (const length of [1, 2, 40, 150, 200]) {
      const host = new Host();
      host.pay();
      const stamp = fresh();
      host.text += host.ask(stamp)!.slice(0, length);
      expect(host.count).toBe(1);
      const again = host.ask(stamp);
      host.text += again;
      expect([host.ask(stamp), host.count]).toEqual([undefined, 2]);
    }
  });

  test('that lost a race has another line, or is refused where nothing is left', () => {
    const host = new Host({ kind: 'gdp', mu: '0.2' });
    host.pay({ count: 2 });
    const [a, b] = [fresh(), fresh()];
    const [first, second] = [host.ask(a)!, host.ask(b)!];
    host.text += first + second;
    expect([host.ask(a), host.count]).toEqual([undefined, 3]);
    host.text += host.ask(b);
    expect([host.ask(b), host.count]).toEqual([undefined, 4]);
    expect(() => host.pay()).toThrow('the budget does not cover it');
  });

  test('by one of many hosts at once: all that is told of is there, and no more than the budget', () => {
    const random = seeded(5);
    const host = new Host();
    const waiting = new Map<string, { at: string; nonce: string }>();
    const told: string[] = [];
    let [refused, next] = [0, 0];
    while (refused === 0 || waiting.size > 0) {
      if (refused === 0 && waiting.size < 5) waiting.set(`r${next++}`, fresh());
      const [id, stamp] = [...waiting][Math.floor(random() * waiting.size)];
      try {
        const line = host.ask(stamp, { id });
        if (line === undefined) {
          told.push(id);
          waiting.delete(id);
        }
        // some hosts die before they write, or in the middle
        else if (random() < 0.1) waiting.delete(id);
        else host.text += random() < 0.1 ? line.slice(0, random() * line.length) : line;
      } catch (error) {
        expect((error as Error).message).toContain('the budget does not cover it');
        waiting.delete(id);
        refused++;
      }
    }
    expect(host.count).toBe(100);
    expect(new Set(told).size).toBe(told.length);
    expect(told.length).toBeGreaterThan(70);
    for (const id of told) expect(() => host.ask(fresh(), { id })).toThrow(`"${id}" was paid`);
  });

  test('needs a time and a nonce of its own, and a ledger', () => {
    const host = new Host();
    const wrong = [{ at: 'now' }, { at: undefined }, { nonce: 'a b' }, { nonce: undefined }, { nonce: 'f' }];
    for (const each of wrong)
      expect(() => host.ask({ ...fresh(), ...each } as never)).toThrow(/^"(at|nonce)" must be/);
    expect(() => HeldLedger.of('ledger', host.text).spend(one)).toThrow('read alone');
    for (const text of ['', 'x', '{}']) expect(() => HeldLedger.of('l', text)).toThrow('it is not a ledger');
    const damaged = host.text.replace('"1"', '"9"');
    expect(() => HeldLedger.of('ledger', damaged)).toThrow(/record 1: the ledger is damaged/);
  });
});

test('what is kept of the last text changes no answer: another ledger, a shorter text, a changed one', () => {
  const [host, other] = [new Host(), new Host({ kind: 'gdp', mu: '5' })];
  const stamp = fresh();
  host.pay({ id: 'a' });
  const before = host.text;
  host.text += host.ask(stamp);
  host.pay({ id: 'b' });
  expect([host.count, other.count]).toEqual([3, 0]);
  // under the same name
  expect(HeldLedger.of('ledger', other.text).budget).toEqual({ kind: 'gdp', mu: '5' });
  expect([host.count, HeldLedger.of('ledger', before).count, host.count]).toEqual([3, 1, 3]);
  expect(host.ask(stamp)).toBeUndefined();
  const changed = host.text.replace('"id":"a"', '"id":"c"');
  expect(() => HeldLedger.of('ledger', changed)).toThrow('damaged');
  expect(host.count).toBe(3);
});
