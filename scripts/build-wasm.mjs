// Compiles assembly/ to build/kernel.wasm and embeds it for the bindings: in hexadecimal, which gzip makes a fifth smaller than base64.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const target = process.argv.includes('--debug') ? 'debug' : 'release';
const { error, stderr } = await asc.main(['--config', 'asconfig.json', '--target', target]);
if (error) {
  process.stderr.write(stderr.toString());
  process.exit(1);
}
const wasm = readFileSync(join(root, target === 'debug' ? 'build/kernel.debug.wasm' : 'build/kernel.wasm'));
mkdirSync('bindings/generated', { recursive: true });
writeFileSync(
  'bindings/generated/kernel-wasm.ts',
  `// Made by scripts/build-wasm.mjs from assembly/.\nexport const KERNEL_WASM_HEX =\n  '${wasm.toString('hex')}';\n`,
);
process.stdout.write(`kernel.wasm: ${wasm.length} bytes (${target})\n`);
