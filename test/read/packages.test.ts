/** Files that real releases of Opacus wrote: `npm run test:packages -- --renew` makes them anew. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compose, dpSgd } from '../../src/index.js';
import { recognise } from '../../src/read/index.js';
import { PickleWriter } from '../helpers/pickle-writer.js';

interface Saved {
  readonly file: string;
  readonly versions: readonly string[];
  readonly phases: readonly (readonly [number, number, number])[];
  /** How the sentence begins with which it is refused. */
  readonly refused?: string;
  /** Whether the accountant forgot steps before the file was written. */
  readonly lost?: boolean;
  readonly base64: string;
}

const FILES: readonly Saved[] = JSON.parse(
  readFileSync(new URL('./fixtures/opacus-versions.json', import.meta.url), 'utf8'),
);

const runOf = (phases: Saved['phases']) =>
  compose(
    phases.map(([noiseMultiplier, samplingRate, steps]) => dpSgd({ noiseMultiplier, samplingRate, steps })),
  );

describe('what Opacus saved', () => {
  it('is of every release', () => {
    const of = (pattern: RegExp) =>
      new Set(FILES.flatMap(({ file, versions }) => (pattern.test(file) ? versions : [])));
    const all = ['1.1.3', '1.2.0', '1.3.0', '1.4.0', '1.5.4', '1.6.0'];
    for (const pattern of [/state-4\.pkl$/, /checkpoint\.pt$/, /history\.json$/, /printed\.txt$/, /asked/])
      expect([...of(pattern)].sort()).toEqual(all);
  });

  it.each(FILES)('$file of $versions', ({ file, phases, refused, lost, base64 }) => {
    const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
    if (refused !== undefined) {
      expect(() => recognise(bytes)).toThrow(refused);
      return;
    }
    const { mechanism, facts, notes } = recognise(bytes);
    if (lost) {
      expect(notes.join()).toContain('If it was asked during training, steps are missing');
      return;
    }
    expect(mechanism).toEqual(runOf(phases));
    const [accountant] = file.split(/[-.]/);
    if (facts.accountant !== undefined)
      expect(facts.accountant).toBe(accountant === 'door' ? 'gdp-kernel' : accountant);
  });
});

describe('the one history in a file', () => {
  const STATE = { history: [[3, 0.2, 50]], mechanism: 'gdp' };
  const run = recognise(JSON.stringify(STATE));

  it.each([
    ['as people type it', '{"history": [(3, 0.2, 50)], "mechanism": "gdp"}', 0],
    ['with what JSON calls null', '{"history": [[3, .2, 50]], "mechanism": "gdp", "other": None}', 1],
    ['deep', JSON.stringify({ training: { epoch: 3, dp: { accountant: STATE } } }), 0],
    [
      'beside lists of losses',
      JSON.stringify({ ...STATE, log: { history: [0.4, 0.3], other: [[1, 2, 3]] } }),
      1,
    ],
    ['beside a list of another kind', JSON.stringify({ history: { loss: [1, 2] }, accountant: STATE }), 0],
  ])('%s', (_, text, notes) => {
    const read = recognise(text);
    expect(read.mechanism).toEqual(run.mechanism);
    expect(read.facts).toEqual(run.facts);
    expect(read.notes).toHaveLength(notes);
  });

  it.each([
    ['[[3, 0.2, 50]]', 'its list is taken as a history'],
    ['[(3, 0.2, 50)]', 'its list is taken as a history'],
    ['((3, 0.2, 50),)', 'its list is taken as a history'],
    ['{"model": {}, "accountant": [[3, 0.2, 50]]}', '"accountant" in it is taken as a history'],
    // the attribute of Opacus 1.0
    ['{"steps": [[3, 0.2, 50]]}', '"steps" in it is taken as a history'],
  ])('as a list: %s', (text, note) => {
    const read = recognise(text);
    expect(read.mechanism).toEqual(run.mechanism);
    expect(read.notes[0]).toContain(note);
  });

  it.each([
    [JSON.stringify({ a: STATE, b: { c: STATE } }), 'it holds 2 histories (at "a", "b.c")'],
    [
      JSON.stringify({ ...STATE, accountant: [[1, 0.1, 5]] }),
      'it holds 2 histories (at "its top", "accountant")',
    ],
    ['[3, 0.2, 50]', 'it is JSON with a list at its top'],
    ['{"losses": [[3, 0.2, 50]]}', 'it is JSON with the key "losses"'],
    ['{"accountant": {"history": [], "mechanism": "gdp"}}', 'its history is empty'],
    ['[(3, 0.2, 50)', 'it is not valid JSON'],
    ['[(3, 0.2, f(50))]', 'it is not valid JSON'],
    ["{'history': [(3, 0.2, <object at 0x7f>)]}", '"history[0][2] (num_steps)" must be'],
  ])('is not guessed: %s', (text, why) => {
    expect(() => recognise(text)).toThrow(why);
  });
});

describe('names in a pickle that are read past', () => {
  const getattr = (module: string, name: string, attribute: string) =>
    new PickleWriter(2)
      .op('}(')
      .string('history')
      .op(']')
      .string('mechanism')
      .global('__builtin__', 'getattr')
      .global(module, name)
      .string(attribute)
      .raw(0x86)
      .op('Ru.')
      .bytes();

  it('the method of an accountant alone is a value', () => {
    const read = recognise(getattr('opacus.accountants.rdp', 'RDPAccountant', 'mechanism'), {
      allowEmptyHistory: true,
    });
    expect(read.facts.accountant).toBe('rdp');
  });

  it.each([
    ['opacus.accountants.rdp', 'RDPAccountant', 'get_epsilon'],
    ['opacus.accountants.rdp', 'RDPAccountant', '__subclasses__'],
    ['opacus.privacy_engine', 'PrivacyEngine', 'mechanism'],
    ['collections', 'OrderedDict', 'mechanism'],
    ['pathlib', 'PosixPath', 'mechanism'],
  ])('no other: %s.%s.%s', (module, name, attribute) => {
    expect(() => recognise(getattr(module, name, attribute), { allowEmptyHistory: true })).toThrow(
      'it is a pickle, but it would run __builtin__.getattr, which reading a run never needs',
    );
  });

  it.each([
    ['opacus.accountants', 'create_accountant'],
    ['opacus.accountants.rdp', 'RDPAccountant.step'],
    ['opacusx.accountants.rdp', 'RDPAccountant'],
    ['pathlib', 'Path.unlink'],
    ['argparse', 'ArgumentParser'],
    ['copyreg', '__newobj__'],
    ['builtins', 'open'],
  ])('not %s.%s', (module, name) => {
    const bytes = new PickleWriter(2).global(module, name).op('(tR.').bytes();
    expect(() => recognise(bytes)).toThrow(`it would run ${module}.${name}`);
  });
});
