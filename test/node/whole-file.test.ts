import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UnwritableOutput } from '../../src/errors.js';
import { requireWritable, writeWhole } from '../../src/node/whole-file.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-whole-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), 'utf8');

writeFileSync(at('input.json'), 'precious');
symlinkSync(at('input.json'), at('link.json'));
linkSync(at('input.json'), at('twin.json'));

describe('a path to write', () => {
  it.each(['input.json', 'link.json', 'twin.json', `../${folder.split('/').at(-1)}/input.json`])(
    'is refused where it is the input: %s',
    async (name) => {
      await expect(requireWritable(join(folder, name), [at('input.json')])).rejects.toThrow(
        /: it is the same file as the input ".*input\.json", which would be lost$/,
      );
    },
  );

  it('is refused where nothing can be written', async () => {
    await expect(requireWritable(folder, [])).rejects.toThrow('it is a directory, not a file (EISDIR)');
    await expect(requireWritable(at('no/x'), [])).rejects.toThrow(/there is no folder ".*no" \(ENOENT\)$/);
    await expect(requireWritable(at('input.json/x'), [])).rejects.toThrow(UnwritableOutput);
  });

  it('may be new, or another file with the same content', async () => {
    writeFileSync(at('other.json'), 'precious');
    await requireWritable(at('other.json'), [at('input.json')]);
    await requireWritable(at('new.json'), [at('input.json'), at('absent.json')]);
    await requireWritable('/dev/null', [0, '/dev/null']);
    expect(existsSync(at('new.json'))).toBe(false);
  });
});

describe('a file written whole', () => {
  it('keeps what it held where the writing fails, and leaves nothing beside it', async () => {
    const before = readdirSync(folder);
    const broken = writeWhole(at('input.json'), async (file) => {
      await writeFile(file, 'half of');
      expect(text('input.json')).toBe('precious');
      throw new Error('halfway');
    });
    await expect(broken).rejects.toThrow('halfway');
    expect(text('input.json')).toBe('precious');
    expect(readdirSync(folder)).toEqual(before);
  });

  it('follows links and keeps permissions', async () => {
    writeFileSync(at('target'), 'old');
    chmodSync(at('target'), 0o640);
    symlinkSync(at('target'), at('pointer'));
    await writeWhole(at('pointer'), (file) => writeFile(file, 'new'));
    expect(text('target')).toBe('new');
    expect(lstatSync(at('pointer')).isSymbolicLink()).toBe(true);
    expect(statSync(at('target')).mode & 0o777).toBe(0o640);
  });

  it('follows a link to a file that is not there yet', async () => {
    symlinkSync('later', at('first'));
    symlinkSync(at('first'), at('second'));
    await requireWritable(at('second'), []);
    await writeWhole(at('second'), (file) => writeFile(file, 'new'));
    expect(text('later')).toBe('new');
    expect(lstatSync(at('second')).isSymbolicLink()).toBe(true);
    symlinkSync(at('no/x'), at('astray'));
    await expect(requireWritable(at('astray'), [])).rejects.toThrow(/there is no folder ".*no" \(ENOENT\)$/);
    symlinkSync('circle', at('circle'));
    await expect(writeWhole(at('circle'), (file) => writeFile(file, 'x'))).rejects.toThrow(
      'its links lead in a circle (ELOOP)',
    );
  });

  it('says that the disk is full', async () => {
    await expect(writeWhole('/dev/full', (file) => writeFile(file, 'x'))).rejects.toThrow(
      '/dev/full: it cannot be written: no space is left on the device (ENOSPC)',
    );
  });
});
