import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LAPLACE = JSON.stringify({ kind: 'laplace', scale: 0.5, sensitivity: 1 });
const BAD = JSON.stringify({ kind: 'approximate-dp', epsilon: 1, delta: 1e-6 });

describe('gdp identify', () => {
  test('a bounded loss', async () => {
    const { code, stdout, stderr } = await gdp(['identify', '-', '--brackets'], LAPLACE);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^verdict +Gaussian DP \(exact\)\nreason +the privacy loss is bounded\n$/);
  });

  test('no GDP: exit code 1', async () => {
    const { code, stdout } = await gdp(['identify', '-', '--json'], BAD);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'not-gdp',
      standing: 'bound',
      tailMu: { lower: 'Infinity' },
    });
  });
});

describe('gdp measure', () => {
  test('the head, as JSON and as a plot', async () => {
    const svg = join(folder, 'head.svg');
    const { code, stdout } = await gdp(
      ['measure', '-', '--resolution', '1e5', '--json', '--svg', svg],
      LAPLACE,
    );
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer.headMu.lower).toBeLessThanOrEqual(1.8009051932755807);
    expect(answer.headMu.upper).toBeGreaterThanOrEqual(1.8009051932755807);
    expect(answer.headMu.upper - answer.headMu.lower).toBeLessThan(1e-5);
    expect(answer.gdpMu).toBe(answer.headMu.upper);
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg[\s\S]*Gaussian-DP transformation/);
  });

  test('as text', async () => {
    const { stdout } = await gdp(['measure', '-', '--epsilon-head', '3', '--brackets'], LAPLACE);
    expect(stdout).toMatch(/^mu \(epsilon <= 3\) +\[1\.80\d*, 1\.80\d*\]\nhead +epsilon from 0 to 3\n/);
    expect(stdout).toMatch(/mu \(all rates\) +\[1\.80\d*, 1\.80\d*\]/);
  });

  test('wrong usage', async () => {
    for (const argv of [
      ['measure', '-', '--resolution', '0'],
      ['measure', '-', '--epsilon-head', 'x'],
      ['measure'],
      ['measure', '-', '--svg', join(folder, 'no', 'such', 'folder.svg')],
    ]) {
      const { code, stdout, stderr } = await gdp(argv, LAPLACE);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr.split('\n').length).toBe(2);
    }
  });
});

describe('gdp amplify', () => {
  test('at a rate', async () => {
    const { stdout } = await gdp(['amplify', '-', '--rate', '0.5', '--resolution', '1e5', '--json'], LAPLACE);
    const { headMu: mu } = JSON.parse(stdout);
    expect(mu.lower).toBeLessThanOrEqual(0.9782783980589396);
    expect(mu.upper).toBeGreaterThanOrEqual(0.9782783980589396);
  });

  test('to a μ', async () => {
    const { stdout } = await gdp(['amplify', '-', '--mu', '0.27731184367348', '--json'], LAPLACE);
    const { rate, measured } = JSON.parse(stdout);
    expect(rate).toBeLessThanOrEqual(0.1);
    expect(rate).toBeGreaterThan(0.0995);
    expect(measured.headMu.upper).toBeLessThanOrEqual(0.27731184367348);
  });

  test('to a μ on a window of error rates', async () => {
    const { stdout } = await gdp(
      ['amplify', '-', '--mu', '0.3', '--alpha-min', '1e-4', '--json'],
      '{"kind":"gaussian","noiseMultiplier":1}',
    );
    const { rate, measured } = JSON.parse(stdout);
    // q with Φ⁻¹(1 − α) − Φ⁻¹(q G_1(α) + (1 − q)(1 − α)) = 0.3 at α = 1e-4, found by bisection in the tests of the library
    expect(rate).toBeLessThanOrEqual(0.067502183476);
    expect(rate).toBeGreaterThan(0.0674);
    expect(measured.mu.upper).toBeLessThanOrEqual(0.3);
    const { stdout: text } = await gdp(['amplify', '-', '--rate', '0.5', '--alpha-min', '1e-3'], LAPLACE);
    expect(text).toMatch(/^mu \(rates >= 0\.001\) +0\.\d{4}\n/);
  });

  test('by clipping', async () => {
    const { stdout } = await gdp(['amplify', '-', '--clip', '-1,3', '--epsilon-head', '8'], LAPLACE);
    expect(stdout).toMatch(/clip to +\[-1, 3\]\nthen add Laplace noise +of scale 0\.5/);
  });

  test('wrong usage', async () => {
    for (const argv of [
      ['--rate', '2'],
      ['--rate', '0.5', '--mu', '1'],
      [],
      ['--clip', '3,1'],
      ['--clip', '1'],
      ['--clip', '1,3', '--alpha-min', '1e-3'],
      ['--rate', '0.5', '--alpha-min', '1e-3', '--epsilon-head', '3'],
    ]) {
      const { code, stderr } = await gdp(['amplify', '-', ...argv], LAPLACE);
      expect(code, stderr).toBe(2);
    }
  });
});

describe('gdp convert', () => {
  test.each([
    [['--from', 'gdp:1', '--to', 'zcdp'], /^rho +\[0\.4999\d*, 0\.5000\d*\]\nby /],
    [
      ['--from', 'zcdp:0.5', '--to', 'approximate-dp', '--delta', '1e-6'],
      /^epsilon\(1e-6\) +\[5\.2215\d*, 5\.2215\d*\]/,
    ],
    [['--from', 'pure-dp:0.2', '--to', 'gdp'], /^mu \(all rates\) +\[0\.25048\d*, 0\.25048\d*\]/],
    [['--from', 'approximate-dp:1,1e-5', '--to', 'probabilistic-dp', '--epsilon', '2'], /^delta\(2\) +\[/],
    [
      ['--from', 'rdp:8=1.2,16=2.5', '--to', 'rdp', '--order', '8,10'],
      /^divergence\(8\).*\ndivergence\(10\)/,
    ],
    [
      ['--from', '{"kind":"gdp","mu":1}', '--to', 'trade-off', '--alpha', '0.1,0.01'],
      /^beta\(0\.01\).*\nbeta\(0\.1\)/,
    ],
    [['--from', 'gdp:1', '--to', 'tabulated', '--epsilon', '0,1'], /^delta\(0\) +\[0\.38292/],
  ])('%j', async (argv, expected) => {
    const { code, stdout, stderr } = await gdp(['convert', ...argv, '--brackets']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  test('a run from a file', async () => {
    const file = join(folder, 'laplace.json');
    writeFileSync(file, LAPLACE);
    const { stdout } = await gdp(['convert', file, '--to', 'pure-dp', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      from: 'profile',
      to: 'pure-dp',
      guarantee: { kind: 'pure-dp' },
    });
  });

  test('no theorem: exit code 1 and the reason', async () => {
    const { code, stdout } = await gdp(['convert', '--from', 'approximate-dp:1,1e-5', '--to', 'zcdp']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/no theorem leads from approximate-dp to zcdp: the divergence may be infinite/);
    const json = await gdp(['convert', '--from', 'gdp:1', '--to', 'pure-dp', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      from: 'gdp',
      to: 'pure-dp',
      refused: 'no epsilon is known at which delta is 0',
    });
  });

  test('wrong usage', async () => {
    for (const argv of [
      ['--to', 'gdp'],
      ['--from', 'gdp:1'],
      ['--from', 'gdp:-1', '--to', 'zcdp'],
      ['--from', 'gdp:x', '--to', 'zcdp'],
      ['--from', 'nonsense:1', '--to', 'zcdp'],
      ['--from', 'gdp:1', '--to', 'nonsense'],
      ['--from', 'gdp:1', '--to', 'approximate-dp'],
      ['--from', 'gdp:1', '--to', 'rdp'],
      ['--from', '{', '--to', 'gdp'],
      ['file.json', '--from', 'gdp:1', '--to', 'zcdp'],
    ]) {
      const { code, stdout, stderr } = await gdp(['convert', ...argv]);
      expect([code, stdout], `${argv} ${stderr}`).toEqual([2, '']);
    }
  });
});

describe('what is said beside an answer', () => {
  test('randomised response under add/remove', async () => {
    const answers = '{"kind": "randomized-response", "epsilon": 1}';
    const said = /its epsilon compares two answers of one person \(one record replaced\)/;
    expect((await gdp(['epsilon', '-'], answers)).stderr).toMatch(said);
    expect((await gdp(['epsilon', '-', '--adjacency', 'replace-one'], answers)).stderr).toBe('');
  });

  test('a delta of 1/n or more, where n is given or the mechanism has it', async () => {
    const noise = '{"kind": "gaussian", "noiseMultiplier": 2}';
    const told = async (...argv: string[]) => (await gdp(['epsilon', '-', ...argv], noise)).stderr;
    expect(await told('--delta', '0.01,0.001', '--dataset-size', '500')).toMatch(
      /^gdp: Delta 0\.01 is not below 1\/n for the 500 records/,
    );
    expect(await told('--delta', '0.001', '--dataset-size', '500')).toBe('');
    expect(await told('--delta', '0.1')).toBe('');
    const drawn = `{"kind": "without-replacement", "inner": ${noise}, "sampleSize": 5, "datasetSize": 50}`;
    const { stderr } = await gdp(['epsilon', '-', '--delta', '0.1', '--adjacency', 'replace-one'], drawn);
    expect(stderr).toMatch(/Delta 0\.1 is not below 1\/n for the 50 records/);
  });

  test('no mu without its window', async () => {
    const { stdout } = await gdp(['calibrate', '--mu', '1', '--steps', '1', '--sampling-rate', '1']);
    expect(stdout).toMatch(/\nmu \(rates >= 1e-10\) +1\.000\n/);
    const { stdout: json } = await gdp([
      'calibrate',
      '--mu',
      '1',
      '--steps',
      '1',
      '--sampling-rate',
      '1',
      '--json',
    ]);
    expect(JSON.parse(json).target).toEqual({ mu: 1, alphaMin: 1e-10 });
    const head = JSON.parse((await gdp(['measure', '-', '--json'], LAPLACE)).stdout);
    const window = JSON.parse((await gdp(['mu', '-', '--json'], LAPLACE)).stdout);
    expect(Object.keys(head)).not.toContain('mu');
    expect(Object.keys(window)).toEqual(expect.arrayContaining(['mu', 'alphaMin']));
  });
});
