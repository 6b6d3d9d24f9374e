import { describe, expect, test } from 'vitest';
import { CIFAR, gdp } from './harness.js';

const SIZES = ['--noise-multiplier', '9.4', '--batch-size', '16384', '--dataset-size', '50000'];
const answer = async (...words: string[]) => {
  const { code, stdout, stderr } = await gdp(['epsilon', ...words, '--json']);
  expect(code, stderr).toBe(0);
  return { ...JSON.parse(stdout), stderr };
};
const refused = async (...words: string[]) => {
  const { code, stderr } = await gdp(['epsilon', ...words]);
  expect(code).toBe(2);
  return stderr;
};

/** ε(1e-5) by the central limit, a few thousandths above, μ² = (E/t)(e^{1/σ²} − 1), is 6.309 for 4 bins and 7.491 for 3. */
describe('batches that do not divide the data set', () => {
  test('are not guessed for balls and bins: in numbers, in a file', async () => {
    const way =
      'give --bins 4 for 4 batches of 12500 records on average, or --bins 3 or --drop-last for 3 batches of 16667';
    expect(await refused(...SIZES, '--sampling', 'balls-and-bins', '--epochs', '656')).toContain(way);
    expect(await refused(CIFAR, '--sampling', 'balls-and-bins')).toContain(
      'Give --bins 4 (the last one smaller), --bins 3 or --drop-last',
    );
    expect(await refused(CIFAR, '--sampling', 'shuffled')).toContain('--bins 4');
    const calibrated = await gdp([
      'calibrate',
      '--epsilon',
      '4',
      '--delta',
      '1e-5',
      ...SIZES.slice(2),
      '--sampling',
      'balls-and-bins',
      '--epochs',
      '656',
    ]);
    expect([calibrated.code, calibrated.stderr]).toEqual([2, expect.stringContaining(way)]);
  });

  test.each([
    ['4', 6.309],
    ['3', 7.491],
  ])('and have one answer where %s bins are told', async (bins, near) => {
    const told = ['--sampling', 'balls-and-bins', '--bins', bins, '--epochs', '656'];
    const numbers = await answer('--noise-multiplier', '9.4', ...told);
    const file = await answer(CIFAR, ...told);
    expect(numbers.epsilon.upper).toBeCloseTo(near, 1);
    expect(file.epsilon).toEqual(numbers.epsilon);
    expect(file.stderr).toContain(`${bins} batches an epoch, 656 epochs`);
  });

  test('as many balls-and-bins batches as would be full, with --drop-last', async () => {
    const { mechanism, stderr } = await answer(...SIZES, '--sampling', 'balls-and-bins', '--drop-last');
    expect(mechanism).toMatchObject({ inner: { kind: 'balls-and-bins', bins: 3 } });
    expect(stderr).toContain('an epoch is taken as 3 batches of 16667 records on average');
    const file = await answer(CIFAR, '--sampling', 'balls-and-bins', '--drop-last', '--epochs', '1');
    expect(file.stderr).toContain('3 batches an epoch, 1 epochs');
  });

  test('of a shuffle the last one is smaller, or dropped', async () => {
    const last = await answer(...SIZES, '--sampling', 'shuffled', '--epochs', '2');
    expect(last.mechanism).toMatchObject({ inner: { bins: 4 } });
    expect(last.stderr).toContain('an epoch is taken as 3 batches of 16384 records and a smaller one of 848');
    const dropped = await answer(...SIZES, '--sampling', 'shuffled', '--drop-last', '--epochs', '2');
    expect(dropped.mechanism).toMatchObject({ inner: { bins: 3, leftOut: 848 / 50000 } });
    expect(dropped.stderr).toContain('848 records are in none');
    const file = await answer(CIFAR, '--sampling', 'shuffled', '--drop-last', '--epochs', '2');
    expect(file.mechanism.parts[0].parts[0].inner).toMatchObject({
      bins: 3,
      leftOut: expect.closeTo(848 / 50000, 12),
    });
    expect(file.epsilon.upper).toBeCloseTo(dropped.epsilon.upper, 9);
  });

  test('of Poisson samples, the steps of epochs are said', async () => {
    const { stderr, mechanism } = await answer(...SIZES, '--epochs', '2');
    expect(mechanism.count).toBe(8);
    expect(stderr).toContain('2 epochs are taken as 8 steps, 4 an epoch');
    const whole = await answer(
      '--noise-multiplier',
      '1',
      '--batch-size',
      '600',
      '--dataset-size',
      '60000',
      '--epochs',
      '2',
    );
    expect(whole.stderr).toBe('');
  });
});

describe('what a file is told of its batches', () => {
  const state = '{"history": [[1, 0.01, 1000]], "mechanism": "rdp"}';
  const ofState = async (...words: string[]) => {
    const { code, stdout, stderr } = await gdp(['epsilon', '-', ...words, '--json'], state);
    return { code, stderr, ...(code === 0 && JSON.parse(stdout)) };
  };

  test('a cap, with the data set it is met in', async () => {
    const cap = [
      '--sampling',
      'capped-poisson',
      '--batch-cap',
      '700',
      '--adjacency',
      'zero-out',
      '--tolerance',
      '1e-3',
    ];
    const { mechanism } = await ofState(...cap, '--dataset-size', '60000');
    expect(mechanism.parts[0]).toMatchObject({
      count: 1000,
      inner: { kind: 'capped-poisson', rate: 0.01, datasetSize: 60000, batchCap: 700 },
    });
    expect((await ofState(...cap)).stderr).toContain('"--dataset-size" is needed');
    expect((await ofState('--sampling', 'capped-poisson')).stderr).toContain(
      'give --batch-cap and --dataset-size',
    );
  });

  test('epochs in place of its steps', async () => {
    const { mechanism } = await ofState('--sampling', 'balls-and-bins', '--epochs', '2');
    expect(mechanism.parts[0].parts[0]).toMatchObject({ count: 2, inner: { bins: 100 } });
    expect((await ofState('--sampling', 'poisson', '--epochs', '3')).mechanism.parts[0].count).toBe(300);
  });

  test.each([
    [['--bins', '4'], '"--bins" beside a FILE needs --sampling'],
    [['--epochs', '4'], '"--epochs" beside a FILE needs --sampling'],
    [['--sampling', 'poisson', '--bins', '4'], '"--bins" does not go with --sampling poisson'],
    [['--sampling', 'shuffled', '--batch-cap', '4'], '"--batch-cap" does not go with --sampling shuffled'],
    [
      ['--sampling', 'shuffled', '--bins', '4', '--drop-last'],
      '"--drop-last" says how many batches there are',
    ],
    [['--steps', '4'], 'already describes the run'],
  ])('refuses %j', async (words, reason) => {
    const { code, stderr } = await ofState(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  test('of several phases no one number of epochs is asked for', async () => {
    const two = '{"history": [[1, 0.01, 10], [2, 0.01, 10]]}';
    const { stderr } = await gdp(['epsilon', '-', '--sampling', 'shuffled', '--epochs', '1'], two);
    expect(stderr).toContain('"--epochs" beside a FILE is of one phase: standard input has 2');
  });
});

test('a shuffler of local randomisers is a kind of its own, which refusals name', async () => {
  const words = ['epsilon', '-', '--sampling', 'shuffled'];
  const told = await gdp(words, '{"kind": "randomized-response", "epsilon": 1, "categories": 2}');
  expect([told.code, told.stderr]).toEqual([2, expect.stringContaining('A shuffler of local randomisers')]);
  const named = await gdp(['epsilon', '-'], '{"kind": "shuffled-model", "epsilon": 1, "users": 1000}');
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('{"kind": "shuffle-model"')]);
  const found = await gdp(['epsilon', '-'], '{"kind": "shuffle-model", "epsilon": 1, "users": 1000}');
  expect(found.code).toBe(0);
  const misspelt = await gdp(['epsilon', '-'], '{"kind": "shufled", "noiseMultiplier": 1, "bins": 10}');
  expect(misspelt.stderr).toContain('must be one of');
});
