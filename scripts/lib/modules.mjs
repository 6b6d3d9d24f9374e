// The sources as modules of JavaScript, a file each: what the bundles are made of, and what the tests run. Vite's own modules read every
// import through a getter, which the loops over nodes pay for with three times their time.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { stripTypes } from './bundle.mjs';
import { ensureFresh, root } from './setup.mjs';

/** Where another made the modules, as they are with a term taken out of a bound (`scripts/mutants.mjs`). */
const made = process.env['GDP_MODULES'];
export const MODULES = made ?? join(root, 'build/modules');
export const FOLDERS = ['src', 'bindings', 'assembly', 'bench', 'reproduce'];
/** What the assembler alone reads. */
const OF_THE_ASSEMBLER = /\.simd\.ts$|^assembly\/(?:host|checks)\.ts$/;

/** Where a source, named without its ending or with that of JavaScript, stands among the modules; nothing if it is none of them. */
export function moduleOf(path) {
  const name = relative(root, path);
  return FOLDERS.includes(name.split(sep)[0]) ? join(MODULES, name) : undefined;
}

/** What modules are made from and by; the kernel's bytes are generated. */
const MADE_FROM = [
  ...FOLDERS,
  'bindings/generated/kernel-wasm.ts',
  ...['bundle', 'for-assembler', 'modules', 'written-out'].map((name) => `scripts/lib/${name}.mjs`),
  'package-lock.json',
];

/** Writes the modules whose source has changed, and deletes those whose source is gone. */
export function compileModules() {
  if (made === undefined) ensureFresh('modules', () => MADE_FROM, ['build/modules/src/index.js'], compileAll);
}

function compileAll() {
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(root, folder), { recursive: true })) {
      if (isModule(join(folder, name))) compile(join(folder, name));
    }
    for (const name of readdirSync(join(MODULES, folder), { recursive: true })) {
      if (name.endsWith('.js') && !isModule(join(folder, name.replace(/\.js$/, '.ts'))))
        rmSync(join(MODULES, folder, name));
    }
  }
}

function isModule(name) {
  return /(?<!\.d)\.ts$/.test(name) && !OF_THE_ASSEMBLER.test(name) && existsSync(join(root, name));
}

function compile(name) {
  writeModule(name, readFileSync(join(root, name), 'utf8'), MODULES);
}

/** Writes the module of a source, of that text, in a folder of modules; throws where it does not parse. */
export function writeModule(name, source, modules) {
  const { code, map } = stripTypes(join(root, name), { source, sourcemap: true });
  const path = join(modules, name.replace(/\.ts$/, '.js'));
  const sources = [relative(dirname(path), join(root, name))];
  const mapped = Buffer.from(JSON.stringify({ ...map, sources })).toString('base64');
  const module = `${code}\n//# sourceMappingURL=data:application/json;base64,${mapped}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === module) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, module);
}
