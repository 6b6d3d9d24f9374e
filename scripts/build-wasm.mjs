// Compiles assembly/ to build/kernel.wasm and embeds it, with its fingerprint, for the bindings: in hexadecimal, which gzip makes a
// fifth smaller than base64; and the kernel for hosts to build/host.wasm. With --debug: build/kernel.debug.wasm and its source map, for a
// debugger.
import './lib/setup.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { compileKernel } from './lib/compile-kernel.mjs';
import { hostKernel } from './lib/host-kernel.mjs';
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
  writeFileSync('build/kernel.wasm', wasm);
  writeFileSync('build/host.wasm', await hostKernel());
  writeFileSync(KERNEL_SOURCES, JSON.stringify(sources));
  writeFileSync(
    'bindings/generated/kernel-wasm.ts',
    `// Made by scripts/build-wasm.mjs from assembly/.
export const KERNEL_FINGERPRINT = '${fingerprint}';
export const KERNEL_WASM_HEX =
  '${wasm.toString('hex')}';
`,
  );
}
process.stdout.write(`kernel.wasm: ${wasm.length} bytes (${target}), fingerprint ${fingerprint}\n`);
