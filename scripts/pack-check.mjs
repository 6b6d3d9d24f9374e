// Checks the package as a user gets it: packs it, lints the tarball, installs it into an empty project
// (offline: it brings no other package along), imports it there, draws a plot and runs `gdp`: a report, a Parquet table.
import './lib/setup.mjs';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { rollup } from 'rollup';
import { bundle, minified } from './lib/bundle.mjs';
import { engineSize } from './lib/engine-size.mjs';
import { ensureBuilt, root } from './lib/setup.mjs';

/** Bytes, gzipped, of all that `import 'gdp-kernel'` loads at once, without an engine: at most this is asked for. Large laws and private searches may come with an engine: `src/account/run-of-mechanism.ts`, `src/methods/brought/all.ts`. */
const ROOT_LIMIT = 150_000;

/** Bytes, gzipped, that a program with the ε of a DP-SGD run loads at once, `account`, `dpSgd` and `loadEngine`: at most 65,000 are asked for. */
const RUN_LIMIT = 63_500;

/** Bytes, minified, of `dpSgd` alone, which brings its laws along. */
const MECHANISM_LIMIT = 58_000;

/** Characters of a line of code: Node prints the whole line of an uncaught error. */
const LINE_LIMIT = 500;

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
    './page.html',
    './embed.js',
    ...Object.keys(exports).filter((key) => key.endsWith('.schema.json')),
  ]);

  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  must('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], project);
  const used = must(process.execPath, ['--input-type=module', '-e', consumer()], project).trim();
  if (used !== 'wasm reference') throw new Error(`the installed package loaded the engines "${used}"`);
  const said = must(join(project, 'node_modules/.bin/gdp'), ['--version'], project).trim();
  if (said !== version) throw new Error(`the installed gdp --version says "${said}", expected "${version}"`);
  requireAlone(join(project, 'node_modules'));
  requireLines(join(project, 'node_modules/gdp-kernel/dist'));
  commandLine(project);
  const { gzipped } = engineSize(join(project, 'node_modules/gdp-kernel'));
  if (gzipped > ROOT_LIMIT) throw new Error(`the root is ${gzipped} bytes gzipped, over ${ROOT_LIMIT}`);
  const run = await atOnce(project, ['account', 'dpSgd', 'loadEngine']);
  if (run > RUN_LIMIT)
    throw new Error(`account, dpSgd and loadEngine are ${run} bytes gzipped, over ${RUN_LIMIT}`);
  const alone = await sizeOfMechanism(project);
  if (alone > MECHANISM_LIMIT)
    throw new Error(`dpSgd alone is ${alone} bytes bundled, over ${MECHANISM_LIMIT}`);
  process.stdout.write(
    `${filename}: ${files.length} files, ${(size / 1000).toFixed(0)} kB packed; import loads ${(gzipped / 1000).toFixed(0)} kB gzipped, a run's ε ${(run / 1000).toFixed(0)} kB: ok\n`,
  );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Bytes, gzipped, of an import of these names and what it imports statically, as Rollup splits it. */
async function atOnce(project, names) {
  const input = join(project, 'run.js');
  writeFileSync(input, `import { ${names} } from 'gdp-kernel';\nglobalThis.used = [${names}];\n`);
  const build = await rollup({ input, plugins: [nodeResolve({ browser: true })] });
  const { output } = await build.generate({ format: 'es' });
  await build.close();
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const seen = new Set();
  const visit = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    chunks.get(name).imports.forEach(visit);
  };
  visit(output.find(({ isEntry }) => isEntry).fileName);
  const sizes = [...seen].map((name) => gzipSync(minified(name, chunks.get(name).code), { level: 9 }).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOfMechanism(project) {
  const input = join(project, 'mechanism.js');
  writeFileSync(input, `export { dpSgd } from 'gdp-kernel';\n`);
  return (await bundle(input, { minify: true })).code.length;
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

/** Nothing was installed beside the package, and its code names no other package. */
function requireAlone(modules) {
  const installed = readdirSync(modules).filter((name) => !name.startsWith('.'));
  if (installed.join() !== 'gdp-kernel') throw new Error(`installed with the package: ${installed}`);
  const dist = join(modules, 'gdp-kernel/dist');
  for (const path of readdirSync(dist, { recursive: true }).filter((name) => /\.(?:js|d\.ts)$/.test(name))) {
    const text = readFileSync(join(dist, path), 'utf8');
    for (const [, to] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*["'](@?[a-z][\w./@-]*)["']/g)) {
      if (!isBuiltin(to) && !to.startsWith('gdp-kernel')) throw new Error(`${path} imports ${to}`);
    }
  }
  if (!existsSync(join(dist, 'THIRD-PARTY.txt'))) throw new Error('the licences of bundled code are missing');
}

/** No line of code is longer than a screen: only the one that is the kernel's bytes as text. */
function requireLines(dist) {
  for (const path of readdirSync(dist, { recursive: true }).filter((name) => name.endsWith('.js'))) {
    for (const [i, line] of readFileSync(join(dist, path), 'utf8').split('\n').entries()) {
      if (line.length > LINE_LIMIT && !/^(?:const )?(?:\w+=)?["'`][\w+/=]+["'`][),;:]*$/.test(line))
        throw new Error(`${path}, line ${i + 1} has ${line.length} characters, over ${LINE_LIMIT}`);
    }
  }
}

/** What needs a library on the command line: drawings in a page, a table written by two threads and read again. */
function commandLine(project) {
  const gdp = (...args) => must(join(project, 'node_modules/.bin/gdp'), args, project);
  const examples = join(project, 'node_modules/gdp-kernel/examples');
  gdp('report', join(examples, 'cifar10-wrn40.json'), '--format', 'html', '--out', 'report.html');
  const page = readFileSync(join(project, 'report.html'), 'utf8');
  if (!page.includes('<svg')) throw new Error('the report has no drawing');
  const grid = {
    over: { noiseMultiplier: [1, 2], samplingRate: [1], steps: [1, 2] },
    adjacency: 'add-remove',
    epsilon: [1],
  };
  writeFileSync(join(project, 'grid.json'), JSON.stringify(grid));
  gdp('sweep', 'grid.json', '--workers', '2', '--out', 'table.parquet');
  const again = gdp('sweep', 'grid.json', '--workers', '2', '--out', 'table.parquet');
  if (!again.includes('4 of them were there already')) throw new Error(`of the table it is said: ${again}`);
}

function must(command, args, cwd = root) {
  const shell = process.platform === 'win32';
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', shell });
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed:\n${error?.message ?? ''}${stdout}${stderr}`);
  return stdout;
}
