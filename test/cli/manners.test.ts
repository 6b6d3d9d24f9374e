import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { Args } from '../../src/cli/args.js';
import { COMMON_FLAGS } from '../../src/cli/command.js';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { CIFAR, gdp } from './harness.js';

/** A run that is answered at once. */
const FAST = ['--noise-multiplier', '2', '--sampling-rate', '1', '--steps', '4'];

const folder = mkdtempSync(join(tmpdir(), 'gdp-manners-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('examples', () => {
  it('are there for every command, with options that it has, before the options in its help', async () => {
    for (const command of COMMANDS) {
      const { stdout } = await gdp(['help', command.name]);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) {
        const [program, name, ...words] = example.split(' > ')[0]!.split(' ');
        expect([program, name]).toEqual(['gdp', command.name]);
        const flags = { ...command.flags, ...COMMON_FLAGS };
        expect(() => Args.parse(words, flags, flags, command.name)).not.toThrow();
        expect(stdout.indexOf(`  ${example}\n`)).toBeGreaterThan(0);
        expect(stdout.indexOf(`  ${example}\n`)).toBeLessThan(stdout.indexOf('\n  --'));
      }
    }
  });
});

test('the tasks of the guide are commands as they are, in as many keys as it says, of three steps at most', () => {
  const text = readFileSync('docs/guide/tasks.md', 'utf8');
  const told = [...text.matchAll(/`(gdp [^`]+)` \((\d+) keys\)/g)];
  expect(told.length).toBeGreaterThan(8);
  for (const [, line, keys] of told) {
    const [, name, ...words] = line!.split(' ');
    const flags = { ...COMMANDS.find((command) => command.name === name)!.flags, ...COMMON_FLAGS };
    expect(() => Args.parse(words, flags, flags, name!)).not.toThrow();
    expect(Number(keys)).toBe(line!.length + 1);
  }
  const rows = text
    .slice(0, text.indexOf('\n## '))
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  expect(rows).toHaveLength(10);
  for (const row of rows)
    for (const cell of row.split(' | ').slice(2)) expect(cell).toMatch(/^(?:[123]: |– \|)/);
});

test('examples of the guide answer what it says', async () => {
  const text = ['tasks', 'certified'].map((name) => readFileSync(`docs/guide/${name}.md`, 'utf8')).join('');
  const told = [...text.matchAll(/`gdp (epsilon examples\/[^`]+)` \| ([\d.]+) \|/g)];
  expect(told.length).toBeGreaterThan(10);
  for (const [, words, said] of told) {
    const { stdout } = await gdp(words!.split(' '));
    expect(stdout.trim().split(/\s+/).pop(), words).toBe(said);
  }
});

describe('completion', () => {
  const bash = existsSync('/bin/bash') ? '/bin/bash' : undefined;

  it.runIf(bash)('of bash offers commands, and the options of the one typed', async () => {
    const { stdout: script } = await gdp(['completion', 'bash']);
    const offered = (...words: string[]): string[] => {
      const line = `COMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length - 1}; _gdp; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync(bash!, ['-c', `${script}\n${line}`], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout.trim().split('\n');
    };
    expect(offered('gdp', 'eps')).toEqual(['epsilon']);
    expect(offered('gdp', 'help', 'tr')).toEqual(['tradeoff']);
    expect(offered('gdp', 'completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(offered('gdp', 'epsilon', 'state.json', '--del')).toEqual(['--delta']);
    for (const { name, flags } of COMMANDS.filter((command) => command.name !== 'completion'))
      expect(offered('gdp', name, '--').sort()).toEqual(
        Object.keys({ ...flags, ...COMMON_FLAGS })
          .map((flag) => `--${flag}`)
          .sort(),
      );
  });

  it('of zsh and fish names every command and option', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await gdp(['completion', shell]);
      expect(code).toBe(0);
      for (const { name, flags } of COMMANDS) {
        expect(stdout).toContain(name);
        for (const flag of Object.keys(flags))
          expect(stdout).toContain(shell === 'zsh' ? `'--${flag}` : `-l ${flag} `);
      }
    }
    expect(await gdp(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });
});

test('the manual page has every command, its options and examples, and no line that roff would take for a request', () => {
  const page = readFileSync('dist/gdp.1', 'utf8');
  for (const { name, flags } of COMMANDS) {
    expect(page).toContain(`.SS gdp ${name} `);
    for (const flag of Object.keys(flags)) expect(page).toContain(`.B \\-\\-${flag.replaceAll('-', '\\-')}`);
  }
  const requests = new Set(page.split('\n').flatMap((line) => /^[.'](\w*)/.exec(line)?.[1] ?? []));
  expect([...requests].sort()).toEqual(['B', 'EE', 'EX', 'I', 'PP', 'SH', 'SS', 'TH', 'TP']);
});

describe('output', () => {
  it('goes to standard output for --out -', async () => {
    const [plain, dashed] = [await gdp(['report', ...FAST]), await gdp(['report', ...FAST, '--out', '-'])];
    expect(dashed).toEqual(plain);
    expect(existsSync('-')).toBe(false);
  });

  it('is refused under an ending that names no format, unless one is named', async () => {
    const path = join(folder, 'r.pdf');
    const { code, stderr } = await gdp(['report', CIFAR, '--out', path]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'gdp: "--out" ends in ".pdf", which names no format: .txt, .md, .html and .json do, or give --format\n',
    });
    expect(existsSync(path)).toBe(false);
  });

  it('has safe ends or brackets, with the digits asked for', async () => {
    const said = async (...words: string[]) => (await gdp(words)).stdout;
    expect(await said('epsilon', CIFAR, '--digits', '5')).toBe('epsilon(1e-5)           7.4244\n');
    expect(await said('epsilon', CIFAR, '--brackets', '--digits', '3')).toBe(
      'epsilon(1e-5)           [7.42, 7.43]\n',
    );
    expect(await said('mu', CIFAR, '--digits', '2')).toMatch(/^mu \(rates >= 1e-10\) +1\.6\n/);
    // safe is below for what an attacker misses
    expect(await said('tradeoff', CIFAR, '--alpha', '0.01')).toBe('beta(0.01)              0.7776\n');
    // where the exact value is not known to a few digits, both ends
    const shuffled = ['--sampling', 'shuffled', '--batch-size', '600', '--dataset-size', '60000'];
    const run = ['--noise-multiplier', '1', ...shuffled, '--epochs', '10', '--adjacency', 'zero-out'];
    expect(await said('epsilon', ...run)).toBe('epsilon(1e-5)           9.36 to 17.9\n');
    expect(await gdp(['mu', CIFAR, '--digits', '0'])).toMatchObject({ code: 2 });
  });

  it('is a report with epsilon before mu, its digits and brackets as asked for', async () => {
    const release = ['--noise-multiplier', '0.9', '--sampling-rate', '1', '--steps', '1'];
    const report = async (format: string, ...words: string[]) =>
      (await gdp(['report', ...release, '--format', format, ...words])).stdout.replace(
        /<svg[\s\S]*?<\/svg>/g,
        '',
      );
    for (const format of ['text', 'markdown', 'html']) {
      const plain = await report(format);
      expect(plain.indexOf('4.95')).toBeGreaterThan(0);
      expect(plain.indexOf('4.95')).toBeLessThan(plain.indexOf('1.112'));
      const [body, appendix] = plain.split('Appendix: brackets');
      expect(body).not.toMatch(/\[\d/);
      expect(appendix).toMatch(/\[4\.94731\d+, 4\.94731\d+\]/);
    }
    const [five, both] = [await report('text', '--digits', '5'), await report('html', '--brackets')];
    expect(five.split('Appendix: brackets')[0]).toMatch(/4\.9474/);
    expect(both.split('Appendix: brackets')[0]).toMatch(/\[4\.94731\d+, 4\.94731\d+\]/);
  });

  it('is drawn by mu and tradeoff', async () => {
    for (const words of [['mu'], ['tradeoff', '--alpha', '0.01'], ['tradeoff', '--scale', 'log']]) {
      const path = join(folder, `${words.join('')}.svg`);
      expect(await gdp([words[0]!, ...FAST, ...words.slice(1), '--svg', path])).toMatchObject({ code: 0 });
      expect(readFileSync(path, 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\s*$/);
    }
    expect(await gdp(['mu', CIFAR, '--svg', '-'])).toMatchObject({ code: 2 });
    expect(await gdp(['mu', CIFAR, '--group', '2', '--svg', join(folder, 'g.svg')])).toMatchObject({
      code: 2,
    });
  });
});

test('a rate may be a fraction', async () => {
  const rest = ['--noise-multiplier', '1.1', '--steps', '10', '--json'];
  const [as, plain] = [
    await gdp(['epsilon', '--sampling-rate', '256/60000', ...rest]),
    await gdp(['epsilon', '--sampling-rate', String(256 / 60000), ...rest]),
  ];
  expect(as).toEqual(plain);
  expect(as.code).toBe(0);
  expect(await gdp(['epsilon', '--sampling-rate', '1/0', ...rest])).toMatchObject({ code: 2 });
});

test('a state in UTF-16, as PowerShell writes it', async () => {
  const path = join(folder, 'utf16.json');
  writeFileSync(path, `\uFEFF${readFileSync(CIFAR, 'utf8')}`, 'utf16le');
  expect((await gdp(['epsilon', path])).stdout).toBe((await gdp(['epsilon', CIFAR])).stdout);
});
