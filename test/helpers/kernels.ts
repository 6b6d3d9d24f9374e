import { describe } from 'vitest';
import { createReferenceKernel } from '../../bindings/reference-kernel.js';
import { createWasmKernelSync } from '../../bindings/wasm-kernel.js';
import type { Kernel } from '../../src/kernel/kernel.js';

/** Both engines, made once per test file. */
export const kernels: readonly Kernel[] = [createReferenceKernel(), createWasmKernelSync()];

/** Runs one suite over every engine. */
export function describeKernels(title: string, suite: (kernel: Kernel) => void): void {
  for (const kernel of kernels) describe(`${title} (${kernel.name})`, () => suite(kernel));
}

/** Number of entries that differ (`===`, NaN equal to NaN) between two arrays. */
export function differences(a: Float64Array, b: Float64Array): number {
  let count = Math.abs(a.length - b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i] && !(Number.isNaN(a[i]) && Number.isNaN(b[i]))) count++;
  }
  return count;
}
