import { describe, expect, test } from 'vitest';
import {
  account,
  BudgetExceeded,
  ballsAndBins,
  dividedSgd,
  gaussian,
  gdp,
  laplace,
  poissonSubsampled,
  pureDp,
  StreamingAccountant,
  type StreamOptions,
  zcdp,
} from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

const start = (
  budget: NonNullable<StreamOptions['budget']>,
  engine = wasm,
  adjacency: StreamOptions['adjacency'] = 'add-remove',
) => StreamingAccountant.start(engine, { adjacency, adaptiveParameters: true, budget });
const sampled = poissonSubsampled(gaussian({ noiseMultiplier: 2 }), { rate: 0.1 });

describe.each([wasm, reference])('a stream whose parameters depend on the past', (engine) => {
  test('answers for its whole budget above and for the steps taken below', () => {
    const stream = start({ kind: 'gdp', mu: '1.5' }, engine);
    const all = account(engine, gdp({ mu: 1.5 }), { adjacency: 'add-remove' });
    stream.add(sampled, 3).add(gaussian({ noiseMultiplier: 1.1 }));
    const fixed = StreamingAccountant.start(engine, { adjacency: 'add-remove' });
    fixed.add(sampled, 3).add(gaussian({ noiseMultiplier: 1.1 }));
    expect(stream.epsilon(1e-5)).toEqual({
      lower: fixed.epsilon(1e-5).lower,
      upper: all.epsilon(1e-5).upper,
    });
    expect(stream.delta(2)).toEqual({ lower: fixed.delta(2).lower, upper: all.delta(2).upper });
    expect(stream.tradeoff(0.1)).toEqual({
      lower: all.tradeoff(0.1).lower,
      upper: fixed.tradeoff(0.1).upper,
    });
    expect(stream.measure().mu.upper).toBeGreaterThanOrEqual(1.5);
    // the law of the steps taken, asked of the past alone, would claim less
    expect(fixed.epsilon(1e-5).upper).toBeLessThan(0.9 * stream.epsilon(1e-5).upper);
  });

  test('is exact once the budget is used up by Gaussians', () => {
    const stream = start({ kind: 'gdp', mu: 1 }, engine).add(gaussian({ noiseMultiplier: 2 }), 4);
    const { lower, upper } = stream.epsilon(1e-5);
    expect(upper - lower).toBeLessThan(1e-6 * upper);
    expect(stream.spent?.readings[0].left).toBe('0');
  });
});

test('what does not fit is refused and adds nothing', () => {
  const stream = start({ kind: 'gdp', mu: 1 }).add(gaussian({ noiseMultiplier: 2 }), 3);
  const before = JSON.stringify(stream);
  expect(() => stream.add(gaussian({ noiseMultiplier: 2 }), 2)).toThrow(BudgetExceeded);
  expect(() => stream.add(laplace({ scale: 0.1, sensitivity: 1 }))).toThrow(BudgetExceeded);
  expect(JSON.stringify(stream)).toBe(before);
  expect(stream.wouldExceed({ epsilon: 10, delta: 1e-3 }, gaussian({ noiseMultiplier: 1 }))).toBe('yes');
  expect(stream.wouldExceed({ epsilon: 10, delta: 1e-3 }, gaussian({ noiseMultiplier: 2 }))).toBe('no');
  expect(stream.wouldExceed({ epsilon: 0.1, delta: 1e-9 })).toBe('yes');
  // between the steps taken and the whole budget
  expect(stream.wouldExceed({ epsilon: 4, delta: 1e-5 })).toBe('undecided');
});

test('noise is charged from above, without a tolerance', () => {
  // 1/3 and 1/49 are no doubles; 49·(1/49) rounds to less than 1
  for (const sigma of [3, 49]) {
    const stream = start({ kind: 'gdp', mu: 1 });
    expect(() => stream.add(gaussian({ noiseMultiplier: sigma }), sigma ** 2 + 1)).toThrow(BudgetExceeded);
    stream.add(gaussian({ noiseMultiplier: sigma }), sigma ** 2 - 1);
    const spent = Number(stream.spent?.readings[0].spent);
    expect(spent).toBeGreaterThanOrEqual(1 - 1 / sigma ** 2);
    expect(spent).toBeLessThan((1 - 1 / sigma ** 2) * (1 + 1e-15));
  }
  const replaced = start({ kind: 'gdp', mu: 1 }, wasm, 'replace-one').add(
    gaussian({ noiseMultiplier: 4 }),
    4,
  );
  expect(replaced.spent?.readings[0].left).toBe('0');
});

test('in zCDP', () => {
  const stream = start({ kind: 'zcdp', rho: 1 });
  stream
    .add(gaussian({ noiseMultiplier: 1 }))
    .add(sampled, 2)
    .add(pureDp({ epsilon: 0.5 }));
  // 1/2, 2·(1/4)/2 as not sampled, and that of randomised response for the pure step
  expect(Number(stream.spent?.readings[0].spent)).toBeCloseTo(0.75 + 0.5 * Math.tanh(0.25), 12);
  const upper = account(wasm, zcdp({ rho: 1 }), { adjacency: 'add-remove' }).epsilon(1e-6).upper;
  expect(stream.epsilon(1e-6).upper).toBe(upper);
});

test('is kept with the stream, and merged with none', () => {
  const stream = start({ kind: 'gdp', mu: 1 }).add(gaussian({ noiseMultiplier: 2 }));
  const read = StreamingAccountant.fromJSON(wasm, JSON.parse(JSON.stringify(stream)));
  expect(read.epsilon(1e-5)).toEqual(stream.epsilon(1e-5));
  expect(() => read.add(gaussian({ noiseMultiplier: 1 }))).toThrow(BudgetExceeded);
  const copy = stream.copy().add(gaussian({ noiseMultiplier: 2 }), 3);
  expect(copy.spent?.readings[0].left).toBe('0');
  expect(stream.spent?.readings[0].left).toBe('0.75');
  const plain = StreamingAccountant.start(wasm, { adjacency: 'add-remove' });
  expect(() => plain.merge(stream)).toThrow('"other" must be a stream of parameters fixed in advance');
  expect(() => stream.merge(plain)).toThrow('"other" must be');
});

test('has a budget exactly where it is needed, and of a kind it can pay from', () => {
  const given = (options: object) => () =>
    StreamingAccountant.start(wasm, { adjacency: 'add-remove', ...options } as StreamOptions);
  expect(given({ adaptiveParameters: true })).toThrow('"budget" must be given with "adaptiveParameters"');
  expect(given({ budget: { kind: 'gdp', mu: 1 } })).toThrow(
    '"budget" must be given with "adaptiveParameters"',
  );
  expect(given({ adaptiveParameters: 1 })).toThrow('"adaptiveParameters" must be true or false');
  expect(given({ adaptiveParameters: true, budget: { kind: 'pure-dp', epsilon: 1 } })).toThrow(
    '"budget.kind" must be gdp or zcdp',
  );
});

test('a step that is several releases is paid for as all of them', () => {
  // a public divisor: as 100 sampled Gaussians of mu 1, which sampling does not raise
  const divided = { samplingRate: 0.01, steps: 100, parameters: 1e3, datasetSize: 1e4 };
  const phase = dividedSgd({ noiseMultiplier: 1, divisor: 'expected', ...divided });
  const stream = start({ kind: 'gdp', mu: 20 }, wasm, 'zero-out').add(phase);
  const spent = Number(stream.spent?.readings[0].spent);
  expect(spent).toBeGreaterThanOrEqual(100);
  expect(spent).toBeCloseTo(100, 9);
  // a record in three of ten bins, whoever tells which ones shows three Gaussians
  const bins = ballsAndBins({ noiseMultiplier: 1, bins: 10, binsPerRecord: 3 });
  const { readings } = start({ kind: 'gdp', mu: 20 }).add(bins).spent!;
  expect(Number(readings[0].spent)).toBeCloseTo(3, 9);
  expect(Number(readings[0].spent)).toBeGreaterThanOrEqual(3);
});
