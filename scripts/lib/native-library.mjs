// libgdp and gdp.wasm: what is compiled, of what, and what is compiled again.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { compilerFor } from './native-compilers.mjs';
import { glueOf } from './native-glue.mjs';
import { root } from './setup.mjs';

/** Without the programs of npm packages: clang runs a wasm-opt that it finds, and that of binaryen makes a module that traps. */
const ENVIRONMENT = {
  ...process.env,
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .join(delimiter),
};

const QUICKJS = ['quickjs', 'libregexp', 'libunicode', 'dtoa'];
/** What takes no time beside the interpreter and the kernel is compiled for its size. */
const SELDOM = ['libregexp', 'libunicode', 'kernel-glue'];
const OURS = ['gdp', 'kernel-object', 'platform', 'wasm-rt'];
/** Of our own C; what is generated or fetched is compiled as it comes. */
const WARNINGS = ['-Wall', '-Wextra', '-Werror', '-Wno-unknown-warning-option'];
const native = join(root, 'native');
const made = join(root, 'build/native/c');

/**
 * Builds what a compiler is for, in a folder of its own, and returns its path.
 *
 * @param {ReturnType<typeof compilerFor>} compiler
 * @param {ReturnType<typeof import('./native-parts.mjs').fetchParts>} parts
 */
export function buildLibrary(compiler, parts) {
  const { target, output } = compiler;
  const folder = join(root, 'build/native', target === 'host' ? '' : target);
  makeC(parts);
  const sources = sourcesOf(parts, target);
  const objects = sources.map((source) => compiled(compiler, parts, source, join(folder, 'objects')));
  const path = join(folder, output);
  once(path, [compiler.command, compiler.link, ...objects.map(hashOf)], () =>
    call([...compiler.command, ...objects, '-o', path, ...compiler.link]),
  );
  copyFileSync(join(native, 'gdp.h'), join(folder, 'gdp.h'));
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), notices(parts));
  return path;
}

/** Writes the C that is made by the build: the kernel, the functions that call it, and the script as bytecode. */
export function makeC(parts) {
  mkdirSync(made, { recursive: true });
  kernelInC(parts);
  bytecodeInC(parts);
}

/** The C that a library is of, of which a part is made by the build. */
function sourcesOf({ quickjs }, target) {
  return [
    ...QUICKJS.map((name) => join(quickjs, `${name}.c`)),
    ...[...OURS, ...(target === 'wasm' ? ['no-imports'] : [])].map((name) => join(native, `${name}.c`)),
    ...['kernel', 'kernel-glue', 'bytecode'].map((name) => join(made, `${name}.c`)),
  ];
}

/** How the library of this machine is compiled, for source distributions: its sources, their folders by short names, and the flags. */
export function recipe(parts) {
  const { compile, link } = compilerFor('host');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [flags, cpu] = [false, true].map((wanted) =>
    compile.filter((flag) => flag.startsWith('-m') === wanted),
  );
  return {
    sources: sourcesOf(parts, 'host'),
    folders: { [native]: 'own', [made]: 'made', [parts.quickjs]: 'quickjs', [parts.simde]: 'simde' },
    compile: [...flags, '-D_GNU_SOURCE', `-DGDP_VERSION="${version}"`],
    cpu: process.arch === 'x64' ? { x86_64: cpu } : {},
    link,
  };
}

/** The kernel, by wasm2c, and the functions that call it. */
function kernelInC({ wabt }) {
  const [wasm, c, header] = [join(root, 'dist/kernel.wasm'), join(made, 'kernel.c'), join(made, 'kernel.h')];
  once(c, [hashOf(wasm), wabt], () =>
    call([process.execPath, join(wabt, 'bin/wasm2c'), '-n', 'kernel', '-o', c, wasm]),
  );
  writeChanged(join(made, 'kernel-glue.c'), glueOf(readFileSync(header, 'utf8')));
}

/** The script as bytecode, by a program of this machine that is made of the same QuickJS. */
function bytecodeInC(parts) {
  const compiler = compilerFor('host');
  const script = join(made, 'script.js');
  writeChanged(script, scriptText());
  const sources = [
    ...QUICKJS.map((name) => join(parts.quickjs, `${name}.c`)),
    join(native, 'compile-script.c'),
  ];
  const objects = sources.map((source) =>
    compiled(compiler, parts, source, join(root, 'build/native/objects')),
  );
  const program = join(made, 'bytecode');
  once(program, objects.map(hashOf), () =>
    call([...compiler.command, ...objects, '-o', program, '-lm', '-lpthread']),
  );
  const out = join(made, 'bytecode.c');
  once(out, [hashOf(script), hashOf(program)], () => call([program, script, out]));
}

/** dist/embed.js without the kernel that it holds, over WebAssembly as native/webassembly.js makes it. */
function scriptText() {
  const embed = readFileSync(join(root, 'dist/embed.js'), 'utf8');
  const held = /(["'`])0061736d[0-9a-f\\\n]*\1/g;
  if (embed.match(held)?.length !== 1) throw new Error('dist/embed.js does not hold the kernel once');
  const module = new WebAssembly.Module(readFileSync(join(root, 'dist/kernel.wasm')));
  const [section] = WebAssembly.Module.customSections(module, 'gdp-kernel');
  const shim = readFileSync(join(native, 'webassembly.js'), 'utf8');
  const fingerprint = JSON.stringify(Buffer.from(section).toString());
  return `${shim.replace('FINGERPRINT', fingerprint)}${embed.replace(held, '""')}`;
}

/** The object of a source, compiled if it, a header or the command changed. */
function compiled({ command, compile }, { quickjs, simde, versions }, source, folder) {
  mkdirSync(folder, { recursive: true });
  const object = join(folder, `${basename(source, '.c')}.o`);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const words = [
    ...command,
    ...compile,
    ...(SELDOM.includes(basename(source, '.c')) ? ['-Os'] : []),
    '-D_GNU_SOURCE',
    `-DGDP_VERSION="${version}"`,
    ...[native, made].map((path) => `-I${path}`),
    ...(source.startsWith(native) ? WARNINGS : ['-w']),
    ...(source.startsWith(quickjs) ? ['-include', join(native, 'power.h')] : []),
    ...[quickjs, simde].flatMap((path) => ['-isystem', path]),
    '-c',
    source,
    '-o',
    object,
  ];
  const headers = [native, made].flatMap((path) =>
    readdirSync(path)
      .filter((name) => name.endsWith('.h'))
      .map((name) => hashOf(join(path, name))),
  );
  once(object, [words, versions, headers, hashOf(source)], () => call(words));
  return object;
}

/** Makes a file unless it is there and was made of the same. */
function once(path, of, make) {
  const key = createHash('sha256').update(JSON.stringify(of)).digest('hex');
  const stamp = `${path}.stamp`;
  if (existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return;
  make();
  writeFileSync(stamp, key);
}

function writeChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function call([command, ...args]) {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', env: ENVIRONMENT });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** The licences of what is compiled in, beside those of the script's libraries. */
export function notices({ quickjs, simde, wabt }) {
  const comment = readFileSync(join(quickjs, 'quickjs.c'), 'utf8')
    .split('*/')[0]
    .replace(/^\/?[* ]*/gm, '');
  const heading = (name) => `${'='.repeat(80)}\n${name}\n`;
  return [
    readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8').trim(),
    `${heading('QuickJS-ng (MIT)')}\n${comment.trim()}`,
    `${heading('SIMD Everywhere (MIT)')}\n${readFileSync(join(simde, '../../LICENSE'), 'utf8').trim()}`,
    `${heading('wabt, whose wasm2c wrote the C of the kernel (Apache-2.0)')}\n${readFileSync(join(wabt, 'LICENSE'), 'utf8').trim()}`,
    '',
  ].join('\n\n');
}
