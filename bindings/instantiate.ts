/**
 * The one file that names WebAssembly: bytes or a compiled module in, a `WasmContext` out.
 *
 * `@assemblyscript/loader` is not used at run time. On a module without managed types it adds nothing
 * (functions are passed through), yet at import it writes to the global `Object.hasOwn`, which throws
 * where intrinsics are frozen, and builds a TextDecoder; it is deprecated, and a bundle without a
 * node_modules resolver would keep a bare import of it. A test holds that the module loads with it too.
 */
import type { KernelExports, WasmContext } from './abi.js';
import { Arena } from './arena.js';

function context(instance: WebAssembly.Instance): WasmContext {
  const exports = instance.exports as unknown as KernelExports;
  if (typeof exports.heapBase !== 'function' || typeof exports.forwardFft !== 'function') {
    throw new TypeError('"module" must be the gdp-kernel WebAssembly module; got one with other exports');
  }
  return { exports, arena: new Arena(exports.memory, exports.heapBase()) };
}

/** Base64 to bytes with what Node and browsers share. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Whether this host has WebAssembly (a content security policy may still forbid compiling). */
export function webAssemblyAvailable(): boolean {
  return typeof WebAssembly === 'object' && typeof WebAssembly.Instance === 'function';
}

/** Compiles (unless already compiled) and instantiates at once. Browsers' main threads may limit this to 8 MB. */
export function instantiateSync(source: string | Uint8Array<ArrayBuffer> | WebAssembly.Module): WasmContext {
  return context(
    new WebAssembly.Instance(isModule(source) ? source : new WebAssembly.Module(bytesOf(source))),
  );
}

/** Compiles (unless already compiled) and instantiates off the main thread. */
export async function instantiate(
  source: string | Uint8Array<ArrayBuffer> | WebAssembly.Module,
): Promise<WasmContext> {
  const module = isModule(source) ? source : await WebAssembly.compile(bytesOf(source));
  return context(await WebAssembly.instantiate(module));
}

function isModule(source: unknown): source is WebAssembly.Module {
  return source instanceof WebAssembly.Module;
}

function bytesOf(source: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof source === 'string' ? decodeBase64(source) : source;
}
