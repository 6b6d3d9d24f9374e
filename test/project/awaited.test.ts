import { afterAll, describe, expect, test } from 'vitest';
import { compareAccountants } from '../../src/accountants/index.js';
import { convert } from '../../src/convert/index.js';
import { InputTypeError } from '../../src/errors.js';
import * as root from '../../src/index.js';
import { lint } from '../../src/lint/index.js';
import { threadPool } from '../../src/node/thread-pool.js';
import { tradeoffPlot } from '../../src/plot/index.js';
import { alternatives, report, sameNoise } from '../../src/report/index.js';
import { inlinePool, parseSweepGrid, sweep } from '../../src/sweep/index.js';
import { wasm } from '../helpers/runs.js';
import { noiseUnknown } from '../helpers/unknowns.js';

const gaussian = root.gaussian({ noiseMultiplier: 2 });
const accounting = { adjacency: 'add-remove' } as const;
const run = root.account(wasm, gaussian, accounting);
const f = root.gaussianTradeoff(1);
const unknown = noiseUnknown({ samplingRate: 1, steps: 1 });
const head = { epsilonHead: 1, resolution: 10, seed: 1 };
const grid = {
  over: { sigma: [2] },
  mechanism: { kind: 'gaussian', noiseMultiplier: '$sigma' },
  adjacency: 'add-remove',
  epsilon: [1],
  measure: false,
};
const pools: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

describe('a forgotten await', () => {
  test.each([
    ['account', (engine: never) => root.account(engine, gaussian, accounting)],
    ['calibrate', (engine: never) => root.calibrate(engine, unknown, { rho: 0.1 }, accounting)],
    ['tensor', (engine: never) => root.tensor(engine, [f, f])],
    ['measureHead', (engine: never) => root.measureHead(engine, run, head)],
    ['samplingRateForWindow', (engine: never) => root.samplingRateForWindow(engine, run, { mu: 1 })],
    ['samplingRateFor', (engine: never) => root.samplingRateFor(engine, run, { mu: 1 })],
    [
      'StreamingAccountant',
      (engine: never) => root.StreamingAccountant.start(engine, { adjacency: 'add-remove' }),
    ],
    ['fromJSON', (engine: never) => root.StreamingAccountant.fromJSON(engine, {})],
    ['convert', (engine: never) => convert(engine, root.zcdp({ rho: 1 }), { kind: 'gdp' })],
    [
      'compareAccountants',
      (engine: never) => compareAccountants(engine, gaussian, { ...accounting, delta: 1e-5 }),
    ],
    ['lint', (engine: never) => lint(engine, { epsilon: 1 })],
    ['alternatives', (engine: never) => alternatives(engine, run)],
    ['sameNoise', (engine: never) => sameNoise(engine, run)],
    ['inlinePool', (engine: never) => inlinePool(engine)],
  ])('of loadEngine is named by %s', (_, ask) => {
    expect(() => ask(root.loadEngine() as never)).toThrow(
      '"engine" must be an engine of loadEngine, got a promise: "await" is missing before it',
    );
    for (const wrong of [undefined, null, 'wasm', {}, { kernel: 'wasm' }])
      expect(() => ask(wrong as never)).toThrow(InputTypeError);
  });

  test('of anything else is named, too', async () => {
    const late = Promise.resolve(run) as never;
    for (const ask of [
      () => root.measure(late),
      () => root.certify(late, { epsilon: 1 }),
      () => root.identify(late),
      () => report(late),
      () => tradeoffPlot(late),
      () => root.account(wasm, Promise.resolve(gaussian) as never, accounting),
      () => root.account(wasm, gaussian, Promise.resolve(accounting) as never),
    ])
      expect(ask).toThrow('got a promise: "await" is missing before it');
    const pool = threadPool({ workers: 1 });
    pools.push(await pool);
    const rows = sweep(pool as never, parseSweepGrid(grid));
    await expect(rows.next()).rejects.toThrow('got a promise: "await" is missing before it');
  });
});
