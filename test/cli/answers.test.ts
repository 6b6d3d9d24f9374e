import { describe, expect, it } from 'vitest';
import { parseMechanism, type Risk } from '../../src/index.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { CIFAR, CIFAR_FLAGS, gdp } from './harness.js';

interface Ends {
  lower: number;
  upper: number;
}

async function json(argv: readonly string[], stdin = ''): Promise<Record<string, never>> {
  const { code, stdout, stderr } = await gdp([...argv, '--json'], stdin);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The bracket holds a value that is known to a relative `known`. */
function expectHolds({ lower, upper }: Ends, value: number, known = 1e-11): void {
  expect(lower).toBeLessThanOrEqual(value * (1 + known));
  expect(upper).toBeGreaterThanOrEqual(value * (1 - known));
  expect((upper - lower) / upper).toBeLessThan(1e-3);
}

// MATH: exact to the digits shown, by contour integration.
const EPSILON = 7.42437889899;
const DELTA_8 = 1.917623531494e-6;

describe('gdp epsilon', () => {
  it('answers for a file, for standard input and for flags alike', async () => {
    // the mechanism is told as it was given, and is the same run
    const answered = async (...given: Parameters<typeof json>) => {
      const { mechanism, ...rest } = await json(...given);
      expect(stepsOf(parseMechanism(mechanism))).toMatchObject([{ rate: 0.32768, count: 2000 }]);
      return rest;
    };
    const file = await answered(['epsilon', CIFAR]);
    expectHolds(file['epsilon'], EPSILON);
    expect(file).toMatchObject({ delta: 1e-5, method: 'spectral', adjacency: 'add-remove' });
    expect(await answered(['epsilon', ...CIFAR_FLAGS])).toEqual(file);
    expect(await answered(['epsilon', '-'], '{"history": [[9.4, 0.32768, 2000]]}')).toEqual(file);
  });

  it('answers several deltas as results', async () => {
    const { results } = (await json([
      'epsilon',
      CIFAR,
      '--delta',
      '1e-5,1e-10',
      '--delta',
      '1e-6',
    ])) as unknown as {
      results: { delta: number; epsilon: Ends }[];
    };
    expect(results.map(({ delta }) => delta)).toEqual([1e-5, 1e-10, 1e-6]);
    expectHolds(results[0]!.epsilon, EPSILON);
    expectHolds(results[1]!.epsilon, 10.80992335046);
  });

  it('prints the safe end, and with --brackets a bracket that contains the exact value', async () => {
    expect((await gdp(['epsilon', CIFAR])).stdout).toBe('epsilon(1e-5)           7.43\n');
    const { stdout } = await gdp(['epsilon', CIFAR, '--brackets']);
    const [, lower, upper] = /^epsilon\(1e-5\) +\[(\S+), (\S+)\]\n$/.exec(stdout)!;
    expectHolds({ lower: Number(lower), upper: Number(upper) }, EPSILON);
  });

  it('narrows with the tolerance', async () => {
    const { epsilon } = (await json(['epsilon', CIFAR, '--tolerance', '1e-5'])) as unknown as {
      epsilon: Ends;
    };
    expectHolds(epsilon, EPSILON);
    expect((epsilon.upper - epsilon.lower) / epsilon.upper).toBeLessThanOrEqual(1e-5);
  });

  it('answers no noise and no steps', async () => {
    const none = await json(['epsilon', '-'], '{"history": [[0, 0.5, 1]]}');
    expect(none['epsilon']).toEqual({ lower: 'Infinity', upper: 'Infinity' });
    const empty = await json(['epsilon', '-'], '{"history": [[1, 0.1, 0]]}');
    expect(empty['epsilon']).toEqual({ lower: 0, upper: 0 });
  });
});

describe('gdp delta', () => {
  it('answers with its logarithm', async () => {
    const answer = await json(['delta', CIFAR, '--epsilon', '8']);
    expectHolds(answer['delta'], DELTA_8);
    const { lower, upper } = answer['logDelta'] as Ends;
    expect(lower).toBeLessThanOrEqual(Math.log(DELTA_8));
    expect(upper).toBeGreaterThanOrEqual(Math.log(DELTA_8));
    expect(answer).toMatchObject({ epsilon: 8 });
  });

  it('takes a negative epsilon', async () => {
    const { delta } = (await json(['delta', CIFAR, '--epsilon', '-1'])) as unknown as { delta: Ends };
    expect(delta.lower).toBeGreaterThan(0.5);
    expect(delta.upper).toBeLessThanOrEqual(1);
  });
});

describe('gdp mu', () => {
  it('names its window', async () => {
    const answer = await json(['mu', CIFAR]);
    expectHolds(answer['mu'], 1.566948, 4e-7);
    expect(answer).toMatchObject({ alphaMin: 1e-10, tier: 'I', method: 'spectral' });
    expect(Object.keys(answer)).toEqual(
      expect.arrayContaining(['mu', 'regret', 'muAllRates', 'alphaMin', 'engine']),
    );
    expect((await gdp(['mu', CIFAR])).stdout).toMatch(/window +error rates down to 1e-10\n/);
  });
});

it('gdp mu over all rates is never below that of its window; of randomised response both are those of pure DP', async () => {
  const response = '{"kind":"randomized-response","epsilon":1}';
  const { code, stdout } = await gdp(['mu', '-', '--json'], response);
  const { mu, muAllRates } = JSON.parse(stdout);
  expect(code).toBe(0);
  // -2 times the normal quantile of 1/(1 + e), IAM theorem 5.1
  for (const each of [mu, muAllRates]) expect(each).toContainValue(1.2320353853449013, { absolute: 1e-12 });
  expect(muAllRates.lower).toBeGreaterThanOrEqual(mu.lower);
});

it('mu, measure and convert give one mu over all rates, under one name', async () => {
  const run = ['--noise-multiplier', '1.1', '--sampling-rate', '0.01', '--steps', '1000'];
  const row = async (...args: string[]) =>
    /^mu \(all rates\) +(.+)$/m.exec((await gdp([...args, '--digits', '3'])).stdout)?.[1];
  // sqrt(1000)/1.1
  expect(await row('mu', ...run)).toBe('28.8');
  expect(await row('measure', ...run)).toBe('28.8');
  expect(await row('convert', ...run, '--to', 'gdp')).toBe('28.8');
  expect((await gdp(['mu', '--help'])).stdout).toContain('mu has a window');
});

describe('--sampling beside a FILE', () => {
  const run = '{"history": [[9.4, 0.5, 21]], "mechanism": "rdp"}';
  const epsilon = async (...args: string[]) => {
    const { code, stdout, stderr } = await gdp([...args, '--json'], run);
    expect(code, stderr).toBe(0);
    return { epsilon: JSON.parse(stdout).epsilon, stderr };
  };

  it.each([
    ['shuffled', ['--bins', '2', '--epochs', '10']],
    ['balls-and-bins', ['--bins', '2', '--epochs', '10']],
    ['fixed', ['--bins', '2', '--epochs', '10']],
  ])('%s: the noise and steps of the file, in epochs', async (sampling, epochs) => {
    const beside = await epsilon('epsilon', '-', '--sampling', sampling);
    expect(beside.stderr).toContain('2 batches an epoch, 10 epochs and 1 batch');
    const whole = await epsilon('epsilon', '--noise-multiplier', '9.4', '--sampling', sampling, ...epochs);
    // a batch more than ten whole epochs, and fewer than eleven
    expect(beside.epsilon.upper).toBeGreaterThan(whole.epsilon.lower);
    const more = ['--bins', '2', '--epochs', '11'];
    const next = await epsilon('epsilon', '--noise-multiplier', '9.4', '--sampling', sampling, ...more);
    expect(beside.epsilon.lower).toBeLessThanOrEqual(next.epsilon.upper);
  });

  it('a loader that draws as the file does changes nothing, and a sample of fixed size has its own theorem', async () => {
    const [own, same] = [
      await epsilon('epsilon', '-'),
      await epsilon('epsilon', '-', '--sampling', 'poisson'),
    ];
    expect(same.epsilon).toEqual(own.epsilon);
    const drawn = await epsilon('epsilon', '-', '--sampling', 'without-replacement');
    const phase = ['--noise-multiplier', '9.4', '--batch-size', '1', '--dataset-size', '2', '--steps', '21'];
    const told = await epsilon('epsilon', ...phase, '--sampling', 'without-replacement');
    expect(drawn.epsilon).toEqual(told.epsilon);
  });

  it('names what it lacks', async () => {
    const lacks = await gdp(['epsilon', '-', '--sampling', 'capped-poisson'], run);
    expect(lacks.code).toBe(2);
    expect(lacks.stderr).toContain('"--sampling capped-poisson" needs more than standard input says');
    const other = await gdp(['epsilon', '-', '--sampling', 'shuffled'], '{"kind":"pure-dp","epsilon":1}');
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('"--sampling" beside a FILE needs Gaussian steps');
  });
});

it('--tries takes a whole number: so many runs, of which the best is published', async () => {
  const [word, bare] = [
    await gdp(['epsilon', CIFAR, '--json', '--tries', 'fixed:3']),
    await gdp(['epsilon', CIFAR, '--json', '--tries', '3']),
  ];
  expect(bare.stderr).toMatch(/^gdp: an answer is known between two ends alone/);
  expect(JSON.parse(bare.stdout).epsilon).toEqual(JSON.parse(word.stdout).epsilon);
  expect((await gdp(['epsilon', CIFAR, '--tries', 'many'])).stderr).toContain(
    '"--tries" must be a whole number',
  );
});

describe('gdp risk', () => {
  it('says what the library says, in JSON, in lines and in sentences', async () => {
    const answer = (await json(['risk', CIFAR, '--prior', '0.5', '--baseline', '0.01'])) as unknown as Risk;
    expectHolds(answer.advantage, 0.5646042808, 1e-9);
    expectHolds(answer.reconstruction[0]!.reconstruction, 0.2223033373, 1e-9);
    const { stdout } = await gdp(['risk', CIFAR, '--secrets', '2', '--singling-out', '1e-6,50000']);
    expect(stdout).toMatch(/^advantage +0\.565$/m);
    expect(stdout).toContain("The attacker's answer is then right at most 78.24 % of the time.");
    expect(stdout).toMatch(/^Of 2 such secrets in 2 records/m);
    expect(stdout).toContain('A description that fits 1 in 1,000,000 people');
    expect(stdout).toContain(
      'If 50 % of the records looked at are inside, at most 98.5 % of such claims are right.',
    );
    expect(stdout).toMatch(/^singled out +1\.00$/m);
    // every line of the table has a sentence before it
    const [said, table] = stdout.split('For specialists') as [string, string];
    expect(said.match(/^(Imagine|Suppose|A secret|Of 2|A description)|If 50 %/gm)).toHaveLength(
      table.match(/^(error|TPR at|PPV\(\d|secret|all|singled)/gm)!.length,
    );
  });

  it('says what rare chances are once in how many, no less than they are', async () => {
    const { reconstruction } = (await json(['risk', CIFAR, '--baseline', '1e-9'])) as unknown as Risk;
    const { stdout } = await gdp(['risk', CIFAR, '--baseline', '1e-9']);
    const [, said] = stdout.match(/the secret is guessed at most 1 time in ([\d,]+)\./)!;
    const chance = 1 / Number(said!.replaceAll(',', ''));
    const { upper } = reconstruction[0]!.reconstruction;
    expect(chance).toBeGreaterThanOrEqual(upper);
    expect(chance).toBeLessThan(1.01 * upper);
  });

  it('speaks of a person where a person has several records', async () => {
    const { stdout } = await gdp(['risk', CIFAR, '--records-per-person', '2']);
    expect(stdout).toContain('and for every attack on one person.');
    expect(stdout).not.toContain('--records-per-person');
  });

  it('names an option that is wrong', async () => {
    for (const [flag, value, expected] of [
      ['--prior', '1', '"--prior" must be a number in (0, 1)'],
      ['--secrets', '1.5', '"--secrets" must be a whole number from 2 to 10000'],
      ['--singling-out', '0.1', '"--singling-out" must be a weight in (0, 1) and a number of records'],
    ] as const) {
      const { stderr, code } = await gdp(['risk', CIFAR, flag, value]);
      expect(stderr).toContain(expected);
      expect(code).toBe(2);
    }
  });
});

describe('gdp tradeoff', () => {
  it('answers beta', async () => {
    const { alpha, beta } = (await json(['tradeoff', CIFAR, '--alpha', '0.01'])) as unknown as {
      alpha: number;
      beta: Ends;
    };
    expect(alpha).toBe(0.01);
    expect(beta.lower).toBeGreaterThan(0.75);
    expect(beta.upper).toBeLessThan(0.8);
    expect((await gdp(['tradeoff', CIFAR])).stdout.trim().split('\n')).toHaveLength(4);
  });
});

describe('gdp report', () => {
  it('prints the page', async () => {
    const { code, stdout, stderr } = await gdp(['report', CIFAR, '--delta', '1e-5']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Privacy report: cifar10-wrn40\.json$/m);
    expect(stdout).not.toContain('examples/');
    const [, lower, upper] = / 1e-5 +\[(\S+), (\S+)\]/.exec(stdout)!;
    expectHolds({ lower: Number(lower), upper: Number(upper) }, EPSILON);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('holds the same as JSON', async () => {
    const answer = await json(['report', CIFAR, '--delta', '1e-5']);
    expectHolds(answer['epsilon'], EPSILON);
    expect(Object.keys(answer)).toEqual(
      expect.arrayContaining([
        'delta',
        'mu',
        'regret',
        'muAllRates',
        'alphaMin',
        'method',
        'engine',
        'mechanism',
      ]),
    );
  });

  it('reads every phase', async () => {
    const answer = await json(['report', 'examples/finetune-two-phase.json', '--delta', '1e-5']);
    expectHolds(answer['epsilon'], 1.15296809, 5e-9);
  });
});

describe('--engine', () => {
  it('answers with the engine asked for, and both agree', async () => {
    const wasm = await json(['epsilon', CIFAR, '--engine', 'wasm']);
    const reference = await json(['epsilon', CIFAR, '--engine', 'reference']);
    expect([wasm['engine'], reference['engine']]).toEqual(['wasm', 'reference']);
    expectHolds(wasm['epsilon'], EPSILON);
    expectHolds(reference['epsilon'], EPSILON);
  });
});

describe('--effort', () => {
  const run = ['--noise-multiplier', '1', '--sampling-rate', '0.01', '--steps', '1000', '--json'];

  it.each([
    ['risk'],
    ['measure', '--epsilon-head', '3', '--resolution', '10'],
    ['measure', '--epsilon-head', '3', '--resolution', '10', '--mu', '1'],
  ])('says in the JSON of %s that it ran out', async (...command) => {
    for (const [effort, limited] of [
      ['1e-6', true],
      ['1', false],
    ] as const) {
      const { stdout } = await gdp([...command, ...run, '--effort', effort]);
      expect(JSON.parse(stdout)).toEqual(expect.objectContaining({ adjacency: 'add-remove' }));
      expect(JSON.parse(stdout).limitedBy === 'effort').toBe(limited);
    }
  });
});
