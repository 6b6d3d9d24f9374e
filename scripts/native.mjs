// npm run native: the accountant as a C library, build/native/libgdp.so (.dylib, .dll), of dist/embed.js, the kernel and QuickJS, with gdp.h and THIRD-PARTY.txt.
// --wasm (npm run wasm): one WebAssembly module without imports, build/native/wasm/gdp.wasm, copied to dist/gdp.wasm.
// --target x86_64-linux-gnu.2.17: the library for another system, by zig, in build/native/x86_64-linux-gnu.2.17.
// QuickJS, wabt and simde come from PyPI and npm, by version and hash. CC, WASM_CC and ZIG name other compilers; GDP_PYTHON another Python.
import './lib/setup.mjs';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compilerFor } from './lib/native-compilers.mjs';
import { buildLibrary } from './lib/native-library.mjs';
import { fetchParts, Missing } from './lib/native-parts.mjs';
import { ensureBuilt, ensureInstalled, root, timed } from './lib/setup.mjs';

const at = process.argv.indexOf('--target');
const target = process.argv.includes('--wasm') ? 'wasm' : at > 0 ? process.argv[at + 1] : 'host';

try {
  ensureInstalled();
  ensureBuilt();
  const compiler = compilerFor(target);
  const [path, seconds] = timed(() => buildLibrary(compiler, fetchParts()));
  if (target === 'wasm') {
    requireNoImports(path);
    copyFileSync(path, join(root, 'dist/gdp.wasm'));
  }
  process.stdout.write(`${path}: ${statSync(path).size} bytes, ${seconds.toFixed(0)} s, ${compiler.name}\n`);
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}

/** @throws Error if the module asks anything of its host. */
function requireNoImports(path) {
  const asked = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(path)));
  if (asked.length > 0) throw new Error(`gdp.wasm imports ${asked.map(({ name }) => name).join(', ')}`);
}
