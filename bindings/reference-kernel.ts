/** The kernel in JavaScript: the text of `assembly/`, one number at a time, with an array of numbers as its memory. */
import * as assembly from '../assembly/index.js';
import { heap } from '../assembly/lane/memory.js';
import type { Kernel } from '../src/kernel/kernel.js';
import type { Charge, WasmContext } from './abi.js';
import { Arena } from './arena.js';
import { kernelOver } from './kernel-over.js';

/** The one instance of this thread; its memory belongs to the modules of `assembly/`. */
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
