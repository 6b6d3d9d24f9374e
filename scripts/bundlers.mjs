// npm run bundlers: the package as installed, built by every bundler that is found, and what comes of it run; sizes as a table. Bundlers are
// looked for here and, with `--from DIR`, in another folder of packages. `--page` writes docs/bundlers.md.
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { ensureBuilt, root } from './lib/setup.mjs';

const from = process.argv.includes('--from') ? process.argv[process.argv.indexOf('--from') + 1] : root;

/** What people import, and what it prints. */
const APPS = {
  mechanism: `import { dpSgd } from 'gdp-kernel';
console.log(dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 10 }).count);`,
  account: `import { account, dpSgd, loadEngine } from 'gdp-kernel';
const mechanism = dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 });
loadEngine().then((engine) => {
  console.log(account(engine, mechanism, { adjacency: 'add-remove' }).epsilon(1e-5).upper, engine.kernel.name);
});`,
  plot: `import { linePlot } from 'gdp-kernel/plot';
const axes = { x: { label: 'x' }, y: { label: 'y' } };
linePlot({ title: 't', axes, series: [{ name: 's', points: [[0, 0], [1, 1]] }] }).then((svg) => console.log(svg.length));`,
};

const load = async (name, file) => {
  for (const folder of [root, from]) {
    const path = join(folder, 'node_modules', name);
    if (existsSync(path)) return { ...(await import(pathToFileURL(join(path, file)))), ...versionOf(path) };
  }
  return undefined;
};
const versionOf = (path) => ({ found: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).version });
const program = (name) =>
  [root, from].map((folder) => join(folder, 'node_modules/.bin', name)).find((path) => existsSync(path));

/** Each builds `project/app.mjs` into `out`, for a page, and tells its version; nothing where it is not found. */
const BUNDLERS = {
  async Rolldown(project, out) {
    const tool = await load('rolldown', 'dist/index.mjs');
    if (!tool) return undefined;
    const bundle = await tool.rolldown({ input: join(project, 'app.mjs'), platform: 'browser' });
    await bundle.write({ dir: out, minify: true });
    return tool.found;
  },
  async Rollup(project, out) {
    const tool = await load('rollup', 'dist/es/rollup.js');
    const resolver = await load('@rollup/plugin-node-resolve', 'dist/es/index.js');
    if (!tool || !resolver) return undefined;
    const bundle = await tool.rollup({
      input: join(project, 'app.mjs'),
      plugins: [resolver.nodeResolve({ browser: true })],
    });
    await bundle.write({ dir: out });
    return tool.found;
  },
  async Vite(project, out) {
    const tool = await load('vite', 'dist/node/index.js');
    if (!tool) return undefined;
    await tool.build({
      root: project,
      logLevel: 'error',
      configFile: false,
      build: {
        outDir: out,
        target: 'es2022',
        modulePreload: false,
        rolldownOptions: { input: join(project, 'app.mjs') },
      },
    });
    return tool.found;
  },
  async esbuild(project, out) {
    const tool = await load('esbuild', 'lib/main.js');
    if (!tool) return undefined;
    await tool.build({
      entryPoints: [join(project, 'app.mjs')],
      outdir: out,
      bundle: true,
      splitting: true,
      format: 'esm',
      minify: true,
      outExtension: { '.js': '.mjs' },
    });
    return tool.found;
  },
  async webpack(project, out) {
    const tool = await load('webpack', 'lib/index.js');
    if (!tool) return undefined;
    const compiler = tool.default({
      entry: join(project, 'app.mjs'),
      context: project,
      mode: 'production',
      target: ['web', 'es2022'],
      experiments: { outputModule: true },
      output: {
        path: out,
        module: true,
        chunkFormat: 'module',
        library: { type: 'module' },
        publicPath: './',
      },
      performance: false,
    });
    await new Promise((resolve, reject) =>
      compiler.run((error, stats) =>
        error || stats.hasErrors() ? reject(error ?? new Error(stats.toString('errors-only'))) : resolve(),
      ),
    );
    return tool.found;
  },
  Parcel: (project, out) =>
    run('parcel', ['build', 'app.mjs', '--dist-dir', out, '--no-source-maps', '--no-cache'], project),
  Bun: (project, out) =>
    run(
      'bun',
      ['build', 'app.mjs', '--outdir', out, '--target', 'browser', '--minify', '--splitting'],
      project,
    ),
};

function run(name, args, project) {
  const path = program(name);
  if (path === undefined) return undefined;
  const { status, stdout, stderr } = spawnSync(path, args, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}: ${stdout}${stderr}`);
  return /\d+\.\d+\.\d+/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout)?.[0];
}

const folder = mkdtempSync(join(tmpdir(), 'gdp-bundlers-'));
let failed = false;
try {
  ensureBuilt();
  const project = installed();
  const rows = [];
  for (const [name, build] of Object.entries(BUNDLERS)) rows.push(await row(name, build, project));
  rows.push(deno(project));
  failed = rows.some(({ problem }) => problem !== undefined);
  const page = pageOf(rows);
  process.stdout.write(`${page}\n`);
  for (const { problem } of rows) if (problem) process.stderr.write(`${problem}\n`);
  if (process.argv.includes('--page')) writeFileSync(join(root, 'docs/bundlers.md'), page);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

/** The package as a user gets it, in a project of its own. */
function installed() {
  const npm = (args, cwd) => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return stdout;
  };
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], root));
  const project = join(folder, 'project');
  mkdirSync(project);
  // for Parcel: it reads a package's exports only where it is told to, and else makes scripts of its own kind
  const options = {
    '@parcel/resolver-default': { packageExports: true },
    browserslist: 'last 1 Chrome version',
    targets: { default: { context: 'browser', outputFormat: 'esmodule', includeNodeModules: true } },
  };
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'app', private: true, type: 'module', ...options }),
  );
  npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], project);
  return project;
}

async function row(name, build, project) {
  const sizes = {};
  let version;
  for (const [app, code] of Object.entries(APPS)) {
    writeFileSync(join(project, 'app.mjs'), `${code}\n`);
    const out = join(folder, 'out', name, app);
    mkdirSync(out, { recursive: true });
    writeFileSync(join(folder, 'out', 'package.json'), '{ "type": "module" }');
    try {
      version = await build(project, out);
      if (version === undefined) return { name };
      const expected = printed(join(project, 'app.mjs'), project);
      // a chunk may be named after the entry, with more to its name
      const made = scripts(out).sort((a, b) => a.length - b.length);
      const entry = made.find((path) => /(?:app|main)[^/]*\.m?js$/.test(path)) ?? made[0];
      const got = printed(entry, out);
      if (got !== expected) throw new Error(`${name}, ${app}: printed ${got}, expected ${expected}`);
      sizes[app] = scripts(out).map((path) => readFileSync(path));
    } catch (error) {
      return { name, version, problem: `${name}, ${app}: ${error.message.slice(-1000)}` };
    }
  }
  return { name, version, sizes };
}

/** Deno runs the package as it is. */
function deno(project) {
  const path = program('deno');
  if (path === undefined) return { name: 'Deno' };
  const version = /\d+\.\d+\.\d+/.exec(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout)?.[0];
  for (const [app, code] of Object.entries(APPS)) {
    writeFileSync(join(project, 'app.mjs'), `${code}\n`);
    const { stdout, stderr } = spawnSync(
      path,
      ['run', '--no-prompt', '--node-modules-dir=manual', 'app.mjs'],
      {
        cwd: project,
        encoding: 'utf8',
      },
    );
    if (stdout.trim() !== printed(join(project, 'app.mjs'), project))
      return { name: 'Deno', version, problem: `Deno, ${app}: ${stdout}${stderr}` };
  }
  return { name: 'Deno', version, sizes: {} };
}

function printed(path, cwd) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [path], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

function scripts(out) {
  return readdirSync(out, { recursive: true })
    .filter((path) => /\.m?js$/.test(path))
    .map((path) => join(out, path));
}

function pageOf(rows) {
  const kB = (files) => {
    if (files === undefined) return '–';
    const bytes = files.reduce((sum, file) => sum + file.length, 0);
    const packed = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
    return `${(bytes / 1000).toFixed(1)} (${(packed / 1000).toFixed(1)})`;
  };
  const lines = rows.map(({ name, version, sizes, problem }) =>
    version === undefined && problem === undefined
      ? `| ${name} | not installed | | | | |`
      : `| ${name} | ${version ?? ''} | ${kB(sizes?.mechanism)} | ${kB(sizes?.account)} | ${kB(sizes?.plot)} | ${problem ? 'no' : 'yes'} |`,
  );
  return `# Bundlers

The package, installed from its tarball, built for a page and run, with no options for it but one: Parcel reads the exports of packages
only where the project's package.json has \`"@parcel/resolver-default": { "packageExports": true }\`. In kB, gzipped in brackets: \`dpSgd\` alone; \`account\`
with an engine, the kernel among it; \`linePlot\`. "Runs": what was built prints what the package itself
prints in Node. Deno runs it as it is. Written by \`npm run bundlers -- --page\`; Rollup's sizes are not minified further.

| bundler | version | \`dpSgd\` | an account | a plot | runs |
| --- | --- | --- | --- | --- | --- |
${lines.join('\n')}

In a page without a bundler, \`<script type="module">\` imports \`dist/index.js\` as it is; the tests do so in Chromium, in a worker too, and
where WebAssembly is forbidden.
`;
}
