// Compiles assembly/ to build/kernel.wasm and embeds it, with its fingerprint, for the bindings: in hexadecimal, which gzip makes a
// fifth smaller than base64, without the functions for other hosts. In build/kernel.wasm the tables are among its data, for hosts without JavaScript. With --debug: build/kernel.debug.wasm and its source map, for a
// debugger.
import './lib/setup.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { compileKernel } from './lib/compile-kernel.mjs';
import { withoutExports, withTables } from './lib/kernel-bytes.mjs';
import { KERNEL_SOURCES, root } from './lib/setup.mjs';

process.chdir(root);
const target = process.argv.includes('--debug') ? 'debug' : 'release';
const { wasm, fingerprint, sources, sourceMap } = await compileKernel(target);
mkdirSync('build', { recursive: true });
if (target === 'debug') {
  writeFileSync('build/kernel.debug.wasm', wasm);
  writeFileSync('build/kernel.debug.wasm.map', sourceMap);
} else {
  mkdirSync('bindings/generated', { recursive: true });
  const hostFunctions = WebAssembly.Module.exports(new WebAssembly.Module(wasm)).flatMap(({ name }) =>
    /^(?:gdp|zcdp|ledger)_/.test(name) ? [name] : [],
  );
  writeFileSync('build/kernel.wasm', await withTables(wasm));
  writeFileSync(KERNEL_SOURCES, JSON.stringify(sources));
  writeFileSync(
    'bindings/generated/kernel-wasm.ts',
    `// Made by scripts/build-wasm.mjs from assembly/.
export const KERNEL_FINGERPRINT = '${fingerprint}';
export const KERNEL_WASM_HEX =
  '${withoutExports(wasm, hostFunctions).toString('hex')}';
`,
  );
}
process.stdout.write(`kernel.wasm: ${wasm.length} bytes (${target}), fingerprint ${fingerprint}\n`);
