/** What a person sees who prints a run. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { account, dpSgd } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

test('a run prints and serialises as what was run', () => {
  const mechanism = dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 100 });
  const run = account(wasm, mechanism, { adjacency: 'add-remove' });
  const told = JSON.parse(JSON.stringify(run));
  expect(told).toEqual({
    kind: 'composed-run',
    mechanism: JSON.parse(JSON.stringify(mechanism)),
    adjacency: 'add-remove',
    method: run.method,
    tolerance: 1e-6,
    engine: 'wasm',
  });
  const printed = inspect(run);
  expect(printed).toContain("adjacency: 'add-remove'");
  expect(printed.length).toBeLessThan(600);
});
