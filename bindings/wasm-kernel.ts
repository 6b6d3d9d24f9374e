/**
 * The kernel in WebAssembly, made from bytes or a compiled module. No other file uses `WebAssembly`'s constructors.
 *
 * `@assemblyscript/loader` is not used at run time. On a module without managed types it adds nothing, as functions are passed through. Yet at
 * import it writes to the global `Object.hasOwn`, which throws where intrinsics are frozen. It runs the debug build in the tests
 * (test/kernel/debug-kernel.test.ts). There it turns what the module aborts with into an Error.
 */
import { InputTypeError, quotable } from '../src/errors.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { Charge, KernelExports, WasmContext } from './abi.js';
import { Arena } from './arena.js';
import { KERNEL_FINGERPRINT, KERNEL_WASM_HEX } from './generated/kernel-wasm.js';
import { kernelOver } from './kernel-over.js';

/** Name of the custom section that scripts/lib/compile-kernel.mjs puts into the module: a hash of its sources and of the function tables. */
const SECTION = 'gdp-kernel';

/** An instance's exports, with an allocator of its memory. `requireOurs` has checked that the module belongs to these bindings. */
function contextOf(instance: WebAssembly.Instance): WasmContext {
  const exports = instance.exports as WebAssembly.Exports & KernelExports;
  return { exports, arena: new Arena(exports.memory, exports.heapBase()) };
}

/** @throws TypeError if a module was not built from the sources that these bindings were built from. */
function requireOurs(module: WebAssembly.Module): WebAssembly.Module {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  const found = section && String.fromCharCode(...new Uint8Array(section));
  if (found === KERNEL_FINGERPRINT) return module;
  const what = found === undefined ? 'one without a fingerprint' : `one with fingerprint ${quotable(found)}`;
  throw new InputTypeError(
    `"module" must be the kernel.wasm of this very build of gdp-kernel, fingerprint ${KERNEL_FINGERPRINT}; got ${what}`,
  );
}

/** Decodes hexadecimal digits to bytes, by `Buffer` where there is one: that is much faster in code that runs once. */
export function decodeHex(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as {
    Buffer?: { from(text: string, encoding: string): Uint8Array<ArrayBuffer> };
  };
  if (Buffer !== undefined) {
    const { buffer, byteOffset, length } = Buffer.from(text, 'hex');
    return new Uint8Array(buffer, byteOffset, length);
  }
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = text.charCodeAt(2 * i);
    const low = text.charCodeAt(2 * i + 1);
    bytes[i] = 16 * (high < 58 ? high - 48 : high - 87) + (low < 58 ? low - 48 : low - 87);
  }
  return bytes;
}

/**
 * `value` as a compiled module.
 *
 * @throws TypeError if it is anything else, or not the module that these bindings were built with.
 */
export function requireModule(value: object): WebAssembly.Module {
  if (!(value instanceof WebAssembly.Module)) {
    throw new InputTypeError(
      `"module" must be a WebAssembly.Module; got ${Object.prototype.toString.call(value)}`,
    );
  }
  return requireOurs(value);
}

/** Compiles a module, in hexadecimal or as bytes, and instantiates it at once. A browser's main thread may refuse this. */
export function instantiateSync(source: string | Uint8Array<ArrayBuffer>): WasmContext {
  const bytes = typeof source === 'string' ? decodeHex(source) : source;
  return contextOf(new WebAssembly.Instance(requireOurs(new WebAssembly.Module(bytes))));
}

/**
 * Compiles the embedded module, or takes `module`, a compiled gdp-kernel/kernel.wasm.
 *
 * @throws TypeError if `module` is something else or of another build; whatever WebAssembly throws where it may not run.
 */
export async function createWasmKernel(module?: object, charge?: Charge): Promise<Kernel> {
  requireWebAssembly();
  const compiled =
    module === undefined
      ? requireOurs(await WebAssembly.compile(decodeHex(KERNEL_WASM_HEX)))
      : requireModule(module);
  return kernelOver('wasm', contextOf(await WebAssembly.instantiate(compiled)), charge);
}

/** @throws TypeError where the host has none: `node --jitless`, for one. */
function requireWebAssembly(): void {
  if (typeof WebAssembly !== 'object') throw new InputTypeError('WebAssembly is not defined on this host');
}

/** `createWasmKernel` without a promise. A browser's main thread may refuse to compile this way. */
export function createWasmKernelSync(module?: object, charge?: Charge): Kernel {
  requireWebAssembly();
  const context =
    module === undefined
      ? instantiateSync(KERNEL_WASM_HEX)
      : contextOf(new WebAssembly.Instance(requireModule(module)));
  return kernelOver('wasm', context, charge);
}
