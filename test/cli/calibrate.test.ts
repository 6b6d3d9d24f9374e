import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { optimalSigma } from '../../src/index.js';
import { CIFAR, gdp } from './harness.js';

const ONE_STEP = ['--steps', '1', '--sampling-rate', '1'];
const CALIBRATE = ['calibrate', '--epsilon', '1', '--delta', '1e-5'];

describe('gdp calibrate', () => {
  it('solves for the noise multiplier, rounded to the private side', async () => {
    const { code, stdout, stderr } = await gdp([...CALIBRATE, ...ONE_STEP]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, value] = /^noise multiplier +(\S+)\nepsilon +1\.00\ndelta +1e-5\n$/.exec(stdout)!;
    const exact = optimalSigma({ epsilon: 1, delta: 1e-5 });
    expect(Number(value)).toBeGreaterThanOrEqual(exact.lower);
    expect(Number(value) / exact.upper).toBeLessThan(1 + 1e-3);
    const finer = /^noise multiplier +(\S+)\n/.exec(
      (await gdp([...CALIBRATE, ...ONE_STEP, '--digits', '10'])).stdout,
    )!;
    expect(Number(finer[1]) / exact.upper).toBeLessThan(1 + 1e-6);
  });

  it('solves for each unknown, as JSON', async () => {
    const json = async (...more: string[]) => {
      const { code, stdout, stderr } = await gdp([...CALIBRATE, '--json', ...more]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/^gdp: this [^\n]+ is for /),
      });
      return JSON.parse(stdout);
    };
    const steps = await json('--for', 'steps', '--noise-multiplier', '20');
    expect(steps).toMatchObject({ reached: true, unknown: 'steps', adjacency: 'add-remove', value: 28 });
    const rate = await json('--for', 'sampling-rate', '--noise-multiplier', '2');
    expect(rate.value).toBeLessThan(1);
    expect(rate.achieved.delta.upper).toBeLessThanOrEqual(1e-5);
    const scale = await json('--for', 'laplace-scale', '--sensitivity', '2');
    expect(scale.value).toBeCloseTo(2 / (1 - 2 * Math.log1p(-1e-5)), 6);
  });

  it('solves for the noise of other loaders, and of a rate as a fraction', async () => {
    for (const loader of [
      ['--sampling', 'balls-and-bins', '--bins', '50', '--epochs', '3'],
      ['--sampling', 'fixed', '--epochs', '5'],
      ['--sampling-rate', '256/60000', '--epochs', '2'],
    ]) {
      const { stdout } = await gdp([...CALIBRATE, '--json', ...loader]);
      const { reached, value } = JSON.parse(stdout);
      expect(reached, loader.join(' ')).toBe(true);
      const at = async (noise: number): Promise<{ lower: number; upper: number }> => {
        const given = ['--noise-multiplier', String(noise), ...loader, '--delta', '1e-5', '--json'];
        return JSON.parse((await gdp(['epsilon', ...given])).stdout).epsilon;
      };
      expect((await at(value)).upper).toBeLessThanOrEqual(1 + 1e-9);
      expect((await at(value * (1 - 1e-4))).lower).toBeGreaterThan(1);
    }
    for (const [loader, message] of [
      [['--sampling', 'shuffled', '--bins', '10'], 'noise is solved for --sampling poisson'],
      [['--sampling', 'capped-poisson'], 'noise is solved for --sampling poisson'],
      [
        ['--for', 'steps', '--noise-multiplier', '1', '--epochs', '3'],
        '"--epochs" does not go with --for steps',
      ],
    ] as const) {
      const { code, stderr } = await gdp([...CALIBRATE, ...loader]);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    }
  });

  it('takes other targets', async () => {
    const value = async (...target: string[]) => {
      const { stdout } = await gdp(['calibrate', ...target, '--json']);
      return JSON.parse(stdout).value;
    };
    expect(await value('--mu', '0.5', '--alpha-min', '1e-6')).toBeCloseTo(2, 5);
    expect(await value('--rho', '0.5', '--steps', '4')).toBeCloseTo(2, 5);
    expect(await value('--renyi', '1', '--order', '2')).toBeCloseTo(1, 5);
    expect(await value('--advantage', '0.38292492254802624')).toBeCloseTo(1, 5);
    expect(await value('--tpr', '0.5', '--fpr', '0.15865525393145707')).toBeCloseTo(1, 5);
  });

  it('answers no, with exit code 1, where nothing meets the target', async () => {
    const { code, stdout } = await gdp(['calibrate', '--epsilon', '1', '--delta', '0']);
    expect(code).toBe(1);
    expect(stdout).toBe(
      'out of reach: epsilon is infinite whatever the noise multiplier: Gaussian noise never gives delta 0, so ask for a delta above 0\n',
    );
  });

  it('says in rounded brackets what the account gives where it cannot certify', async () => {
    const tiny = ['--epsilon', '1e-11', '--delta', '1e-250', '--for', 'sampling-rate'];
    const { code, stdout } = await gdp(['calibrate', ...tiny, '--noise-multiplier', '100', '--steps', '100']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^out of reach: no sampling rate from 1e-12 to 1 is certified to meet the target; at 1e-12 the account gives epsilon in \[[\d.e-]+, [\d.e-]+\], delta in \[[^\]]+\]: the target may be met there, but the account is not sharp enough to say so\n$/,
    );
  });

  it.each([
    [[], 'this noise multiplier is for 1 step, sampling rate 1: give --steps and --sampling-rate'],
    [['--steps', '10'], 'this noise multiplier is for sampling rate 1: give --sampling-rate'],
    [['--for', 'laplace-scale'], 'this scale is for 1 query, sensitivity 1: give --steps and --sensitivity'],
    [['--for', 'steps', '--noise-multiplier', '9'], 'this number of steps is for sampling rate 1'],
    [ONE_STEP, ''],
  ])('says what it assumes: %j', async (more, note) => {
    const { code, stderr } = await gdp([...CALIBRATE, ...more]);
    expect(code).toBe(0);
    if (note === '') expect(stderr).toBe('');
    else expect(stderr).toContain(`gdp: ${note}`);
  });

  it.each([
    [['calibrate'], 'one target is needed: --epsilon and --delta, --mu,'],
    [['calibrate', '--mu', '1', '--rho', '1'], 'one target is needed'],
    [['calibrate', '--delta', '1e-5'], '"--epsilon" is needed'],
    [[...CALIBRATE, '--noise-multiplier', '1'], '"--noise-multiplier" is what is solved for'],
    [[...CALIBRATE, '--for', 'steps'], '"--noise-multiplier" is needed: to solve for steps'],
    [[...CALIBRATE, '--for', 'clipping'], '"--for" must be one of'],
    [[...CALIBRATE, '--alpha-min', '1e-3'], '"--alpha-min" needs --mu'],
    [[...CALIBRATE, '--sensitivity', '1'], '"--sensitivity" needs --for laplace-scale'],
    [[...CALIBRATE, '--steps', '1.5'], '"--steps" must be a whole number'],
    [[...CALIBRATE, CIFAR], '"mechanism" must be one with "?"'],
    [[...CALIBRATE, '--tolerance', '0.5'], '"--tolerance" must be a number in [1e-9, 0.1]'],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await gdp(argv as string[]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('gdp calibrate FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'calibrate-'));
  const fileOf = (name: string, value: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const parts = [
    { kind: 'gaussian', noiseMultiplier: '?' },
    { kind: 'laplace', scale: { times: 2 }, sensitivity: 1 },
  ];
  const together = fileOf('scale.json', { kind: 'compose', parts });

  it('solves for the common scale of all that has a "?"', async () => {
    const { code, stdout } = await gdp([...CALIBRATE, together]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^noise +4\.038\nepsilon +1\.00\ndelta +1e-5\n$/);
  });

  it('solves for the noise that spends shares, and says what each part then is', async () => {
    const shares = [
      { share: 0.9, mechanism: parts[0] },
      { share: 0.1, mechanism: { kind: 'laplace', scale: '?', sensitivity: 1 } },
    ];
    const { code, stdout } = await gdp([...CALIBRATE, fileOf('shares.json', { shares })]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^budget +1\.047\n/);
    expect(stdout).toMatch(/share 0\.9 +Gaussian, noise multiplier 3\.96/);
    expect(stdout).toMatch(/share 0\.1 +Laplace, scale 9\.54/);
  });

  const state = fileOf('state.json', { history: [[1.1, 0.01, 1000]], mechanism: 'rdp' });

  // 3712 steps of this noise and rate have an epsilon of 3, by a loss grid of other code
  it.each([
    [['--for', 'steps'], /^steps +2,712 more\n/],
    [['--for', 'epochs', '--batch-size', '600', '--dataset-size', '60000'], /^epochs +27 more\n/],
    [['--steps', '2712'], /^noise multiplier +1\.(099|100)\n/],
  ])('solves for what may follow a run, as its last phase: %j', async (more, text) => {
    const { code, stdout, stderr } = await gdp(['calibrate', '--epsilon', '3', state, ...more]);
    expect(code).toBe(0);
    expect(stdout).toMatch(text);
    expect(stderr).toContain('gdp: uses delta 1e-5: give --delta for another\n');
    expect(stderr).toContain('as the last of "state.json" where options do not say: noise multiplier 1.1');
  });

  it('names what it solved for, in a history and on standard input', async () => {
    const history = [
      [1.1, 0.01, 1000],
      [1.1, 0.01, '?'],
    ];
    const { code, stdout } = await gdp(
      ['calibrate', '--epsilon', '3', '--json', '-'],
      JSON.stringify({ history }),
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ reached: true, unknown: 'steps', value: 2712 });
  });

  it.each([
    [{ kind: 'gdp', mu: '?' }, ['--epsilon', '0.5', '--delta', '1e-6'], /^mu +0\.1241\n/],
    [
      { kind: 'laplace', scale: 2, sensitivity: '?' },
      ['--epsilon', '0.35', '--delta', '0'],
      /^sensitivity +0\.6999\d*\n/,
    ],
  ])('rounds what loses privacy as it grows down: %j', async (mechanism, target, text) => {
    const { code, stdout } = await gdp(['calibrate', '-', ...target], JSON.stringify(mechanism));
    expect(code).toBe(0);
    expect(stdout).toMatch(text);
  });

  it.each([
    [
      [fileOf('two.json', { kind: 'dp-sgd', noiseMultiplier: '?', samplingRate: '?', steps: 9 })],
      'two.json: "mechanism" must be one with "?" for one unknown, got "noise multiplier and sampling rate"',
    ],
    [
      [fileOf('column.json', { kind: 'matrix-mechanism', noiseMultiplier: 2, column: [1, '?'], steps: 9 })],
      'column.json: "mechanism.column[1]" must be a number: "?" stands for noise multiplier, sigma, scale,',
    ],
    [[state], 'state.json: "mechanism" must be one with "?"'],
    [[state, '--for', 'steps', '--steps', '3'], '"--steps" is what is solved for'],
    [[state, '--for', 'noise-multiplier'], '"--steps" is needed'],
    [[together, '--steps', '3'], 'leave out "--steps"'],
    [[together, 'other.json'], 'leave out "other.json"'],
    [[fileOf('text.json', 'noise')], 'text.json: it is not valid JSON'],
    [
      [fileOf('twice.json', '{"kind": "gaussian", "noiseMultiplier": "?", "noiseMultiplier": 2}')],
      'noiseMultiplier',
    ],
    [[fileOf('none.json', { shares: [] })], '"shares" must be an array of 1 to 100 { share, mechanism }'],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await gdp([...CALIBRATE, ...argv]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('gdp compare', () => {
  const RUN = [
    '--noise-multiplier',
    '1',
    '--sampling-rate',
    '0.01',
    '--steps',
    '1000',
    '--tolerance',
    '1e-3',
  ];

  it('lists guarantees and approximations apart', async () => {
    const { code, stdout, stderr } = await gdp(['compare', ...RUN, '--brackets']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, approximations] = stdout.split('approximations (no guarantee; may be too small)\n');
    expect(head).toMatch(/^epsilon\(1e-5\) +\[1\.8\d+, 1\.8\d+\]\nguarantees of other accountants\n/);
    expect(head).toMatch(/ {2}RDP, tight conversion +2\.\d+\n/);
    expect(approximations).toMatch(/ {2}GDP-CLT, Poisson +1\.61\d+\n/);
    expect(head).not.toContain('CLT');
  });

  it('keeps the longest name apart from its number', async () => {
    const { stdout } = await gdp(['compare', '-'], '{"kind": "laplace", "scale": 5, "sensitivity": 1}');
    expect(stdout).toMatch(/\n {2}optimal composition of \(epsilon, delta\)-DP +0\.19\d+\n/);
    expect(stdout).not.toContain('-DP0');
  });

  it('compares delta at an epsilon, as JSON', async () => {
    const { code, stdout } = await gdp(['compare', ...RUN, '--epsilon', '2', '--json']);
    expect(code).toBe(0);
    const table = JSON.parse(stdout);
    expect(table).toMatchObject({ quantity: 'delta', at: 2, adjacency: 'add-remove' });
    for (const row of table.baselines) {
      if (row.kind === 'guarantee') expect(row.value).toBeGreaterThanOrEqual(table.exact.lower);
    }
  });

  it.each([
    [['compare'], 'gdp compare needs a FILE'],
    [['compare', ...RUN, '--delta', '1e-5', '--epsilon', '1'], 'give either --delta or --epsilon'],
    [['compare', ...RUN, '--delta', '0'], '"--delta" must be a number in [1e-300, 1)'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await gdp(argv as string[]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

it('help fits the page', async () => {
  for (const command of ['calibrate', 'compare']) {
    const { code, stdout } = await gdp([command, '--help']);
    expect(code).toBe(0);
    expect(Math.max(...stdout.split('\n').map((each) => each.length))).toBeLessThanOrEqual(84);
  }
});
