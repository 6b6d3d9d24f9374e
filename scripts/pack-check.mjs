// Checks the package as a user gets it: packs it, lints the tarball, installs it into an empty project
// (offline: its dependencies are in npm's cache), imports it there, draws a plot and runs `gdp`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineSize } from './lib/engine-size.mjs';
import { ensureBuilt, root } from './lib/setup.mjs';

/** Bytes, gzipped, of all that `import 'gdp-kernel'` loads. */
const ENGINE_LIMIT = 120_000;

const { version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The entries beside the root that are code for any thread. */
const ENTRIES = Object.keys(exports)
  .map((key) => key.slice(2))
  .filter((key) => /^[a-z]+$/.test(key));
const folder = mkdtempSync(join(tmpdir(), 'gdp-kernel-pack-'));
try {
  ensureBuilt();
  const [{ filename, files, size }] = JSON.parse(
    must('npm', ['pack', '--json', '--pack-destination', folder]),
  );
  const tarball = join(folder, filename);
  const bin = (name) => join(root, 'node_modules/.bin', name);
  must(bin('publint'), ['run', tarball, '--strict']);
  // esm-only: CommonJS resolution is out of scope; node20+ loads ESM by require anyway.
  must(bin('attw'), [
    tarball,
    '--profile',
    'esm-only',
    '--no-color',
    '--exclude-entrypoints',
    './kernel.wasm',
    './report.schema.json',
  ]);

  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  must('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], project);
  const used = must(process.execPath, ['--input-type=module', '-e', consumer()], project).trim();
  if (used !== 'wasm reference') throw new Error(`the installed package loaded the engines "${used}"`);
  const said = must(join(project, 'node_modules/.bin/gdp'), ['--version'], project).trim();
  if (said !== version) throw new Error(`the installed gdp --version says "${said}", expected "${version}"`);
  const { gzipped } = engineSize(join(project, 'node_modules/gdp-kernel'));
  if (gzipped > ENGINE_LIMIT) throw new Error(`the engine is ${gzipped} bytes gzipped, over ${ENGINE_LIMIT}`);
  process.stdout.write(
    `${filename}: ${files.length} files, ${(size / 1000).toFixed(0)} kB packed; import loads ${(gzipped / 1000).toFixed(0)} kB gzipped: ok\n`,
  );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What a user's first lines do: both engines load, the raw module compiles, every entry is imported, a plot is drawn. */
function consumer() {
  return `
    import { readFile } from 'node:fs/promises';
    import { loadEngine } from 'gdp-kernel';
    const wasm = await loadEngine({ kernel: 'wasm' });
    const reference = await loadEngine({ kernel: 'reference' });
    await WebAssembly.compile(await readFile(new URL(import.meta.resolve('gdp-kernel/kernel.wasm'))));
    for (const entry of ${JSON.stringify(ENTRIES)}) {
      if (Object.keys(await import('gdp-kernel/' + entry)).length === 0) throw new Error(entry + ' is empty');
    }
    const { linePlot } = await import('gdp-kernel/plot');
    const axes = { x: { label: 'x' }, y: { label: 'y' } };
    const svg = await linePlot({ title: 't', axes, series: [{ name: 's', points: [[0, 0], [1, 1]] }] });
    if (!svg.startsWith('<svg')) throw new Error('no plot was drawn');
    console.log(wasm.kernel.name, reference.kernel.name);`;
}

function must(command, args, cwd = root) {
  const shell = process.platform === 'win32';
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', shell });
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed:\n${error?.message ?? ''}${stdout}${stderr}`);
  return stdout;
}
