/** Sums over outputs in JavaScript, for what is asked without an engine: in the memory of the reference engine, with its bits. */
import { innerSums } from '../assembly/inner-sums.js';
import { heap, heapBase } from '../assembly/memory.js';
import { cumulantSums } from '../assembly/mesh-sums.js';
import { rayValues } from '../assembly/ray-values.js';
import { seriesPower } from '../assembly/series-power.js';
import type { SumsKernel } from '../src/kernel/loops.js';
import type { KernelExports } from './abi.js';
import { Arena } from './arena.js';
import { type Charge, loopsOver } from './calls.js';

let arena: Arena | undefined;

/** The one allocator over the memory of the modules. */
export function heapArena(): Arena {
  arena ??= new Arena(heap, heapBase());
  return arena;
}

let kernel: SumsKernel | undefined;

export function sumsKernel(charge: Charge): SumsKernel {
  const exports = { innerSums, rayValues, seriesPower, cumulantSums };
  kernel ??= loopsOver({ exports: exports as unknown as KernelExports, arena: heapArena() }, charge);
  return kernel;
}
