import type { Engine, EngineOptions } from '../engine.js';
import { requireOneOf, requireOptions } from '../errors.js';
import { bringMethods } from '../methods/brought/methods.js';
import { charge } from '../numeric/meter.js';
import { bringRuns } from './brought.js';

/**
 * Loads an engine, the methods that any run may ask and the bounds that are always candidates, of which nothing is loaded before. It compiles WebAssembly
 * asynchronously. Where `import()` may not run, as in service workers, `loadEngineSync` of `gdp-kernel/sync` loads one.
 *
 * @throws TypeError | RangeError for a wrong option, a module of another build among them; with kernel 'wasm', whatever kept it from running.
 * @example
 * (await loadEngine({ kernel: 'reference' })).kernel.name; // 'reference'
 */
export async function loadEngine(options: EngineOptions = {}): Promise<Engine> {
  const wanted = wantedKernel(options);
  const [engine, methods, runs] = await Promise.all([
    engineOf(wanted, options.module),
    import('../methods/brought/all.js'),
    import('./run-of-mechanism.js'),
  ]);
  bringMethods(methods, engine);
  bringRuns(runs);
  return engine;
}

/** The engine of the wanted kernel: WebAssembly, or JavaScript where that is wanted or WebAssembly does not run. */
async function engineOf(
  wanted: ReturnType<typeof wantedKernel>,
  module: object | undefined,
): Promise<Engine> {
  if (wanted === 'reference' && module === undefined) return withoutWasm();
  const { createWasmKernel, requireModule } = await import('../../bindings/wasm-kernel.js');
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

/** The engine of a name, loaded once and shared. */
export function sharedEngine(kernel: NonNullable<EngineOptions['kernel']>): Promise<Engine> {
  const known = shared.get(kernel);
  if (known !== undefined) return known;
  const engine = loadEngine({ kernel });
  shared.set(kernel, engine);
  // the engine that 'auto' chose is shared under its own name, too
  void engine.then(({ kernel: { name } }) => shared.has(name) || shared.set(name, engine)).catch(() => {});
  return engine;
}

/** @throws TypeError | RangeError for a wrong option. */
export function wantedKernel(options: EngineOptions): 'auto' | 'wasm' | 'reference' {
  requireOptions('loadEngine', options, ['kernel', 'module']);
  return requireOneOf('kernel', options.kernel ?? 'auto', ['auto', 'wasm', 'reference'] as const);
}

/** The JavaScript engine, which most programs never load. */
async function withoutWasm(): Promise<Engine> {
  const { createReferenceKernel } = await import('../../bindings/reference-kernel.js');
  return { kernel: createReferenceKernel(charge) };
}

/** Why WebAssembly did not run. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
