/** Reports of schedules of very many phases leave out what would cost more than the report, and say so. */
import { expect, it } from 'vitest';
import { account, compose, dpSgd } from '../../src/index.js';
import { alternatives } from '../../src/report/index.js';
import { counted } from '../helpers/counted.js';
import { wasm } from '../helpers/runs.js';

const schedule = (phases: number) =>
  compose(
    Array.from({ length: phases }, (_, i) =>
      dpSgd({ noiseMultiplier: 1 + 0.001 * i, samplingRate: 0.01, steps: 10 }),
    ),
  );

it('600 phases: next to no work beside the report, and the reason', () => {
  const { engine, calls, numbers } = counted(wasm);
  const run = account(engine, schedule(600), { adjacency: 'add-remove' });
  const rows = alternatives(engine, run);
  const left = rows.filter(({ numbers: own }) => own === null);
  expect(left.map(({ change }) => change)).toEqual(['other-adjacency', 'twice-the-steps']);
  for (const { how } of left) expect(how).toMatch(/^Not computed: the run has 600 different steps/);
  // the two that are left are plain Gaussians
  expect(rows.filter(({ numbers: own }) => own !== null)).toHaveLength(2);
  expect(calls()).toBeLessThan(500);
  expect(numbers()).toBeLessThan(1e6);
});

it('20 phases: all of them', () => {
  const run = account(wasm, schedule(20), { adjacency: 'add-remove', tolerance: 1e-3 });
  expect(alternatives(wasm, run).every(({ numbers: own }) => own !== null)).toBe(true);
});
