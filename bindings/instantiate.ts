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

/** Hexadecimal digits to bytes: by Buffer where there is one, which is much faster in code that runs once. */
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

/** What a kernel is made from: the module in hexadecimal, as bytes, or compiled. */
export type ModuleSource = string | Uint8Array<ArrayBuffer> | WebAssembly.Module;

/** `value` as a compiled module. */
export function requireModule(value: object): WebAssembly.Module {
  if (!(value instanceof WebAssembly.Module)) {
    throw new TypeError(
      `"module" must be a WebAssembly.Module; got ${Object.prototype.toString.call(value)}`,
    );
  }
  return value;
}

/** Compiles (unless compiled) and instantiates at once. A browser's main thread may refuse this. */
export function instantiateSync(source: ModuleSource): WasmContext {
  return context(
    new WebAssembly.Instance(isModule(source) ? source : new WebAssembly.Module(bytesOf(source))),
  );
}

/** Compiles (unless compiled) and instantiates asynchronously. */
export async function instantiate(source: ModuleSource): Promise<WasmContext> {
  const module = isModule(source) ? source : await WebAssembly.compile(bytesOf(source));
  return context(await WebAssembly.instantiate(module));
}

function isModule(source: ModuleSource): source is WebAssembly.Module {
  return source instanceof WebAssembly.Module;
}

function bytesOf(source: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof source === 'string' ? decodeHex(source) : source;
}
