import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-ignored-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
function file(name: string, value: object): string {
  writeFileSync(at(name), JSON.stringify(value));
  return at(name);
}

const NOISE = { kind: 'gaussian', noiseMultiplier: 2 };
const RUN = file('run.json', NOISE);
const OTHER = file('other.json', { history: [[1, 0.01, 100]] });
const EVIDENCE = file('evidence.json', { kind: 'one-run', canaries: 1000, guesses: 100, correct: 90 });
const FIXED = ['epsilon', '--noise-multiplier', '1', '--sampling', 'fixed'];

describe('an option that would have no effect is refused', () => {
  it.each<[string[], string]>([
    [
      ['tradeoff', RUN, OTHER, '--tensor', '--records-per-person', '3'],
      '"--records-per-person" is about one',
    ],
    [['tradeoff', RUN, OTHER, '--hull', '--sampling', 'shuffled'], '"--sampling" is about one FILE'],
    [['tradeoff', RUN, '--symmetrise'], '"--symmetrise" needs --direction'],
    [['tradeoff', RUN, '--scale', 'log'], '"--scale" needs --svg'],
    [['risk', '--formula', 'laplace:1', '--records-per-person', '2'], 'is about a run: not for "--formula"'],
    [['identify', '--formula', 'laplace:1', '--adjacency', 'replace-one'], 'is about a run'],
    [
      ['convert', '--from', 'gdp:1', '--to', 'zcdp', '--steps', '7'],
      '"--steps" is about a run: not for "--from"',
    ],
    [['convert', RUN, '--to', 'gdp', '--delta', '1e-5'], '"--delta" has no meaning for --to gdp'],
    [['convert', RUN, '--to', 'probabilistic-dp', '--epsilon', '1,2'], 'one "--epsilon" is needed'],
    [['measure', RUN, '--mu', '1', '--svg', at('x.svg')], '"--svg" draws the measured head'],
    [['measure', RUN, '--mu', '1', '--tail', '--resolution', '9'], '"--resolution" is that of a head'],
    [['amplify', RUN, '--clip', '0,1', '--svg', at('x.svg')], '"--svg" goes with "--rate" or "--mu" alone'],
    [['audit', EVIDENCE, '--tries', '5'], '"--tries" is about a claim that is a run'],
    [
      [...FIXED, '--bins', '5', '--batch-size', '3', '--dataset-size', '9'],
      '"--batch-size" says what "--bins" says',
    ],
    [[...FIXED, '--batch-size', '3'], '"--dataset-size" is needed'],
    [
      [...FIXED, '--dataset-size', '3', '--batch-size', '4'],
      '"--batch-size" must be a whole number from 1 to 3',
    ],
    [
      ['epsilon', '--noise-multiplier', '1', '--sampling-rate', '0.1', '--steps', '2', '--parameters', '9'],
      '"--parameters" needs --divisor',
    ],
    [
      [
        'calibrate',
        '--mu',
        '1',
        '--batch-size',
        '1',
        '--dataset-size',
        '9',
        '--steps',
        '1',
        '--sensitivity',
        '2',
      ],
      '"--sensitivity" needs --for laplace-scale',
    ],
    [['sweep', RUN, '--out', at('x.csv'), '--format', 'jsonl'], 'tell two formats'],
    [['epsilon', RUN, '--tries', 'poisson:x'], '"--tries": "runs.mean" must be a number'],
    [['mu', RUN, '--dataset-size', 'many'], '"--dataset-size" must be a whole number'],
    [['noise', '--epsilon', '1', '--delta', '1e-5', '--tolerance', 'small'], '"--tolerance" must be'],
    [['verify', RUN, '--engine', 'gpu'], '"--engine" must be one of auto, wasm, reference'],
  ])('%j', async (argv, why) => {
    const { code, stdout, stderr } = await gdp(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
  });
});

describe('several FILEs are about one kind of neighbours', () => {
  const replaced = (name: string) => file(name, { mechanism: NOISE, adjacency: 'replace-one' });

  it('the one that they state', async () => {
    // two of mu 1 each, since a record replaced moves twice as far: Phi(Phi^-1(0.9) - sqrt(2))
    const exact = 0.4472303496406471;
    const files = [replaced('a.json'), RUN];
    for (const argv of [files, files.toReversed()]) {
      const { stdout } = await gdp(['tradeoff', ...argv, '--tensor', '--alpha', '0.1', '--json']);
      const { beta, adjacency } = JSON.parse(stdout);
      expect(adjacency).toBe('replace-one');
      expect(beta.lower).toBeLessThanOrEqual(exact * (1 + 1e-12));
      expect(beta.upper).toBeGreaterThanOrEqual(exact * (1 - 1e-12));
    }
    const hull = await gdp(['tradeoff', ...files, '--hull', '--alpha', '0.1', '--json']);
    // of two equal curves, each Phi(Phi^-1(0.9) - 1)
    expect(JSON.parse(hull.stdout).beta.lower).toBeCloseTo(0.6108563, 6);
  });

  it('or none, unless it is said', async () => {
    const added = file('b.json', { mechanism: NOISE, adjacency: 'add-remove' });
    const argv = ['tradeoff', replaced('a.json'), added, '--tensor', '--alpha', '0.1'];
    expect(await gdp(argv)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('about replace-one and add-remove neighbours'),
    });
    expect((await gdp([...argv, '--adjacency', 'zero-out'])).code).toBe(0);
  });
});

describe('an answer that is read again', () => {
  const answerOf = async (name: string, argv: string[]) => {
    writeFileSync(at(name), (await gdp([...argv, '--json'])).stdout);
    return at(name);
  };

  it('keeps the neighbours of its guarantee', async () => {
    const argv = ['convert', RUN, '--to', 'approximate-dp', '--delta', '1e-5', '--adjacency', 'replace-one'];
    const { stdout } = await gdp(['epsilon', await answerOf('guarantee.json', argv), '--json']);
    expect(JSON.parse(stdout).adjacency).toBe('replace-one');
  });

  it('of an amplified run is not compared with the run itself', async () => {
    const amplified = await answerOf('amplified.json', [
      'amplify',
      RUN,
      '--rate',
      '0.1',
      '--alpha-min',
      '1e-10',
    ]);
    expect((await gdp(['mu', amplified])).stderr).toBe('');
    expect((await gdp(['lint', amplified])).stderr).toContain('no number is claimed');
  });

  it('is a run for an audit, and for lint a run with what it answered', async () => {
    const answer = await answerOf('answer.json', ['epsilon', RUN]);
    const direct = await gdp(['audit', EVIDENCE, '--claim', RUN]);
    expect(await gdp(['audit', EVIDENCE, '--claim', answer])).toEqual(direct);
    expect(await gdp(['lint', answer])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('0 findings'),
    });
  });
});

describe('a claim to audit', () => {
  const claim = '{"epsilon": 0.1, "delta": 1e-5}';

  it('may stand on standard input', async () => {
    const { code, stdout } = await gdp(['audit', EVIDENCE, '--claim', '-'], claim);
    expect(code).toBe(1);
    expect(stdout).toContain('(0.1, 1e-5)-DP');
  });

  it('or in a pipe, which is read once, as a run may', async () => {
    for (const [name, text] of [
      ['claim.pipe', claim],
      ['run.pipe', JSON.stringify(NOISE)],
    ] as const) {
      execFileSync('mkfifo', [at(name)]);
      const [{ code, stderr }] = await Promise.all([
        gdp(['audit', EVIDENCE, '--claim', at(name)]),
        writeFile(at(name), text),
      ]);
      expect([code, stderr]).toEqual([name === 'claim.pipe' ? 1 : expect.any(Number), '']);
    }
  }, 30_000);
});
