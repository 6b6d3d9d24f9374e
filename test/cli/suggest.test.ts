import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gdp } from './harness.js';

it.each([
  [['epsilon', '--detla', '1e-5'], '"--delta"'],
  [['epsilon', '--sample-rate', '0.1'], '"--sampling-rate"'],
  [['epsilon', '--noise_multiplier', '1'], '"--noise-multiplier"'],
  [['epsilon', '--sigma', '1'], '"--noise-multiplier"'],
  [['epsilon', '--noise-m', '1'], '"--noise-multiplier"'],
  [['eps'], '"epsilon"'],
  [['calib'], '"calibrate"'],
  [['Report'], '"report"'],
  [['-v'], '"--version"'],
  [['convert', '--from', 'zcd:1', '--to', 'gdp'], '"zcdp"'],
])('gdp %j is told what was meant', async (words, meant) => {
  const { code, stderr } = await gdp(words);
  expect(code).toBe(2);
  expect(stderr).toContain(`did you mean ${meant}?`);
});

it('guesses nothing where nothing is near', async () => {
  expect((await gdp(['zzzzzz'])).stderr).toContain('expected one of report, page');
  expect((await gdp(['epsilon', '--zzzzzzzz'])).stderr).toContain(
    'unknown option "--zzzzzzzz" (see gdp --help)',
  );
});

it('what was left out is named, and what a file got is said', async () => {
  const bare = await gdp(['convert', '--epsilon', '1', '--delta', '1e-5', '--to', 'gdp']);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('--from approximate-dp:1,1e-5')]);
  const plot = join(mkdtempSync(join(tmpdir(), 'gdp-')), 'curve.svg');
  const run = ['--noise-multiplier', '1', '--sampling-rate', '1', '--steps', '1'];
  for (const command of ['tradeoff', 'mu', 'measure', 'identify'])
    expect((await gdp([command, ...run, '--svg', plot])).stderr, command).toContain(`wrote ${plot}`);
});

it('the names of formulas and rows are said in full', async () => {
  const { stdout } = await gdp(['noise', '--epsilon', '1', '--delta', '1e-5']);
  expect(stdout).toContain('Zhao et al. 2019, thm 2');
  expect(stdout).not.toMatch(/\bGM\b/);
  const beside = await gdp(['convert', '--from', 'zcdp:0.5', '--to', 'approximate-dp', '--delta', '1e-5']);
  expect(beside.stdout).toMatch(/^also proved {13}5\.299, by Bun, Steinke 2016, prop/m);
  const identified = await gdp([
    'identify',
    '--noise-multiplier',
    '2',
    '--sampling-rate',
    '1',
    '--steps',
    '1',
  ]);
  expect(identified.stdout).toMatch(/^mu \(all rates\) {10}0\.5/m);
});

it('gdp help COMMAND is that command with --help', async () => {
  expect(await gdp(['help', 'epsilon'])).toEqual(await gdp(['epsilon', '--help']));
  expect((await gdp(['help'])).stdout).toBe((await gdp(['--help'])).stdout);
  expect((await gdp(['help', 'epsilom'])).stderr).toContain('did you mean "epsilon"?');
  expect((await gdp(['help', 'mu', 'delta'])).code).toBe(2);
});
