import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';
import { CIFAR, CIFAR_FLAGS, gdp } from './harness.js';

describe('help and version', () => {
  it('prints them on standard output', async () => {
    expect(await gdp(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
    const help = await gdp(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const command of ['report', 'epsilon', 'delta', 'mu', 'tradeoff']) {
      expect(help.stdout).toContain(command);
      const own = await gdp([command, '--help']);
      expect(own).toMatchObject({ code: 0, stderr: '' });
      expect(own.stdout).toMatch(new RegExp(`^gdp ${command} `));
      expect(Math.max(...own.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(84);
    }
  });
});

describe('bad usage', () => {
  it.each([
    [['nonsense'], '"nonsense" is not a command'],
    [['--frobnicate'], 'unknown option "--frobnicate"'],
    [['epsilon', '--constructor'], 'unknown option "--constructor"'],
    [['epsilon', '-x'], 'unknown option "-x"'],
    [['epsilon'], 'gdp epsilon needs a FILE'],
    [['report', CIFAR, '--alpha', '0.1'], '"--alpha" has no meaning for gdp report'],
    [['report'], 'gdp report needs a FILE (- for standard input)'],
    [
      ['report', CIFAR, 'other.json'],
      'one FILE is expected, got "examples/cifar10-wrn40.json" and "other.json"',
    ],
    [['report', ''], 'FILE is an empty name'],
    [['epsilon', CIFAR, ...CIFAR_FLAGS], 'give either FILE or --noise-multiplier, not both'],
    [['page', '--out', 'state.json'], '"--out" must be - or a file that ends in .html'],
    [['epsilon', '--noise-multiplier', '1', '--steps', '3'], '"--sampling-rate" is missing'],
    [['epsilon', ...CIFAR_FLAGS, '--steps', '3'], '"--steps" is given twice'],
    [['epsilon', CIFAR, '--delta'], '"--delta" needs a value'],
    [['epsilon', CIFAR, '--delta', '--json'], '"--delta" needs a value'],
    [['epsilon', CIFAR, '--delta', '2'], '"--delta" must be a number in [0, 1], got "2"'],
    [['epsilon', CIFAR, '--delta', '1e-400'], '"--delta" must be a number in [0, 1], got "1e-400"'],
    [['convert', '--from', 'approximate-dp:1,1e-400', '--to', 'gdp'], 'got "1e-400"'],
    [['convert', '--from', 'gdp:0x10', '--to', 'pure-dp'], 'got "0x10"'],
    [['epsilon', CIFAR, '--delta', '-1e-5'], '"--delta" must be a number in [0, 1], got "-1e-5"'],
    [['epsilon', CIFAR, '--delta', '1e-5,'], '"--delta" must be a number in [0, 1], got ""'],
    [['epsilon', CIFAR, '--delta', '0x1'], '"--delta" must be'],
    [['epsilon', CIFAR, '--delta', 'NaN'], '"--delta" must be'],
    [['epsilon', CIFAR, '--epsilon', '1'], '"--epsilon" has no meaning for gdp epsilon'],
    [['report', CIFAR, '--delta', '1e-5,0'], '"--delta" must be in (0, 1) for a report'],
    [['delta', CIFAR], '"--epsilon" is needed'],
    [['delta', CIFAR, '--epsilon', 'Infinity'], '"--epsilon" must be a finite number'],
    [['tradeoff', CIFAR, '--alpha', '1.5'], '"--alpha" must be a number in [0, 1], got "1.5"'],
    [['mu', CIFAR, '--alpha-min', '0'], '"--alpha-min" must be'],
    [['mu', CIFAR, '--tolerance', '0'], '"--tolerance" must be'],
    [['mu', CIFAR, '--engine', 'gpu'], '"--engine" must be one of auto, wasm, reference, got "gpu"'],
    [['mu', CIFAR, '--json=yes'], '"--json" takes no value'],
    [
      ['mu', '--noise-multiplier', '-1', '--sampling-rate', '1', '--steps', '1'],
      '"--noise-multiplier" must be 0 or a number from 1e-9 to 1e9, got "-1"',
    ],
    [
      ['mu', '--noise-multiplier', '1', '--sampling-rate', '1.1', '--steps', '1'],
      '"--sampling-rate" must be a number in [0, 1]',
    ],
    [
      ['mu', '--noise-multiplier', '1', '--sampling-rate', '1', '--steps', '1.5'],
      '"--steps" must be a whole number',
    ],
    [
      ['mu', '--noise-multiplier', '1e999', '--sampling-rate', '1', '--steps', '1'],
      '"--noise-multiplier" must be 0 or a number from 1e-9 to 1e9',
    ],
    [
      ['mu', '--noise-multiplier', '1e-300', '--sampling-rate', '1', '--steps', '1'],
      '"--noise-multiplier" must be 0 or a number from 1e-9 to 1e9, got "1e-300"',
    ],
    [
      ['convert', '--from', 'gdp:a', '--to', 'zcdp'],
      '"mu" must be 0 or a number from 1e-9 to 1000000000, got "a"',
    ],
    [['convert', '--from', 'gdp:1,2', '--to', 'zcdp'], '"--from": gdp takes mu and no more, got "1,2"'],
    [
      ['convert', '--from', 'rdp:8=1=2', '--to', 'zcdp'],
      '"points[0].epsilon" must be a number in [0, 1000000], got "1=2"',
    ],
    [
      ['identify', CIFAR, '--svg', 'absent/a.svg'],
      'absent/a.svg: it cannot be written: there is no folder "absent" (ENOENT)',
    ],
  ])('%j: %s', async (argv, sentence) => {
    const { code, stdout, stderr } = await gdp(argv);
    expect(stderr).toContain(sentence);
    expect(stderr).toMatch(/^gdp: [^\n]+\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

it('a value as long as a file is not repeated whole', async () => {
  const { code, stderr } = await gdp(['epsilon', CIFAR, '--delta', 'x'.repeat(1e6)]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^gdp: "--delta" must be a number in \[0, 1\], got "x{1000,2000}…\n$/);
});

describe('bad input', () => {
  it.each([
    ['', 'standard input: it is empty, expected JSON'],
    ['nonsense', 'standard input: it is not valid JSON: it starts with "nonsense"'],
    ['{"history": [[1, 0.1,', 'standard input: it is not valid JSON: it ends too early, after 21 characters'],
    ['{"history": [[1, 0.1, -5]]}', 'standard input: "history[0][2] (num_steps)" must be a whole number'],
    [
      '{"history": [[1, 1.1, 5]]}',
      'standard input: "history[0][1] (sample_rate)" must be a number in [0, 1], got 1.1',
    ],
    [
      '{"history": [[1, 0.1, 9007199254740991], [1, 0.1, 1]]}',
      'standard input: "count" must be a total below 2^53 steps',
    ],
    ['{"history": [[NaN, 0.1, 5]]}', 'standard input: "history[0][0] (noise_multiplier)" must be'],
  ])('%j', async (stdin, sentence) => {
    for (const command of ['report', 'epsilon', 'mu']) {
      const { code, stdout, stderr } = await gdp([command, '-'], stdin);
      expect(stderr).toContain(`gdp: ${sentence}`);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    }
  });

  it('names a file that cannot be read', async () => {
    expect(await gdp(['report', 'absent.json'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'gdp: absent.json: no such file\n',
    });
    expect((await gdp(['report', 'examples'])).stderr).toBe('gdp: examples: it is a directory, not a file\n');
  });
});
