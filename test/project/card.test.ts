import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The card of the project: packages and entries of the top folder that stay as they were given. */
const PACKAGES = ['assemblyscript', '@assemblyscript/loader', 'vitest', 'tinybench', 'rollup'];
const ENTRIES = [
  'assembly',
  'bindings',
  'src',
  'test',
  'bench',
  'asconfig.json',
  'rollup.config.mjs',
  'package.json',
  'tsconfig.json',
];

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const section = /\n## The packages of the project's card\n([\s\S]*?)\n## /.exec(
  read('docs/architecture.md'),
)![1]!;
/** Package, job and place of each row. */
const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+?) \| `([^`]+)` \|$/gm)].map(
  ([, name, job, place]) => ({
    name: name!,
    job: job!,
    place: place!,
  }),
);

describe('the card', () => {
  it('has each package among the dependencies of the development, and a row of docs/architecture.md', () => {
    const { devDependencies } = JSON.parse(read('package.json'));
    expect(PACKAGES.filter((name) => !Object.hasOwn(devDependencies, name))).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual(PACKAGES);
  });

  it.each(PACKAGES)('%s is imported or run where its row says so', (name) => {
    const { job, place } = rows.find((row) => row.name === name)!;
    expect(job.length).toBeGreaterThan(10);
    if (name === 'rollup')
      expect(read('scripts/lib/setup.mjs')).toContain('node_modules/rollup/dist/bin/rollup');
    else expect(read(place)).toMatch(new RegExp(`from '${name}(?:/\\w+)?'`));
  });

  it.each(ENTRIES)('has %s in the top folder', (entry) => {
    expect(existsSync(new URL(`../../${entry}`, import.meta.url))).toBe(true);
    expect(section).toContain(`\`${entry}\``);
  });

  it('bundles with rollup alone', () => {
    const { devDependencies } = JSON.parse(read('package.json'));
    expect(
      Object.keys(devDependencies).filter((name) => /rolldown|esbuild|webpack|parcel/.test(name)),
    ).toEqual([]);
    expect(read('rollup.config.mjs')).not.toMatch(/rolldown/);
  });
});
