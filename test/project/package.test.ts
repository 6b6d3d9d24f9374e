import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('tells the version of package.json', () => {
  expect(JSON.parse(read('package.json')).version).toBe(VERSION);
});

it('locks dependencies without naming a registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved"|registry/);
});

it('exports every schema', () => {
  const { exports } = JSON.parse(read('package.json'));
  for (const name of readdirSync(new URL('../../schema', import.meta.url)))
    expect(exports[`./${name}`]).toBe(`./schema/${name}`);
});

it('packs whatever its texts link to: there may be no repository to look it up in', () => {
  const { status, stdout } = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  expect(status).toBe(0);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const packed = new Set(files.map(({ path }) => path));
  const missing = [...packed]
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:|#)([^)\s#]+)[^)]*\)/g)]
        .map(([, to]) => posix.normalize(posix.join(posix.dirname(path), to!)))
        .filter((to) => !packed.has(to) && ![...packed].some((each) => each.startsWith(`${to}/`)))
        .map((to) => `${path}: ${to}`),
    );
  expect(missing).toEqual([]);
  expect(packed.size).toBeGreaterThan(200);
});

/** Text files of the project that may name a package, but for its lists of packages. */
function sources(): string {
  const folders = ['src', 'bindings', 'test', 'bench', 'reproduce', 'scripts'];
  const paths = folders.flatMap((folder) =>
    readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:ts|mjs)$/.test(path))
      .map((path) => `${folder}/${path}`),
  );
  return [...paths, 'rollup.config.mjs', '.prettierrc.json', 'tsconfig.json'].map(read).join('\n');
}

/** Programs that have another name than their package. */
const COMMANDS: Readonly<Record<string, string>> = { '@arethetypeswrong/cli': 'attw' };

/** Used without being named: what another package asks for. */
const ASKED_FOR = { '@types/node': 'typescript' };

describe('dependencies', () => {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = JSON.parse(
    read('package.json'),
  );

  it('are none at run time', () => {
    expect([dependencies, peerDependencies, optionalDependencies]).toEqual([undefined, undefined, undefined]);
  });

  it('of the development are all imported or run', () => {
    const text = sources();
    const { scripts } = JSON.parse(read('package.json'));
    const used = (name: string): boolean =>
      new RegExp(`(?:['"\`]|node_modules/)${name}(?:['"/])`).test(text) ||
      new RegExp(`bin\\('(?:${name}[/']|${COMMANDS[name] ?? '-'}')`).test(text) ||
      Object.values<string>(scripts).some((line) => line.split(' ').includes(name)) ||
      Object.hasOwn(ASKED_FOR, name);
    expect(Object.keys(devDependencies).filter((name) => !used(name))).toEqual([]);
  });

  it('whose code is bundled are those that the README explains', () => {
    const section = /## Run-time dependencies\n([\s\S]*?)\n## /.exec(read('README.md'))![1]!;
    const explained = new Set(
      [...section.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).filter((name) => !/^gdp|\//.test(name)),
    );
    const names = readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => [
        ...read(`src/${path}`).matchAll(
          /^(?:import|export|\}) [^;\n]*from '([^.'][^']*)'|\bimport\('([^.'][^']*)'\)/gm,
        ),
      ])
      .map(([, named, loaded]) => (named ?? loaded)!);
    const imported = new Set(names.filter((to) => !to.startsWith('node:')).map((to) => to.split('/')[0]!));
    expect([...imported].sort()).toEqual([...explained].sort());
  });
});
