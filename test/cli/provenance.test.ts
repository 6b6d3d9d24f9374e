import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gdp } from './harness.js';

const FILE = 'examples/cifar10-wrn40.json';
const bytes = readFileSync(FILE, 'utf8');
const sha256 = createHash('sha256').update(bytes).digest('hex');

describe('what a report is of', () => {
  test('the digest of its file, and of standard input', async () => {
    const file = JSON.parse((await gdp(['report', FILE, '--json'])).stdout);
    expect(file.input).toEqual({ name: 'cifar10-wrn40.json', sha256 });
    expect(file).not.toHaveProperty('made');
    const piped = JSON.parse((await gdp(['report', '-', '--json'], bytes)).stdout);
    expect(piped.input).toEqual({ name: 'standard input', sha256 });
    const { stdout } = await gdp(['report', FILE]);
    expect(stdout).toContain(
      `SHA-256\n${' '.repeat(22)}${sha256.slice(0, 32)}\n${' '.repeat(22)}${sha256.slice(32)}\n`,
    );
  });

  test('the date that is given, and the command', async () => {
    const words = [
      'report',
      FILE,
      '--title',
      "A run's report",
      '--delta',
      '1e-5',
      '--provenance',
      '2026-11-28',
    ];
    const { stdout } = await gdp([...words, '--json']);
    const { made } = JSON.parse(stdout);
    const quoted = "'A run'\\''s report'";
    expect(made).toEqual({
      date: '2026-11-28',
      command: `gdp report ${FILE} --title ${quoted} --delta 1e-5 --json`,
    });
    expect(stdout).toBe((await gdp([...words, '--json'])).stdout);
    expect((await gdp(words)).stdout).toContain('Report made           2026-11-28, by gdp report');
  });

  test.each(['yesterday', '2026-13-01', '28.11.2026'])('no date: %s', async (date) => {
    const { code, stderr } = await gdp(['report', FILE, '--provenance', date]);
    expect([code, stderr]).toEqual([2, `gdp: "--provenance" must be a date as YYYY-MM-DD, got "${date}"\n`]);
  });
});

test.each([
  ['9.4', 'Ponomareva et al. (2023) call epsilon 7.43 reasonable (1 to 10).'],
  ['60', 'strong (up to 1).'],
  ['6', 'weak (above 10).'],
])('how large ε is by published ranges, noise %s', async (noise, sentence) => {
  const run = [
    '--noise-multiplier',
    noise,
    '--sampling-rate',
    '16384/50000',
    '--steps',
    '2000',
    '--delta',
    '1e-5',
  ];
  const { stdout } = await gdp(['report', ...run]);
  expect(stdout.replaceAll('\n', ' ')).toContain(sentence);
  expect(stdout).toContain('Ponomareva');
});
