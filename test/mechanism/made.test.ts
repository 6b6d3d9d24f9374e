import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { account, gaussian, MECHANISM_KINDS, parseMechanism, poissonSubsampled } from '../../src/index.js';
import { pairOf } from '../../src/mechanism/pairs.js';
import { STATEMENTS } from '../../src/mechanism/parse.js';
import { familyOf } from '../../src/mechanism/seen.js';
import { wasm } from '../helpers/runs.js';

const PROGRAM = `
  const { account, loadEngine, parseMechanism } = await import('./build/modules/src/index.js');
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
  console.log(JSON.stringify([...said, ask(both)]));`;

/** What is said of every kind, and what a budget is charged for it, before an engine is loaded and after. */
const WITHOUT = `
  const lib = await import('./build/modules/src/index.js');
  const { renyiDivergence } = await import('./build/modules/src/accountants/index.js');
  const { chargesOf } = await import('./build/modules/src/budget/charges.js');
  const attempt = (ask) => {
    try {
      return ask();
    } catch ({ message }) {
      return message;
    }
  };
  const said = () => ${JSON.stringify(EXAMPLES)}.map((json) => {
    const mechanism = lib.parseMechanism(json);
    return [
      () => lib.factsOf(mechanism),
      () => chargesOf(mechanism, 'gdp', 'add-remove'),
      () => chargesOf(mechanism, 'zcdp', 'add-remove'),
      () => renyiDivergence(lib.compose([mechanism]), 2, 'add-remove'),
    ].map(attempt);
  });
  const before = JSON.stringify(said());
  const { kernel } = await import('./build/modules/bindings/reference-kernel.js').then((m) => ({ kernel: m.createReferenceKernel() }));
  const foreign = attempt(() => lib.account({ kernel }, lib.dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 9 }), { adjacency: 'add-remove' }).epsilon(1e-5));
  await lib.loadEngine();
  console.log(JSON.stringify([before, JSON.stringify(said()), foreign]));`;

describe('the methods come with an engine', () => {
  it('says of mechanisms the same without one, and refuses an engine that brought none', () => {
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', WITHOUT], {
      encoding: 'utf8',
    });
    const [before, after, foreign] = JSON.parse(printed);
    const [early, late] = [before, after].map((said): unknown[][] => JSON.parse(said));
    const refusal = 'an engine must be loaded before this is asked: call loadEngine first';
    // sums over mixtures and such epochs come with an engine
    const summed = ['balls-and-bins', 'binned-matrix', 'gaussian-mixture', 'divided-sgd'];
    for (const kind of summed) {
      const at = EXAMPLES.findIndex((json) => (json as { kind?: string }).kind === kind);
      expect(early![at]![3]).toBe(refusal);
      expect(late![at]![3]).not.toBe(refusal);
      late![at]![3] = refusal;
    }
    expect(early).toEqual(late);
    expect(before.split('loadEngine')).toHaveLength(1 + summed.length);
    const divergences = early!.filter((said) => typeof said[3] === 'number');
    expect(divergences.length).toBeGreaterThan(12);
    expect(foreign).toBe('"engine" must be one that loadEngine of this copy of gdp-kernel loaded');
  });
});

describe('an account takes what a builder or the parser made', () => {
  it('refuses data that nothing built, whatever else was built before', () => {
    // a program of its own: here other tests may have built what is asked about
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toEqual([
      '"mechanism" must be made by a builder or by parseMechanism, got an object',
      '"mechanism" must be made by a builder or by parseMechanism, got an object',
      'answered',
      '"mechanism" must be made by a builder or by parseMechanism, got an object',
      '"mechanism" must be made by a builder or by parseMechanism, got an object',
    ]);
  });

  it('refuses a copy whose numbers nobody checked: noise of -1 has no epsilon', () => {
    const made = gaussian({ noiseMultiplier: 1 });
    for (const mechanism of [
      { ...made, noiseMultiplier: -1 },
      poissonSubsampled({ ...made, noiseMultiplier: -1 }, { rate: 0.5 }),
    ])
      expect(() => account(wasm, mechanism).epsilon(1e-5)).toThrow(/must be made by a builder/);
  });

  it.each(EXAMPLES.map((json) => [json.kind, json] as const))(
    '%s names the family of its pair',
    (kind, json) => {
      expect(MECHANISM_KINDS).toContain(kind);
      const mechanism = parseMechanism(json);
      if ('families' in STATEMENTS[mechanism.kind]! && !['select', 'parallel'].includes(mechanism.kind))
        expect(familyOf(mechanism as never)).toBe(pairOf(mechanism as never).family);
    },
  );
});
