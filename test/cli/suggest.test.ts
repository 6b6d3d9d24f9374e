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

it('gdp help COMMAND is that command with --help', async () => {
  expect(await gdp(['help', 'epsilon'])).toEqual(await gdp(['epsilon', '--help']));
  expect((await gdp(['help'])).stdout).toBe((await gdp(['--help'])).stdout);
  expect((await gdp(['help', 'epsilom'])).stderr).toContain('did you mean "epsilon"?');
  expect((await gdp(['help', 'mu', 'delta'])).code).toBe(2);
});
