import { requireModule } from '../bindings/instantiate.js';
import { createReferenceKernel } from '../bindings/reference-kernel.js';
import { createWasmKernel, createWasmKernelSync } from '../bindings/wasm-kernel.js';
import { requireOneOf, requireOptions, wrongType } from './errors.js';
import type { Kernel } from './kernel/kernel.js';
import { meteredKernel } from './numeric/metered-kernel.js';

/** A numeric engine, and why it is not the one hoped for if it is not. */
export interface Engine {
  /** The numeric functions: in WebAssembly or in TypeScript. */
  readonly kernel: Kernel;
  /** Set when 'auto' fell back to the reference engine: what kept WebAssembly from running. */
  readonly fallbackReason?: string;
}

/** Which engine to load. */
export interface EngineOptions {
  /** 'auto' (default): WebAssembly where it runs, else the TypeScript reference engine. */
  readonly kernel?: 'auto' | 'wasm' | 'reference';
  /** `gdp-kernel/kernel.wasm` of this very build, compiled: for hosts that forbid compiling at run time. */
  readonly module?: object;
}

/**
 * Loads an engine; compiles WebAssembly asynchronously.
 *
 * @throws TypeError | RangeError for a wrong option, a module of another build among them; with kernel 'wasm', whatever kept it from running.
 * @example
 * (await loadEngine({ kernel: 'reference' })).kernel.name; // 'reference'
 */
export async function loadEngine(options: EngineOptions = {}): Promise<Engine> {
  const wanted = wantedKernel(options);
  if (wanted === 'reference') return { kernel: meteredKernel(createReferenceKernel()) };
  try {
    return { kernel: meteredKernel(await createWasmKernel(options.module)) };
  } catch (error) {
    return fallBack(wanted, error);
  }
}

const shared = new Map<string, Promise<Engine>>();

/** The engine of a name, loaded once for all who ask. */
export function sharedEngine(kernel: NonNullable<EngineOptions['kernel']>): Promise<Engine> {
  const known = shared.get(kernel);
  if (known !== undefined) return known;
  const engine = loadEngine({ kernel });
  shared.set(kernel, engine);
  return engine;
}

/**
 * As `loadEngine`, synchronously. Browsers' main threads may forbid this: use `loadEngine` there.
 *
 * @throws TypeError | RangeError for a wrong option; with kernel 'wasm', whatever kept it from running.
 * @example
 * loadEngineSync().kernel.name; // 'wasm'
 */
export function loadEngineSync(options: EngineOptions = {}): Engine {
  const wanted = wantedKernel(options);
  if (wanted === 'reference') return { kernel: meteredKernel(createReferenceKernel()) };
  try {
    return { kernel: meteredKernel(createWasmKernelSync(options.module)) };
  } catch (error) {
    return fallBack(wanted, error);
  }
}

/** @throws TypeError for anything that is no engine, by name where it is a promise of one. */
export function requireEngine(engine: unknown): void {
  const kernel = (engine as Partial<Engine> | null | undefined)?.kernel;
  if (typeof kernel?.logDeltaGdp !== 'function') throw wrongType('engine', 'an engine of loadEngine', engine);
}

function wantedKernel(options: EngineOptions): 'auto' | 'wasm' | 'reference' {
  requireOptions('loadEngine', options, ['kernel', 'module']);
  const wanted = requireOneOf('kernel', options.kernel ?? 'auto', ['auto', 'wasm', 'reference'] as const);
  if (options.module !== undefined && typeof WebAssembly === 'object') requireModule(options.module);
  return wanted;
}

function fallBack(wanted: 'auto' | 'wasm', error: unknown): Engine {
  if (wanted === 'wasm') throw error;
  const reason = error instanceof Error ? error.message : String(error);
  return { kernel: meteredKernel(createReferenceKernel()), fallbackReason: reason };
}
