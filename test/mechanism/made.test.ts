import { describe, expect, it, vi } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { MECHANISM_KINDS, type Mechanism, parseMechanism } from '../../src/index.js';
import { ALL_KINDS } from '../../src/mechanism/all-kinds.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { familyOf } from '../../src/mechanism/seen.js';
import { wasm } from '../helpers/runs.js';

const options = { adjacency: 'add-remove' } as const;

describe('a kind is known from the moment a mechanism of it is built', () => {
  it('refuses data that nothing built, by name, and takes it once it is parsed', async () => {
    // a program that has built nothing yet
    vi.resetModules();
    const fresh = await import('../../src/index.js');
    const laplace = { kind: 'laplace', scale: 2, sensitivity: 1 } as const;
    const both: Mechanism = { kind: 'compose', parts: [laplace, laplace] };
    const ask = (mechanism: Mechanism) => () => fresh.account(wasm, mechanism, options).epsilon(0.5).upper;
    expect(ask(laplace)).toThrow(
      '"mechanism.kind" must be that of a mechanism which a builder or parseMechanism made, got "laplace"',
    );
    expect(ask(both)).toThrow('got "compose"');
    expect(ask(fresh.parseMechanism(laplace))()).toBeLessThan(0.5);
    expect(ask(laplace)()).toBeLessThan(0.5);
    fresh.compose([fresh.gaussian({ noiseMultiplier: 1 })]);
    expect(ask(both)()).toBe(ask(fresh.repeat(laplace, 2))());
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
