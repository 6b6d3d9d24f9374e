import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import {
  documentationOf,
  exportedDeclarations,
  isCode,
  isDiscriminant,
  membersOf,
  takesSomething,
} from '../../scripts/lib/declarations.mjs';
import { runExample } from '../../scripts/lib/examples.mjs';
import * as compare from '../../src/accountants/index.js';
import * as audit from '../../src/audit/index.js';
import * as convert from '../../src/convert/index.js';
import * as sync from '../../src/engine-sync.js';
import * as root from '../../src/index.js';
import * as lint from '../../src/lint/index.js';
import * as budget from '../../src/node/ledger-file.js';
import * as threads from '../../src/node/thread-pool.js';
import * as plot from '../../src/plot/index.js';
import * as read from '../../src/read/index.js';
import * as report from '../../src/report/index.js';
import * as sweep from '../../src/sweep/index.js';
import { roundDecimal } from '../../src/text/decimal.js';
import { runOf, wasm } from '../helpers/runs.js';

const exported = exportedDeclarations();
const lib: Readonly<Record<string, unknown>> = {
  ...{ ...compare, ...audit, ...convert, ...lint, ...budget, ...threads, ...plot, ...read, ...report },
  ...{ ...sweep, ...root, ...sync },
};

const documented = exported.map((each) => {
  const docs = each.nodes.flatMap((node) => documentationOf(node) ?? []);
  const tags = docs.flatMap((doc) => doc.tags);
  return { ...each, docs, tagged: (name: string) => tags.filter((tag) => tag.name === name) };
});

describe('every export of every entry', () => {
  it('is found', () => {
    expect(exported.length).toBeGreaterThan(280);
    const values = new Set(Object.keys(lib));
    for (const { name } of exported) values.delete(name);
    expect([...values]).toEqual([]);
  });

  it('has a docstring, and so has every member of it that is not a single literal', () => {
    const bare = documented.flatMap(({ name, docs, nodes }) => [
      ...(docs.some(({ text }) => text !== '') ? [] : [name]),
      ...nodes
        .flatMap(membersOf)
        .filter((member) => !isDiscriminant(member) && documentationOf(member) === undefined)
        .map((member) => `${name}.${member.name!.getText()}`),
    ]);
    expect(bare).toEqual([]);
  });

  it('that takes something says what it throws', () => {
    const silent = documented.filter(
      ({ nodes, tagged }) => nodes.some(takesSomething) && tagged('throws').length === 0,
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('that is code has an example', () => {
    const without = documented.filter(
      ({ name, nodes, tagged }) => name in lib && nodes.some(isCode) && tagged('example').length === 0,
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });
});

/** What a reader of an example has before its first line, beside all exports. */
const folder = mkdtempSync(join(tmpdir(), 'gdp-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));
const scope = {
  ...lib,
  engine: wasm,
  run: runOf([[9.4, 0.32768, 2000]]),
  path: join(folder, 'budget.ledger'),
};

/** Needs a page: test/browser/ runs it. */
const IN_A_PAGE = ['webWorkerPool'];

const examples = documented
  .filter(({ name }) => !IN_A_PAGE.includes(name))
  .flatMap(({ name, tagged }) => tagged('example').map(({ text }): [string, string] => [name, text]));

test.each(examples)('the example of %s answers what it says', async (_name, code) => {
  for (const { said, is } of await runExample(code, scope, roundDecimal)) {
    if (said !== undefined) expect(said).toBe(is);
  }
});

/** Takes anything. */
const ANY = ['isInputError'];

test('functions refuse what is not theirs with an error that names it', async () => {
  const functions = documented.filter(
    ({ name, nodes }) => nodes.some(takesSomething) && !ANY.includes(name) && name in lib,
  );
  expect(functions.length).toBeGreaterThan(100);
  for (const { name } of functions) {
    const outcome = await Promise.resolve()
      .then(() => (lib[name] as (...args: unknown[]) => unknown)('no', 'no', 'no'))
      .catch((error: unknown) => error);
    // a generator says so when it is asked
    const next = (outcome as { next?: () => Promise<unknown> } | null)?.next;
    const error = next === undefined ? outcome : await next.call(outcome).catch((e: unknown) => e);
    expect(root.isInputError(error) ? '' : `${name}: ${String(error)}`).toBe('');
  }
});
