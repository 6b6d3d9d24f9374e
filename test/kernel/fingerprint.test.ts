/** The module and the bindings belong together: a module of other sources or tables is refused, and every source is known. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KERNEL_FINGERPRINT, KERNEL_WASM_HEX } from '../../bindings/generated/kernel-wasm.js';
import { decodeHex, instantiateSync } from '../../bindings/wasm-kernel.js';
import { compileKernel } from '../../scripts/lib/compile-kernel.mjs';
import { loadEngine } from '../../src/account/load-engine.js';
import { loadEngineSync } from '../../src/engine-sync.js';
import { InputTypeError } from '../../src/errors.js';
import { LONG_TESTS } from '../helpers/long.js';

const CONSTANTS = 'src/kernel/constants.ts';
const own = () => decodeHex(KERNEL_WASM_HEX);

/** Expects every way of loading a module to refuse it in one sentence. */
async function expectRefused(bytes: Uint8Array<ArrayBuffer>, got: string): Promise<void> {
  const module = new WebAssembly.Module(bytes);
  const sentence = `"module" must be the kernel.wasm of this very build of gdp-kernel, fingerprint ${KERNEL_FINGERPRINT}; got ${got}`;
  for (const kernel of ['auto', 'wasm', 'reference'] as const) {
    await expect(loadEngine({ kernel, module })).rejects.toThrow(new InputTypeError(sentence));
    expect(() => loadEngineSync({ kernel, module })).toThrow(new InputTypeError(sentence));
  }
  expect(() => instantiateSync(bytes)).toThrow(new InputTypeError(sentence));
}

it('a build of other constants is refused, whatever its target', async () => {
  const text = readFileSync(CONSTANTS, 'utf8');
  const edited = text.replace('EXP_5 = 0.008333333333333333', 'EXP_5 = 0.008333333333333334');
  expect(edited).not.toBe(text);
  const { wasm, fingerprint } = await compileKernel('debug', { [CONSTANTS]: edited });
  await expectRefused(wasm, `one with fingerprint ${fingerprint}`);
});

it.runIf(LONG_TESTS)('so is a build whose tables are made in another way', async () => {
  const path = 'src/kernel/erfcx-table.ts';
  const { wasm, fingerprint } = await compileKernel('debug', { [path]: `${readFileSync(path, 'utf8')}\n` });
  await expectRefused(wasm, `one with fingerprint ${fingerprint}`);
});

it('so are our own code under another fingerprint, without one, and the module of somebody else', async () => {
  const bytes = own();
  const at = bytes.length - KERNEL_FINGERPRINT.length;
  const other = bytes.slice();
  other.set(new TextEncoder().encode('0'.repeat(KERNEL_FINGERPRINT.length)), at);
  await expectRefused(other, `one with fingerprint ${'0'.repeat(KERNEL_FINGERPRINT.length)}`);
  // the section: its number, its length, then the length of its name and its name
  await expectRefused(bytes.slice(0, at - 'gdp-kernel'.length - 3), 'one without a fingerprint');
  await expectRefused(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), 'one without a fingerprint');
});

it('the embedded module, the debug build and kernel.wasm have the fingerprint of the sources as they are', async () => {
  const { fingerprint, sources } = await compileKernel('debug');
  expect(KERNEL_FINGERPRINT).toBe(fingerprint);
  const names = readdirSync('assembly', { recursive: true }).map((name) =>
    String(name).replaceAll('\\', '/'),
  );
  for (const name of names.filter((name) => name.endsWith('.ts'))) {
    // the kernel for hosts is a module of its own; what has a text, made or kept, for the assembler has another for JavaScript
    const other =
      ['host.ts', 'lane/pool.ts', 'globals.d.ts'].includes(name) ||
      names.includes(name.replace('.ts', '.simd.ts'));
    if (!other) expect(sources).toContain(`assembly/${name}`);
  }
  const outside = ['asconfig.json', CONSTANTS, 'src/kernel/tables.ts', 'src/kernel/mills-table.ts'];
  for (const path of outside) expect(sources).toContain(path);
  expect(sources.filter((path) => !existsSync(path))).toEqual([]);
  expect([...JSON.parse(readFileSync('build/kernel.sources.json', 'utf8'))]).toEqual(sources);
});
