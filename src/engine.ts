import { requireOneOf, requireOptions, wrongType } from './errors.js';
import type { Kernel } from './kernel/kernel.js';
import { bringMethods } from './methods/brought/methods.js';
import { charge } from './numeric/meter.js';

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
 * Loads an engine and the methods that any run may ask, of which nothing is loaded before; compiles WebAssembly asynchronously. Where
 * `import()` may not run, as in service workers, `loadEngineSync` of `gdp-kernel/sync` loads one.
 *
 * @throws TypeError | RangeError for a wrong option, a module of another build among them; with kernel 'wasm', whatever kept it from running.
 * @example
 * (await loadEngine({ kernel: 'reference' })).kernel.name; // 'reference'
 */
export async function loadEngine(options: EngineOptions = {}): Promise<Engine> {
  const wanted = wantedKernel(options);
  const [engine, methods] = await Promise.all([
    engineOf(wanted, options.module),
    import('./methods/brought/all.js'),
  ]);
  bringMethods(methods, engine);
  return engine;
}

async function engineOf(
  wanted: ReturnType<typeof wantedKernel>,
  module: object | undefined,
): Promise<Engine> {
  if (wanted === 'reference' && module === undefined) return withoutWasm();
  const { createWasmKernel, requireModule } = await import('../bindings/wasm-kernel.js');
  if (module !== undefined && typeof WebAssembly === 'object') requireModule(module);
  if (wanted === 'reference') return withoutWasm();
  try {
    return { kernel: await createWasmKernel(module, charge) };
  } catch (error) {
    if (wanted === 'wasm') throw error;
    return { ...(await withoutWasm()), fallbackReason: reasonOf(error) };
  }
}

const shared = new Map<string, Promise<Engine>>();

/** The engine of a name, loaded once for all who ask. */
export function sharedEngine(kernel: NonNullable<EngineOptions['kernel']>): Promise<Engine> {
  const known = shared.get(kernel);
  if (known !== undefined) return known;
  const engine = loadEngine({ kernel });
  shared.set(kernel, engine);
  // what 'auto' came to is that engine by its own name as well
  void engine.then(({ kernel: { name } }) => shared.has(name) || shared.set(name, engine)).catch(() => {});
  return engine;
}

/** @throws TypeError for anything that is no engine, by name where it is a promise of one. */
export function requireEngine(engine: unknown): void {
  const kernel = (engine as Partial<Engine> | null | undefined)?.kernel;
  if (typeof kernel?.logDeltaGdp !== 'function') throw wrongType('engine', 'an engine of loadEngine', engine);
}

/** @throws TypeError | RangeError for a wrong option. */
export function wantedKernel(options: EngineOptions): 'auto' | 'wasm' | 'reference' {
  requireOptions('loadEngine', options, ['kernel', 'module']);
  return requireOneOf('kernel', options.kernel ?? 'auto', ['auto', 'wasm', 'reference'] as const);
}

/** The reference engine, which most programs never load. */
async function withoutWasm(): Promise<Engine> {
  const { createReferenceKernel } = await import('../bindings/reference-kernel.js');
  return { kernel: createReferenceKernel(charge) };
}

/** What kept WebAssembly from running. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
