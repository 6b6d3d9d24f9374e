import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { MECHANISM_KINDS, parseMechanism } from '../../src/index.js';
import { ALL_KINDS } from '../../src/mechanism/basic.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { familyOf } from '../../src/mechanism/seen.js';

const PROGRAM = `
  const { account, compose, gaussian, loadEngine, parseMechanism } = await import('./build/modules/src/index.js');
  const engine = await loadEngine();
  const ask = (mechanism) => {
    try {
      return account(engine, mechanism, { adjacency: 'add-remove' }).epsilon(0.1).upper > 0 ? 'answered' : 'nothing';
    } catch ({ message }) {
      return message;
    }
  };
  const laplace = { kind: 'laplace', scale: 2, sensitivity: 1 };
  const both = { kind: 'compose', parts: [laplace, laplace] };
  const said = [ask(laplace), ask(both), ask(parseMechanism(laplace)), ask(laplace)];
  compose([gaussian({ noiseMultiplier: 1 })]);
  console.log(JSON.stringify([...said, ask(both)]));`;

describe('a kind is known from the moment a mechanism of it is built', () => {
  it('refuses data that nothing built, by name, and takes it once it is parsed', () => {
    // a program of its own: here other tests may have built what is asked about
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toEqual([
      '"mechanism.kind" must be that of a mechanism which a builder or parseMechanism made, got "laplace"',
      '"mechanism.kind" must be that of a mechanism which a builder or parseMechanism made, got "compose"',
      'answered',
      'answered',
      'answered',
    ]);
  });

  it.each(EXAMPLES.map((json) => [json.kind, json] as const))(
    '%s names the family of its pair',
    (kind, json) => {
      expect(MECHANISM_KINDS).toContain(kind);
      const mechanism = parseMechanism(json);
      if (mechanism.kind in ALL_KINDS && mechanism.kind !== 'select')
        expect(familyOf(mechanism as never).name).toBe(pairOf(mechanism as never).family);
    },
  );
});
