// Set-up shared by the demo, the tests and the bench: installs and builds what is missing or stale.
// Node built-ins only: it runs on a fresh clone, before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const MINIMUM_NODE = [20, 19];

/**
 * What a script says of itself: the comment that it begins with. It names every flag that the script takes. A script whose
 * other imports take long imports this file before them, so that it says so at once.
 */
function requireKnownFlags(script) {
  if (dirname(script) !== join(root, 'scripts')) return;
  const header = /^(?:\/\/.*\r?\n)+/.exec(readFileSync(script, 'utf8'))?.[0].replace(/^\/\/ ?/gm, '') ?? '';
  const known = header.match(/--[a-z][\w-]*/g) ?? [];
  const given = process.argv.slice(2).map((word) => word.replace(/=.*/, ''));
  if (given.includes('--help')) {
    process.stdout.write(header);
    process.exit(0);
  }
  const unknown = given.find((word) => word.startsWith('--') && !known.includes(word));
  if (unknown === undefined) return;
  process.stderr.write(`"${unknown}" is unknown\n${header}`);
  process.exit(2);
}

requireKnownFlags(process.argv[1] ?? '');

/** Runs a command in the project's root; the process ends with its exit code if it fails. */
export function run(command, args, { env = {}, quiet = false } = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  if (quiet) process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`);
  const why = error ? error.message : `exit code ${status}`;
  process.stderr.write(`${[command, ...args].join(' ')}: ${why}\n`);
  process.exit(1);
}

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1])) return;
  process.stderr.write(
    `Node ${MINIMUM_NODE.join('.')} or newer is needed, this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}

/** Installs the locked dependencies unless node_modules already holds them. Returns whether it had to. */
export function ensureInstalled() {
  requireNode();
  if (isInstalled()) return false;
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  return true;
}

/** npm keeps what it installed in node_modules/.package-lock.json: compare versions with the lock file. */
function isInstalled() {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === '' || (optional && !installed[path]) || installed[path]?.version === version,
  );
}

/** Where a build of the kernel leaves the list of the files that its compiler read and that its tables are made from. */
export const KERNEL_SOURCES = 'build/kernel.sources.json';

/** What the kernel is made from, as its last build found; a file it did not read can matter only once one of these has changed. */
function wasmSources() {
  const list = join(root, KERNEL_SOURCES);
  const read = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  return [
    ...read,
    'scripts/build-wasm.mjs',
    'scripts/lib/compile-kernel.mjs',
    'scripts/lib/kernel-bytes.mjs',
    'scripts/lib/for-assembler.mjs',
    'package-lock.json',
  ];
}

const distSources = () => [
  ...wasmSources(),
  'src',
  'bindings',
  'assembly',
  'rollup.config.mjs',
  'scripts/page.mjs',
  'scripts/lib/page.mjs',
  'scripts/lib/command-texts.mjs',
  'scripts/lib/line-breaks.mjs',
  'scripts/lib/bundle.mjs',
  'scripts/lib/modules.mjs',
  'scripts/lib/written-out.mjs',
  'scripts/lib/third-party.mjs',
  'package.json',
];

/** Compiles the WebAssembly kernel if its sources changed. Returns whether it had to. */
export function ensureWasm() {
  const outputs = [KERNEL_SOURCES, 'build/kernel.wasm', 'bindings/generated/kernel-wasm.ts'];
  return ensureFresh('wasm', wasmSources, outputs, () =>
    run(process.execPath, ['scripts/build-wasm.mjs'], { quiet: true }),
  );
}

/** Builds dist/ (and the kernel before it) if any source changed. Returns whether it had to. */
export function ensureBuilt() {
  ensureWasm();
  return ensureFresh('dist', distSources, ['dist/index.js', 'dist/cli.js', 'dist/page.html'], () => {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    run(process.execPath, [join(root, 'node_modules/rollup/dist/bin/rollup'), '-c', '--silent'], {
      quiet: true,
    });
    run(process.execPath, ['scripts/page.mjs'], { quiet: true });
  });
}

/** Rebuilds unless the outputs exist and were made from sources of the same hash: `sources()`, asked again after the build. */
export function ensureFresh(name, sources, outputs, build) {
  const stamp = join(root, `build/${name}.stamp`);
  const made = existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(sources());
  if (made && outputs.every((path) => existsSync(join(root, path)))) return false;
  rmSync(stamp, { force: true });
  build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hashOf(sources()));
  return true;
}

function hashOf(sources) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of filesUnder(source)) {
      hash.update(`${path}\0`);
      hash.update(readFileSync(join(root, path)));
      hash.update('\0');
    }
  }
  return hash.digest('hex');
}

function filesUnder(source) {
  if (!existsSync(join(root, source))) return [];
  if (/\.\w+$/.test(source)) return [source];
  return readdirSync(join(root, source), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('generated'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

/** Runs `work` and returns [its result, seconds]. */
export function timed(work) {
  const start = performance.now();
  const result = work();
  return [result, (performance.now() - start) / 1000];
}
