import { describe, expect, it, test } from 'vitest';
import { account, dividedSgd } from '../../src/index.js';
import { wasm } from '../helpers/runs.js';
import { gdp } from './harness.js';

const NOISE = ['--noise-multiplier', '1', '--delta', '1e-5', '--json'];

test('balls-and-bins epochs by their numbers', async () => {
  const { code, stdout } = await gdp([
    'epsilon',
    ...['--sampling', 'balls-and-bins', '--bins', '100', '--epochs', '10'],
    ...NOISE,
  ]);
  expect(code).toBe(0);
  const { epsilon } = JSON.parse(stdout);
  expect(epsilon.lower).toBeLessThan(1.701498436);
  expect(epsilon.upper).toBeGreaterThan(1.7014984357);
  expect(epsilon.upper - epsilon.lower).toBeLessThan(1e-8);
});

test('a record in several batches of an epoch', async () => {
  const words = ['--sampling', 'balls-and-bins', '--bins', '10', '--bins-per-record', '3'];
  const { code, stdout } = await gdp([
    'delta',
    ...words,
    '--noise-multiplier',
    '1',
    '--epsilon',
    '1',
    '--json',
  ]);
  expect(code).toBe(0);
  const { delta, mechanism } = JSON.parse(stdout);
  expect(mechanism).toMatchObject({ inner: { kind: 'balls-and-bins', bins: 10, binsPerRecord: 3 } });
  // a simulation of 400,000 draws of e_3(X)/C(10, 3): 0.1505 ± 0.0004
  expect(delta.lower).toBeLessThan(0.1505 + 0.0016);
  expect(delta.upper).toBeGreaterThan(0.1505 - 0.0016);
  expect(delta.upper / delta.lower).toBeLessThan(1.15);
  const refused = await gdp(['epsilon', ...words.slice(0, -1), '11', ...NOISE]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--bins-per-record');
});

test('a person of two records', async () => {
  const phase = ['--sampling-rate', '.01', '--steps', '1000', '--records-per-person', '2'];
  const { code, stdout } = await gdp(['epsilon', ...phase, ...NOISE]);
  expect(code).toBe(0);
  const { epsilon } = JSON.parse(stdout);
  expect(epsilon.lower).toBeLessThan(3.9790857632);
  expect(epsilon.upper).toBeGreaterThan(3.979085763);
});

/** ε(1e-5) at σ = 2 of what the words say. */
async function epsilonOf(...words: string[]): Promise<{ lower: number; upper: number; mechanism: object }> {
  const { code, stdout, stderr } = await gdp(['epsilon', '--noise-multiplier', '2', '--json', ...words]);
  expect(code, stderr).toBe(0);
  const { epsilon, mechanism } = JSON.parse(stdout);
  return { ...epsilon, mechanism };
}

test('batches by their sizes, rates as fractions, epochs for steps', async () => {
  const poisson = ['--sampling-rate', '256/60000'];
  const one = await epsilonOf(...poisson, '--steps', '470');
  expect(one.mechanism).toMatchObject({ count: 470, inner: { rate: 256 / 60000 } });
  const sizes = ['--batch-size', '256', '--dataset-size', '60000', '--epochs', '2'];
  expect(await epsilonOf(...sizes)).toEqual(one);
  const thrown = ['--sampling', 'balls-and-bins', '--batch-size', '240', ...sizes.slice(2)];
  expect((await epsilonOf(...thrown)).mechanism).toMatchObject({
    count: 2,
    inner: { kind: 'balls-and-bins', bins: 250 },
  });
  const shuffled = await epsilonOf('--sampling', 'shuffled', '--drop-last', ...sizes);
  expect(shuffled.mechanism).toMatchObject({
    inner: { kind: 'shuffled', bins: 234, leftOut: (60000 % 256) / 60000 },
  });
  expect(shuffled.lower).toBeGreaterThan(one.upper);
  const fixed = await epsilonOf('--sampling', 'fixed', '--epochs', '2');
  expect(shuffled.upper).toBeCloseTo(fixed.upper, 7);
  expect(fixed.mechanism).toMatchObject({ inner: { kind: 'fixed-batches' } });
  const drawn = [
    '--sampling',
    'without-replacement',
    '--batch-size',
    '3',
    '--dataset-size',
    '50',
    '--steps',
    '1',
  ];
  expect((await epsilonOf(...drawn)).mechanism).toMatchObject({ inner: { sampleSize: 3, datasetSize: 50 } });
  expect((await epsilonOf(...drawn, '--adjacency', 'zero-out')).mechanism).toMatchObject({
    inner: { kind: 'capped-poisson', rate: 1, datasetSize: 50, batchCap: 3 },
  });
});

test.each([
  [['--sampling', 'balls-and-bins'], '"--bins" is missing'],
  [
    ['--sampling', 'balls-and-bins', '--bins', '4', '--steps', '3'],
    '"--steps" does not go with --sampling balls-and-bins',
  ],
  [['--sampling', 'random', '--bins', '4'], 'poisson, capped-poisson, balls-and-bins'],
  [['--sampling', 'shuffled'], '"--bins" is missing'],
  [['--sampling', 'shuffled', '--bins', '4', '--drop-last'], '"--drop-last" needs'],
  [['--sampling', 'capped-poisson', '--sampling-rate', '.1', '--steps', '3'], '"--dataset-size" is missing'],
  [['--sampling-rate', '3/2', '--steps', '3'], 'a fraction such as 256/60000'],
  [['--sampling-rate', '.1', '--batch-size', '3', '--steps', '3'], 'give one of the two'],
  [['--sampling', 'balls-and-bins', '--bins', '1.5'], '"--bins"'],
  [
    ['--sampling-rate', '.1', '--steps', '3', '--divisor', 'expected', '--dataset-size', '500'],
    '"--parameters" is missing; --divisor expected needs it',
  ],
  [
    ['--sampling-rate', '.1', '--steps', '3', '--divisor', 'expected', '--parameters', '500'],
    '"--dataset-size" is missing; --divisor expected needs it',
  ],
  [
    ['--sampling-rate', '.1', '--steps', '3', '--divisor', 'drawn', '--parameters', '500'],
    '"--divisor drawn" is refused: no theorem here covers it. The size drawn is secret and random',
  ],
  [
    ['--sampling-rate', '.1', '--steps', '3', '--divisor', 'n'],
    '"--divisor" must be one of constant, expected',
  ],
  [
    ['--sampling', 'balls-and-bins', '--bins', '4', '--divisor', 'expected'],
    '"--divisor" does not go with --sampling balls-and-bins',
  ],
  [['--sampling-rate', '.1', '--steps', '3', '--epochs', '3'], 'give either --steps or --epochs'],
])('%j', async (flags, message) => {
  const { code, stderr } = await gdp(['epsilon', ...flags, ...NOISE]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a divisor that the size of the data set decides', async () => {
  const phase = ['--sampling-rate', '0.01', '--steps', '50', '--dataset-size', '50000'];
  const answer = await epsilonOf(...phase, '--divisor', 'expected', '--parameters', '1000000');
  const expected = dividedSgd({
    noiseMultiplier: 2,
    samplingRate: 0.01,
    steps: 50,
    divisor: 'expected',
    parameters: 1e6,
    datasetSize: 50_000,
  });
  expect(answer.mechanism).toMatchObject(expected);
  const { lower, upper } = account(wasm, expected, { adjacency: 'add-remove' }).epsilon(1e-5);
  expect(answer).toMatchObject({ lower, upper });
  const constant = await epsilonOf(...phase, '--divisor', 'constant');
  expect(constant.mechanism).toEqual((await epsilonOf(...phase)).mechanism);
  expect(answer.upper).toBeGreaterThan(constant.upper);
});

test('batches in a fixed order: what is taken, refused and stated', async () => {
  const ask = [
    'epsilon',
    '--noise-multiplier',
    '1',
    '--sampling',
    'fixed',
    '--epochs',
    '10',
    '--delta',
    '1e-5',
  ];
  const left = await gdp(ask);
  expect(left.stdout).toContain('17.9');
  expect(left.stderr).toContain(
    'uses zero-out adjacency, since these batches have no theorem for add-remove',
  );
  const removed = await gdp([...ask, '--adjacency', 'add-remove']);
  expect(removed.code).toBe(2);
  expect(removed.stdout).toBe('');
  expect(removed.stderr).toContain(
    'a record added or removed moves every later one, unless "places" are "kept"',
  );
  for (const more of [
    ['--places', 'kept'],
    ['--bins', '1'],
    ['--batch-size', '60', '--dataset-size', '60'],
  ]) {
    const { stdout, stderr } = await gdp([...ask, ...more, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ adjacency: 'add-remove' });
    expect(stderr).toBe('');
  }
  const stdin = JSON.stringify({ kind: 'tree-aggregation', noiseMultiplier: 1, steps: 1000 });
  const tree = ['epsilon', '-', '--delta', '1e-5', '--json'];
  expect(JSON.parse((await gdp(tree, stdin)).stdout)).toMatchObject({ adjacency: 'zero-out' });
  const kept = [...tree, '--places', 'kept', '--adjacency', 'add-remove'];
  expect(JSON.parse((await gdp(kept, stdin)).stdout)).toMatchObject({
    adjacency: 'add-remove',
    mechanism: { places: 'kept' },
  });
  const plain = await gdp(kept, JSON.stringify({ kind: 'gaussian', noiseMultiplier: 1 }));
  expect(plain.stderr).toContain('"--places" is for batches, trees or matrices in a fixed order');
  const event = 'SingleEpochTreeAggregationDpEvent(noise_multiplier=1, step_counts=[1000])';
  const read = await gdp(tree, event);
  expect(JSON.parse(read.stdout)).toMatchObject({ adjacency: 'zero-out' });
  expect(read.stderr).toContain('replace-special in dp_accounting');
});

describe('--records-per-person', () => {
  const EPSILON = ['epsilon', '--delta', '1e-5', '--json'];
  const PHASE = ['--noise-multiplier', '1.1', '--sampling-rate', '0.01', '--steps', '1000'];
  const history = '{"history": [[1.1, 0.01, 1000]], "mechanism": "rdp"}';
  const epsilonOf = async (args: string[], file = '') =>
    JSON.parse((await gdp([...EPSILON, ...args], file)).stdout).epsilon;

  it('answers for a file as for its numbers, and below the group theorem', async () => {
    const own = await epsilonOf(['-', '--records-per-person', '4'], history);
    expect(own).toEqual(await epsilonOf([...PHASE, '--records-per-person', '4']));
    const group = await epsilonOf(['-', '--group', '4'], history);
    expect(own.upper).toBeLessThan(group.lower);
  });

  it('of plain Gaussians is k times their mu', async () => {
    const { stdout } = await gdp(
      ['mu', '-', '--records-per-person', '3', '--json'],
      '{"kind": "gaussian", "noiseMultiplier": 2}',
    );
    expect(JSON.parse(stdout).mu).toContainValue(1.5, { absolute: 1e-12 });
  });

  it('names the way out where it has no theorem', async () => {
    const { code, stderr } = await gdp(
      [...EPSILON, '-', '--records-per-person', '2'],
      '{"kind": "randomized-response", "epsilon": 1}',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('use --group 2, which holds for any mechanism');
  });
});
