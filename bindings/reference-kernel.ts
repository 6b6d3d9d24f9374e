/** The Kernel in JavaScript: the kernel's own text, one lane wide, over an array of numbers. */
import * as assembly from '../assembly/index.js';
import { heap } from '../assembly/memory.js';
import type { Kernel } from '../src/kernel/kernel.js';
import { Arena } from './arena.js';
import { kernelOver } from './kernel-over.js';

let kernel: Kernel | undefined;

/** The one of this thread: its memory is that of the modules. */
export function createReferenceKernel(): Kernel {
  kernel ??= kernelOver('reference', {
    exports: { ...assembly, memory: heap },
    arena: new Arena(heap, assembly.heapBase()),
  });
  return kernel;
}
