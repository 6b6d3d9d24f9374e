// Bundles build/modules, what scripts/lib/modules.mjs makes of the sources. Entries: the library, its plots, its threads, the workers of a sweep, the command line. They share chunks. The embedded kernel is a chunk of its own.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import { isolatedDeclarationSync } from 'oxc-transform';
import { bundle, minified } from './scripts/lib/bundle.mjs';
import { completions, manPage } from './scripts/lib/command-texts.mjs';
import { breakLines } from './scripts/lib/line-breaks.mjs';
import { compileModules } from './scripts/lib/modules.mjs';
import { withPackedTables } from './scripts/lib/packed-tables.mjs';
import { noticeOf, packageOf } from './scripts/lib/third-party.mjs';

compileModules();

/** Characters of a line of dist/: Node prints the whole line of an uncaught error. scripts/pack-check.mjs holds it. */
const LINE_WIDTH = 490;

/** Short names, lines of a moderate length, and what compression does to expressions: `scripts/bits.mjs` says the same with it as without. */
const minify = {
  name: 'minify',
  renderChunk(code, { fileName }) {
    const short = inAscii(minified(fileName, code));
    const marked = /hyparquet/.test(fileName) ? short : withPureValues(short, this.parse(short));
    return { code: breakLines(marked, this.parse(marked), LINE_WIDTH), map: null };
  },
};

/** Letters beyond ASCII as escapes: one of them makes an engine hold, and read, the whole file in twice the bytes. They stand in strings and patterns alone. */
const inAscii = (code) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * What a module of ours computes when it is loaded makes a value and does nothing else: said so in a way that every bundler understands,
 * an import takes along only what it uses.
 */
function withPureValues(code, { body }) {
  return body
    .map((statement) => statement.declaration ?? statement)
    .filter(({ type }) => type === 'VariableDeclaration')
    .flatMap(({ declarations }) => declarations.map(({ init }) => init))
    .filter((init) => init && computes(init))
    .sort((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end }) =>
        `${text.slice(0, start)}/*@__PURE__*/(()=>(${text.slice(start, end)}))()${text.slice(end)}`,
      code,
    );
}

/** Whether an expression calls, spreads or calculates anything before a function in it is called: esbuild takes 2 ** 53 for a side effect. */
function computes(node) {
  if (node === null || typeof node !== 'object') return false;
  if (Array.isArray(node)) return node.some(computes);
  if (/Function|^Class|^Await/.test(node.type)) return false;
  if (/^(?:Call|New|Import|Binary)Expression$|^Spread/.test(node.type)) return true;
  if (node.type === 'TemplateLiteral' && node.expressions.length > 0) return true;
  return Object.values(node).some(computes);
}

const moduleOf = (name) => resolve('build/modules', name);

/** Modules name each other by their paths: no search of folders, which is a fifth of a build's time. */
const ours = {
  name: 'ours',
  resolveId: (id, importer) =>
    id.startsWith('.') && importer?.startsWith(moduleOf('')) ? join(dirname(importer), id) : null,
};

/** Libraries that are loaded when they are needed, each a chunk of its own. */
const LIBRARIES = { hyparquet: 'hyparquet', 'hyparquet-writer': 'hyparquet-writer' };

/** Adds a module and all that it imports, over any number of files, but for what other sets have. */
function collect(name, ...apart) {
  const found = new Set();
  const visit = (id) => {
    if (found.has(id) || apart.some((set) => set.has(id))) return;
    found.add(id);
    for (const [, to] of readFileSync(id, 'utf8').matchAll(
      /^(?:import|export|\} from)\b.*['"](\.[^'"]+)['"];$/gm,
    )) {
      visit(join(dirname(id), to));
    }
  };
  visit(moduleOf(name));
  return found;
}

/** What the library's root imports, and the engines, which are loaded when they are asked for, in chunks apart: many small ones pack badly. */
const CHUNKS = {};
CHUNKS.core = collect('src/index.js');
CHUNKS.bindings = collect('bindings/kernel-over.js', CHUNKS.core);
CHUNKS.methods = new Set(
  ['src/methods/brought/all.js', 'src/account/run-of-mechanism.js'].flatMap((name) => [
    ...collect(name, CHUNKS.core),
  ]),
);
CHUNKS['kernel-wasm'] = collect('bindings/wasm-kernel.js', CHUNKS.core, CHUNKS.bindings);
CHUNKS.reference = collect('bindings/reference-kernel.js', ...Object.values(CHUNKS));
CHUNKS.core.delete(moduleOf('src/index.js'));
CHUNKS.core.add(resolve('scripts/lib/packed-tables.mjs'));

function chunkOf(id) {
  return LIBRARIES[packageOf(id)?.name] ?? Object.keys(CHUNKS).find((name) => CHUNKS[name].has(id));
}

/** Writes the declarations of the entries, and those they lead to: from each file alone, the gate has checked the types. */
const declarations = {
  name: 'declarations',
  writeBundle() {
    const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
    const written = new Set();
    const visit = (name) => {
      if (written.has(name)) return;
      written.add(name);
      const source = readFileSync(`${name}.ts`, 'utf8');
      const { code, errors } = isolatedDeclarationSync(`${name}.ts`, source);
      if (errors.length > 0) throw new Error(`${name}.ts: ${errors[0].message}`);
      const path = join('dist/types', `${name}.d.ts`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, code);
      for (const [, to] of code.matchAll(/(?:from|import\(?)\s*['"](\.[^'"]+)\.js['"]/g)) {
        visit(join(dirname(name), to));
      }
    };
    for (const { types } of Object.values(exports)) {
      if (types?.startsWith('./dist/types/src/')) visit(relative('dist/types', types).replace('.d.ts', ''));
    }
  },
};
/** For an import of the raw module where that is a compiled one; where it is a URL, the bundler's own declarations say so. */
const KERNEL_TYPES = `/** The kernel of this build, compiled: \`loadEngine({ module })\` takes it. */
declare const module: object;
export default module;
`;

/** Copies the raw modules beside the bundle, makes the command line executable, and the script for hosts without Node. */
const finish = {
  name: 'finish',
  async writeBundle() {
    const { COMMANDS } = await import('./build/modules/src/cli/commands/index.js');
    const { COMMON_FLAGS } = await import('./build/modules/src/cli/command.js');
    const { VERSION } = await import('./build/modules/src/version.js');
    copyFileSync('build/kernel.wasm', 'dist/kernel.wasm');
    writeFileSync('dist/types/kernel.wasm.d.ts', KERNEL_TYPES);
    chmodSync('dist/cli.js', 0o755);
    const { code } = await bundle('src/embed/script.ts', { format: 'iife', minify: true });
    const script = inAscii(code);
    writeFileSync('dist/embed.js', breakLines(script, this.parse(script), LINE_WIDTH));
    writeFileSync('dist/gdp.1', manPage(COMMANDS, COMMON_FLAGS, VERSION));
    mkdirSync('dist/completion');
    for (const [shell, text] of Object.entries(completions(COMMANDS, COMMON_FLAGS)))
      writeFileSync(join('dist/completion', shell), text);
  },
};

/** Fitted tables whose columns are smooth, as their differences: half their size, gzipped. */
const packedTables = {
  name: 'packed-tables',
  transform: (code, id) =>
    /kernel\/(?:mills|erfcx)-table\.js$/.test(id)
      ? { code: withPackedTables(code, ['RATIO', 'ERFCX_COEFFICIENTS'], 8), map: null }
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
    // the type of page.html and of the reports that are set in it
    const inter = packageOf(resolve('node_modules/@fontsource-variable/inter/package.json'));
    libraries.set(inter.name, inter);
    const parts = [...libraries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(noticeOf);
    const source = `Code of these libraries, and the font Inter, are part of this package, under their licences.\n\n${parts.join('\n')}`;
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source });
  },
};

export default {
  input: {
    index: 'build/modules/src/index.js',
    audit: 'build/modules/src/audit/index.js',
    budget: 'build/modules/src/node/ledger-file.js',
    compare: 'build/modules/src/accountants/index.js',
    convert: 'build/modules/src/convert/index.js',
    lint: 'build/modules/src/lint/index.js',
    plot: 'build/modules/src/plot/index.js',
    read: 'build/modules/src/read/index.js',
    report: 'build/modules/src/report/index.js',
    sweep: 'build/modules/src/sweep/index.js',
    sync: 'build/modules/src/engine-sync.js',
    threads: 'build/modules/src/node/thread-pool.js',
    'sweep-worker': 'build/modules/src/node/sweep-worker.js',
    'sweep-web-worker': 'build/modules/src/sweep/web-worker.js',
    cli: 'build/modules/src/cli/bin.js',
    'cli-worker': 'build/modules/src/cli/cli-worker.js',
    'serve-pool': 'build/modules/src/cli/serve-pool.js',
  },
  external: /^node:/,
  treeshake: { moduleSideEffects: false },
  output: {
    dir: 'dist',
    format: 'es',
    chunkFileNames: 'chunks/[name].js',
    manualChunks: chunkOf,
    onlyExplicitManualChunks: true,
    hoistTransitiveImports: false,
  },
  plugins: [ours, nodeResolve(), packedTables, minify, thirdParty, declarations, finish],
};
