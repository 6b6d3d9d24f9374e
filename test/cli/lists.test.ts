import { describe, expect, test } from 'vitest';
import { answer } from '../../src/cli/main.js';
import { gdp } from './harness.js';

const RUN = ['--noise-multiplier', '1.3', '--batch-size', '256', '--dataset-size', '60000'];
const ask = async (...words: string[]) => {
  const { code, stdout, stderr } = await gdp([...words, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

describe('a list in place of one number', () => {
  test('of epochs, of steps: each answer is that of its number alone', async () => {
    const { results } = await ask('epsilon', ...RUN, '--epochs', '1,2, 15');
    expect(results.map(({ epochs }: { epochs: number }) => epochs)).toEqual([1, 2, 15]);
    // P25: 15 epochs have 0.86571191
    expect(results[2].epsilon.upper).toBeCloseTo(0.865711917, 8);
    const { epochs: _, ...second } = results[1];
    expect(second).toEqual(await ask('epsilon', ...RUN, '--epochs', '2'));
    const rate = ['--noise-multiplier', '1.3', '--sampling-rate', '0.01'];
    const text = await gdp(['delta', ...rate, '--steps', '10,1000', '--epsilon', '1']);
    expect(text.stdout).toMatch(/^steps +10\ndelta\(1\) .*\nsteps +1000\ndelta\(1\) .*\n$/);
  });

  test('of targets', async () => {
    const words = ['--sampling-rate', '0.01', '--steps', '1000'];
    const { results } = await ask('calibrate', '--epsilon', '1,2', ...words);
    const { epsilon: _, ...second } = results[1];
    expect(second).toEqual(await ask('calibrate', '--epsilon', '2', ...words));
    expect(results[0].value).toBeCloseTo(1.41462, 4);
  });

  test('says once what is said of all, and of each what is its own', async () => {
    const { stderr } = await gdp([
      'epsilon',
      '--noise-std',
      '2',
      '--clip-norm',
      '2',
      ...RUN.slice(2),
      '--epochs',
      '1,2',
    ]);
    expect(stderr.match(/noise multiplier 1 = 2 \/ 2/g)).toHaveLength(1);
    expect(stderr).toContain('1 epochs are taken as 235 steps');
    expect(stderr).toContain('2 epochs are taken as 470 steps');
  });

  test('of a run on standard input, which is read once', async () => {
    const state = '{"history": [[1, 0.01, 100]]}';
    const words = ['epsilon', '-', '--sampling', 'poisson', '--epochs', '1,2', '--json'];
    const { results } = JSON.parse((await gdp(words, state)).stdout);
    expect(
      results.map(({ mechanism }: { mechanism: { parts: { count: number }[] } }) => mechanism.parts[0].count),
    ).toEqual([100, 200]);
  });

  test('where standard input is opened when it is asked for, as in a process', async () => {
    let opened = 0;
    const context = {
      get stdin() {
        opened++;
        return (async function* () {
          yield new TextEncoder().encode('{"history": [[1, 0.01, 100]]}');
        })();
      },
      note: () => {},
    };
    const words = ['epsilon', '-', '--sampling', 'poisson', '--epochs', '1,2', '--json'];
    const { text, failure } = await answer(words, context);
    expect(failure).toBeUndefined();
    expect(JSON.parse(text).results).toHaveLength(2);
    expect(opened).toBe(1);
  });

  test.each([
    [['epsilon', ...RUN, '--epochs', '1,x'], '"--epochs" must be a whole number'],
    [['epsilon', ...RUN, '--epochs', '1,'], '"--epochs" must be a whole number'],
    [['calibrate', '--epsilon', '1,2', '--steps', '1,2'], 'one list is asked for at a time'],
    [
      ['report', ...RUN, '--epochs', '1,2', '--out', 'x.html'],
      '"--out" has one answer: give "--epochs" one number',
    ],
  ])('refuses %j', async (words, reason) => {
    const { code, stderr } = await gdp(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});
