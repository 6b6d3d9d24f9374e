// What the native builds take from registries: fetched once into build/native/parts, by version and hash, and never committed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** What is not on this machine, in a sentence. */
export class Missing extends Error {}

/** wasm2c: C of a module of WebAssembly. */
const WABT = {
  version: '1.0.39',
  integrity:
    'sha512-ba+dRL/75VQQY7RkU/CgriGbkoWAfS8TDyUlJfJhJ8KhtXgMl5dhNvoPNUcQ9IWRhW8u41glMSuZeTvsYq2rRg==',
};

/** QuickJS, which runs the script, and simde: the kernel's vectors on any processor. Both are C in a source distribution. */
const PYPI = [
  ['quickjs-ng', '0.17.0.2', '43d2e48272208721a7aaea8e3f02d4b9318f12ef20cc4f5421b59d9a470706ef'],
  ['simde-py', '0.8.2.post1', 'd7eebe0728d44a5e1fef186ed7810407465e835a2ead45ce0c22eefadd66dbf6'],
];

const folder = join(root, 'build/native/parts');

export const python = process.env.GDP_PYTHON ?? 'python3';

/**
 * The folders of the parts.
 *
 * @returns {{ quickjs: string, simde: string, wabt: string, versions: string[] }}
 * @throws Missing without Python, pip, or a network that reaches the registries.
 */
export function fetchParts() {
  const versions = [`wabt ${WABT.version}`, ...PYPI.map(([name, version]) => `${name} ${version}`)];
  const parts = {
    quickjs: join(folder, `quickjs_ng-${PYPI[0][1]}`, 'upstream-quickjs'),
    simde: join(folder, `simde_py-${PYPI[1][1]}`, 'simde_py/simde'),
    wabt: join(folder, `wabt-${WABT.version}`),
    versions,
  };
  mkdirSync(folder, { recursive: true });
  if (!existsSync(parts.quickjs) || !existsSync(parts.simde)) fetchFromPypi();
  if (!existsSync(parts.wabt)) fetchWabt(parts.wabt);
  return parts;
}

function fetchFromPypi() {
  const list = join(folder, 'requirements.txt');
  writeFileSync(
    list,
    PYPI.map(([name, version, hash]) => `${name}==${version} --hash=sha256:${hash}\n`).join(''),
  );
  const flags = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-binary', ':all:'];
  must(
    'the sources of QuickJS and simde',
    python,
    ['-m', 'pip', 'download', ...flags, '--require-hashes', '-r', list, '-d', folder],
    'Python 3 with pip, and a network that reaches PyPI',
  );
  for (const [name, version] of PYPI) {
    const archive = `${name.replace('-', '_')}-${version}.tar.gz`;
    must(archive, 'tar', ['xzf', join(folder, archive), '-C', folder], 'tar');
    rmSync(join(folder, archive));
  }
}

function fetchWabt(to) {
  const flags = ['--json', '--pack-destination', folder];
  const said = must(
    'wasm2c',
    'npm',
    ['pack', `wabt@${WABT.version}`, ...flags],
    'npm, and a network that reaches its registry',
  );
  const archive = join(folder, JSON.parse(said)[0].filename);
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== WABT.integrity) throw new Error(`wabt ${WABT.version} has the hash ${found}`);
  must(archive, 'tar', ['xzf', archive, '-C', folder], 'tar');
  renameSync(join(folder, 'package'), to);
  rmSync(archive);
}

/** What a command prints. @throws Missing if it fails. */
function must(what, command, args, needs) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return stdout;
  const why = (error?.message ?? stderr).trim().split('\n').at(-1);
  throw new Missing(`${what} cannot be fetched: ${needs} is needed (${why})`);
}
