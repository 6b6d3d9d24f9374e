import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { CIFAR, gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-inputs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const flags = COMMANDS.flatMap(({ name, flags: own }) =>
  Object.entries(own).map(([flag, each]) => ({ command: name, flag, ...each })),
);

describe('an output that is an input', () => {
  it('is told by the options themselves: each that takes a file says which it is', () => {
    const unsaid = flags.filter(
      ({ value, file }) => /^(FILE|PATH)$/.test(value ?? '') !== (file !== undefined),
    );
    expect(unsaid.map(({ command, flag }) => `${command} --${flag}`)).toEqual([]);
  });

  // every pair that a command has
  const pairs = COMMANDS.flatMap(({ name, flags: own }) =>
    Object.keys(own)
      .filter((flag) => own[flag].file === 'read')
      .flatMap((read) =>
        Object.keys(own)
          .filter((flag) => own[flag].file === 'written')
          .map((written) => [name, read, written] as const),
      ),
  );

  it.each(pairs)('is refused: gdp %s --%s E --%s E', async (command, read, written) => {
    const file = join(folder, 'input.json');
    writeFileSync(file, 'precious');
    const { code, stderr } = await gdp([command, CIFAR, `--${read}`, file, `--${written}`, file]);
    expect([code, readFileSync(file, 'utf8')]).toEqual([2, 'precious']);
    expect(stderr).toContain('it is the same file as the input');
  });

  it('covers the evidence of a report', () => {
    expect(pairs).toContainEqual(['report', 'evidence', 'out']);
  });
});
