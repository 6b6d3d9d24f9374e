import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gdp } from '../cli/harness.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** GDP_UPDATE_README=1 writes what the commands print into the texts instead of comparing. */
const update = process.env['GDP_UPDATE_README'] === '1';

const CONSOLE = /```console\n\$ gdp (.+)\n([\s\S]*?)```/g;
const CODE = /```js\n([\s\S]*?)```/g;

/** The texts whose commands and code are run. */
const guide = readdirSync(join(root, 'docs/guide')).filter((name) => name.endsWith('.md'));
const RUN = ['README.md', 'docs/sampling.md', ...guide.map((name) => `docs/guide/${name}`)];

const texts = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const ALL = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'examples/README.md', ...texts];

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Code that imports the package by its own name, run from the project's root against dist/: every block in a scope of its own. */
function runModules(blocks: readonly string[]): { status: number | null; stderr: string } {
  const urls = blocks.map((code) => `data:text/javascript,${encodeURIComponent(absolute(code))}`);
  const input = `for (const url of ${JSON.stringify(urls)}) await import(url);`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-'], {
    cwd: root,
    input,
    encoding: 'utf8',
  });
  return { status, stderr };
}

/** A module of a data: URL resolves no package: the entries as files. */
function absolute(code: string): string {
  return code.replace(/from 'gdp-kernel(?:\/(\w+))?'/g, (_, entry: string | undefined) => {
    return `from '${new URL(`../../dist/${entry ?? 'index'}.js`, import.meta.url)}'`;
  });
}

describe.each(RUN)('%s', (path) => {
  it('shows what the commands print', async () => {
    const text = read(path);
    let updated = text;
    for (const [block, args, shown] of text.matchAll(CONSOLE)) {
      const { code, stdout } = await gdp(args!.split(' '));
      expect(code).toBeLessThan(2);
      // a block that ends in '...' shows the first lines
      const cut = shown!.endsWith('\n...\n') ? shown!.split('\n').length - 2 : undefined;
      const lines = cut === undefined ? stdout : `${stdout.split('\n').slice(0, cut).join('\n')}\n...\n`;
      if (update) updated = updated.replace(block, () => `\`\`\`console\n$ gdp ${args}\n${lines}\`\`\``);
      else expect(shown).toBe(lines);
    }
    if (updated !== text) writeFileSync(join(root, path), updated);
  });

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    for (const [, name] of read(path).matchAll(/npm run ([a-z:-]+)/g))
      expect(scripts).toHaveProperty([name!]);
  });
});

it('code in the texts runs', () => {
  const blocks = RUN.flatMap((path) => [...read(path).matchAll(CODE)].map(([, code]) => code!));
  expect(blocks.length).toBeGreaterThan(8);
  expect(runModules(blocks)).toEqual({ status: 0, stderr: '' });
});

/** The names that a heading can be linked by. */
const anchors = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(ALL)('every link of %s leads somewhere', (path) => {
  const dead = [
    ...read(path)
      .replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, to]) => to!)
    .filter((to) => !/^https?:/.test(to))
    .filter((to) => {
      const [file, anchor] = to.split('#');
      const target = file === '' ? path : join(dirname(path), file!);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchors(read(target)).includes(anchor);
    });
  expect(dead).toEqual([]);
});

it('the picture of the README is what gdp tradeoff draws', async () => {
  const picture = join(root, 'docs/guide/curve.svg');
  const drawn = join(mkdtempSync(join(tmpdir(), 'gdp-readme-')), 'curve.svg');
  const { code } = await gdp(['tradeoff', 'examples/cifar10-wrn40.json', '--svg', drawn]);
  expect(code).toBe(0);
  if (update) copyFileSync(drawn, picture);
  expect(readFileSync(picture, 'utf8')).toBe(readFileSync(drawn, 'utf8'));
});

it('examples/library-use.mjs runs', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['examples/library-use.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^epsilon\(1e-5\) <= 7\.4243\d+\nmu <= 1\.5669\d+, for error rates down to 1e-10\n/);
  expect(stdout).toContain('My run\n======\n');
});
