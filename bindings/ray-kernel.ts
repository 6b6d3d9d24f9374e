/** Sums over balls-and-bins epochs in JavaScript, for what is asked without an engine: in the memory of the reference engine, whose bits they have. */
import { innerSums, logDamped } from '../assembly/inner-sums.js';
import { heap, heapBase } from '../assembly/memory.js';
import { rayValues, tiltedRay } from '../assembly/ray-values.js';
import { seriesPower } from '../assembly/series-power.js';
import type { RayKernel } from '../src/kernel/rays.js';
import type { KernelExports } from './abi.js';
import { Arena } from './arena.js';
import { type Charge, loopsOver } from './calls.js';

let arena: Arena | undefined;

/** The one allocator over the memory of the modules. */
export function heapArena(): Arena {
  arena ??= new Arena(heap, heapBase());
  return arena;
}

let kernel: RayKernel | undefined;

export function createRayKernel(charge: Charge): RayKernel {
  const exports = { innerSums, rayValues, tiltedRay, logDamped, seriesPower } as unknown as KernelExports;
  kernel ??= loopsOver({ exports, arena: heapArena() }, charge);
  return kernel;
}
