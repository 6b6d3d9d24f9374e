// Entries: the library, its plots, its threads, the workers of a sweep, the command line. They share chunks. The embedded kernel is a chunk of its own.
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import typescript from '@rollup/plugin-typescript';
import { minifySync } from 'rolldown/utils';
import { breakLines } from './scripts/lib/line-breaks.mjs';
import { noticeOf, packageOf } from './scripts/lib/third-party.mjs';

/** Characters of a line of dist/: Node prints the whole line of an uncaught error. scripts/pack-check.mjs holds it. */
const LINE_WIDTH = 490;

/** Short names, lines of a moderate length, and what compression does to expressions: `scripts/bits.mjs` says the same with it as without. */
const minify = {
  name: 'minify',
  renderChunk(code, { fileName }) {
    const { code: short, errors } = minifySync(fileName, code, {
      module: true,
      compress: true,
      mangle: true,
    });
    if (errors.length > 0) throw new Error(`${fileName}: ${errors[0].message}`);
    return { code: breakLines(short, this.parse(short), LINE_WIDTH), map: null };
  },
};

/** Libraries that are loaded when they are needed, each a chunk of its own; echarts draws with zrender, in tslib's helpers. */
const LIBRARIES = {
  echarts: 'echarts',
  zrender: 'echarts',
  tslib: 'echarts',
  hyparquet: 'hyparquet',
  'hyparquet-writer': 'hyparquet-writer',
};

/** The kernel in a chunk of its own, and all else the library's root needs in one: many small ones pack badly. */
function chunkOf(id, { getModuleIds, getModuleInfo }) {
  if (id.endsWith('kernel-wasm.ts')) return 'kernel-wasm';
  const library = LIBRARIES[packageOf(id)?.name];
  if (library !== undefined) return library;
  if (core.size === 0) {
    const visit = (module) => {
      if (core.has(module)) return;
      core.add(module);
      for (const imported of getModuleInfo(module).importedIds) visit(imported);
    };
    visit([...getModuleIds()].find((module) => module.endsWith('/src/index.ts')));
  }
  return core.has(id) && !id.endsWith('/src/index.ts') ? 'core' : undefined;
}
const core = new Set();

/** Deletes the declarations that no entry's declarations lead to. */
const pruneTypes = {
  name: 'prune-types',
  writeBundle() {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    const reached = new Set();
    const visit = (path) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const [, to] of readFileSync(path, 'utf8').matchAll(
        /(?:from|import\(?)\s*['"](\.[^'"]+)\.js['"]/g,
      )) {
        visit(resolve(dirname(path), `${to}.d.ts`));
      }
    };
    for (const { types } of Object.values(exports)) if (types !== undefined) visit(resolve(types));
    for (const entry of readdirSync('dist/types', { recursive: true, withFileTypes: true })) {
      const path = resolve(entry.parentPath, entry.name);
      if (entry.isFile() && !reached.has(path)) rmSync(path);
    }
  },
};

/** Copies the raw module beside the bundle and makes the command line executable. */
const finish = {
  name: 'finish',
  writeBundle() {
    copyFileSync('build/kernel.wasm', 'dist/kernel.wasm');
    chmodSync('dist/cli.js', 0o755);
  },
};

/** echarts asks for this when it is built for development; a page has no `process`. */
const production = {
  name: 'production',
  transform: (code, id) =>
    packageOf(id) && code.includes('process.env.NODE_ENV')
      ? { code: code.replaceAll('process.env.NODE_ENV', '"production"'), map: null }
      : null,
};

/** Writes dist/THIRD-PARTY.txt: the licence and notice of every library of which code is in the bundle. */
const thirdParty = {
  name: 'third-party',
  generateBundle(_, bundle) {
    const ids = Object.values(bundle).flatMap(({ modules = {} }) =>
      Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
    );
    const libraries = new Map(
      ids
        .map(packageOf)
        .filter(Boolean)
        .map((library) => [`${library.name} ${library.version}`, library]),
    );
    const parts = [...libraries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(noticeOf);
    const source = `Code of these libraries is part of this package, under their licences.\n\n${parts.join('\n')}`;
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source });
  },
};

export default {
  input: {
    index: 'src/index.ts',
    audit: 'src/audit/index.ts',
    budget: 'src/node/ledger-file.ts',
    compare: 'src/accountants/index.ts',
    convert: 'src/convert/index.ts',
    lint: 'src/lint/index.ts',
    plot: 'src/plot/index.ts',
    read: 'src/read/index.ts',
    report: 'src/report/index.ts',
    sweep: 'src/sweep/index.ts',
    threads: 'src/node/thread-pool.ts',
    'sweep-worker': 'src/node/sweep-worker.ts',
    'sweep-web-worker': 'src/sweep/web-worker.ts',
    cli: 'src/cli/bin.ts',
  },
  external: /^node:/,
  output: {
    dir: 'dist',
    format: 'es',
    chunkFileNames: 'chunks/[name].js',
    manualChunks: chunkOf,
    hoistTransitiveImports: false,
  },
  plugins: [
    nodeResolve(),
    production,
    typescript({
      tsconfig: 'tsconfig.json',
      include: ['src/**/*.ts', 'bindings/**/*.ts'],
      noEmit: false,
      noEmitOnError: true,
      declaration: true,
      declarationDir: 'dist/types',
      rootDir: '.',
    }),
    minify,
    thirdParty,
    pruneTypes,
    finish,
  ],
};
