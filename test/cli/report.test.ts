import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One plain Gaussian: closed form, so that every report is quick. */
const RUN = ['--noise-multiplier', '2', '--sampling-rate', '1', '--steps', '4'];

describe('gdp report', () => {
  it.each([
    ['page.html', /^<!doctype html>/],
    [
      'page.md',
      /^# \(\d\.\d\d, 1e-5\)-differentially private\n\nfor adding or removing one record; mu ≤ [\d.]+ for/,
    ],
    ['page.json', /^\{\n {2}"format": "gdp-kernel-report\/1"/],
    ['page.txt', /^Privacy report: DP-SGD\n=/],
  ])('writes %s in the format of its ending', async (name, start) => {
    const path = join(folder, name);
    expect(await gdp(['report', ...RUN, '--out', path])).toEqual({
      code: 0,
      stdout: '',
      stderr: `gdp: wrote ${path}\n`,
    });
    expect(readFileSync(path, 'utf8')).toMatch(start);
  });

  it('prints the same on standard output with --format', async () => {
    const { stdout } = await gdp(['report', ...RUN, '--format', 'html']);
    expect(stdout).toBe(readFileSync(join(folder, 'page.html'), 'utf8'));
    expect(stdout.match(/<figure>/g)).toHaveLength(4);
    const json = await gdp(['report', ...RUN, '--json']);
    expect(json.stdout).toBe(readFileSync(join(folder, 'page.json'), 'utf8'));
  });

  it('prints a column for each alpha of the papers with --paper-columns', async () => {
    const asked = await gdp(['report', ...RUN, '--paper-columns']);
    expect(asked.stdout).toMatch(/\n {2}at {3}1e-10 .* alpha\*\n {2}f .* 0\.3085\n/);
    expect((await gdp(['report', ...RUN])).stdout).not.toContain('at   1e-10');
    const page = await gdp(['report', ...RUN, '--paper-columns', '--format', 'html']);
    expect(page.stdout).toContain('curve f at each');
  });

  it('takes details from options and from the file of --about, options first', async () => {
    const about = join(folder, 'about.json');
    writeFileSync(about, '{"unit": "one row", "datasetSize": 50000, "tuning": "none"}');
    const { stdout } = await gdp([
      'report',
      ...RUN,
      ...['--json', '--about', about, '--unit', 'one patient', '--contact', 'us', '--title', 'Ours'],
    ]);
    const { title, details } = JSON.parse(stdout);
    expect(title).toBe('Ours');
    expect(details).toMatchObject({
      unit: 'one patient',
      datasetSize: 50_000,
      tuning: 'none',
      contact: 'us',
      dataset: null,
    });
  });

  it('says what is wrong in one sentence', async () => {
    const refused = async (args: string[], message: RegExp) => {
      const { code, stdout, stderr } = await gdp(['report', ...RUN, ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    };
    const file = (text: string) => {
      const path = join(folder, 'wrong.json');
      writeFileSync(path, text);
      return ['--about', path];
    };
    await refused(file('{'), /wrong\.json: it is not valid JSON/);
    await refused(file('[]'), /wrong\.json: "details" must be an object/);
    await refused(file('{"unit": 3}'), /wrong\.json: "details.unit" must be a string, got 3/);
    await refused(['--about', join(folder, 'absent.json')], /absent\.json: no such file/);
    await refused(
      ['--out', join(folder, 'no/such/folder.html')],
      /cannot be written: there is no folder ".*no\/such" \(ENOENT\)/,
    );
    await refused(['--format', 'pdf'], /"--format" must be one of text, json, markdown, html, got "pdf"/);
    await refused(['--json', '--format', 'html'], /ask for two formats/);
  });
});

describe('an empty history', () => {
  const EMPTY = '{"history": [], "mechanism": "rdp"}';

  it.each([
    ['report'],
    ['epsilon'],
    ['delta', '--epsilon', '1'],
    ['mu'],
    ['risk'],
    ['tradeoff', '--alpha', '.1'],
    ['identify'],
    ['measure'],
    ['compare'],
    ['certify', '--epsilon', '1'],
    ['convert', '--to', 'gdp'],
    ['amplify', '--rate', '.1'],
    ['lint'],
  ])('is no run of no loss: gdp %s', async (command, ...options) => {
    const { code, stdout, stderr } = await gdp([command, '-', ...options], EMPTY);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^gdp: standard input: its history is empty, as before training. GaussianAccountant of Opacus 1.1 to 1.3 also empties/,
    );
  });

  it('is answered where that is asked for', async () => {
    for (const command of ['report', 'epsilon', 'mu', 'identify']) {
      const { code, stdout } = await gdp([command, '-', '--allow-empty-history'], EMPTY);
      expect(code).toBe(0);
      if (command === 'report')
        expect(stdout.replace(/\s+/g, ' ')).toContain('the file was saved before it.');
    }
  });
});

it('an input is never written onto, and the text of a name cannot steer a terminal', async () => {
  const run = join(folder, 'run.json');
  const before = '{"history": [[9.4, 0.32768, 2000]]}';
  writeFileSync(run, before);
  for (const out of [
    ['--out', run],
    ['--out', join(folder, '.', 'run.json')],
  ]) {
    const { code, stderr } = await gdp(['report', run, ...out]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/it is the same file as the input ".*run\.json", which would be lost\n$/);
  }
  expect((await gdp(['identify', run, '--svg', run])).code).toBe(2);
  expect(readFileSync(run, 'utf8')).toBe(before);
  const { stderr } = await gdp(['epsilon', '\u001b[2Jx\u202e.json']);
  expect(stderr).toBe('gdp: \\u001b[2Jx\\u202e.json: no such file\n');
});

it('a deep mechanism is named by its ends', async () => {
  let nested: object = { kind: 'gaussian', noiseMultiplier: -1 };
  for (let i = 0; i < 90; i++) nested = { kind: 'repeat', count: 1, inner: nested };
  const { code, stderr } = await gdp(['epsilon', '-'], JSON.stringify(nested));
  expect(code).toBe(2);
  expect(stderr).toMatch(/"mechanism\.inner\.…(\.inner){3,4}\.noiseMultiplier" must be/);
});
