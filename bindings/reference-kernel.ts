/** The Kernel in JavaScript: the kernel's own text, one lane wide, over an array of numbers. */
import * as assembly from '../assembly/index.js';
import { heap } from '../assembly/lane/memory.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { WasmContext } from './abi.js';
import { Arena } from './arena.js';
import type { Charge } from './calls.js';
import { kernelOver } from './kernel-over.js';

/** The one of this thread: its memory is that of the modules. */
let context: WasmContext | undefined;
const kernels = new Map<Charge | undefined, Kernel>();

export function referenceContext(): WasmContext {
  context ??= { exports: { ...assembly, memory: heap }, arena: new Arena(heap, assembly.heapBase()) };
  return context;
}

export function createReferenceKernel(charge?: Charge): Kernel {
  const kernel = kernels.get(charge) ?? kernelOver('reference', referenceContext(), charge);
  kernels.set(charge, kernel);
  return kernel;
}
