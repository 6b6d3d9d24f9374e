import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-noise-'));
afterAll(() => rmSync(folder, { recursive: true }));
function file(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return join(folder, name);
}

const RATE = ['--sampling-rate', '5000/763430', '--steps', '5000', '--delta', '1e-9'];
const STD = ['--noise-std', '0.012', '--clip-norm', '15', '--mean-of', '5000'];

describe('noise as a standard deviation', () => {
  test.each([
    ['epsilon', []],
    ['delta', ['--epsilon', '0.6']],
    ['compare', []],
  ])('gdp %s', async (command, more) => {
    const rate = command === 'delta' ? RATE.slice(0, 4) : RATE;
    const told = await gdp([command, ...STD, ...rate, ...more, '--json']);
    expect(told.code).toBe(0);
    expect(told.stderr).toContain('noise multiplier 4 = 0.012 x 5000 / 15');
    const plain = await gdp([command, '--noise-multiplier', '4', ...rate, ...more, '--json']);
    expect(told.stdout).toBe(plain.stdout);
  });

  test('groups of layers that are clipped each', async () => {
    const groups = ['--noise-std', '3', '--clip-norm', '1.5', '--clip-groups', '16'];
    const { stderr, stdout } = await gdp(['epsilon', ...groups, '--json']);
    expect(stderr).toContain('noise multiplier 0.5 = 3 / (1.5 x sqrt(16))');
    expect(JSON.parse(stdout).mechanism).toEqual({ kind: 'gaussian', noiseMultiplier: 0.5 });
  });

  test.each([
    [['--noise-std', '1'], '"--clip-norm" is needed'],
    [['--clip-norm', '1', '--noise-multiplier', '1'], '"--clip-norm" needs --noise-std'],
    [[...STD, '--noise-multiplier', '1'], '"--noise-multiplier" says what "--noise-std" says'],
    [[...STD, 'x.json'], '"x.json" already describes the run'],
    [['--noise-std', '1', '--clip-norm', '0'], '"--clip-norm" must be a number > 0'],
    [['--noise-std', '1e-200', '--clip-norm', '1e200'], '"--noise-std": "noiseStd" must be nearer'],
  ])('refuses %j', async (words, reason) => {
    const { code, stderr } = await gdp(['epsilon', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });

  test('in a claim', async () => {
    const run = { noiseStd: 0.012, clipNorm: 15, meanOf: 5000, samplingRate: 5000 / 763430, steps: 5000 };
    const fine = file('fine.json', { epsilon: 0.641, delta: 1e-9, ...run });
    expect((await gdp(['lint', fine])).code).toBe(0);
    const wrong = await gdp(['lint', file('wrong.json', { epsilon: 0.5, delta: 1e-9, ...run })]);
    expect(wrong.stdout).toContain('0.6400');
    const both = file('both.json', { epsilon: 1, delta: 1e-9, ...run, noiseMultiplier: 4 });
    expect((await gdp(['lint', both])).stderr).toContain('two ways to state one number');
    const half = file('half.json', { epsilon: 1, delta: 1e-9, clipNorm: 4, noiseMultiplier: 4 });
    expect((await gdp(['lint', half])).stderr).toContain('"clipNorm" needs "noiseStd"');
  });
});

test('noise alone is one release, and is said to be', async () => {
  const one = await gdp(['epsilon', '--noise-multiplier', '2', '--json']);
  expect(one.stderr).toContain('one Gaussian release on all records');
  const { epsilon } = JSON.parse(one.stdout);
  expect(epsilon.upper).toBeCloseTo(1.9931, 3);
  // a step or a rate says that it is more
  const steps = await gdp(['epsilon', '--noise-multiplier', '2', '--steps', '3']);
  expect(steps.stderr).toContain('"--sampling-rate" is missing');
  const two = await gdp(['epsilon', '--noise-multiplier', '2', '--records-per-person', '2', '--json']);
  const single = await gdp(['epsilon', '--noise-multiplier', '1', '--json']);
  expect(JSON.parse(two.stdout).epsilon.upper).toBeCloseTo(JSON.parse(single.stdout).epsilon.upper, 8);
});

test('several records of a person who is replaced: group privacy is named', async () => {
  const run = ['--noise-multiplier', '2', '--sampling-rate', '0.01', '--steps', '1000'];
  const words = [...run, '--adjacency', 'replace-one'];
  const { code, stderr } = await gdp(['epsilon', ...words, '--records-per-person', '2']);
  expect(code).toBe(2);
  expect(stderr).toContain('For one replaced use --group 2');
  const group = await gdp(['epsilon', ...words, '--group', '2', '--json']);
  expect(JSON.parse(group.stdout).epsilon.upper).toBeLessThan(2.6084);
});

describe('several releases of a guarantee', () => {
  const convert = (...words: string[]) => gdp(['convert', '--from', ...words]);
  test('compose', async () => {
    const words = ['pure-dp:1', '--count', '500', '--to', 'approximate-dp', '--delta', '1e-5'];
    expect((await convert(...words, '--json')).stdout).toContain('311.7676046');
    const gaussian = await convert('gdp:0.5', '--count', '4', '--to', 'gdp', '--json');
    expect(JSON.parse(gaussian.stdout).values[0].upper).toBeCloseTo(1, 12);
  });

  test('of zCDP but for a delta', async () => {
    const to = ['--to', 'approximate-dp', '--delta', '1e-5', '--json'];
    const one = await convert('zcdp:0.5,1e-6', ...to);
    const two = await convert('approximate-zcdp:0.25,5e-7', '--count', '2', ...to);
    expect(JSON.parse(one.stdout).values[0].upper).toBeCloseTo(4.7520981, 6);
    expect(JSON.parse(two.stdout).values).toEqual(JSON.parse(one.stdout).values);
    expect(two.stderr).toContain('2 releases are 0.5-zCDP but for 1e-6 together');
  });

  test('are refused where there is no theorem, or no number', async () => {
    const pdp = await convert('probabilistic-dp:1,1e-6', '--count', '2', '--to', 'pure-dp');
    expect([pdp.code, pdp.stderr]).toEqual([2, expect.stringContaining('no theorem for probabilistic-dp')]);
    const word = await convert('pure-dp:1', '--count', 'raw', '--to', 'zcdp');
    expect([word.code, word.stderr]).toEqual([
      2,
      expect.stringContaining('"--count" must be a whole number'),
    ]);
  });
});

test('a part of a step is told what it is rounded up to', async () => {
  const words = ['epsilon', '--noise-multiplier', '1', '--sampling-rate', '0.01', '--steps', '1562.5'];
  expect((await gdp(words)).stderr).toContain('got "1562.5"; rounded up it is 1563');
  const state = file('state.json', { history: [[0.7, 0.01, 1562.5]] });
  expect((await gdp(['epsilon', state])).stderr).toContain('got 1562.5; rounded up it is 1563');
});
