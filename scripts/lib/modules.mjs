// The sources as modules of JavaScript, a file each: what the bundles are made of, and what the tests run. Vite's own modules read every
// import through a getter, which the loops over nodes pay for with three times their time.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { stripTypes } from './bundle.mjs';
import { root } from './setup.mjs';

export const MODULES = join(root, 'build/modules');
const FOLDERS = ['src', 'bindings', 'bench', 'reproduce'];

/** Where a source, named without its ending or with that of JavaScript, stands among the modules; nothing if it is none of them. */
export function moduleOf(path) {
  const name = relative(root, path);
  return FOLDERS.includes(name.split(sep)[0]) ? join(MODULES, name) : undefined;
}

/** Writes the modules whose source has changed, and deletes those whose source is gone. */
export function compileModules() {
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(root, folder), { recursive: true })) {
      if (name.endsWith('.ts')) compile(join(folder, name));
    }
    for (const name of readdirSync(join(MODULES, folder), { recursive: true })) {
      if (name.endsWith('.js') && !existsSync(join(root, folder, name.replace(/\.js$/, '.ts'))))
        rmSync(join(MODULES, folder, name));
    }
  }
}

function compile(name) {
  const { code, map } = stripTypes(join(root, name), { sourcemap: true });
  const path = join(MODULES, name.replace(/\.ts$/, '.js'));
  const sources = [relative(dirname(path), join(root, name))];
  const mapped = Buffer.from(JSON.stringify({ ...map, sources })).toString('base64');
  const text = `${code}\n//# sourceMappingURL=data:application/json;base64,${mapped}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
