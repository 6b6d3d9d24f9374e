import type { Engine, EngineOptions } from '../engine.js';
import { requireOneOf, requireOptions } from '../errors.js';
import { bringMethods } from '../methods/brought/methods.js';
import { charge } from '../numeric/meter.js';
import { bringRuns } from './brought.js';

/**
 * Loads an engine, and with it the methods and bounds of accounts, which are separate modules. WebAssembly is compiled asynchronously. Where
 * `import()` may not run, as in service workers, use `loadEngineSync` of `gdp-kernel/sync`.
 *
 * @throws TypeError | RangeError for a wrong option, or a `module` of another build; with kernel 'wasm', whatever kept it from running.
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

/** The engine of the kernel asked for; for 'auto' that of WebAssembly, or of JavaScript if WebAssembly does not run. */
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

/** Engines by the names they were asked for, and by those of their kernels. */
const shared = new Map<string, Promise<Engine>>();

/** The engine of the given kernel; it is loaded once and then shared by all callers. */
export function sharedEngine(kernel: NonNullable<EngineOptions['kernel']>): Promise<Engine> {
  const known = shared.get(kernel);
  if (known !== undefined) return known;
  const engine = loadEngine({ kernel });
  shared.set(kernel, engine);
  // an engine that 'auto' chose is also stored under the name of its kernel
  void engine.then(({ kernel: { name } }) => shared.has(name) || shared.set(name, engine)).catch(() => {});
  return engine;
}

/** Checks the options and returns the kernel asked for. @throws TypeError | RangeError for a wrong option. */
export function wantedKernel(options: EngineOptions): 'auto' | 'wasm' | 'reference' {
  requireOptions('loadEngine', options, ['kernel', 'module']);
  return requireOneOf('kernel', options.kernel ?? 'auto', ['auto', 'wasm', 'reference'] as const);
}

/** The engine in JavaScript. Its module is imported only here. */
async function withoutWasm(): Promise<Engine> {
  const { createReferenceKernel } = await import('../../bindings/reference-kernel.js');
  return { kernel: createReferenceKernel(charge) };
}

/** The message of whatever kept WebAssembly from running. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
