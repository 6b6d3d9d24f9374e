import { wrongType } from './errors.js';
import type { Kernel } from './kernel/kernel.js';

/** A loaded numeric engine, and the reason if it is not the preferred one. */
export interface Engine {
  /** The numeric functions, in WebAssembly or in JavaScript. */
  readonly kernel: Kernel;
  /** Set where 'auto' fell back to the JavaScript engine: the reason why WebAssembly does not run. */
  readonly fallbackReason?: string;
}

/** Which engine to load. */
export interface EngineOptions {
  /** 'auto' (default): WebAssembly where it runs, else 'reference', the JavaScript engine. */
  readonly kernel?: 'auto' | 'wasm' | 'reference';
  /** `gdp-kernel/kernel.wasm` of this very build, compiled: for hosts that forbid compiling at run time. */
  readonly module?: object;
}

/** @throws TypeError for anything that is no engine; of a promise, the message says that `await` is missing. */
export function requireEngine(engine: unknown): void {
  const kernel = (engine as Partial<Engine> | null | undefined)?.kernel;
  if (typeof kernel?.logDeltaGdp !== 'function') throw wrongType('engine', 'an engine of loadEngine', engine);
}
