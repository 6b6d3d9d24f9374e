import { createReferenceKernel } from '../bindings/reference-kernel.js';
import { createWasmKernelSync, requireModule } from '../bindings/wasm-kernel.js';
import { bringRuns } from './account/brought.js';
import { reasonOf, wantedKernel } from './account/load-engine.js';
import * as runs from './account/run-of-mechanism.js';
import type { Engine, EngineOptions } from './engine.js';
import * as methods from './methods/brought/all.js';
import { bringMethods } from './methods/brought/methods.js';
import { charge } from './numeric/meter.js';

/**
 * Loads an engine as `loadEngine` does, but synchronously. Browsers' main threads may forbid it: use `loadEngine` there.
 *
 * @throws TypeError | RangeError for a wrong option; with kernel 'wasm', whatever kept it from running.
 * @example loadEngineSync().kernel.name; // 'wasm'
 */
export function loadEngineSync(options: EngineOptions = {}): Engine {
  const wanted = wantedKernel(options);
  if (options.module !== undefined && typeof WebAssembly === 'object') requireModule(options.module);
  const engine = wanted === 'reference' ? reference() : engineOf(wanted, options.module);
  bringMethods(methods, engine);
  bringRuns(runs);
  return engine;
}

function engineOf(wanted: 'auto' | 'wasm', module: object | undefined): Engine {
  try {
    return { kernel: createWasmKernelSync(module, charge) };
  } catch (error) {
    if (wanted === 'wasm') throw error;
    return { ...reference(), fallbackReason: reasonOf(error) };
  }
}

function reference(): Engine {
  return { kernel: createReferenceKernel(charge) };
}
